//! The lowest rung: each value the mex of its options, for every code.
//!
//! The set of nim-sums of two heaps that hold N together is made once for each N from all pairs, that of r heaps from those
//! of r − 1. A digit that all larger t share reads the union of the sets of all N far enough below. Cost: N/2 steps for
//! each N with two heaps; for three heaps N times the number of values; a bit for each N and value where heaps are split.

use grundy_core::Code;

use crate::Stop;
use crate::checkpoint::{Reader, Unreadable, Writer};

/// The nim-sums that are options, as bits.
type Row = Vec<u64>;

/// A nim-sequence on its way.
pub(crate) struct Plain {
    code: Code,
    values: Vec<u16>,
    /// `rows[r − 2][N]` for r ≥ 2.
    rows: Vec<Vec<Row>>,
    /// What the shared digit allows: the options of all t past the last.
    tail: Row,
    top: u16,
}

fn mark(row: &mut Row, v: u16) {
    let word = usize::from(v) / 64;
    if word >= row.len() {
        row.resize(word + 1, 0);
    }
    row[word] |= 1 << (v % 64);
}

fn join(row: &mut Row, other: &Row) {
    if other.len() > row.len() {
        row.resize(other.len(), 0);
    }
    row.iter_mut().zip(other).for_each(|(a, b)| *a |= b);
}

impl Plain {
    pub fn new(code: &Code) -> Self {
        // Sets of r heaps that must differ cannot be made from those of r − 1.
        let rows = if code.unequal && code.parts() > 2 {
            0
        } else {
            code.parts().saturating_sub(1)
        };
        Plain {
            rows: vec![Vec::new(); rows],
            code: code.clone(),
            values: Vec::new(),
            tail: Row::new(),
            top: 0,
        }
    }

    pub fn values(&self) -> &[u16] {
        &self.values
    }

    pub fn advance(
        &mut self,
        to: usize,
        stopped: &mut dyn FnMut(usize) -> bool,
    ) -> Result<(), Stop> {
        while self.values.len() < to {
            if stopped(self.values.len()) {
                return Err(Stop::Interrupted);
            }
            self.next()?;
        }
        Ok(())
    }

    pub fn save(&self, out: &mut Writer) {
        out.values(&self.values);
        for rows in &self.rows {
            out.number(rows.len() as u64);
            rows.iter().for_each(|row| out.numbers(row));
        }
        out.numbers(&self.tail);
    }

    pub fn load(code: &Code, read: &mut Reader) -> Result<Self, Unreadable> {
        let mut plain = Plain::new(code);
        plain.values = read.values()?;
        plain.top = plain.values.iter().copied().max().unwrap_or(0);
        for rows in &mut plain.rows {
            let count = read.size()?;
            if count != plain.values.len() {
                return Err(Unreadable("there is not a set for each heap"));
            }
            // Not reserved at once: the number is not to be trusted before so much was read.
            for _ in 0..count {
                rows.push(read.numbers()?);
            }
        }
        plain.tail = read.numbers()?;
        Ok(plain)
    }

    fn next(&mut self) -> Result<(), Stop> {
        let n = self.values.len();
        let mut seen = Row::new();
        if self.rows.is_empty() && self.code.parts() > 1 {
            for option in self.code.options(n as u64, usize::MAX) {
                mark(
                    &mut seen,
                    option
                        .iter()
                        .fold(0, |sum, &h| sum ^ self.values[h as usize]),
                );
            }
        } else {
            self.fill(n);
            for (t, &digit) in self.code.digits.iter().enumerate().take(n + 1) {
                self.options(digit, n - t, n, &mut seen);
            }
            if let Some(rest) = n.checked_sub(self.code.digits.len()) {
                let mut tail = std::mem::take(&mut self.tail);
                self.options(self.code.tail, rest, n, &mut tail);
                join(&mut seen, &tail);
                self.tail = tail;
            }
        }
        let full = seen.iter().take_while(|&&w| w == u64::MAX).count();
        let value = full * 64 + seen.get(full).map_or(0, |w| w.trailing_ones() as usize);
        let value = u16::try_from(value).map_err(|_| Stop::ValueTooLarge(n))?;
        self.top = self.top.max(value);
        self.values.push(value);
        Ok(())
    }

    /// What a digit allows when `rest` is left.
    fn options(&self, digit: u64, rest: usize, n: usize, seen: &mut Row) {
        if digit & 1 == 1 && rest == 0 {
            mark(seen, 0);
        }
        if digit & 2 != 0 && rest > 0 && rest < n {
            mark(seen, self.values[rest]);
        }
        for r in 2..self.rows.len() + 2 {
            if digit >> r & 1 == 1 {
                join(seen, &self.rows[r - 2][rest]);
            }
        }
    }

    /// Makes the rows up to n; they need the values of smaller heaps only.
    fn fill(&mut self, n: usize) {
        for r in 2..self.rows.len() + 2 {
            for total in self.rows[r - 2].len()..=n {
                let row = if r == 2 {
                    self.pairs(total)
                } else {
                    self.one_more(r, total)
                };
                self.rows[r - 2].push(row);
            }
        }
    }

    fn pairs(&self, total: usize) -> Row {
        let half = if self.code.unequal {
            total.saturating_sub(1) / 2
        } else {
            total / 2
        };
        if half == 0 {
            return Row::new();
        }
        let mut row = vec![0; (usize::from(self.top) + 1).next_power_of_two().div_ceil(64)];
        let low = &self.values[1..=half];
        let high = self.values[total - half..total].iter().rev();
        for (a, b) in low.iter().zip(high) {
            let v = usize::from(a ^ b);
            row[v / 64] |= 1 << (v % 64);
        }
        row
    }

    fn one_more(&self, r: usize, total: usize) -> Row {
        let mut row = Row::new();
        for heap in 1..total {
            for (i, &word) in self.rows[r - 3][total - heap].iter().enumerate() {
                let mut word = word;
                while word != 0 {
                    mark(
                        &mut row,
                        ((i * 64) as u16 + word.trailing_zeros() as u16) ^ self.values[heap],
                    );
                    word &= word - 1;
                }
            }
        }
        row
    }
}
