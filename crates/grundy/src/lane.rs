//! Cases that are a few short numbers: read, asked and made a position at once, which is what most small problems need.
//!
//! A lane is made for steps that read single numbers, if the sentinel, the requirements and the limits compare these with one
//! another and with numbers, and if the start is made of them. It tells no errors and ends nothing: where a number is not
//! short, a comparison fails or the sentinel holds, the reader is put back and the judge goes its usual way. Cost: some
//! hundred instructions a case, a third of that way.

use std::io::Read;

use grundy_core::Int;
use grundy_lang::ir::{CompareOp, Game, InputItem, Shape, Slot, Type};
use grundy_lang::value::Words;

use crate::format::{Quick, Side, Step, compares};
use crate::reader::Reader;

/// How a case is read at once.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// The parameters, in reading order.
    pub slots: Vec<Slot>,
    /// Those of them that the outputs read.
    pub told: Vec<Slot>,
    /// What ends the input if all of it holds.
    until: Option<Vec<Comparison>>,
    /// What must hold.
    asked: Vec<Comparison>,
    /// Which of the numbers are the words of the part.
    start: Vec<usize>,
    unordered: bool,
}

type Comparison = (Operand, CompareOp, Operand);

#[derive(Clone, Copy, Debug)]
enum Operand {
    Read(usize),
    Number(i64),
}

impl Lane {
    /// The lane of some steps, if they are so plain. `start` is that of [`crate::format::plain_start`].
    pub fn new(
        game: &Game,
        steps: &[Step<'_>],
        start: Option<&[Slot]>,
        strict: bool,
    ) -> Option<Self> {
        let mut slots = Vec::new();
        for step in steps {
            match step.item {
                InputItem::Scalar(slot) => slots.push(*slot),
                _ => return None,
            }
        }
        let plain = |slot: &Slot| {
            let var = &game.vars[*slot];
            var.ty == Type::Int && !var.part && !var.in_rules
        };
        if !slots.iter().all(plain) {
            return None;
        }
        let index = |slot: &Slot| slots.iter().position(|s| s == slot);
        let operand = |side: &Side| match side {
            Side::Param(slot) => index(slot).map(Operand::Read),
            Side::Number(v) => v.to_i64().map(Operand::Number),
            Side::Member | Side::Part(_) => None,
        };
        let comparisons = |quick: &Quick| -> Option<Vec<Comparison>> {
            let all = quick.comparisons.iter();
            all.map(|(a, op, b)| Some((operand(a)?, *op, operand(b)?)))
                .collect()
        };
        let (mut until, mut asked) = (None, Vec::new());
        for step in steps {
            if let Some(sentinel) = step.until {
                until = Some(comparisons(&Quick::of(game, sentinel, false)?)?);
            }
            let limits = step.limits.iter().filter(|_| strict);
            for check in step.requires.iter().chain(limits) {
                asked.extend(comparisons(check.quick.as_ref()?)?);
            }
        }
        let start = start?.iter().map(index).collect::<Option<_>>()?;
        let mut told: Vec<Slot> = Vec::new();
        for output in &game.output {
            told.extend(crate::format::reads(&output.expr, game.vars.len()));
        }
        told.retain(|slot| slots.contains(slot));
        let unordered = matches!(game.shape, Shape::Unordered(..));
        Some(Lane {
            slots,
            told,
            until,
            asked,
            start,
            unordered,
        })
    }

    /// Puts the numbers of the case that comes next, in reading order, into `numbers`; `false`, and nothing has been read,
    /// if it is for the judge to read.
    pub fn read<R: Read>(&self, reader: &mut Reader<R>, numbers: &mut Vec<i64>) -> bool {
        let mark = reader.mark();
        numbers.clear();
        while numbers.len() < self.slots.len()
            && let Some(number) = reader.short()
        {
            numbers.push(number);
        }
        let all = numbers.len() == self.slots.len() && self.goes_on(numbers);
        if !all {
            reader.back(mark);
        }
        all
    }

    #[inline]
    fn goes_on(&self, numbers: &[i64]) -> bool {
        let value = |operand: &Operand| match operand {
            Operand::Read(i) => numbers[*i],
            Operand::Number(v) => *v,
        };
        let holds = |(a, op, b): &Comparison| compares(*op, value(a).cmp(&value(b)));
        self.asked.iter().all(holds)
            && !self.until.as_ref().is_some_and(|all| all.iter().all(holds))
    }

    /// Makes the words of the part of the numbers, which are not below zero.
    #[inline]
    pub fn fill(&self, numbers: &[i64], words: &mut Words) {
        words.clear();
        for &i in &self.start {
            words.push(Int::from(numbers[i]));
        }
        // A pair, the commonest, is not worth a call.
        match &mut words[..] {
            _ if !self.unordered => {}
            [a, b] => {
                if a > b {
                    std::mem::swap(a, b);
                }
            }
            many => many.sort_unstable(),
        }
    }
}
