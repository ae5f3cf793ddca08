//! Tokens that move along arcs: any number of them from one box to another. Card boxes (HDU 3389), stairs, stones that
//! go to the parent in a tree, tokens thrown away.
//!
//! # Theorem
//! Let the arcs between the boxes have no cycle, and let a move take any positive number of tokens of a box along one
//! arc. An arc may also lead nowhere (the tokens are gone); nowhere counts as one more box, without arcs. Let every box
//! be even or odd, so that **each arc leads to the other colour and boxes without arcs are even**. Then the Grundy
//! value of a position is the nim-sum of the counts of the odd boxes.
//!
//! *The colours are forced.* Boxes without arcs are even, and going against the arcs every other box has the colour
//! that its successors have not. So either this finds the one colouring, or some box has successors of both colours.
//! *Each odd box has an arc, and all its arcs lead to even boxes*, since boxes without arcs are even.
//!
//! *Proof.* By induction over the moves (play ends: each move goes down along an acyclic graph). Let g be the nim-sum
//! of the odd counts. (1) No option has value g: an arc joins the two colours, so a move changes exactly one odd count,
//! hence the nim-sum. (2) For every h < g some option has value h: let d = g ^ h. The highest bit of d is set in g, so
//! in some odd count a, and a ^ d < a. That box has an arc to an even box; moving a − (a ^ d) tokens there leaves the
//! nim-sum g ^ d = h. By induction the options have their nim-sums as values, so g is the mex. ∎
//!
//! The same argument gives all options of value h = g ^ d: from an odd box with a ^ d < a exactly a − (a ^ d) tokens
//! along any of its arcs, and from an even box into an odd box with count b, where b ^ d > b, exactly (b ^ d) − b
//! tokens if it has them.
//!
//! # How the rules are read
//! A move must be `x with x[A] -= k, x[B] += k` (in any writing with the same meaning) where k takes all values from 1
//! to `x[A]`, and which A and B are allowed depends on quantifiers, parameters and the number of boxes only. Two ways
//! to find the arcs:
//! * *Windows*: A = ±u + c and B = ±v + f(u) for two quantifiers over ranges; the guards say lo(u) ≤ v ≤ hi(u), or
//!   depend on u alone, or on u and v through their residues mod m. The targets of a box are then one run for each
//!   residue class, and a running count of odd boxes in each class tells the colours in a run at once. O(N·m) time,
//!   O(N) memory.
//! * *Enumeration* of the quantifiers, at most [`MOST_STEPS`] steps.
//!
//! If the arcs of a box do not depend on the number of boxes and lead to smaller indices, colours are found once and
//! extended when a longer array comes. A position then costs one pass over its counts. Counting the options takes
//! O(N·m·log N): for all even boxes together, how many odd boxes of their windows lack at most `x[A]` tokens, with a
//! Fenwick tree over the boxes in order of residue class, filled in order of that lack.
//!
//! Source: proved above; the idea that a move which the next player can undo does not count is in E. Berlekamp, J.
//! Conway,
//! R. Guy, *Winning Ways*, ch. 3.

mod colour;
mod read;
mod window;

use std::sync::{Arc, Mutex};

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Clause, CompareOp, Expr, ExprKind, Function, Slot};
use grundy_lang::value::{Pos, Words};

use crate::{Options, Result, Solver, Target, Theorem, WhyNot};
use colour::{Cache, Prepared, View};

/// How many combinations of quantifiers are tried for one number of boxes.
pub const MOST_STEPS: u64 = 50_000_000;
/// The largest common modulus of the guards that are read as windows.
const MOST_CLASSES: i64 = 1024;
/// How many alternatives the guards of one move may have.
const MOST_ALTERNATIVES: usize = 16;
/// How many boxes in all are kept for numbers of boxes seen before.
const KEPT_BOXES: usize = 4_000_000;
/// The target of an arc that leads nowhere.
const NOWHERE: u32 = u32::MAX;

/// The staircase theorem on an acyclic graph.
pub struct Staircase;

impl Theorem for Staircase {
    fn name(&self) -> &'static str {
        "staircase"
    }

    fn title(&self) -> &'static str {
        "staircase on an acyclic graph"
    }

    fn source(&self) -> &'static str {
        "reversible moves: Berlekamp, Conway, Guy, Winning Ways, ch. 3; the proof is in the source of `staircase`"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let graph = Graph::read(rules)?;
        let solver = StaircaseSolver {
            graph,
            cache: Mutex::default(),
        };
        if let Some(n) = start_length(rules).filter(|n| *n <= SMALL_ENOUGH_TO_CHECK)
            && let Ok(Err(why)) = solver.prepared(n, &Budget::default())
        {
            return Err(why);
        }
        Ok(Box::new(solver))
    }
}

/// Up to here the colouring is tried while recognising, if the parameters tell the number of boxes.
const SMALL_ENOUGH_TO_CHECK: usize = 2_000;

fn start_length(rules: &Rules) -> Option<usize> {
    let start = &rules.game().start;
    let mut expr = &start.expr;
    while let ExprKind::Call(Function::Sorted | Function::Reversed, args) = &expr.kind {
        expr = args.first()?;
    }
    match expr.kind {
        ExprKind::Slot(s) if !start.sum => Some(rules.params().get(s)?.as_seq()?.len()),
        _ => None,
    }
}

/// The arcs as the rules state them.
struct Graph {
    rules: Rules,
    arcs: Vec<Arcs>,
    /// How many slots the rules have.
    slots: usize,
    /// The common modulus of all windows.
    modulus: i64,
    /// Whether the arcs of a box are the same for every number of boxes.
    stable: bool,
}

/// The arcs of one move rule.
struct Arcs {
    array: Slot,
    /// Quantifiers and guards that choose the arc.
    clauses: Vec<Clause>,
    from: Expr,
    to: Option<Expr>,
    form: Form,
    /// The rule chooses the source first, as `u` in `lo..len(x)+h` with the source at u − h − 1, and reads the length
    /// nowhere
    /// else.
    stable: bool,
}

enum Form {
    Windows(Vec<Window>),
    Enumerated,
}

/// One alternative of the guards of a rule with two quantifiers.
struct Window {
    u: Slot,
    v: Slot,
    /// A = from_sign·u + (A at u = 0).
    from_sign: i64,
    /// B = to_sign·v + (B at v = 0).
    to_sign: i64,
    /// Conditions without v, and whether they must fail instead.
    plain: Vec<(Expr, bool)>,
    /// `multiple·v + (left − right at v = 0) op 0`
    bounds: Vec<Bound>,
    /// Conditions on residues.
    residues: Vec<(Expr, bool)>,
}

struct Bound {
    op: CompareOp,
    left: Expr,
    right: Expr,
    multiple: i64,
}

/// Boxes `first, first + modulus, …, last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    first: i64,
    last: i64,
}

impl Run {
    fn count(self, modulus: i64) -> u64 {
        ((self.last - self.first) / modulus + 1) as u64
    }

    fn contains(self, at: i64, modulus: i64) -> bool {
        self.first <= at && at <= self.last && (at - self.first) % modulus == 0
    }

    fn boxes(self, modulus: i64) -> impl Iterator<Item = usize> {
        (self.first..=self.last)
            .step_by(modulus as usize)
            .map(|b| b as usize)
    }
}

fn why<T>(text: impl Into<String>) -> std::result::Result<T, WhyNot> {
    Err(WhyNot::new(text))
}

/// Rules whose arcs have been read; the colours are found when the number of boxes is known.
struct StaircaseSolver {
    graph: Graph,
    cache: Mutex<Cache>,
}

/// A Fenwick tree: counts at places, sums over ranges, each in logarithmic time.
struct Fenwick(Vec<u32>);

impl Fenwick {
    fn add(&mut self, mut at: usize) {
        at += 1;
        while at < self.0.len() {
            self.0[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    fn before(&self, mut at: usize) -> u64 {
        let mut sum = 0;
        while at > 0 {
            sum += u64::from(self.0[at]);
            at &= at - 1;
        }
        sum
    }
}

/// What box `a` reaches: runs of windows, and enumerated targets that are in none of them.
struct Reach {
    runs: Vec<Run>,
    more: Vec<u32>,
}

impl StaircaseSolver {
    fn counts<'p>(&self, part: &'p Pos) -> &'p [Int] {
        part.0.get(1..).unwrap_or_default()
    }

    fn holding(&self, part: &Pos, budget: &Budget) -> Result<Arc<Prepared>> {
        self.prepared(self.counts(part).len(), budget)?
            .map_err(|why| {
                let source = &self.graph.rules.game().source;
                Box::new(
                    Diagnostic::error(
                        Code::Unsupported,
                        source,
                        format!("the staircase theorem does not hold here: {}", why.0),
                    )
                    .help("let search answer"),
                )
            })
    }

    fn nim_sum(&self, part: &Pos, prepared: &Prepared) -> Int {
        let mut words = 0i64;
        let mut big = Int::ZERO;
        for (count, &odd) in self.counts(part).iter().zip(&prepared.odd) {
            match count.to_i64() {
                Some(v) => words ^= v & -i64::from(odd),
                None if odd => big = big.bitxor(count),
                None => {}
            }
        }
        big.bitxor(&Int::from(words))
    }

    fn reach(&self, a: usize, p: &Prepared, view: &mut View<'_>, out: &mut Reach) -> Result<()> {
        if p.written_out {
            out.runs.clear();
        } else {
            view.runs(a, &mut out.runs).map_err(|why| {
                Box::new(Diagnostic::error(
                    Code::Unsupported,
                    &self.graph.rules.game().source,
                    why.0,
                ))
            })?;
        }
        out.more.clear();
        let m = self.graph.modulus;
        for b in p.targets(a) {
            if *b == NOWHERE || !out.runs.iter().any(|r| r.contains(i64::from(*b), m)) {
                out.more.push(*b);
            }
        }
        Ok(())
    }

    fn after(part: &Pos, from: usize, to: Option<usize>, tokens: &Int) -> Pos {
        let mut words: Words = part.0.clone();
        words[from + 1] = &words[from + 1] - tokens;
        if let Some(to) = to {
            words[to + 1] = &words[to + 1] + tokens;
        }
        Pos(words)
    }

    fn odd_places(&self, p: &Prepared, n: usize) -> String {
        let total = p.odd[..n].iter().filter(|o| **o).count();
        let named: Vec<String> = (0..n)
            .filter(|&a| p.odd[a])
            .take(6)
            .map(|a| format!("x[{a}]"))
            .collect();
        match total {
            0 => "there is no odd box".to_owned(),
            _ if total > named.len() => {
                format!("the odd boxes are {}, … ({total} of {n})", named.join(", "))
            }
            _ => format!("the odd boxes are {}", named.join(", ")),
        }
    }
}

impl Solver for StaircaseSolver {
    fn finding(&self) -> String {
        let windows = self
            .graph
            .arcs
            .iter()
            .any(|r| matches!(r.form, Form::Windows(_)));
        let m = self.graph.modulus;
        let how = match (windows, m) {
            (true, 1) => "the boxes that a box reaches are ranges".to_owned(),
            (true, m) => {
                format!("the boxes that a box reaches are ranges within residue classes mod {m}")
            }
            (false, _) => "the arcs are looked at one by one".to_owned(),
        };
        format!("any number of tokens moves along arcs from box to box; {how}")
    }

    fn refuses(&self, part: &Pos, budget: &Budget) -> Result<Option<WhyNot>> {
        Ok(self.prepared(self.counts(part).len(), budget)?.err())
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        let prepared = self.holding(part, budget)?;
        Ok(Outcome::from_next_wins(
            !self.nim_sum(part, &prepared).is_zero(),
        ))
    }

    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>> {
        let prepared = self.holding(part, budget)?;
        Ok(Some(self.nim_sum(part, &prepared)))
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let p = &*self.holding(part, budget)?;
        let counts = self.counts(part);
        let n = counts.len();
        let m = self.graph.modulus;
        let mut d = self.nim_sum(part, p);
        match target {
            Target::Value(v) if v.is_negative() => return Ok(Options::default()),
            Target::Value(v) => d = d.bitxor(v),
            Target::P => {}
        }
        if d.is_zero() {
            return Ok(Options::default()); // no option has the position's own value
        }
        let unread = |why: WhyNot| {
            Box::new(Diagnostic::error(
                Code::Unsupported,
                &self.graph.rules.game().source,
                why.0,
            ))
        };
        let mut view = View::new(&self.graph, n, !p.written_out).map_err(unread)?;
        // By how much each count must change to become count ^ d: down (negative) or up.
        let change: Vec<Int> = counts.iter().map(|c| &c.bitxor(&d) - c).collect();
        let wants = |b: usize| p.odd[b] && !change[b].is_negative();
        let takes =
            |a: usize, b: u32| b != NOWHERE && wants(b as usize) && change[b as usize] <= counts[a];
        let mut reach = Reach {
            runs: Vec::new(),
            more: Vec::new(),
        };

        // How many wanted options start from each box. Those from even boxes into windows are left for one sweep.
        let mut from_box = vec![0u64; n];
        let mut sweep: Vec<(&Int, usize)> = Vec::new();
        for a in 0..n {
            if a.is_multiple_of(4096) && budget.stopped() {
                return Err(self.interrupted());
            }
            if counts[a].is_zero() || (p.odd[a] && !change[a].is_negative()) {
                continue;
            }
            if !p.odd[a] && !view.is_empty() {
                sweep.push((&counts[a], a));
                continue;
            }
            self.reach(a, p, &mut view, &mut reach)?;
            from_box[a] = if p.odd[a] {
                reach.runs.iter().map(|r| r.count(m)).sum::<u64>() + reach.more.len() as u64
            } else {
                reach.more.iter().filter(|b| takes(a, **b)).count() as u64
            };
        }
        if !sweep.is_empty() {
            let mut wanted: Vec<(&Int, usize)> = (0..n)
                .filter(|&b| wants(b))
                .map(|b| (&change[b], b))
                .collect();
            wanted.sort_unstable();
            sweep.sort_unstable();
            // Places in order of residue class, so that a run is a range.
            let classes = m as usize;
            let mut offset = vec![0usize; classes + 1];
            for class in 0..classes {
                offset[class + 1] = offset[class] + (n + classes - 1 - class) / classes;
            }
            let place = |b: usize| offset[b % classes] + b / classes;
            let mut tree = Fenwick(vec![0; n + 1]);
            let mut wanted = wanted.into_iter().peekable();
            let mut inside = false;
            for (step, &(count, a)) in sweep.iter().enumerate() {
                if step.is_multiple_of(4096) && budget.stopped() {
                    return Err(self.interrupted());
                }
                while let Some((_, b)) = wanted.next_if(|(lack, _)| *lack <= count) {
                    tree.add(place(b));
                    inside = true;
                }
                if !inside {
                    continue;
                }
                self.reach(a, p, &mut view, &mut reach)?;
                from_box[a] = reach.more.iter().filter(|b| takes(a, **b)).count() as u64;
                for run in &reach.runs {
                    let (first, last) = (place(run.first as usize), place(run.last as usize));
                    from_box[a] += tree.before(last + 1) - tree.before(first);
                }
            }
        }
        let total = from_box.iter().sum::<u64>();

        let mut list = Vec::new();
        for a in (0..n).filter(|&a| from_box[a] > 0) {
            if list.len() >= limit {
                break;
            }
            self.reach(a, p, &mut view, &mut reach)?;
            let more = reach
                .more
                .iter()
                .map(|&b| (b != NOWHERE).then_some(b as usize));
            let targets = reach
                .runs
                .iter()
                .flat_map(|r| r.boxes(m))
                .map(Some)
                .chain(more);
            let mut left = from_box[a].min((limit - list.len()) as u64);
            for b in targets {
                if left == 0 {
                    break;
                }
                let tokens = match b {
                    _ if p.odd[a] => change[a].abs(),
                    Some(b) if wants(b) && change[b] <= counts[a] => change[b].clone(),
                    _ => continue,
                };
                list.push(vec![Self::after(part, a, b, &tokens)]);
                left -= 1;
            }
        }
        Ok(Options {
            list,
            total: Int::from(total),
        })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let p = &*self.holding(part, budget)?;
        let counts = self.counts(part);
        let n = counts.len();
        let value = self.nim_sum(part, p);
        let mut out = vec![
            format!(
                "Call a box that no token can leave even, and every other box by the colour that the boxes it \
                reaches have \
                 not. Here every arc joins an even box and an odd one; {}.",
                self.odd_places(p, n)
            ),
            "Only the odd boxes count. Tokens moved from an even box into an odd one can be moved on at once, since \
            an odd box \
             always reaches an even one; so taking tokens out of odd boxes is a game of Nim."
                .to_owned(),
        ];
        let filled: Vec<String> = counts
            .iter()
            .zip(&p.odd)
            .filter(|(c, odd)| **odd && !c.is_zero())
            .map(|(c, _)| c.to_string())
            .collect();
        let sum = match filled.len() {
            0 => "no odd box holds a token".to_owned(),
            1..=12 => format!(
                "the nim-sum of the odd boxes is {} = {value}",
                filled.join(" ^ ")
            ),
            len => format!("the nim-sum of the {len} odd boxes that hold tokens is {value}"),
        };
        if value.is_zero() {
            out.push(format!(
                "Here {sum}, so the player to move loses: every move changes the nim-sum, and it can always be \
                brought back \
                 to 0."
            ));
            return Ok(out);
        }
        let taken = (0..n).find(|&a| p.odd[a] && counts[a].bitxor(&value) < counts[a]);
        let step = taken.map(|a| {
            let left = counts[a].bitxor(&value);
            format!(
                " For example x[{a}] holds {}, and moving {} of them to an even box leaves {left}, which makes the \
                nim-sum 0.",
                counts[a],
                &counts[a] - &left
            )
        });
        out.push(format!(
            "Here {sum}, so the player to move wins.{}",
            step.unwrap_or_default()
        ));
        Ok(out)
    }
}
