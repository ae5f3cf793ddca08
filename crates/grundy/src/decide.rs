//! Plans as the judge asks for them: one a set of rules, no more asked than the output prints.

use grundy_core::{Budget, Claim, Int, Outcome};
use grundy_lang::diag::Code;
use grundy_lang::interp::Rules;
use grundy_lang::value::Position;

use crate::Result;
use crate::format::Want;
use crate::judge::{CaseAnswer, Decide};
use crate::plan::{Engine, Hook, Plan};
use crate::record::Known;

/// Decides the cases of a judge by plans.
pub struct Decider {
    engine: Engine,
    budget: Budget,
    hook: Option<Hook>,
    plan: Option<Plan>,
}

impl Decider {
    /// With an engine and what it may use.
    pub fn new(engine: Engine, budget: Budget) -> Self {
        Decider {
            engine,
            budget,
            hook: None,
            plan: None,
        }
    }

    /// Has searches report how far they have come.
    pub fn report(mut self, hook: Hook) -> Self {
        self.hook = Some(hook);
        self
    }
}

impl Decide for Decider {
    fn rules(&mut self, rules: Rules) -> Result<()> {
        if self.plan.as_ref().is_none_or(|plan| !plan.serves(&rules)) {
            let plan = Plan::new(&rules, self.engine, self.budget.clone())?;
            self.plan = Some(match &self.hook {
                Some(hook) => plan.report(hook.clone()),
                None => plan,
            });
        }
        Ok(())
    }

    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer> {
        let plan = self
            .plan
            .as_ref()
            .expect("the judge gives rules before it asks");
        let win = (want.win || want.moves) && plan.outcome(position)?.next_wins();
        let value = if want.value {
            plan.sought_value(position)?
        } else {
            None
        };
        let moves = match (want.moves, win) {
            (false, _) => None,
            (true, false) => Some(Int::ZERO),
            (true, true) => Some(plan.moves(position, 0)?.1),
        };
        Ok(CaseAnswer { win, value, moves })
    }

    fn known(&mut self, position: &Position, answer: &CaseAnswer) -> Result<Known> {
        let plan = self
            .plan
            .as_ref()
            .expect("the judge gives rules before it asks");
        let (method, claim) = plan.method(position)?;
        let by_theorem = claim == Claim::Proved;
        let proved = if by_theorem {
            let outcome = Outcome::from_next_wins(answer.win);
            // Where outcomes are had for less than values, a value out of reach is no reason to stop.
            match plan.proved_value(position, outcome) {
                Err(error) if error.code == Code::TooLarge => None,
                value => value?,
            }
        } else {
            None
        };
        Ok(Known {
            grundy_searched: by_theorem && proved.is_none() && answer.value.is_some(),
            grundy: answer.value.clone().or(proved),
            how: Some((method, claim)),
        })
    }

    fn forget(&mut self) {
        self.plan = None;
    }

    fn winning(&mut self, position: &Position) -> Result<Option<Position>> {
        let plan = self
            .plan
            .as_ref()
            .expect("the judge gives rules before it asks");
        if !plan.outcome(position)?.next_wins() {
            return Ok(None);
        }
        let (moves, _) = plan.moves(position, 1)?;
        Ok(moves.into_iter().next().map(|m| {
            let mut after = position.clone();
            after.parts.splice(m.part..=m.part, m.to);
            after
        }))
    }
}
