//! Arithmetic periods of games in which heaps are split, where the saltus is a power of two.
//!
//! Two things are tested, each by going through all there is. *No option has the value of its heap*: a choice of heaps, from
//! the preperiod and from one period, stands for all that differ from them by periods; whether their nim-sum can be the
//! value of a heap is decided by the numbers p⌊G(a)/s⌋ − a. *Every smaller value is that of an option*: the options of 2P
//! heaps are listed, and it is seen of each in which of two ways larger heaps have options like it.
//!
//! Cost: the choices of up to k heaps out of n0 + p, and the ways to hold each of 2P + T totals by up to k heaps.

use std::collections::BTreeMap;

use grundy_core::Code;

use crate::{Fault, Refusal, Result, Run, claim, long};

/// The numbers of the proof, with the values.
struct Proof {
    code: Code,
    values: Vec<u32>,
    /// Heaps from here on have the period and may be part of an option.
    first: usize,
    period: usize,
    saltus: u64,
    /// P and S: the period and the saltus times the multiple.
    step: usize,
    block: u64,
    settled_from: usize,
}

pub fn check(run: &mut Run<'_>, multiple: u64, settled_from: u64) -> Result<()> {
    let c = run.certificate;
    let code = run.game.code.clone();
    let plain_from = run.game.small.len() as u64;
    let refuse = |message: &str| Err(Refusal::new(Fault::Hypothesis, message));
    if !c.saltus.is_power_of_two() {
        return refuse("the saltus is no power of two");
    }
    if !multiple.is_power_of_two() {
        return refuse("the multiple is no power of two");
    }
    if code.digit(0) & 3 != 0 {
        return refuse("taking nothing must split the heap");
    }
    if code.unequal && code.parts() > 2 {
        return refuse("no theorem is known here for three heaps that differ");
    }
    // Heap 0 may be part of the period, but it is no part of an option.
    let first = c.preperiod.max(1);
    let least = first.max(plain_from);
    if settled_from < least {
        let message = "the heaps looked at must have the period";
        return Err(Refusal::new(Fault::Hypothesis, message)
            .values(format!("at least {least}"), settled_from));
    }
    let step = u128::from(multiple) * u128::from(c.period);
    let count = run.count(u128::from(settled_from) + 2 * step, 4)?;
    let Some(block) = multiple.checked_mul(c.saltus) else {
        return refuse("the saltus is larger than any value");
    };
    let values = long::compute(run, count)?;
    run.say(format!(
        "values: G(0) to G({}) computed again, each the mex of all its options",
        count - 1
    ));
    claim::verify(run, &values)?;
    let proof = Proof {
        code,
        values,
        first: first as usize,
        period: c.period as usize,
        saltus: c.saltus,
        step: step as usize,
        block,
        settled_from: settled_from as usize,
    };
    proof.above_the_preperiod()?;
    proof.no_option_is_equal(run)?;
    proof.settled(run)?;
    run.say(format!(
        "theorem: the heaps from {settled_from} to {} have every smaller value by options that move with the heap by {step}, \
         or stay as it moves by twice as much",
        count - 1
    ));
    Ok(())
}

/// A heap as the theorem sees it.
#[derive(Clone, Copy)]
struct Kind {
    /// p⌊G/s⌋ − a, which is the same for a + p.
    weight: i128,
    quotient: u64,
    rest: u64,
    /// Whether the heap has the period.
    moves: bool,
}

impl Proof {
    /// No nim-sum of heaps before the period, and no move to nothing, is the value of a heap looked at.
    fn above_the_preperiod(&self) -> Result<()> {
        let top = self.values[..self.first].iter().max().copied().unwrap_or(0);
        let bound = (u64::from(top) + 1).next_power_of_two();
        let heaps = self.settled_from..self.settled_from + self.period;
        match heaps.clone().find(|&n| u64::from(self.values[n]) < bound) {
            None => Ok(()),
            Some(n) => {
                let message = "the value may be that of heaps before the period";
                Err(Refusal::new(Fault::Hypothesis, message)
                    .at(n as u64)
                    .values(format!("at least {bound}"), self.values[n]))
            }
        }
    }

    fn kind(&self, a: usize) -> Kind {
        let value = u64::from(self.values[a]);
        let quotient = value / self.saltus;
        Kind {
            weight: self.period as i128 * i128::from(quotient) - a as i128,
            quotient,
            rest: value % self.saltus,
            moves: a >= self.first,
        }
    }

    /// No option with a heap of the period has the value of the heap that it is an option of.
    fn no_option_is_equal(&self, run: &mut Run<'_>) -> Result<()> {
        let kinds: Vec<Kind> = (1..self.first + self.period)
            .map(|a| self.kind(a))
            .collect();
        let mut heaps: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for a in self.first..self.first + self.period {
            heaps.entry(self.kind(a).rest).or_default().push(a);
        }
        let mut choices = 0usize;
        for r in 1..=self.code.parts() {
            let takes: Vec<usize> = (0..self.code.digits.len())
                .filter(|&t| self.code.allows(t, r))
                .collect();
            // The digit past the last is that of the tail.
            let tail = self.code.allows(self.code.digits.len(), r);
            if takes.is_empty() && !tail {
                continue;
            }
            // Indices that do not fall.
            let mut chosen = vec![0; r];
            loop {
                choices += 1;
                if choices.is_multiple_of(1 << 12) {
                    run.pause()?;
                }
                let parts: Vec<Kind> = chosen.iter().map(|&i| kinds[i]).collect();
                let rest = parts.iter().fold(0, |sum, part| sum ^ part.rest);
                for &n in heaps.get(&rest).map_or(&[][..], |all| all) {
                    if let Some(t) = self.equal(&parts, n, &takes, tail) {
                        let parts: Vec<String> =
                            chosen.iter().map(|i| (i + 1).to_string()).collect();
                        let message = format!(
                            "an option may have the value of its heap: take {t} and leave heaps like {}",
                            parts.join(", ")
                        );
                        return Err(Refusal::new(Fault::Hypothesis, message).at(n as u64));
                    }
                }
                let Some(i) = (0..r).rev().find(|&i| chosen[i] + 1 < kinds.len()) else {
                    break;
                };
                let next = chosen[i] + 1;
                chosen[i..].fill(next);
            }
        }
        run.say(format!(
            "no option has the value of its heap: {choices} choices of heaps, each for all that differ by periods"
        ));
        Ok(())
    }

    /// A number t for which heaps like these, with remainders that have the nim-sum of that of n, may be an option of a heap
    /// like n with the same value.
    fn equal(&self, parts: &[Kind], n: usize, takes: &[usize], tail: bool) -> Option<usize> {
        let moving = parts.iter().filter(|part| part.moves).count();
        if moving == 0 {
            return None;
        }
        let mut over: i128 = parts.iter().map(|part| part.weight).sum();
        over -= self.kind(n).weight;
        let period = self.period as i128;
        // Heaps before the period count by their nim-sum.
        let others = || parts.iter().filter(|part| !part.moves);
        let sum: u64 = others().map(|part| part.quotient).sum();
        let nim_sum = others().fold(0, |sum, part| sum ^ part.quotient);
        over -= period * i128::from(sum - nim_sum);
        let equal = |t: usize| {
            let rest = over - t as i128;
            // Twice what is carried where quotients are added.
            rest >= 0 && rest % (2 * period) == 0 && {
                let carried = rest / period / 2;
                moving > 1 || carried & i128::from(nim_sum) == carried
            }
        };
        let digits = self.code.digits.len();
        // Of a tail some t makes it 0.
        let past = || (tail && over >= digits as i128).then_some(digits);
        takes.iter().copied().find(|&t| equal(t)).or_else(past)
    }

    /// Every heap looked at has every smaller value by options of the right ways.
    fn settled(&self, run: &mut Run<'_>) -> Result<()> {
        let taking = self.code.digits.len();
        let mut tail = Ways::default();
        let mut options = 0usize;
        for n in 0..self.settled_from + 2 * self.step {
            if let Some(rest) = n.checked_sub(taking) {
                // Of t = n − rest and of every larger t, so of every larger heap.
                for r in (0..=self.code.parts()).filter(|&r| self.code.allows(taking, r)) {
                    self.ways(run, r, rest, true, &mut tail, &mut options)?;
                }
            }
            if n < self.settled_from {
                continue;
            }
            let mut ways = tail.clone();
            for t in 0..taking.min(n) {
                for r in (1..=self.code.parts()).filter(|&r| self.code.allows(t, r)) {
                    self.ways(run, r, n - t, false, &mut ways, &mut options)?;
                }
            }
            self.every_smaller_value(n, &ways)?;
        }
        run.say(format!(
            "settled: {options} options, and every smaller value of {} heaps among them",
            2 * self.step
        ));
        Ok(())
    }

    /// The options that leave r heaps, which hold `total`.
    fn ways(
        &self,
        run: &mut Run<'_>,
        r: usize,
        total: usize,
        tail: bool,
        ways: &mut Ways,
        options: &mut usize,
    ) -> Result<()> {
        let apart = usize::from(self.code.unequal);
        if r == 0 {
            if total == 0 && tail {
                ways.add(0, STILL);
            }
            return Ok(());
        }
        // Heaps that do not fall; the last is what is left of the total.
        let mut heaps: Vec<usize> = Vec::with_capacity(r);
        let mut next = 1;
        loop {
            let held: usize = heaps.iter().sum();
            let left = r - heaps.len();
            // All that follow are at least as large.
            let fits = held + next * left + apart * (left * (left - 1) / 2) <= total;
            if fits && left == 1 {
                heaps.push(total - held);
                *options += 1;
                if options.is_multiple_of(1 << 12) {
                    run.pause()?;
                }
                self.way(&heaps, tail, ways);
                heaps.pop();
            }
            if fits && left > 1 {
                heaps.push(next);
                next += apart;
                continue;
            }
            match heaps.pop() {
                Some(last) => next = last + 1,
                None => return Ok(()),
            }
        }
    }

    /// In which ways larger heaps have options like this one.
    fn way(&self, heaps: &[usize], tail: bool, ways: &mut Ways) {
        let value = |a: usize| u64::from(self.values[a]);
        let sum = heaps.iter().fold(0, |sum, &a| sum ^ value(a));
        // Two heaps that may grow together, and leave the nim-sum as it is.
        let level = |&a: &usize, &b: &usize| {
            let period = a >= self.first && b >= self.first;
            (a == b && !self.code.unequal)
                || (a != b && period && value(a) / self.block == value(b) / self.block)
        };
        let pair_without = |skip: usize| {
            let rest = || heaps.iter().enumerate().filter(move |&(i, _)| i != skip);
            rest().any(|(i, a)| rest().any(|(j, b)| i < j && level(a, b)))
        };
        let mut way = 0;
        if tail || pair_without(usize::MAX) {
            way |= STILL;
        }
        for (i, &a) in heaps.iter().enumerate() {
            // Heaps that must differ still do if the greater grows; the last is the greatest.
            let grows = a >= self.first && (!self.code.unequal || i + 1 == heaps.len());
            if grows && sum ^ value(a) < self.block {
                way |= MOVING;
                if tail || pair_without(i) {
                    way |= BOTH;
                }
            }
        }
        ways.add(sum, way);
    }

    /// In steps of 2S: smaller values that stay, then one that does both, then values that move.
    fn every_smaller_value(&self, n: usize, ways: &Ways) -> Result<()> {
        let value = u64::from(self.values[n]);
        let refuse = |v: u64, message: &str| {
            Err(Refusal::new(Fault::Settled, format!("{message} (value {v})")).at(n as u64))
        };
        for class in 0..2 * self.block {
            // Whether one that does both has been met, with none but such as stay before it.
            let mut turned = false;
            let mut staying = true;
            let mut v = class;
            if v >= value {
                return refuse(v, "the value is too small to be looked at");
            }
            while v < value {
                let way = ways.of(v);
                // Past a value that does both, one that only stays may come before the next that does both.
                staying &= way & STILL != 0;
                turned = (staying && way & BOTH != 0) || (turned && way & MOVING != 0);
                if !staying && !turned {
                    return refuse(
                        v,
                        "no option that larger heaps have as well has a smaller value",
                    );
                }
                v += 2 * self.block;
            }
            if !turned {
                return refuse(
                    class,
                    "no option both stays and moves for values like a smaller one",
                );
            }
        }
        Ok(())
    }
}

const STILL: u8 = 1;
const MOVING: u8 = 2;
const BOTH: u8 = 4;

/// For each value how options have it.
#[derive(Clone, Default)]
struct Ways(Vec<u8>);

impl Ways {
    fn add(&mut self, value: u64, way: u8) {
        let value = value as usize;
        if value >= self.0.len() {
            self.0.resize(value + 1, 0);
        }
        self.0[value] |= way;
    }

    fn of(&self, value: u64) -> u8 {
        self.0.get(value as usize).copied().unwrap_or(0)
    }
}
