//! Pieces on a strip that slide towards one end and pass nobody: Georgia and Bob (POJ 1704) and its variants.
//!
//! # Theorem
//! Let pieces stand at `p[0]`, `p[1]`, …, each at least D ≥ 0 cells after the one before (D = 1: no two on one cell),
//! and let a move slide one piece down to any cell from its limit to the one just below it, the limit being `p[i-1]` +
//! D, and a wall W for the first piece. Let the gap `g[i]` be the number of cells that piece i can slide: `g[0]` =
//! `p[0]` − W (0 if that is negative: then the piece never moves) and `g[i]` = `p[i]` − `p[i-1]` − D. Then the Grundy
//! value is the nim-sum of every second gap, **counted from the last piece**: `g[n-1]`, `g[n-3]`, …; so the first gap
//! counts only if the number of pieces is odd.
//!
//! *Proof.* Sliding piece i by k takes k from `g[i]` and adds k to `g[i+1]`; sliding the last piece takes k from
//! `g[n-1]` and adds nothing. Each k from 1 to `g[i]` is a move, and after it all gaps are still at least 0, so the
//! pieces stay in order. That is the staircase of [`crate::staircase`] on the boxes `g[0]`, …, `g[n-1]` with the
//! arcs i → i+1
//! and n-1 → nowhere: nowhere is even, the last gap odd, and the colours alternate from there. If the first piece never
//! moves, its gap is 0 for ever and changes nothing. ∎
//!
//! Slides towards the high end are the mirror image: `g[i]` = `p[i+1]` − D − `p[i]`, the last piece slides up to a
//! wall, and the gaps pair from the first piece.
//!
//! # How the rules are read
//! A move must change one place of the array. Its bounds and guards are brought to linear forms over the neighbours,
//! once for each kind of place: the first, a middle and the last of several pieces, and the only piece; conditions such
//! as `i > 0` are decided for all numbers of pieces at once. Together the rules must give exactly the range of the
//! theorem for each kind of place; every other range is refused. A limit on the length of a slide makes the gaps
//! bounded heaps, which is another theorem.
//!
//! A position with a piece out of order, or nearer than D to its neighbour, is refused.
//!
//! Cost: one pass over the pieces for a value; options are listed from two more.
//!
//! Source: the game is in E. Berlekamp, J. Conway, R. Guy, *Winning Ways*, ch. 15 (silver dollar game without the
//! dollar).

mod read;

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Play, Shape};
use grundy_lang::value::{Pos, Words};

use crate::{Options, Result, Solver, Target, Theorem, WhyNot};
use read::{Place, Reach, Slide, Track};

/// Slides on a strip without passing.
pub struct Strip;

impl Theorem for Strip {
    fn name(&self) -> &'static str {
        "strip"
    }

    fn title(&self) -> &'static str {
        "gaps of pieces that slide one way"
    }

    fn source(&self) -> &'static str {
        "Berlekamp, Conway, Guy, Winning Ways, ch. 15; the proof is in the source of `strip`"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let game = rules.game();
        match &game.shape {
            Shape::Array(member) if **member == Shape::Int => {}
            _ => return why("a position is not an array of cells"),
        }
        if game.play != Play::Normal {
            return why("play is misère, where the gaps do not give the outcome");
        }
        if !game.ends.is_empty() {
            return why("`win if` or `lose if` can end the game before the pieces are stuck");
        }
        let mut ranges: [Option<Reach>; 4] = [None; 4];
        let mut least_pieces = 0;
        for rule in &game.moves {
            let rule = Slide::read(rule, rules)?;
            least_pieces = least_pieces.max(usize::from(rule.needs_a_piece()));
            for place in Place::ALL {
                let Some(found) = rule.reach(place)? else {
                    continue;
                };
                match &mut ranges[place as usize] {
                    Some(other) if *other == found => {}
                    Some(other) if other.down != found.down => {
                        return why("pieces slide both ways");
                    }
                    Some(_) => return why(format!("two rules move {place} in different ways")),
                    none => *none = Some(found),
                }
            }
        }
        let track = Track::fit(ranges)?;
        Ok(Box::new(StripSolver {
            rules: rules.clone(),
            track,
            least_pieces,
        }))
    }
}

fn why<T>(text: impl Into<String>) -> std::result::Result<T, WhyNot> {
    Err(WhyNot::new(text))
}

struct StripSolver {
    rules: Rules,
    track: Track,
    /// With fewer pieces a rule names one that is not there.
    least_pieces: usize,
}

impl StripSolver {
    fn cells<'p>(&self, part: &'p Pos) -> &'p [Int] {
        part.0.get(1..).unwrap_or_default()
    }

    /// The gap of piece i; below 0 if it stands too near or out of order.
    fn gap(&self, cells: &[Int], i: usize) -> Int {
        let Track {
            down,
            distance,
            wall,
            ..
        } = self.track;
        let neighbour = if down {
            i.checked_sub(1)
        } else {
            Some(i + 1).filter(|&j| j < cells.len())
        };
        let room = |limit: &Int| {
            if down {
                &cells[i] - limit
            } else {
                limit - &cells[i]
            }
        };
        match (neighbour, wall) {
            (Some(j), _) => &room(&cells[j]) - &Int::from(distance),
            (None, Some(wall)) => room(&Track::at(wall, cells.len())).max(Int::ZERO),
            (None, None) => Int::ZERO,
        }
    }

    /// Whether the gap of piece i counts.
    fn odd(&self, n: usize, i: usize) -> bool {
        if self.track.down {
            (n - 1 - i).is_multiple_of(2)
        } else {
            i.is_multiple_of(2)
        }
    }

    /// The gap that grows when piece i slides.
    fn behind(&self, n: usize, i: usize) -> Option<usize> {
        if self.track.down {
            Some(i + 1).filter(|&j| j < n)
        } else {
            i.checked_sub(1)
        }
    }

    fn why_not(&self, cells: &[Int]) -> Option<WhyNot> {
        let n = cells.len();
        if n < self.least_pieces {
            return Some(WhyNot::new("the rules name a piece that is not there"));
        }
        let distance = self.track.distance;
        for i in 0..n {
            let gap = self.gap(cells, i);
            if gap.is_negative() {
                let j = if self.track.down { i - 1 } else { i + 1 };
                let (a, b) = (i.min(j), i.max(j));
                return Some(WhyNot::new(match cells[a].cmp(&cells[b]) {
                    std::cmp::Ordering::Greater => {
                        format!(
                            "pieces are out of order: p[{a}] = {} stands past p[{b}] = {}",
                            cells[a], cells[b]
                        )
                    }
                    std::cmp::Ordering::Equal => {
                        format!("p[{a}] and p[{b}] stand on the same cell {}", cells[a])
                    }
                    _ => format!(
                        "p[{a}] = {} and p[{b}] = {} are nearer than {distance} cells",
                        cells[a], cells[b]
                    ),
                }));
            }
        }
        // Every piece's limit at its neighbour lies inside the cap if the last neighbour's does.
        if let (Some(cap), true) = (self.track.cap, n > 1) {
            let farthest = &cells[n - 1] - &Int::from(distance);
            let wall = self
                .track
                .wall
                .map(|w| &Track::at(w, n) - &Int::from(distance));
            let cap = Track::at(cap, n);
            if farthest > cap || wall.is_some_and(|w| w > cap) {
                return Some(WhyNot::new(format!(
                    "a piece can stand past the limit {cap} of the others"
                )));
            }
        }
        None
    }

    fn checked<'p>(&self, part: &'p Pos) -> Result<&'p [Int]> {
        let cells = self.cells(part);
        match self.why_not(cells) {
            None => Ok(cells),
            Some(why) => Err(Box::new(
                Diagnostic::error(
                    Code::Unsupported,
                    &self.rules.game().source,
                    format!("gaps do not decide this position: {}", why.0),
                )
                .help(
                    "let search answer; pieces in any order are put in order by `start sorted(…)`",
                ),
            )),
        }
    }

    /// The nim-sum in one pass, if the pieces are in order and all numbers fit in a machine word.
    fn quick_sum(&self, cells: &[Int]) -> Option<i64> {
        let Track {
            down,
            distance,
            wall,
            cap,
        } = self.track;
        let n = cells.len();
        if cap.is_some() || n < self.least_pieces {
            return None;
        }
        let wall = match wall {
            Some((c, per_piece)) => Some(
                per_piece
                    .checked_mul(i64::try_from(n).ok()?)?
                    .checked_add(c)?,
            ),
            None => None,
        };
        let mut sum = 0;
        let mut before: Option<i64> = None;
        // From the wall on; the pieces that count are those an even number of places before the far end.
        let mut step = |left: usize, cell: &Int| -> Option<()> {
            let cell = cell.to_i64()?;
            let room = |limit: i64| {
                if down {
                    cell.checked_sub(limit)
                } else {
                    limit.checked_sub(cell)
                }
            };
            let gap = match (before, wall) {
                (Some(b), _) => room(b)?.checked_sub(distance).filter(|g| *g >= 0)?,
                (None, Some(wall)) => room(wall)?.max(0),
                (None, None) => 0,
            };
            if left.is_multiple_of(2) {
                sum ^= gap;
            }
            before = Some(cell);
            Some(())
        };
        if down {
            cells
                .iter()
                .enumerate()
                .try_for_each(|(i, c)| step(n - 1 - i, c))?;
        } else {
            cells
                .iter()
                .enumerate()
                .rev()
                .try_for_each(|(i, c)| step(i, c))?;
        }
        Some(sum)
    }

    /// The value of a part, or why the theorem does not give it.
    fn value_of(&self, part: &Pos) -> Result<Int> {
        match self.quick_sum(self.cells(part)) {
            Some(sum) => Ok(Int::from(sum)),
            None => self.checked(part).map(|cells| self.nim_sum(cells)),
        }
    }

    fn nim_sum(&self, cells: &[Int]) -> Int {
        let n = cells.len();
        (0..n)
            .filter(|&i| self.odd(n, i))
            .fold(Int::ZERO, |sum, i| sum.bitxor(&self.gap(cells, i)))
    }

    fn after(&self, part: &Pos, i: usize, by: &Int) -> Pos {
        let mut words: Words = part.0.clone();
        words[i + 1] = if self.track.down {
            &words[i + 1] - by
        } else {
            &words[i + 1] + by
        };
        Pos(words)
    }
}

impl Solver for StripSolver {
    fn finding(&self) -> String {
        let Track {
            down,
            distance,
            wall,
            ..
        } = self.track;
        let way = if down { "low" } else { "high" };
        let end = match wall {
            None => format!("the piece nearest to the {way} end never moves"),
            Some((c, 0)) => format!("the wall is cell {c}"),
            Some((c, per_piece)) => format!("the wall is cell {c} + {per_piece}·len"),
        };
        let apart = match distance {
            0 => "may share a cell but not pass".to_owned(),
            1 => "never share a cell".to_owned(),
            d => format!("keep {d} cells from each other"),
        };
        format!("pieces slide any number of cells towards the {way} end and {apart}; {end}")
    }

    fn refuses(&self, part: &Pos, _: &Budget) -> Result<Option<WhyNot>> {
        let cells = self.cells(part);
        Ok(match self.quick_sum(cells) {
            Some(_) => None,
            None => self.why_not(cells),
        })
    }

    fn outcome(&self, part: &Pos, _: &Budget) -> Result<Outcome> {
        Ok(Outcome::from_next_wins(!self.value_of(part)?.is_zero()))
    }

    fn value(&self, part: &Pos, _: &Budget) -> Result<Option<Int>> {
        self.value_of(part).map(Some)
    }

    fn options(&self, part: &Pos, target: &Target, limit: usize, _: &Budget) -> Result<Options> {
        let cells = self.checked(part)?;
        let n = cells.len();
        let mut d = self.nim_sum(cells);
        match target {
            Target::Value(v) if v.is_negative() => return Ok(Options::default()),
            Target::Value(v) => d = d.bitxor(v),
            Target::P => {}
        }
        let mut options = Options::default();
        let mut total = 0usize;
        if d.is_zero() {
            return Ok(options); // no option has the position's own value
        }
        for i in 0..n {
            let gap = self.gap(cells, i);
            let slide = if self.odd(n, i) {
                &gap - &gap.bitxor(&d)
            } else {
                let Some(behind) = self.behind(n, i).map(|j| self.gap(cells, j)) else {
                    continue;
                };
                &behind.bitxor(&d) - &behind
            };
            if slide.is_negative() || slide > gap {
                continue;
            }
            total += 1;
            if options.list.len() < limit {
                options.list.push(vec![self.after(part, i, &slide)]);
            }
        }
        options.total = Int::from(total);
        Ok(options)
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let cells = self.checked(part)?;
        let n = cells.len();
        let value = self.nim_sum(cells);
        let (end, far) = if self.track.down {
            ("low", "high")
        } else {
            ("high", "low")
        };
        let counted: Vec<usize> = (0..n).filter(|&i| self.odd(n, i)).collect();
        let mut out = vec![format!(
            "The gap of a piece is the number of cells that it can slide. Sliding it by k makes its own gap k \
            smaller and the gap \
             of the piece on its {far} side k larger; the piece at the {far} end has nobody there."
        )];
        out.push(format!(
            "So pair the gaps from the {far} end and count the first of each pair: what is moved out of an \
            uncounted gap into a \
             counted one can be moved on at once. The gap at the {end} end counts only if the number of pieces is \
             odd; here \
             there {}.",
            match n {
                0 => "is no piece".to_owned(),
                1 => "is 1 piece".to_owned(),
                _ => format!("are {n} pieces"),
            }
        ));
        let sum = match counted.len() {
            0 => "there is no gap".to_owned(),
            1..=12 => {
                let gaps: Vec<String> = counted
                    .iter()
                    .map(|&i| self.gap(cells, i).to_string())
                    .collect();
                format!(
                    "the counted gaps are {}, their nim-sum is {value}",
                    gaps.join(", ")
                )
            }
            len => format!("the nim-sum of the {len} counted gaps is {value}"),
        };
        if value.is_zero() {
            out.push(format!("Here {sum}, so the player to move loses: every move changes it, and it can be brought \
            back to 0."));
        } else {
            let winning = self.options(part, &Target::P, 1, budget)?;
            let moved = winning
                .list
                .first()
                .and_then(|parts| parts.first())
                .and_then(|to| {
                    (0..n).find(|&i| to.0[i + 1] != cells[i]).map(|i| {
                        format!(
                            " For example the piece on cell {} slides to cell {}.",
                            cells[i],
                            to.0[i + 1]
                        )
                    })
                });
            out.push(format!(
                "Here {sum}, so the player to move wins.{}",
                moved.unwrap_or_default()
            ));
        }
        Ok(out)
    }
}
