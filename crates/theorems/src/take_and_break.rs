//! Take and break: from one heap take a bounded number and leave the rest in a bounded number of heaps, in any way.
//!
//! `grundy_lang::linear::heap` reads the rules as a code. So octal codes (Guy and Smith 1956), longer codes, and rules written
//! out in whatever way are one class; small heaps may have their own options.
//!
//! Values and the proof of the period are in `values`. An answer for a heap of any size is one division once the period is
//! known; without one, values are computed up to the heap asked, as far as a bound on work allows.

mod values;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use grundy_core::{Budget, Int, Outcome};
use grundy_find::Proof;
use grundy_lang::diag::{Code as DiagnosticCode, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::linear::heap::{self, Heap};
use grundy_lang::value::Pos;

use crate::{Options, Result, Solver, Target, Theorem, WhyNot};
use values::{Heaps, Stop};

/// The theorem for the registry.
pub struct TakeAndBreak;

impl Theorem for TakeAndBreak {
    fn name(&self) -> &'static str {
        "take-and-break"
    }

    fn title(&self) -> &'static str {
        "Guy–Smith periodicity of take-and-break games"
    }

    fn source(&self) -> &'static str {
        "R. K. Guy and C. A. B. Smith, The G-values of various games (1956); for more heaps, the proof is in the source of `take-and-break`"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let Heap {
            code, small, empty, ..
        } = heap::read(rules).map_err(WhyNot)?;
        if code.tail != 0 {
            return Err(WhyNot::new(
                "the number taken from a large heap has no bound",
            ));
        }
        if code.unequal && code.parts() > 2 {
            return Err(WhyNot::new("three heaps or more are left, all different"));
        }
        Ok(Box::new(TakeAndBreakSolver {
            rules: rules.clone(),
            empty,
            heaps: Mutex::new(Heaps::new(code, small)),
        }))
    }
}

struct TakeAndBreakSolver {
    rules: Rules,
    /// What a move to nothing leaves by the rules, for the heaps that have one.
    empty: BTreeMap<usize, Vec<Pos>>,
    heaps: Mutex<Heaps>,
}

impl TakeAndBreakSolver {
    fn heaps(&self) -> MutexGuard<'_, Heaps> {
        self.heaps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stopped(&self, stop: Stop, part: &Pos) -> Box<Diagnostic> {
        let source = &self.rules.game().source;
        Box::new(match stop {
            Stop::Interrupted => Diagnostic::error(
                DiagnosticCode::Interrupted,
                source,
                "stopped before the values of the heaps were computed",
            ),
            Stop::Limit(last) => Diagnostic::error(
                DiagnosticCode::TooLarge,
                source,
                format!("the heaps up to {last} prove no period, and this one is past them"),
            )
            .note(format!(
                "asked for {}",
                self.rules.game().shape.display(part)
            ))
            .help(format!("ask for a heap up to {last}")),
            Stop::TooMany => Diagnostic::error(
                DiagnosticCode::TooLarge,
                source,
                "there are too many options to count them one by one",
            )
            .note(format!(
                "asked for {}",
                self.rules.game().shape.display(part)
            ))
            .help("ask for a smaller heap"),
        })
    }

    /// Heaps as the parts of an option.
    fn parts(&self, heap: &Int, option: Vec<Int>) -> Vec<Pos> {
        if option.is_empty()
            && let Some(parts) = heap.to_usize().and_then(|n| self.empty.get(&n))
        {
            return parts.clone();
        }
        option
            .into_iter()
            .map(|h| Pos([h].into_iter().collect()))
            .collect()
    }
}

impl Solver for TakeAndBreakSolver {
    fn finding(&self) -> String {
        let mut heaps = self.heaps();
        let mut text = match heaps.code.text() {
            Some(code) => format!("the code {code}"),
            None => format!("a code that takes up to {}", heaps.code.reach()),
        };
        let own = heaps.small.iter().filter(|s| s.is_some()).count();
        if own > 0 {
            text += &format!(
                ", but for {own} {} up to {}",
                if own == 1 { "heap" } else { "heaps" },
                heaps.small.len() - 1
            );
        }
        // A short run finds the period of most codes.
        let _ = heaps.reach(&Int::from(2000), &Budget::default());
        if let Some(period) = heaps.period() {
            text += &format!(
                "; values repeat with period {} from {}",
                period.period, period.start
            );
        }
        text
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        let value = self
            .heaps()
            .value(&part.0[0], budget)
            .map_err(|stop| self.stopped(stop, part))?;
        Ok(Outcome::from_next_wins(value != 0))
    }

    fn value(&self, part: &Pos, budget: &Budget) -> Result<Option<Int>> {
        let value = self
            .heaps()
            .value(&part.0[0], budget)
            .map_err(|stop| self.stopped(stop, part))?;
        Ok(Some(Int::from(i64::from(value))))
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        let wanted = match target {
            Target::P => 0,
            Target::Value(v) => match v.to_u64().and_then(|v| u32::try_from(v).ok()) {
                Some(v) => v,
                None => return Ok(Options::default()),
            },
        };
        let heap = &part.0[0];
        let found = self.heaps().options(heap, wanted, limit, budget);
        let (list, total) = found.map_err(|stop| self.stopped(stop, part))?;
        let list = list
            .into_iter()
            .map(|option| self.parts(heap, option))
            .collect();
        Ok(Options { list, total })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let mut heaps = self.heaps();
        let (name, heap) = (crate::heap_name(self.rules.game()), &part.0[0]);
        let mut out = Vec::new();
        let value = heaps
            .value(heap, budget)
            .map_err(|stop| self.stopped(stop, part))?;
        let (k, reach) = (heaps.code.parts(), heaps.code.reach());
        let left = match k {
            0 => "nothing".to_owned(),
            1 => "one heap".to_owned(),
            k if heaps.code.unequal => format!("up to {k} heaps, no two of them equal"),
            k => format!("up to {k} heaps"),
        };
        let takes = match reach {
            0 => "nothing".to_owned(),
            _ => format!("at most {reach}"),
        };
        let code = heaps.code.text().map_or_else(String::new, |c| {
            format!(" These are the rules of the code {c}.")
        });
        out.push(format!(
            "A move takes {takes} from a heap and leaves {left}.{code}"
        ));
        match heaps.period() {
            Some(period) => {
                let (p, start) = (period.period, period.start);
                let bound = k.max(1) * (start + p - 1) + reach;
                out.push(match heaps.proof() {
                    Some(Proof::Window(window)) => format!(
                        "By a split of the values into rare and common ones (mask {}{}) no heap past {} is rare, and for the heaps \
                         {name} = {} to {} every smaller value was seen to be that of an option with a heap of at most {}, as the \
                         values before them stand {p} later too. So a later heap is settled as the one {p} before it is, \
                         and G({name} + {p}) = G({name}) for every {name} from {start} on.",
                        window.mask,
                        if window.position_bit { " and the heap's parity" } else { "" },
                        window.rares_to,
                        window.settled_from,
                        window.settled_from + p as u64 - 1,
                        window.witnesses_to.max(window.rares_to),
                    ),
                    _ => format!(
                    "G({name} + {p}) = G({name}) was checked from {name} = {start} until {name} + {p} reaches {bound}. From \
                     there on an option always has a heap large enough to add or take {p}, so it holds for ever \
                     (Guy and Smith)."
                    ),
                });
                let past = heap - &Int::from(start);
                let phase = past.mod_floor(&Int::from(p)).and_then(|r| r.to_usize()).unwrap_or(0);
                if !past.is_negative() && *heap != Int::from(start + phase) {
                    out.push(if p == 1 {
                        format!("From {name} = {start} on all values are the same: G({heap}) = G({start}) = {value}.")
                    } else {
                        format!(
                            "{name} = {heap} leaves {} when divided by {p}, as {} does, so G({heap}) = G({}) = {value}.",
                            (start + phase) % p,
                            start + phase,
                            start + phase
                        )
                    });
                }
            }
            None => out.push(format!(
                "The values of all heaps up to {} were computed one after the other, each the mex of its options.",
                heaps.known().saturating_sub(1)
            )),
        }
        if value == 0 {
            out.push(format!(
                "G({heap}) = 0: no option has value 0, and {heap} is a P-position."
            ));
        } else {
            let found = heaps
                .options(heap, 0, 1, budget)
                .map_err(|stop| self.stopped(stop, part))?;
            let to = found.0.first().map(|option| {
                let heaps: Vec<String> = option.iter().map(Int::to_string).collect();
                if heaps.is_empty() {
                    "nothing".to_owned()
                } else {
                    heaps.join(" + ")
                }
            });
            let to = to.unwrap_or_else(|| "nothing".to_owned());
            out.push(format!(
                "G({heap}) = {value}, not 0, so {heap} is an N-position: leave {to}, of nim-sum 0 ({} in all).",
                match found.1.to_i64() {
                    Some(1) => "1 winning move".to_owned(),
                    _ => format!("{} winning moves", found.1),
                }
            ));
        }
        Ok(out)
    }
}
