//! One heap with a limit that the last take sets: from n take k ≤ m, and the next take is at most f(k).
//!
//! A. J. Schwenk, Take-away games, Fibonacci Quarterly 8 (1970). Fibonacci Nim is f(k) = 2k (M. J. Whinihan, 1963).
//!
//! # Theorem
//! Normal play, positions (n, m), moves to (n − k, f(k)) for 1 ≤ k ≤ min(n, m), where f never falls and f(k) ≥ k for all
//! k ≥ 1. Let b₁ = 1 and bᵢ₊₁ = bᵢ + bⱼ with the least j such that f(bⱼ) ≥ bᵢ; there is one, since f(bᵢ) ≥ bᵢ. Write n ≥ 1
//! as a sum of such terms, each time the greatest that fits, and let t(n) be the last. Then (n, m) with n ≥ 1 is an
//! N-position exactly if t(n) ≤ m, and (0, m) is a P-position.
//!
//! *Lemma.* (a) Of two terms of such a sum, one behind the other, f(later) < earlier. (b) For 1 ≤ k < bₛ is t(bₛ − k) ≤ f(k).
//! *Proof.* (a) With bᵢ the greatest term that fits into n, n − bᵢ < bᵢ₊₁ − bᵢ = bⱼ, so what follows is less than bⱼ, and j was
//! least. (b) By induction on s; let bₛ = bᵢ + bⱼ with i = s − 1. If k < bⱼ, then bₛ − k = bᵢ + (bⱼ − k) is less than bₛ, so
//! bᵢ is its first term, and t(bₛ − k) = t(bⱼ − k) ≤ f(k). If k ≥ bⱼ, then t(bₛ − k) ≤ bₛ − k ≤ bᵢ ≤ f(bⱼ) ≤ f(k). ∎
//!
//! *Proof of the theorem.* If t(n) ≤ m, take k = t(n): the heap that is left is 0, or its last term is the one before, which is
//! more than f(k) by (a). If k ≤ m < t(n), the terms before the last, bₛ = t(n), are those of n − k as well, and then come
//! those of bₛ − k: so t(n − k) = t(bₛ − k) ≤ f(k), and the position left is none of the lost ones. ∎
//!
//! *All winning moves.* They are the k ≤ m that are the sum of the last terms of n, all of them or those behind a term
//! greater than f(k). *Proof.* These leave a position that is lost. Let k < n be no such sum, and S > k the least of these
//! sums, with first term b; then k' = k − (S − b) has 0 < k' < b, and t(n − k) = t(b − k') ≤ f(k') ≤ f(k). ∎
//!
//! # Recognition
//! The move is brought to the number k that is taken from one counter; the other must become a polynomial in k alone, and
//! the guards must allow exactly 1 ≤ k ≤ min(n, m). That f never falls and is not below k is read from its form.
//!
//! Cost: the terms up to n once, as many as log n / log r where they grow by a ratio r; a few comparisons of numbers as
//! long as n a term for each question. Where f outgrows k the terms are dense: past `MOST_TERMS` the theorem declines.

use std::sync::{Mutex, MutexGuard, PoisonError};

use grundy_core::{Budget, Int, Outcome};
use grundy_lang::diag::{Code, Diagnostic};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Play, Shape};
use grundy_lang::value::Pos;

use crate::cases::{Case, cases};
use crate::terms::{Poly, SIGNED, follows};
use crate::{Options, Result, Solver, Target, Theorem, WhyNot};

/// The theorem.
pub struct DynamicLimit;

/// The most terms that are computed.
const MOST_TERMS: u64 = 1 << 20;
/// The largest heap of which a search of a moment may find the value.
const SEARCHED: i64 = 2000;
/// Terms of a sum that are written out.
const SHOWN: usize = 12;
/// What is taken, once a case is told by it.
const TAKEN: usize = SIGNED + 1;

impl Theorem for DynamicLimit {
    fn name(&self) -> &'static str {
        "dynamic-limit"
    }

    fn title(&self) -> &'static str {
        "Schwenk's take-away games with a limit set by the last take"
    }

    fn source(&self) -> &'static str {
        "A. J. Schwenk, Take-away games, Fibonacci Quarterly 8 (1970)"
    }

    fn recognise(&self, rules: &Rules) -> std::result::Result<Box<dyn Solver>, WhyNot> {
        let game = rules.game();
        if game.shape != Shape::Tuple(vec![Shape::Int, Shape::Int]) {
            return Err(WhyNot::new("a position is not a heap and a limit"));
        }
        let (_, cases) = cases(rules, false)?;
        if game.play == Play::Misere {
            return Err(WhyNot::new(
                "play is misère, and the theorem is proved for normal play",
            ));
        }
        let mut found: Option<(usize, Poly)> = None;
        let mut all = false;
        for case in &cases {
            let here = || {
                let text = game.source.slice(game.moves[case.rule].span).trim();
                WhyNot::new(format!(
                    "`{text}` does not take k from a heap, at most as many as a limit says, and make a function of k the next limit"
                ))
            };
            let taking = match &found {
                Some((heap, _)) => takes(case, *heap),
                None => takes(case, 0).or_else(|| takes(case, 1)),
            };
            let taking = taking.ok_or_else(here)?;
            if found.as_ref().is_some_and(|(_, next)| *next != taking.next) {
                return Err(WhyNot::new("the moves set different limits"));
            }
            all |= taking.all;
            found = Some((taking.heap, taking.next));
        }
        if !all {
            return Err(WhyNot::new("not every number up to the limit may be taken"));
        }
        let (heap, next) = found.ok_or_else(|| WhyNot::new("there is no move"))?;
        let shown = next.show(&|_| "k".to_owned());
        // For k = 1 + a natural number.
        let wide = || WhyNot::new(format!("f(k) = {shown} is too long to look into"));
        let next = next
            .substitute(TAKEN, &Poly::one().plus(&Poly::var(0)))
            .ok_or_else(wide)?;
        if !next.growth(0).never_negative() {
            return Err(WhyNot::new(format!(
                "the next limit f(k) = {shown} is not known never to fall as k grows"
            )));
        }
        let above = next.minus(&Poly::one()).minus(&Poly::var(0));
        let rises = above.growth(0).never_negative() && !above.eval(&[Int::ZERO]).is_negative();
        if !rises && !follows(&above, &[]) {
            return Err(WhyNot::new(format!(
                "the next limit f(k) = {shown} is not known to be at least k"
            )));
        }
        Ok(Box::new(Taking {
            rules: rules.clone(),
            heap,
            next,
            shown,
            terms: Mutex::default(),
        }))
    }
}

/// A case that takes from a heap, no more than the other counter says.
struct Takes {
    heap: usize,
    /// The next limit, by [`TAKEN`].
    next: Poly,
    /// Whether any number may be taken from 1 to the heap and to the limit.
    all: bool,
}

fn takes(case: &Case, heap: usize) -> Option<Takes> {
    if case.quantifiers != 1 {
        return None;
    }
    let limit = 1 - heap;
    let taken = Poly::var(heap).minus(&case.result[heap]);
    let (sign, rest) = taken.linear_in(SIGNED)?;
    if sign.abs() != Int::ONE {
        return None;
    }
    // taken = ±q + rest, so q = ±(taken − rest).
    let q = Poly::var(TAKEN).minus(&rest).scaled(&sign);
    let next = case.result[limit].substitute(SIGNED, &q)?;
    if next.mentions(heap) || next.mentions(limit) {
        return None;
    }
    let told: Option<Vec<Poly>> = case
        .constraints
        .iter()
        .map(|p| p.substitute(SIGNED, &q))
        .collect();
    let told = told?;
    let (k, n, m) = (Poly::var(TAKEN), Poly::var(heap), Poly::var(limit));
    let mut facts = told.clone();
    // A move that would make a counter negative is none.
    facts.extend([n.minus(&k), next.clone()]);
    if !follows(&k.minus(&Poly::one()), &facts) || !follows(&m.minus(&k), &facts) {
        return None;
    }
    // Any k ≥ 1 with n ≥ k and m ≥ k, by what they are beyond that.
    let least = Poly::one().plus(&Poly::var(2));
    let any = [
        (TAKEN, least.clone()),
        (heap, least.plus(&Poly::var(3))),
        (limit, least.plus(&Poly::var(4))),
    ];
    let all = told.iter().all(|p| {
        let put = any
            .iter()
            .try_fold(p.clone(), |p, (var, by)| p.substitute(*var, by));
        put.is_some_and(|p| p.nonnegative())
    });
    Some(Takes { heap, next, all })
}

/// The terms so far, and for the next one the least j with f(bⱼ) ≥ bᵢ: it never falls.
#[derive(Default)]
struct Terms {
    list: Vec<Int>,
    at: usize,
    /// f of the term there.
    reach: Int,
}

struct Taking {
    rules: Rules,
    /// Which counter is the heap.
    heap: usize,
    /// f(1 + x), by x.
    next: Poly,
    shown: String,
    terms: Mutex<Terms>,
}

impl Taking {
    fn f(&self, k: &Int) -> Int {
        self.next.eval(&[k - &Int::ONE])
    }

    fn terms(&self) -> MutexGuard<'_, Terms> {
        self.terms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes the terms up to a heap; `false` if there are too many.
    fn reach(&self, heap: &Int, budget: &Budget) -> Result<bool> {
        let size = 40 + heap.to_big().bits() / 8;
        let most = MOST_TERMS.min(budget.memory() / size);
        let mut terms = self.terms();
        let Terms { list, at, reach } = &mut *terms;
        if list.is_empty() {
            list.push(Int::ONE);
            *reach = self.f(&Int::ONE);
        }
        while let Some(last) = list.last()
            && last <= heap
        {
            let length = list.len() as u64;
            if length >= most {
                return Ok(false);
            }
            if length.is_multiple_of(1024) && budget.stopped() {
                let source = &self.rules.game().source;
                let error = Diagnostic::error(Code::Interrupted, source, "stopped");
                return Err(Box::new(
                    error.note(format!("{length} losing heaps were computed")),
                ));
            }
            while *reach < *last {
                *at += 1;
                *reach = self.f(&list[*at]);
            }
            let next = last + &list[*at];
            list.push(next);
        }
        Ok(true)
    }

    /// The terms of a heap, the greatest first. They must have been computed.
    fn sum(&self, heap: &Int) -> Vec<Int> {
        let terms = self.terms();
        let mut rest = heap.clone();
        let mut below = terms.list.len();
        let mut out = Vec::new();
        while !rest.is_zero() {
            below = terms.list[..below].partition_point(|b| *b <= rest);
            let Some(term) = below.checked_sub(1).map(|i| &terms.list[i]) else {
                break;
            };
            rest = &rest - term;
            out.push(term.clone());
        }
        out
    }

    fn split<'p>(&self, part: &'p Pos, budget: &Budget) -> Result<(&'p Int, &'p Int, Vec<Int>)> {
        let (n, m) = (&part.0[self.heap], &part.0[1 - self.heap]);
        if !self.reach(n, budget)? {
            let source = &self.rules.game().source;
            let error = Diagnostic::error(
                Code::TooLarge,
                source,
                "the heap is too large for its losing heaps to be listed",
            );
            return Err(Box::new(error.help("ask about a smaller heap")));
        }
        Ok((n, m, self.sum(n)))
    }

    /// The numbers that a winning move takes.
    fn winning(&self, m: &Int, terms: &[Int]) -> Vec<Int> {
        let mut out = Vec::new();
        let mut k = Int::ZERO;
        for (i, term) in terms.iter().enumerate().rev() {
            k = &k + term;
            if k > *m {
                break;
            }
            if i == 0 || self.f(&k) < terms[i - 1] {
                out.push(k.clone());
            }
        }
        out
    }

    fn left(&self, n: &Int, k: &Int) -> Pos {
        let mut words = [n - k, self.f(k)];
        if self.heap == 1 {
            words.reverse();
        }
        Pos(words.into_iter().collect())
    }
}

impl Solver for Taking {
    fn finding(&self) -> String {
        format!(
            "take k, at most as many as the limit says, and the next limit is f(k) = {}",
            self.shown
        )
    }

    fn refuses(&self, part: &Pos, budget: &Budget) -> Result<Option<WhyNot>> {
        let fits = self.reach(&part.0[self.heap], budget)?;
        Ok((!fits).then(|| {
            WhyNot::new(format!(
                "f(k) = {} has too many losing heaps up to this one to list them",
                self.shown
            ))
        }))
    }

    fn may_search(&self, part: &Pos) -> bool {
        part.0[self.heap].to_i64().is_some_and(|n| n <= SEARCHED)
    }

    fn outcome(&self, part: &Pos, budget: &Budget) -> Result<Outcome> {
        let (_, m, terms) = self.split(part, budget)?;
        Ok(Outcome::from_next_wins(
            terms.last().is_some_and(|t| t <= m),
        ))
    }

    fn value(&self, _: &Pos, _: &Budget) -> Result<Option<Int>> {
        Ok(None)
    }

    fn options(
        &self,
        part: &Pos,
        target: &Target,
        limit: usize,
        budget: &Budget,
    ) -> Result<Options> {
        if matches!(target, Target::Value(v) if !v.is_zero()) {
            let source = &self.rules.game().source;
            let message = "the theorem tells who wins, not Grundy values";
            let error = Diagnostic::error(Code::Unsupported, source, message);
            return Err(Box::new(
                error.help("ask for the outcome, or let search compute the value"),
            ));
        }
        let (n, m, terms) = self.split(part, budget)?;
        let all = self.winning(m, &terms);
        Ok(Options {
            total: Int::from(all.len()),
            list: all
                .iter()
                .take(limit)
                .map(|k| vec![self.left(n, k)])
                .collect(),
        })
    }

    fn explain(&self, part: &Pos, budget: &Budget) -> Result<Vec<String>> {
        let (n, m, terms) = self.split(part, budget)?;
        let first: Vec<String> = self
            .terms()
            .list
            .iter()
            .take(8)
            .map(Int::to_string)
            .collect();
        let mut out = vec![format!(
            "The losing heaps, where all but the whole may be taken, begin with 1, and after b comes b plus the least of them whose f is \
             at least b, f(k) = {}: {}, … . Write the heap as a sum of them, each time the largest that fits. Who takes the last term \
             leaves a heap whose last term is more than may be taken next; who takes less leaves one whose last term may be taken.",
            self.shown,
            first.join(", ")
        )];
        let Some(last) = terms.last() else {
            out.push("Here the heap is empty, and there is no move.".to_owned());
            return Ok(out);
        };
        let mut words: Vec<String> = terms.iter().take(SHOWN).map(Int::to_string).collect();
        if terms.len() > SHOWN {
            words.push(format!("… + {last} ({} terms)", terms.len()));
        }
        out.push(format!("Here {n} = {}.", words.join(" + ")));
        out.push(if last <= m {
            format!("The last term is {last}, and {m} may be taken: the player to move wins.")
        } else {
            format!("The last term is {last}, and only {m} may be taken: the player to move loses.")
        });
        let shape = &self.rules.game().shape;
        for k in self.winning(m, &terms).iter().take(SHOWN) {
            out.push(format!(
                "To take {k} leaves {}, which is lost.",
                shape.display(&self.left(n, k))
            ));
        }
        Ok(out)
    }
}
