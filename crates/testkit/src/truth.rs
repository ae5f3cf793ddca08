//! The slow truth: outcome and value by plain mex over the interpreter's options, memoised, for small positions.

use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;
use std::rc::Rc;

use grundy_core::{Int, Outcome, mex};
use grundy_lang::interp::Rules;
use grundy_lang::ir::Play;
use grundy_lang::value::Pos;

/// A memo over one set of rules whose moves leave one part each.
pub struct Truth<'r> {
    rules: &'r Rules,
    known: HashMap<Pos, (u64, bool)>,
    options: HashMap<Pos, Rc<Vec<Pos>>>,
}

impl<'r> Truth<'r> {
    /// Nothing known yet.
    pub fn new(rules: &'r Rules) -> Self {
        Truth {
            rules,
            known: HashMap::new(),
            options: HashMap::new(),
        }
    }

    /// The different options, each one part, in order.
    pub fn options(&mut self, part: &Pos) -> Rc<Vec<Pos>> {
        if let Some(known) = self.options.get(part) {
            return known.clone();
        }
        let mut out = BTreeSet::new();
        let mut machine = self.rules.machine();
        let flow = machine.options(part, &mut |option| {
            assert_eq!(option.parts.len(), 1, "one part a move");
            out.insert(option.parts[0].clone());
            ControlFlow::Continue(())
        });
        let _ = flow.expect("random rules do not fail");
        let out: Rc<Vec<Pos>> = Rc::new(out.into_iter().collect());
        self.options.insert(part.clone(), out.clone());
        out
    }

    fn solve(&mut self, part: &Pos) -> (u64, bool) {
        if let Some(&known) = self.known.get(part) {
            return known;
        }
        let answers: Vec<(u64, bool)> = self
            .options(part)
            .iter()
            .map(|left| self.solve(left))
            .collect();
        let wins = if answers.is_empty() {
            self.rules.game().play == Play::Misere
        } else {
            answers.iter().any(|(_, wins)| !wins)
        };
        let answer = (mex(answers.iter().map(|(value, _)| *value)), wins);
        self.known.insert(part.clone(), answer);
        answer
    }

    /// The value in normal play.
    pub fn value(&mut self, part: &Pos) -> Int {
        Int::from(self.solve(part).0)
    }

    /// Who wins under the rules' own convention.
    pub fn outcome(&mut self, part: &Pos) -> Outcome {
        Outcome::from_next_wins(self.solve(part).1)
    }
}
