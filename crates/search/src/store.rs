//! The memo: short rows of words, each stored once, each with a word of its own for what is known about it.
//!
//! A record is its slot followed by its key in one arena of 32-bit words; the hash table holds only where records begin.
//! Cost: 8 bytes for a counter below 2^31, 4 more for each further such number, and 6 to 12 bytes of table a record. No
//! allocation a record.

use grundy_core::{BigInt, Int};
use grundy_lang::value::Pos;
use hashbrown::HashTable;
use smallvec::SmallVec;

/// Where a record begins. Below [`Store::LIMIT`], so that the top bit is free for tags.
pub(crate) type Id = u32;

/// Room for building a key.
pub(crate) type Key = SmallVec<[u32; 8]>;

/// In the first word of a key: the key is not of the store's fixed length, the other bits are the number of words after it.
/// In a later word: a number past 31 bits follows.
const LONG: u32 = 1 << 31;
/// With [`LONG`] in a later word: a number past 64 bits, the other bits are its length in bytes.
const BIG: u32 = 1 << 30;

/// Keys and their slots.
pub(crate) struct Store {
    arena: Vec<u32>,
    table: HashTable<Id>,
    fixed: usize,
}

impl Store {
    /// The most words that the arena holds: ids must fit in 31 bits.
    pub(crate) const LIMIT: usize = 1 << 31;

    /// A store whose short keys have `fixed` words, or with 0 one without short keys.
    pub(crate) fn new(fixed: usize) -> Self {
        Store {
            arena: Vec::new(),
            table: HashTable::new(),
            fixed,
        }
    }

    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.table.len()
    }

    /// The bytes in use, with those that the table will need to grow if that is near.
    pub(crate) fn bytes(&self) -> u64 {
        let table = self.table.allocation_size() as u64;
        let near = self.table.capacity() - self.table.len() < 1 << 10;
        let table = if near { 3 * table } else { table };
        4 * self.arena.len() as u64 + table
    }

    /// Whether ids are about to run out.
    pub(crate) fn full(&self) -> bool {
        self.arena.len() >= Self::LIMIT - (1 << 24)
    }

    /// What is known about a record.
    #[inline]
    pub(crate) fn slot(&self, id: Id) -> u32 {
        self.arena[id as usize]
    }

    /// Replaces what is known about a record.
    #[inline]
    pub(crate) fn set(&mut self, id: Id, slot: u32) {
        self.arena[id as usize] = slot;
    }

    /// The key of a record.
    pub(crate) fn key(&self, id: Id) -> &[u32] {
        key_at(&self.arena, self.fixed, id)
    }

    /// The record of this key, or a new one with the given slot.
    #[inline]
    pub(crate) fn intern(&mut self, key: &[u32], slot: u32) -> Id {
        let Store {
            arena,
            table,
            fixed,
        } = self;
        let hash = hash(key);
        // Keys are prefix-free, so equal on the length of this key is equal.
        let same = |&id: &Id| {
            let from = id as usize + 1;
            match (arena.get(from..from + key.len()), key) {
                (Some([a]), [b]) => a == b,
                (Some([a, c]), [b, d]) => a == b && c == d,
                (row, key) => row == Some(key),
            }
        };
        if let Some(&id) = table.find(hash, same) {
            return id;
        }
        let id = arena.len() as Id;
        arena.push(slot);
        arena.extend_from_slice(key);
        table.insert_unique(hash, id, |&id| self::hash(key_at(arena, *fixed, id)));
        id
    }
}

fn key_at(arena: &[u32], fixed: usize, id: Id) -> &[u32] {
    let from = id as usize + 1;
    let first = arena[from];
    let len = if first & LONG == 0 {
        fixed
    } else {
        1 + (first & !LONG) as usize
    };
    &arena[from..from + len]
}

/// A hash that keeps neighbours together: the options of a position are runs of keys that differ in one word by one, and
/// keys that agree but for the low bits of their last words are given 16 places side by side. The table then reads one
/// line of memory for several options. The top bits, which the table compares first, tell such neighbours apart.
#[inline]
fn hash(key: &[u32]) -> u64 {
    let (rest, low) = match key {
        [] => return 0,
        [a] => (mix(0, a >> 4, 0), a & 15),
        [a, b] => (mix(0, a >> 2, b >> 2), (a & 3) << 2 | b & 3),
        [first @ .., a, b] => {
            let mut hash = 0;
            for pair in first.chunks(2) {
                hash = mix(hash, pair[0], pair.get(1).map_or(1 << 31, |&w| w));
            }
            (mix(hash, a >> 2, b >> 2), (a & 3) << 2 | b & 3)
        }
    };
    (rest << 4 | u64::from(low)) ^ u64::from(low) << 60
}

/// A multiplication by an odd constant (2^64 over the golden ratio); folding the high half down gives the low bits as much
/// of it as the high ones.
#[inline]
fn mix(hash: u64, a: u32, b: u32) -> u64 {
    let product = (hash ^ (u64::from(a) | u64::from(b) << 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

/// Writes the key of a part. `fixed` is the number of words of every part of the shape, or 0 if they vary.
#[inline]
pub(crate) fn encode(pos: &Pos, fixed: usize, key: &mut Key) {
    key.clear();
    if fixed > 0 {
        for word in &pos.0 {
            match word.to_i64() {
                Some(v) if v >= 0 && v < i64::from(LONG) => key.push(v as u32),
                _ => return encode_long(pos, key),
            }
        }
        return;
    }
    encode_long(pos, key);
}

fn encode_long(pos: &Pos, key: &mut Key) {
    key.clear();
    key.push(0);
    for word in &pos.0 {
        write(word, |w| key.push(w));
    }
    key[0] = LONG | (key.len() - 1) as u32;
}

/// Writes a number: one word if it is a natural number below 2^31, else a mark and the number.
pub(crate) fn write(number: &Int, mut out: impl FnMut(u32)) {
    match number.to_i64() {
        Some(v) if v >= 0 && v < i64::from(LONG) => out(v as u32),
        Some(v) => [LONG, v as u32, (v >> 32) as u32].into_iter().for_each(out),
        None => {
            let bytes = number.to_big().to_signed_bytes_le();
            out(LONG | BIG | bytes.len() as u32);
            for chunk in bytes.chunks(4) {
                let mut word = [0; 4];
                word[..chunk.len()].copy_from_slice(chunk);
                out(u32::from_le_bytes(word));
            }
        }
    }
}

/// Reads the numbers that [`write()`] wrote.
pub(crate) fn read(mut words: &[u32], mut out: impl FnMut(Int)) {
    while let Some((&word, rest)) = words.split_first() {
        words = rest;
        if word & LONG == 0 {
            out(Int::from(i64::from(word)));
        } else if word & BIG == 0 {
            let v = u64::from(words[0]) | u64::from(words[1]) << 32;
            out(Int::from(v as i64));
            words = &words[2..];
        } else {
            let len = (word & !(LONG | BIG)) as usize;
            let (number, rest) = words.split_at(len.div_ceil(4));
            words = rest;
            let bytes: Vec<u8> = number.iter().flat_map(|w| w.to_le_bytes()).collect();
            out(BigInt::from_signed_bytes_le(&bytes[..len]).into());
        }
    }
}

/// Reads the part that [`encode`] wrote.
pub(crate) fn decode(key: &[u32], pos: &mut Pos) {
    pos.0.clear();
    let long = key.first().is_some_and(|&first| first & LONG != 0);
    read(&key[usize::from(long)..], |number| pos.0.push(number));
}

/// Writes the key of a sum of parts, given by their records in order.
pub(crate) fn encode_sum(parts: &[Id], key: &mut Key) {
    key.clear();
    key.push(LONG | parts.len() as u32);
    key.extend_from_slice(parts);
}

/// The parts of a sum.
pub(crate) fn decode_sum(key: &[u32]) -> &[Id] {
    &key[1..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_survives_and_different_parts_have_different_records() {
        let numbers = [
            "0",
            "1",
            "2147483647",
            "2147483648",
            "4294967296",
            "9223372036854775807",
            "9223372036854775808",
            "340282366920938463463374607431768211455",
            "-1",
            "-9223372036854775808",
            "-9223372036854775809",
        ];
        let numbers: Vec<Int> = numbers.iter().map(|n| n.parse().unwrap()).collect();
        for fixed in [2, 0] {
            let mut store = Store::new(fixed);
            let mut key = Key::new();
            let mut ids = Vec::new();
            for a in &numbers {
                for b in &numbers {
                    let pos = Pos([a.clone(), b.clone()].into_iter().collect());
                    encode(&pos, fixed, &mut key);
                    let id = store.intern(&key, 7);
                    assert_eq!(store.intern(&key, 9), id);
                    assert_eq!(store.slot(id), 7);
                    ids.push((id, pos));
                }
            }
            assert_eq!(store.len(), numbers.len() * numbers.len());
            let mut back = Pos::default();
            for (id, pos) in &ids {
                decode(store.key(*id), &mut back);
                assert_eq!(&back, pos);
            }
        }
    }
}
