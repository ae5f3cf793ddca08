//! How Parquet writes values: plain, packed into bits, in runs, as differences, as places in a dictionary.
//!
//! Source: the document "Parquet encoding definitions" of the Apache Parquet format. Cost: some steps a value; a
//! dictionary holds at most [`DICTIONARY`] bytes of values, and four bytes for each place.

use std::hash::Hash;
use std::ops::Range;

use rustc_hash::FxHashMap;

/// A dictionary of more bytes is given up.
const DICTIONARY: usize = 1 << 20;
/// Differences share their least in a block, and how many bits they have in a miniblock.
const BLOCK: usize = 256;
const MINIBLOCK: usize = 64;

/// A number in groups of seven bits, the lowest first.
pub fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Numbers near zero as small ones: 0, -1, 1, -2, ...
pub fn zigzag(n: i64) -> u64 {
    (n << 1 ^ n >> 63) as u64
}

/// The bits of numbers up to `most`.
fn bits(most: u64) -> u32 {
    u64::BITS - most.leading_zeros()
}

/// `numbers` of `width` bits each, the lowest bit first, and zeros up to `count` of them, which is a multiple of eight.
fn pack(out: &mut Vec<u8>, numbers: impl Iterator<Item = u64>, width: u32, count: usize) {
    let end = out.len() + count / 8 * width as usize;
    out.reserve(end - out.len() + 8);
    let (mut bits, mut held) = (0, 0);
    for n in numbers {
        bits |= n << held;
        held += width;
        if held >= u64::BITS {
            out.extend(bits.to_le_bytes());
            held -= u64::BITS;
            // What is left of the number; nothing if it ended where the word did.
            bits = n.checked_shr(width - held).unwrap_or(0);
        }
    }
    out.extend(&bits.to_le_bytes()[..held.div_ceil(8) as usize]);
    out.resize(end, 0);
}

/// Numbers of `width` bits in runs: of equal ones where eight or more are, else packed.
pub fn hybrid(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    // Those from `from` on are yet to be packed; a packed run has a multiple of eight but at the end.
    let (mut from, mut at) = (0, 0);
    while let Some(first) = numbers.get(at) {
        let run = numbers[at..].iter().take_while(|n| *n == first).count();
        if run < 8 {
            at = numbers.len().min(at + 8);
            continue;
        }
        packed(out, &numbers[from..at], width);
        varint(out, (run as u64) << 1);
        out.extend(&first.to_le_bytes()[..width.div_ceil(8) as usize]);
        at += run;
        from = at;
    }
    packed(out, &numbers[from..], width);
}

fn packed(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    let groups = numbers.len().div_ceil(8);
    if groups > 0 {
        varint(out, (groups as u64) << 1 | 1);
        pack(out, numbers.iter().map(|&n| n.into()), width, 8 * groups);
    }
}

/// Numbers as their differences, modulo 2^64.
pub fn delta(out: &mut Vec<u8>, numbers: &[u64]) {
    varint(out, BLOCK as u64);
    varint(out, (BLOCK / MINIBLOCK) as u64);
    varint(out, numbers.len() as u64);
    let mut last = numbers.first().copied().unwrap_or(0);
    varint(out, zigzag(last as i64));
    let mut steps = [0; BLOCK];
    for block in numbers.get(1..).unwrap_or_default().chunks(BLOCK) {
        for (step, &n) in steps.iter_mut().zip(block) {
            *step = n.wrapping_sub(last) as i64;
            last = n;
        }
        let block = &steps[..block.len()];
        let least = block.iter().copied().min().unwrap_or(0);
        varint(out, zigzag(least));
        // A difference of signed numbers fits into an unsigned one.
        let above = |step: &i64| step.wrapping_sub(least) as u64;
        // Miniblocks that are not there have a width all the same.
        let mut widths = [0; BLOCK / MINIBLOCK];
        for (width, mini) in widths.iter_mut().zip(block.chunks(MINIBLOCK)) {
            *width = bits(mini.iter().fold(0, |all, step| all | above(step)));
        }
        out.extend(widths.map(|width| width as u8));
        for (width, mini) in widths.iter().zip(block.chunks(MINIBLOCK)) {
            pack(out, mini.iter().map(above), *width, MINIBLOCK);
        }
    }
}

/// A value that has a plain form.
pub trait Plain: Copy + Eq + Hash {
    /// How many bytes it is.
    fn size(self) -> usize;
    fn put(self, out: &mut Vec<u8>);
}

impl Plain for u32 {
    fn size(self) -> usize {
        4
    }

    fn put(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}

impl Plain for u64 {
    fn size(self) -> usize {
        8
    }

    fn put(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
}

impl Plain for &str {
    fn size(self) -> usize {
        4 + self.len()
    }

    fn put(self, out: &mut Vec<u8>) {
        // A text that is longer makes a page that is refused.
        out.extend((self.len() as u32).to_le_bytes());
        out.extend(self.as_bytes());
    }
}

/// Values as places in a list of the different ones, which come in the order of their first appearance.
pub struct Dictionary<T> {
    pub entries: Vec<T>,
    pub places: Vec<u32>,
}

impl<T: Plain> Dictionary<T> {
    /// `None` if the values are written plainly with fewer bytes, or there are too many.
    pub fn of(values: &[T]) -> Option<Self> {
        let mut known = FxHashMap::default();
        let (mut entries, mut places) = (Vec::new(), Vec::with_capacity(values.len()));
        let (mut size, mut plain) = (0, 0);
        for &value in values {
            plain += value.size();
            let next = entries.len() as u32;
            let place = *known.entry(value).or_insert(next);
            places.push(place);
            if place == next {
                entries.push(value);
                size += value.size();
                if size > DICTIONARY {
                    return None;
                }
            }
        }
        let made = Dictionary { entries, places };
        let packed = made.places.len() * made.width() as usize / 8;
        (size + packed < plain).then_some(made)
    }

    /// The bits of a place; at least one, as not every reader takes none.
    fn width(&self) -> u32 {
        bits(self.entries.len().saturating_sub(1) as u64).max(1)
    }

    /// What a page of these places holds.
    pub fn put(&self, out: &mut Vec<u8>, places: Range<usize>) {
        out.push(self.width() as u8);
        hybrid(out, &self.places[places], self.width());
    }
}
