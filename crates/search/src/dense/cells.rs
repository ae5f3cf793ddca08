//! The cells of a table: one number each, as narrow as values allow, for one thread or many.
//!
//! Cells are atomic, so that threads which fill different parts of a table can share it; on one thread they cost what plain
//! ones do. Memory: 1, 2 or 4 bytes a value; a bit an outcome, and two while it can be unknown.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, Ordering::Relaxed};

use super::Mode;

/// Cells of a table; the greatest number of their kind stands for what is not known yet.
#[derive(Debug)]
pub enum Cells {
    /// Of one bit, all of them known.
    Bits(Vec<AtomicU8>, usize),
    /// Of two bits.
    Pairs(Vec<AtomicU8>, usize),
    /// Of one byte.
    U8(Vec<AtomicU8>),
    /// Of two.
    U16(Vec<AtomicU16>),
    /// Of four.
    U32(Vec<AtomicU32>),
}

/// A cell of one, two or four bytes.
pub(crate) trait Unit: Sync {
    /// Puts a value into it; `false`, and nothing is done, if it is too narrow.
    fn put(&self, value: u64) -> bool;
}

macro_rules! unit {
    ($atomic:ty, $plain:ty) => {
        impl Unit for $atomic {
            #[inline]
            fn put(&self, value: u64) -> bool {
                let fits = value < <$plain>::MAX.into();
                if fits {
                    self.store(value as $plain, Relaxed);
                }
                fits
            }
        }
    };
}

unit!(AtomicU8, u8);
unit!(AtomicU16, u16);
unit!(AtomicU32, u32);

/// A cell whose two bits are these is not known.
const UNKNOWN: u8 = 3;

impl Cells {
    /// So many cells, none of them known: of two bits for outcomes, else of one byte.
    pub fn unknown(cells: u64, mode: Mode) -> Cells {
        let cells = cells as usize;
        match mode {
            Mode::Outcomes => Cells::Pairs(atomic(vec![u8::MAX; cells.div_ceil(4)]), cells),
            Mode::Values => Cells::U8(atomic(vec![u8::MAX; cells])),
        }
    }

    /// Bytes of [`Cells::unknown`].
    pub fn unknown_bytes(cells: u64, mode: Mode) -> u64 {
        match mode {
            Mode::Outcomes => cells.div_ceil(4),
            Mode::Values => cells,
        }
    }

    /// Bytes of [`Cells::unwritten`].
    pub(crate) fn unwritten_bytes(cells: u64, mode: Mode, greatest: u64) -> u64 {
        match mode {
            Mode::Outcomes => cells.div_ceil(8),
            Mode::Values if greatest < u8::MAX.into() => cells,
            Mode::Values => 2 * cells,
        }
    }

    /// So many cells for values up to this, or for outcomes, to be read only where they have been written.
    pub(crate) fn unwritten(cells: u64, mode: Mode, greatest: u64) -> Cells {
        let cells = cells as usize;
        match mode {
            Mode::Outcomes => Cells::Bits(atomic(vec![0; cells.div_ceil(8)]), cells),
            Mode::Values if greatest < u8::MAX.into() => Cells::U8(atomic(vec![0; cells])),
            Mode::Values => Cells::U16(atomic(vec![0; cells])),
        }
    }

    /// The value of a cell, if it is known.
    #[inline]
    pub fn get(&self, place: u64) -> Option<u64> {
        let place = place as usize;
        match self {
            Cells::Bits(bits, _) => {
                Some(u64::from(bits[place / 8].load(Relaxed) >> (place % 8) & 1))
            }
            Cells::Pairs(pairs, _) => {
                let pair = pairs[place / 4].load(Relaxed) >> (place % 4 * 2) & 3;
                Some(pair).filter(|v| *v != UNKNOWN).map(u64::from)
            }
            Cells::U8(cells) => Some(cells[place].load(Relaxed))
                .filter(|v| *v != u8::MAX)
                .map(u64::from),
            Cells::U16(cells) => Some(cells[place].load(Relaxed))
                .filter(|v| *v != u16::MAX)
                .map(u64::from),
            Cells::U32(cells) => Some(cells[place].load(Relaxed))
                .filter(|v| *v != u32::MAX)
                .map(u64::from),
        }
    }

    /// Bytes of a value; 1 for outcomes.
    pub fn width(&self) -> u64 {
        match self {
            Cells::Bits(..) | Cells::Pairs(..) | Cells::U8(_) => 1,
            Cells::U16(_) => 2,
            Cells::U32(_) => 4,
        }
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        match self {
            Cells::Bits(_, len) | Cells::Pairs(_, len) => *len,
            Cells::U8(cells) => cells.len(),
            Cells::U16(cells) => cells.len(),
            Cells::U32(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        match self {
            Cells::Bits(bytes, _) | Cells::Pairs(bytes, _) => bytes.len() as u64,
            _ => self.width() * self.len() as u64,
        }
    }

    /// Puts a value into a cell that has none or this one; `false`, and nothing is done, if cells are too narrow for it.
    #[inline]
    pub fn put(&self, place: u64, value: u64) -> bool {
        let place = place as usize;
        match self {
            Cells::U8(cells) => cells[place].put(value),
            Cells::U16(cells) => cells[place].put(value),
            Cells::U32(cells) => cells[place].put(value),
            Cells::Bits(..) | Cells::Pairs(..) if value > 1 => false,
            Cells::Bits(bits, _) => {
                bits[place / 8].fetch_or((value as u8) << (place % 8), Relaxed);
                true
            }
            Cells::Pairs(bytes, _) => {
                let left = (UNKNOWN ^ value as u8) << (place % 4 * 2);
                bytes[place / 4].fetch_and(!left, Relaxed);
                true
            }
        }
    }

    /// The same cells, twice as wide; `None` if there are no wider ones.
    pub fn wider(&self) -> Option<Cells> {
        match self {
            Cells::U8(cells) => {
                let wide = |v: u8| if v == u8::MAX { u16::MAX } else { v.into() };
                let cells = cells.iter().map(|v| wide(v.load(Relaxed)).into());
                Some(Cells::U16(cells.collect()))
            }
            Cells::U16(cells) => {
                let wide = |v: u16| if v == u16::MAX { u32::MAX } else { v.into() };
                let cells = cells.iter().map(|v| wide(v.load(Relaxed)).into());
                Some(Cells::U32(cells.collect()))
            }
            _ => None,
        }
    }

    /// The same outcomes in a bit each, 1 for those that are not known; values as they are.
    pub fn packed(self) -> Cells {
        let Cells::Pairs(mut bytes, len) = self else {
            return self;
        };
        let four = |byte: u8| (0..4).fold(0, |bits, i| bits | (byte >> (2 * i) & 1) << i);
        for i in 0..len.div_ceil(8) {
            let low = four(*bytes[2 * i].get_mut());
            let high = bytes
                .get_mut(2 * i + 1)
                .map_or(0, |byte| four(*byte.get_mut()));
            *bytes[i].get_mut() = low | high << 4;
        }
        bytes.truncate(len.div_ceil(8));
        bytes.shrink_to_fit();
        Cells::Bits(bytes, len)
    }
}

/// Numbers that threads can share. The collection is the same memory.
fn atomic<T, A: From<T>>(numbers: Vec<T>) -> Vec<A> {
    numbers.into_iter().map(A::from).collect()
}
