//! Which theorem or engine answers, and the answers of whole positions.
//!
//! The theorems are asked in the order of [`grundy_theorems::ALL`]; the first that recognises the rules of a part answers.
//! Sums of several parts are put together by Grundy values, and only where the solver says that values are defined: never
//! for misère play or ends that a sum would feel. Everything else is searched. A plan may be used for any number of
//! positions of the same rules and keeps what it has computed. Cost: recognition, some microseconds a theorem, once.

use std::sync::{Arc, Mutex, PoisonError};

use grundy_core::{Budget, Claim, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::interp::{Machine, Rules};
use grundy_lang::ir::Play;
use grundy_lang::linear::terminate;
use grundy_lang::value::{Pos, Position};
pub use grundy_search::Progress;
use grundy_theorems::sum::{NoSum, Sum};
use grundy_theorems::{ALL, Solver, Target, Theorem};

use crate::Result;
use crate::answer::{self, Answer, WinningMove};
use crate::dense::By;
use crate::reach::{Reached, reach};
use crate::searcher::Searcher;

/// Who is to answer.
#[derive(Clone, Copy)]
pub enum Engine {
    /// The first theorem that applies, else search; where that is long, an array if the positions are counters.
    Auto,
    /// Search only.
    Search,
    /// Incremental mex along rays, in an array.
    Rays,
    /// Machine code, in an array.
    Jit,
    /// The interpreter, in an array.
    Interpret,
    /// One theorem only.
    Theorem(&'static dyn Theorem),
}

impl Engine {
    /// Reads `auto`, `search` or the name of a theorem.
    pub fn parse(name: &str) -> Result<Engine> {
        const NAMED: [(&str, Engine); 5] = [
            ("auto", Engine::Auto),
            ("search", Engine::Search),
            ("rays", Engine::Rays),
            ("jit", Engine::Jit),
            ("interpret", Engine::Interpret),
        ];
        if let Some((_, engine)) = NAMED.iter().find(|(n, _)| *n == name) {
            return Ok(*engine);
        }
        if let Some(theorem) = ALL.iter().find(|t| t.name() == name) {
            return Ok(Engine::Theorem(*theorem));
        }
        let source = Source::new("<arguments>", "");
        let names: Vec<&str> = NAMED
            .iter()
            .map(|(name, _)| *name)
            .chain(ALL.iter().map(|t| t.name()))
            .collect();
        let message = format!("there is no engine or theorem `{name}`");
        let error = Diagnostic::error(Code::BadArgument, &source, message);
        let error = error.note(format!("there are {}", names.join(", ")));
        Err(Box::new(match grundy_lang::suggest::nearest(name, names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error,
        }))
    }
}

/// What a theorem said when it was asked.
#[derive(Clone)]
pub struct Asked {
    /// The theorem.
    pub theorem: &'static dyn Theorem,
    /// What it found in the rules, or why it does not apply.
    pub verdict: std::result::Result<String, String>,
}

/// What a search may take for a value that a theorem does not give. It ends at its first report of progress.
const QUICK_MEMORY: u64 = 64 << 20;

/// Values of quantifiers that it may try.
const QUICK_VALUES: u64 = 1 << 22;

/// Options that are searched before positions are given places in an array.
const PATIENCE: u64 = 1 << 20;

/// Told how far a search has come.
pub type Hook = Arc<dyn Fn(Progress) + Send + Sync>;

/// How positions of some rules are answered.
pub struct Plan {
    rules: Rules,
    budget: Budget,
    hook: Option<Hook>,
    solver: Option<(&'static dyn Theorem, Box<dyn Solver>)>,
    search: Mutex<Option<Searcher>>,
    /// Who computes what no theorem answers, if not only the search may.
    by: Option<By>,
    /// What has been computed so.
    reached: Mutex<Option<Arc<Reached>>>,
    /// The last position that a short search has decided.
    decided: Mutex<Option<Position>>,
}

/// Who answers for a position.
pub(crate) enum Route<'a> {
    /// The theorem, for the one part there is.
    Part(&'static dyn Theorem, &'a dyn Solver, &'a Pos),
    /// The theorem for each part, and the sum of them.
    Sum(&'static dyn Theorem, Sum<'a>),
    /// No theorem.
    Search,
}

impl Plan {
    /// Asks the theorems until one applies.
    pub fn new(rules: &Rules, engine: Engine, budget: Budget) -> Result<Self> {
        let mut plan = Plan {
            rules: rules.clone(),
            budget,
            hook: None,
            solver: None,
            search: Mutex::new(None),
            by: match &engine {
                Engine::Auto => Some(By::Auto),
                Engine::Rays => Some(By::Rays),
                Engine::Jit => Some(By::Jit),
                Engine::Interpret => Some(By::Interpret),
                Engine::Search | Engine::Theorem(_) => None,
            },
            reached: Mutex::new(None),
            decided: Mutex::new(None),
        };
        let theorems: &[&'static dyn Theorem] = match &engine {
            Engine::Auto => ALL,
            Engine::Search | Engine::Rays | Engine::Jit | Engine::Interpret => &[],
            Engine::Theorem(one) => std::slice::from_ref(one),
        };
        let mut why = String::new();
        for &theorem in theorems {
            match theorem.recognise(rules) {
                Ok(solver) => {
                    plan.solver = Some((theorem, solver));
                    break;
                }
                Err(because) => why = because.0,
            }
        }
        if let (Engine::Theorem(theorem), None) = (engine, &plan.solver) {
            return Err(plan.does_not_apply(theorem, &why));
        }
        Ok(plan)
    }

    fn does_not_apply(&self, theorem: &dyn Theorem, why: &str) -> Box<Diagnostic> {
        let game = self.rules.game();
        let message = format!("`{}` does not apply to `{}`", theorem.name(), game.name);
        let error = Diagnostic::error(Code::Unsupported, &game.source, message);
        let error = error.note(why.to_owned());
        Box::new(error.help("leave out --engine: what applies is then found"))
    }

    /// What speaks against searching from here: play that need not end, as an error; an index that can leave its list, as a
    /// warning. A theorem that has taken the rules vouches for them.
    pub fn doubts(&self, position: &Position) -> Vec<Diagnostic> {
        match self.solver {
            Some(_) => Vec::new(),
            None => terminate::diagnostics_from(&self.rules, position),
        }
    }

    /// Has searches report how far they have come.
    pub fn report(mut self, hook: Hook) -> Self {
        self.hook = Some(hook);
        self
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The budget.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Whether theorems were asked: not if the engine is one that searches.
    pub fn asks(&self) -> bool {
        self.by == Some(By::Auto) || self.solver.is_some()
    }

    /// The solver of the theorem that applies.
    pub fn solver(&self) -> Option<(&'static dyn Theorem, &dyn Solver)> {
        self.solver.as_ref().map(|(t, s)| (*t, &**s))
    }

    /// Whether the plan answers for these rules too: they differ at most in what no move reads.
    pub fn serves(&self, rules: &Rules) -> bool {
        Arc::ptr_eq(self.rules.game(), rules.game())
            && rules
                .game()
                .vars
                .iter()
                .zip(self.rules.params().iter().zip(rules.params()))
                .all(|(var, (ours, theirs))| var.part || !var.in_rules || ours == theirs)
    }

    /// Who answers for a position.
    #[inline]
    pub(crate) fn route<'a>(&'a self, position: &'a Position) -> Result<Route<'a>> {
        let Some((theorem, solver)) = self.solver() else {
            return Ok(Route::Search);
        };
        match &position.parts[..] {
            [] => Ok(Route::Search),
            [part] => Ok(match solver.refuses(part, &self.budget)? {
                None => Route::Part(theorem, solver, part),
                Some(_) => Route::Search,
            }),
            parts => {
                let solvers = vec![solver; parts.len()];
                match Sum::new(position, solvers, self.rules.game().play, &self.budget) {
                    Ok(sum) => Ok(Route::Sum(theorem, sum)),
                    Err(NoSum::NotApplicable(_)) => Ok(Route::Search),
                    Err(NoSum::Failed(error)) => Err(error),
                }
            }
        }
    }

    /// Who wins.
    pub fn outcome(&self, position: &Position) -> Result<Outcome> {
        match self.route(position)? {
            Route::Part(_, solver, part) => solver.outcome(part, &self.budget),
            Route::Sum(_, sum) => Ok(sum.outcome()),
            Route::Search => {
                self.prepare(position)?;
                let position = position.clone();
                self.searching(move |search| search.outcome(&position))
            }
        }
    }

    /// The Grundy value, if values are defined for these rules and the one who answers knows them.
    pub fn value(&self, position: &Position) -> Result<Option<Int>> {
        match self.route(position)? {
            Route::Part(_, solver, part) => solver.value(part, &self.budget),
            Route::Sum(_, sum) => Ok(sum.value()),
            Route::Search => self.searched_value(position),
        }
    }

    /// The Grundy value; by search where a theorem tells the outcome alone, but for a P-position.
    pub(crate) fn sought_value(&self, position: &Position) -> Result<Option<Int>> {
        let value = self.value(position)?;
        if value.is_some() || self.theorem(position)?.is_none() {
            return Ok(value);
        }
        match self.proved_value(position, self.outcome(position)?)? {
            None => self.searched_value(position),
            value => Ok(value),
        }
    }

    /// The Grundy value by search, if values are defined.
    pub fn searched_value(&self, position: &Position) -> Result<Option<Int>> {
        self.prepare(position)?;
        let position = position.clone();
        self.searching(
            move |search| match search.values_valid(position.parts.len()) {
                Ok(()) => search.position_value(&position).map(Some),
                Err(_) => Ok(None),
            },
        )
    }

    /// The first winning moves, and how many there are.
    pub fn moves(&self, position: &Position, limit: usize) -> Result<(Vec<WinningMove>, Int)> {
        match self.route(position)? {
            Route::Part(_, solver, part) => {
                let found = solver.options(part, &Target::P, limit, &self.budget)?;
                let moves = found.list.into_iter().take(limit);
                Ok((moves.map(|to| winning(0, part, to)).collect(), found.total))
            }
            Route::Sum(_, sum) => {
                let found = sum.winning_moves(limit, &self.budget)?;
                let moves = found.list.into_iter();
                let moves = moves.map(|m| winning(m.part, &position.parts[m.part], m.left));
                Ok((moves.collect(), found.total))
            }
            Route::Search => {
                self.prepare(position)?;
                let whole = position.clone();
                let found = self.searching(move |search| search.winning_options(&whole, limit))?;
                let moves = found.list.into_iter();
                let moves = moves.map(|(part, to)| winning(part, &position.parts[part], to));
                Ok((moves.collect(), found.total))
            }
        }
    }

    /// Has the search look a position up in an array, if that is how it is to be answered.
    fn prepare(&self, position: &Position) -> Result<()> {
        let Some(by) = self.by else {
            return Ok(());
        };
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if reached
            .as_ref()
            .is_some_and(|reached| reached.has(position))
        {
            return Ok(());
        }
        // Where there is an array with room for it, a search is not worth a try: what it would find is not kept there.
        let holds = reached
            .as_ref()
            .is_some_and(|reached| reached.holds(position));
        if by == By::Auto && !holds {
            let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
            if decided.as_ref() == Some(position) {
                return Ok(());
            }
            let whole = position.clone();
            if self.searching(move |search| search.attempt(&whole, PATIENCE))? {
                *decided = Some(position.clone());
                return Ok(());
            }
        }
        let hook = self.hook.as_ref();
        if reached.is_some() {
            // It holds on to the array, which is to be filled further.
            self.searching(|search| {
                search.look_up(None);
                Ok(())
            })?;
        }
        let mut before = reached.take().and_then(Arc::into_inner);
        let new = reach(&self.rules, position, by, &self.budget, hook, &mut before)?;
        let Some(new) = new.or(before) else {
            return Ok(());
        };
        let new = reached.insert(Arc::new(new)).clone();
        self.searching(move |search| {
            search.look_up(Some(Arc::new(move |part| new.number(part))));
            Ok(())
        })
    }

    /// Who has computed a position that no theorem answers for.
    fn computed_by(&self, position: &Position) -> &'static str {
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        let reached = reached.as_ref().filter(|reached| reached.has(position));
        reached.map_or("search", |reached| reached.by)
    }

    pub(crate) fn searching<T: Send + 'static>(
        &self,
        question: impl FnOnce(&mut grundy_search::Engine<Machine<'_>>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
        let start = || Searcher::new(self.rules.clone(), self.budget.clone(), self.hook.clone());
        Searcher::ask(&mut search, start, question)
    }

    /// The theorem that answers for a position, if one does and not search.
    fn theorem(&self, position: &Position) -> Result<Option<&'static dyn Theorem>> {
        Ok(match self.route(position)? {
            Route::Part(theorem, ..) | Route::Sum(theorem, _) => Some(theorem),
            Route::Search => None,
        })
    }

    /// The name of the theorem or engine that answers for a position, and how sure that is.
    pub fn method(&self, position: &Position) -> Result<(&'static str, Claim)> {
        Ok(match self.theorem(position)? {
            Some(theorem) => (theorem.name(), Claim::Proved),
            None => {
                self.prepare(position)?;
                (self.computed_by(position), Claim::Computed)
            }
        })
    }

    /// The Grundy value of a position with this outcome that a theorem answers for, as far as the theorem knows it.
    pub(crate) fn proved_value(
        &self,
        position: &Position,
        outcome: Outcome,
    ) -> Result<Option<Int>> {
        let value = self.value(position)?;
        let game = self.rules.game();
        let adds = game.play == Play::Normal && game.ends.is_empty();
        // A position is lost for the player to move exactly if its value is 0.
        Ok(value.or_else(|| (adds && !outcome.next_wins()).then_some(Int::ZERO)))
    }

    /// The Grundy value by a search that gives up after a moment, for theorems that give outcomes only.
    fn quick_value(&self, position: &Position) -> Option<Int> {
        if let Some((_, solver)) = self.solver()
            && !position.parts.iter().all(|part| solver.may_search(part))
        {
            return None;
        }
        let budget = Budget::with_memory(QUICK_MEMORY.min(self.budget.memory()));
        let mut search = grundy_search::Engine::patient(&self.rules, budget.clone(), QUICK_VALUES);
        search.on_progress(move |_| budget.stop());
        search.values_valid(position.parts.len()).ok()?;
        search.position_value(position).ok()
    }

    /// Everything about a position; `limit` winning moves at most are listed.
    pub fn answer(&self, position: &Position, limit: usize) -> Result<Answer> {
        let theorem = self.theorem(position)?;
        let outcome = self.outcome(position)?;
        let mut grundy = match theorem {
            Some(_) => self.proved_value(position, outcome)?,
            None => self.searched_value(position)?,
        };
        let grundy_searched = theorem.is_some() && grundy.is_none();
        if grundy_searched {
            grundy = self.quick_value(position);
        }
        let (mut moves, moves_total) = if outcome.next_wins() {
            self.moves(position, limit)?
        } else {
            (Vec::new(), Int::ZERO)
        };
        answer::look_up(&self.rules, &mut moves, &self.budget)?;
        Ok(Answer {
            rules: self.rules.clone(),
            position: position.clone(),
            outcome,
            grundy_searched: grundy_searched && grundy.is_some(),
            grundy,
            moves,
            moves_total,
            end: answer::end(&self.rules, position)?,
            theorem,
            engine: self.computed_by(position),
        })
    }
}

fn winning(part: usize, from: &Pos, to: Vec<Pos>) -> WinningMove {
    WinningMove {
        part,
        from: from.clone(),
        to,
        by: None,
    }
}
