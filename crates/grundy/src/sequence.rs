//! Nim-sequences of one-heap games, for tables of any length.
//!
//! Rules that are a take-and-break code have a kernel that computes their values without asking the rules again; where a
//! period is proved on the way, the values past it are copies. Cost: the memory of the kernels for what is computed; what is
//! written is made block by block.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use grundy_core::{Budget, Claim, Int};
pub use grundy_find::Progress;
use grundy_find::{Heaps, Period};
use grundy_lang::bind::{Arguments, finish};
use grundy_lang::diag::{Code, Diagnostic, Source};
use grundy_lang::ir::{CompareOp, Expr, ExprKind, Game};
use grundy_lang::linear::heap;
use grundy_lang::value::Value;
use serde_json::{Value as Json, json};
use sha2::{Digest, Sha256};

use crate::Result;
use crate::answer::one_line;
use crate::run::{End, Keep, run};
use crate::table::{Axes, Store, Table, Values, about, axes, open_list};

/// The nim-sequence of a game with one heap that `table` leaves open.
pub struct Sequence {
    game: Arc<Game>,
    arguments: String,
    /// The sides of the table and the greatest value of each.
    sides: Vec<(String, u64)>,
    /// The number of the last value: of a table of one counter its greatest.
    to: u64,
    known: Known,
}

/// Who knows the values.
enum Known {
    Heaps(Box<Heaps>),
    /// Somebody else has found them.
    Listed {
        values: Values,
        method: String,
        claim: Claim,
    },
}

/// The largest heap of a table.
const HEAPS: u64 = (1 << 62) - 1;
/// Values are written in blocks of so many.
const BLOCK: usize = 1 << 16;

impl Sequence {
    /// Reads the game as a code and `args` as all but one heap; `None` if it is not such a game.
    ///
    /// # Errors
    /// If the arguments are not those of a table of the game.
    pub fn read(game: &Arc<Game>, args: &Arguments, to: &[u64]) -> Result<Option<Self>> {
        let Axes {
            slots,
            to,
            mut base,
        } = axes(game, args, to)?;
        let ([slot], [to]) = (&slots[..], &to[..]) else {
            return Ok(None);
        };
        let heap = matches!(game.start.expr.kind, ExprKind::Slot(s) if s == *slot);
        let var = &game.vars[*slot];
        let every_heap = game
            .requires
            .iter()
            .all(|r| !r.each_part || every_heap(&r.condition, *slot));
        if !(var.part && heap && game.start.sum && every_heap) {
            return Ok(None);
        }
        base[*slot] = Value::seq([Value::Int(Int::ZERO)]);
        let rules = finish(game, base, &args.source)?.rules;
        let Ok(heap) = heap::read(&rules) else {
            return Ok(None);
        };
        if !heap.small.is_empty() {
            return Ok(None);
        }
        if *to > HEAPS {
            let message = format!("a nim-sequence up to heap {to} is longer than can be counted");
            let error = Diagnostic::error(Code::TooLarge, &args.source, message);
            return Err(Box::new(error.help(format!("the largest heap is {HEAPS}"))));
        }
        let heaps = Heaps::new(&heap.code);
        Ok(Some(Sequence {
            game: game.clone(),
            arguments: one_line(&args.source.text),
            sides: vec![(var.name.clone(), *to)],
            to: *to,
            known: Known::Heaps(Box::new(heaps)),
        }))
    }

    /// The values of a table, the last counter fastest.
    ///
    /// # Errors
    /// If it has a position without a value, or a value past 64 bits.
    pub fn listed(game: &Arc<Game>, args: &Arguments, table: &Table) -> Result<Self> {
        let wrong = |message: &str, help: &str| {
            let error = Diagnostic::error(Code::Unsupported, &Source::new("", ""), message);
            Box::new(error.help(help))
        };
        let Some(values) = table.values() else {
            let message = "some positions of this table have no Grundy value, or one past 64 bits";
            return Err(wrong(message, "ask for csv or json, which leave it out"));
        };
        Ok(Sequence {
            game: game.clone(),
            arguments: one_line(&args.source.text),
            sides: table
                .axes
                .iter()
                .cloned()
                .zip(table.to.iter().copied())
                .collect(),
            to: table.size() - 1,
            known: Known::Listed {
                values,
                method: table.method.clone(),
                claim: table.claim,
            },
        })
    }

    /// Goes on from the state that was kept, if there is one.
    ///
    /// # Errors
    /// If it cannot be read or kept anew, is damaged, or is another game's.
    pub fn resume(&mut self, keep: &Keep) -> Result<()> {
        if let Known::Heaps(heaps) = &mut self.known
            && let Some(kept) = keep.begin(heaps.code())?
        {
            **heaps = kept;
        }
        Ok(())
    }

    /// Computes all values, or as many as prove the period; `told` hears how far this has come. False if the values are too
    /// large for the kernels.
    ///
    /// # Errors
    /// If memory does not suffice, the state cannot be kept, or the budget says stop.
    pub fn compute(
        &mut self,
        budget: &Budget,
        keep: Option<&Keep>,
        told: &mut dyn FnMut(&Progress),
    ) -> Result<bool> {
        let Known::Heaps(heaps) = &mut self.known else {
            return Ok(true);
        };
        heaps.set_threads(budget.threads());
        let end = run(heaps, self.to, budget, keep, told)?;
        Ok(matches!(end, End::Known))
    }

    /// The largest heap asked for.
    pub fn to(&self) -> u64 {
        self.to
    }

    /// How the values are known.
    pub fn method(&self) -> (&str, Claim) {
        match &self.known {
            Known::Heaps(heaps) if heaps.computed() as u64 > self.to => {
                ("nim-sequence", Claim::Computed)
            }
            Known::Heaps(_) => ("period", Claim::Proved),
            Known::Listed { method, claim, .. } => (method, *claim),
        }
    }

    /// The period, if one is proved.
    pub fn period(&self) -> Option<&Period> {
        match &self.known {
            Known::Heaps(heaps) => heaps.period(),
            Known::Listed { .. } => None,
        }
    }

    /// What a file of the values should say of them: rules, arguments if there are any, method, claim, version.
    pub fn about(&self) -> Vec<(&'static str, String)> {
        about(&self.game, &self.arguments, self.method())
    }

    /// The values of some heaps.
    pub(crate) fn values(&self, heaps: Range<usize>) -> Vec<u64> {
        match &self.known {
            Known::Heaps(known) => known.values(heaps),
            Known::Listed { values, .. } => values.range(heaps),
        }
    }

    /// The greatest value. Cost: a look at each that was computed.
    pub fn largest(&self) -> u64 {
        let end = self.to as usize + 1;
        let (known, period) = match &self.known {
            Known::Heaps(heaps) => (
                heaps.computed().min(end),
                heaps.period().map_or(0, |p| p.period),
            ),
            Known::Listed { .. } => (end, 0),
        };
        // Past what is computed values repeat or rise from period to period.
        let late = known.max(end.saturating_sub(period))..end;
        let all = pieces(0..known).chain(pieces(late));
        all.filter_map(|piece| self.values(piece).into_iter().max())
            .max()
            .unwrap_or(0)
    }

    /// Whether a value is past 65,535.
    pub fn wide(&self) -> bool {
        let may = match &self.known {
            // What is computed is not.
            Known::Heaps(heaps) => heaps.period().is_some_and(|p| p.saltus > 0),
            Known::Listed { values, .. } => values.width() > 2,
        };
        may && self.largest() > u64::from(u16::MAX)
    }

    /// The sides of the table and the greatest value of each.
    pub fn sides(&self) -> &[(String, u64)] {
        &self.sides
    }

    /// The values in order, a block at a time, with the first heap of each.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, Vec<u64>)> {
        pieces(0..self.to as usize + 1).map(|piece| (piece.start as u64, self.values(piece)))
    }

    /// The values as little-endian numbers, 16 bits each or 32 if they are `wide`, to each of `sink` in blocks.
    ///
    /// # Errors
    /// Those of the sink; `None` if a value does not fit.
    fn binary<E>(
        &self,
        wide: bool,
        sink: &mut dyn FnMut(&[u8]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), Option<E>> {
        let end = self.to as usize + 1;
        let mut from = 0;
        if let Known::Heaps(heaps) = &self.known
            && !wide
        {
            let bytes = |heaps: Range<usize>, known: &Heaps| -> Vec<u8> {
                let values = known.sequence().values(heaps);
                let mut bytes = Vec::new();
                laid_out(&values, |v| v.to_le_bytes(), &mut bytes);
                bytes
            };
            from = heaps.computed().min(end);
            for piece in pieces(0..from) {
                sink(&bytes(piece, heaps)).map_err(Some)?;
            }
            if let Some(period) = heaps.period().filter(|p| p.saltus == 0) {
                // Some turns at a time, which are made once.
                let (p, start) = (period.period, period.preperiod);
                let turns = bytes(start..start + p, heaps).repeat(BLOCK.div_ceil(p));
                let mut phase = (from.max(start) - start) % p;
                while from < end {
                    let count = (turns.len() / 2 - phase).min(end - from);
                    sink(&turns[2 * phase..2 * (phase + count)]).map_err(Some)?;
                    (from, phase) = (from + count, 0);
                }
            }
        }
        let mut bytes: Vec<u8> = Vec::with_capacity(4 * BLOCK);
        if let Known::Listed {
            values: Values::Dense(dense, to),
            ..
        } = &self.known
        {
            return if wide {
                dense.each(to, &mut |numbers: &[u32]| {
                    laid_out(numbers, |n| n.to_le_bytes(), &mut bytes);
                    sink(&bytes)
                })
            } else {
                dense.each(to, &mut |numbers: &[u16]| {
                    laid_out(numbers, |n| n.to_le_bytes(), &mut bytes);
                    sink(&bytes)
                })
            };
        }
        for piece in pieces(from..end) {
            bytes.clear();
            for value in self.values(piece) {
                let value = u32::try_from(value).map_err(|_| None)?.to_le_bytes();
                bytes.extend_from_slice(if wide { &value } else { &value[..2] });
            }
            sink(&bytes).map_err(Some)?;
        }
        Ok(())
    }

    /// The SHA-256 of the values as little-endian numbers of 16 bits, or 32 if one is past 65,535. `None` if one is past
    /// 32 bits.
    pub fn checksum(&self) -> Option<String> {
        let mut sha = Sha256::new();
        let mut sink = |bytes: &[u8]| {
            sha.update(bytes);
            Ok::<(), ()>(())
        };
        self.binary(self.wide(), &mut sink).ok()?;
        Some(sha.finalize().iter().map(|b| format!("{b:02x}")).collect())
    }

    /// Writes the values as little-endian numbers of 16 bits, or 32 if they are `wide`.
    ///
    /// # Errors
    /// If they cannot be written, or one is past 32 bits.
    pub fn write_binary(&self, wide: bool, out: &mut dyn Write) -> io::Result<()> {
        let done = self.binary(wide, &mut |bytes| out.write_all(bytes));
        done.map_err(|e| e.unwrap_or_else(|| io::Error::other("a value is past 32 bits")))
    }

    /// The checksum with what it is of.
    pub fn checksum_json(&self, sha256: &str) -> Json {
        let (method, claim) = self.method();
        json!({
            "game": self.game.name,
            "to": match &self.sides[..] {
                [(_, to)] => json!(to),
                sides => sides.iter().map(|(_, to)| *to).collect(),
            },
            "bits": if self.wide() { 32 } else { 16 },
            "sha256": sha256,
            "method": method,
            "claim": claim.to_string(),
        })
    }

    /// The table without its cells.
    pub fn heading(&self) -> Table {
        let (method, claim) = self.method();
        Table {
            game: self.game.name.clone(),
            axes: self.sides.iter().map(|(name, _)| name.clone()).collect(),
            to: self.sides.iter().map(|(_, to)| *to).collect(),
            store: Store::Listed(Vec::new()),
            method: method.to_owned(),
            claim,
            values_by: None,
            values_left_out: false,
        }
    }

    /// As [`Table::write_csv`], block by block.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{},grundy,outcome", self.sides[0].0)?;
        self.rows(out, ["", ",", ",", "\n", ""])
    }

    /// As [`Table::write_json`], block by block.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_json(&self, warnings: Json, out: &mut dyn Write) -> io::Result<()> {
        open_list(self.heading().heading(), warnings, "cells", out)?;
        writeln!(out)?;
        self.rows(
            out,
            [
                "    {\"at\": [",
                "], \"grundy\": ",
                ", \"outcome\": \"",
                "\"}",
                ",\n",
            ],
        )?;
        writeln!(out, "\n  ]\n}}")
    }

    /// Each heap, value and outcome with texts before, between and behind, the last one between rows.
    fn rows(
        &self,
        out: &mut dyn Write,
        [head, first, second, tail, between]: [&str; 5],
    ) -> io::Result<()> {
        let mut text = String::with_capacity(64 * BLOCK);
        for (from, values) in self.blocks() {
            text.clear();
            for (n, value) in (from..).zip(values) {
                if n > 0 {
                    text.push_str(between);
                }
                text.push_str(head);
                decimal(n, &mut text);
                text.push_str(first);
                decimal(value, &mut text);
                text.push_str(second);
                text.push(if value == 0 { 'P' } else { 'N' });
                text.push_str(tail);
            }
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }

    /// The least number of bytes that [`Sequence::write_csv`] or [`Sequence::write_json`] comes to.
    pub fn least_text(&self, json: bool) -> u64 {
        let around = if json { 39 } else { 4 };
        let mut digits = 0u64;
        let (mut from, mut width) = (0u64, 1);
        while from <= self.to {
            let next = 10u64.saturating_pow(width);
            let count = next.min(self.to + 1) - from;
            digits = digits.saturating_add(count.saturating_mul(u64::from(width)));
            (from, width) = (next, width + 1);
        }
        digits.saturating_add((self.to + 1).saturating_mul(around + 1))
    }
}

/// Whether the condition holds for every heap.
fn every_heap(condition: &Expr, heap: usize) -> bool {
    match &condition.kind {
        ExprKind::And(all) => all.iter().all(|c| every_heap(c, heap)),
        ExprKind::Compare(op, left, right) => match (op, &left.kind, &right.kind) {
            (CompareOp::Ge, ExprKind::Slot(s), ExprKind::Int(least)) => {
                *s == heap && *least <= Int::ZERO
            }
            (CompareOp::Gt, ExprKind::Slot(s), ExprKind::Int(below)) => {
                *s == heap && *below < Int::ZERO
            }
            _ => false,
        },
        _ => false,
    }
}

/// Numbers as bytes.
fn laid_out<T: Copy, const N: usize>(numbers: &[T], of: impl Fn(T) -> [u8; N], out: &mut Vec<u8>) {
    out.resize(N * numbers.len(), 0);
    for (bytes, number) in out.as_chunks_mut().0.iter_mut().zip(numbers) {
        *bytes = of(*number);
    }
}

fn pieces(heaps: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = heaps.end;
    heaps
        .step_by(BLOCK)
        .map(move |from| from..end.min(from + BLOCK))
}

/// Adds a number in decimal digits; the library's formatting costs more than all else in a row.
pub fn decimal(mut n: u64, out: &mut String) {
    let mut digits = [b'0'; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    // Digits are text.
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}
