//! Where the positions of a table lie: counters in ranges from 0, one cell a position, members in no order once.
//!
//! The place of a cell is a sum of one number for each counter: a stride times an ordered counter; for the i-th smallest of n
//! members in no order the binomial coefficient C(x + i - 1, i) (the combinatorial number system; E. Pascal 1887), so that
//! an unordered pair takes half of the square. Cost: 8 bytes for each value of such a member.

use grundy_lang::ir::Shape;

/// The most counters of a table.
pub const COUNTERS: usize = 8;
/// The most cells: a terabyte of the smallest.
const MOST_CELLS: u64 = 1 << 40;

/// A table's cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    words: Vec<Word>,
    /// Runs of words that are in order of size.
    unordered: Vec<std::ops::Range<usize>>,
    cells: u64,
}

/// A counter of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its greatest value.
    pub to: u64,
    /// What it adds to the place of a cell.
    pub offset: Offset,
}

/// What a counter adds to the place of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offset {
    /// This often its value.
    Times(u64),
    /// The entry at its value.
    Listed(Box<[u64]>),
}

impl Layout {
    /// The table of all positions of a shape whose counters are at most `to`, one bound a counter; members in no order
    /// share the largest of theirs. The error says why there is none.
    pub fn new(shape: &Shape, to: &[u64]) -> Result<Layout, String> {
        let mut layout = Layout {
            words: Vec::new(),
            unordered: Vec::new(),
            cells: 1,
        };
        if shape.width() != Some(to.len()) || to.len() > COUNTERS {
            return Err(format!(
                "its positions are not {} counters, at most {COUNTERS}",
                to.len()
            ));
        }
        // The last counter is the fastest, so strides grow from there.
        let mut rest = to;
        let mut bounds = Vec::new();
        layout.groups(shape, &mut rest, &mut bounds)?;
        for (group, to) in bounds.iter().rev() {
            let large = || "it has more cells than any memory holds".to_owned();
            let n = group.len();
            let stride = layout.cells;
            // Cells of the group alone: C(to + n, n). They are counted before any list is made that is as long as a counter.
            let mut cells = 1u64;
            for i in 1..=n as u64 {
                let longer = u128::from(cells) * (u128::from(*to) + u128::from(i)) / u128::from(i);
                cells = u64::try_from(longer)
                    .ok()
                    .filter(|&c| c <= MOST_CELLS)
                    .ok_or_else(large)?;
            }
            for (i, word) in group.clone().enumerate() {
                let i = i as u64 + 1;
                layout.words[word].to = *to;
                layout.words[word].offset = if n == 1 {
                    Offset::Times(stride)
                } else {
                    let list = (0..=*to).map(|x| below(x, i).checked_mul(stride));
                    let list: Option<Box<[u64]>> = list.collect();
                    Offset::Listed(list.ok_or_else(large)?)
                };
            }
            layout.cells = layout
                .cells
                .checked_mul(cells)
                .filter(|&c| c <= MOST_CELLS)
                .ok_or_else(large)?;
        }
        Ok(layout)
    }

    fn groups(
        &mut self,
        shape: &Shape,
        to: &mut &[u64],
        bounds: &mut Vec<(std::ops::Range<usize>, u64)>,
    ) -> Result<(), String> {
        let at = self.words.len();
        let mut take = |n: usize| {
            let (mine, rest) = to.split_at(n);
            *to = rest;
            mine.iter().copied().max().unwrap_or(0)
        };
        let n = match shape {
            Shape::Int => 1,
            Shape::Unordered(n, member) if **member == Shape::Int => *n,
            Shape::Tuple(members) => {
                for member in members {
                    self.groups(member, to, bounds)?;
                }
                return Ok(());
            }
            _ => return Err("members in no order that are no plain counters".to_owned()),
        };
        bounds.push((at..at + n, take(n)));
        if n > 1 {
            self.unordered.push(at..at + n);
        }
        self.words.resize(
            at + n,
            Word {
                to: 0,
                offset: Offset::Times(0),
            },
        );
        Ok(())
    }

    /// The counters.
    pub fn words(&self) -> &[Word] {
        &self.words
    }

    /// The runs of counters that are in order of size.
    pub fn unordered(&self) -> &[std::ops::Range<usize>] {
        &self.unordered
    }

    /// Puts members in no order into order of size, in which they have a place.
    #[inline]
    pub fn sort(&self, at: &mut [u64]) {
        for run in &self.unordered {
            match &mut at[run.clone()] {
                [a, b] => (*a, *b) = ((*a).min(*b), (*a).max(*b)),
                more => more.sort_unstable(),
            }
        }
    }

    /// The number of cells.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// The place of a position's cell, members in no order being in order of size; `None` outside the table.
    #[inline]
    pub fn index(&self, at: &[u64]) -> Option<u64> {
        let mut place = 0;
        for (word, &x) in self.words.iter().zip(at) {
            if x > word.to {
                return None;
            }
            place += match &word.offset {
                Offset::Times(stride) => stride * x,
                Offset::Listed(list) => list[x as usize],
            };
        }
        Some(place)
    }
}

/// The number of rising rows of i numbers below x that may be equal: C(x + i - 1, i), or more than fits.
fn below(x: u64, i: u64) -> u64 {
    let mut product = 1u128;
    for j in 1..=i {
        product = match product.checked_mul(u128::from(x) + u128::from(j) - 1) {
            Some(product) => product / u128::from(j),
            None => return u64::MAX,
        };
    }
    u64::try_from(product).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits every position of a table, members in no order in order of size.
    fn positions(layout: &Layout, visit: &mut dyn FnMut(&[u64])) {
        let n = layout.words().len();
        let mut at = vec![0; n];
        loop {
            let sorted = |run: &std::ops::Range<usize>| at[run.clone()].is_sorted();
            if layout.unordered().iter().all(sorted) {
                visit(&at);
            }
            let Some(i) = (0..n).rev().find(|&i| at[i] < layout.words()[i].to) else {
                return;
            };
            at[i] += 1;
            at[i + 1..].fill(0);
        }
    }

    #[test]
    fn every_position_has_a_cell_of_its_own() {
        let pair = |n| Shape::Unordered(n, Box::new(Shape::Int));
        let shapes = [
            (Shape::Int, vec![9]),
            (Shape::Tuple(vec![Shape::Int; 3]), vec![2, 0, 4]),
            (pair(2), vec![7, 7]),
            (pair(2), vec![3, 7]),
            (pair(4), vec![5; 4]),
            (
                Shape::Tuple(vec![pair(3), Shape::Int, pair(2)]),
                vec![3, 3, 3, 2, 4, 4],
            ),
        ];
        for (shape, to) in shapes {
            let layout = Layout::new(&shape, &to).unwrap();
            let mut seen = vec![false; layout.cells() as usize];
            positions(&layout, &mut |at| {
                let place = layout.index(at).unwrap() as usize;
                assert!(
                    !std::mem::replace(&mut seen[place], true),
                    "{shape:?} {at:?}"
                );
            });
            assert!(seen.iter().all(|s| *s), "{shape:?} {to:?}");
        }
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(Layout::new(&Shape::Array(Box::new(Shape::Int)), &[3]).is_err());
        assert!(Layout::new(&Shape::Int, &[3, 4]).is_err());
        let pairs = Shape::Tuple(vec![Shape::Int; 2]);
        assert!(Layout::new(&Shape::Unordered(2, Box::new(pairs)), &[1; 4]).is_err());
        assert!(Layout::new(&Shape::Tuple(vec![Shape::Int; 2]), &[u64::MAX / 2; 2]).is_err());
        for to in [u64::MAX, 5_000_000_000] {
            let pair = Shape::Unordered(2, Box::new(Shape::Int));
            assert!(Layout::new(&pair, &[to; 2]).is_err());
        }
        assert!(Layout::new(&Shape::Int, &[u64::MAX]).is_err());
    }
}
