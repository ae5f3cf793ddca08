//! The state of a sequence as bytes, so that a run can go on where an earlier one stopped. No I/O enters.
//!
//! All numbers are little-endian, 64 bits where nothing else is said; a list is its length and its members.
//!
//! | what | as |
//! |---|---|
//! | the code | digits (a list), shared last digit, whether heaps differ (a byte) |
//! | the rung | a byte: 0 plain, 1 scalar, 2 pairs, 3 taking, 4 large codes of a byte, 5 of two |
//! | plain | values (a list of 16 bits), then for each number of heaps from 2 on its sets (a list of lists), the tail's set |
//! | scalar, taking | values (a list of 16 bits) |
//! | pairs, large | the split: mask, position bit (a byte), shift (a byte) |
//! | | cells (a list of bytes, or of 16 bits), where they are bytes for each rare heap in order its code (a byte) |
//! | | searched pairs (a list of two numbers each), four counts of work |
//! | | when to choose the next split, rares at the last choice, the first heap found by this split |
//!
//! What follows from these is made again: linear in the values, with small constants. A run that goes on has the same
//! values as an unbroken one, since they do not depend on the state, and the same split and rares; rare values that had to
//! be searched for may be others, since the pairs tried before a search depend on the heap at which they were chosen.
//! Bytes that are no state are refused, not trusted; whether the values are right they cannot show, so who keeps them has to
//! guard them by a hash. Cost: one or two bytes a heap.

use std::fmt;

use grundy_core::Code;

use crate::large::Large;
use crate::pairs::Pairs;
use crate::plain::Plain;
use crate::scalar::Scalar;
use crate::table::Table;
use crate::taking::Taking;
use crate::{Sequence, State};

/// Bytes that are not the state of a sequence, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable(pub &'static str);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Writes numbers and lists.
pub(crate) struct Writer<'a>(&'a mut dyn FnMut(&[u8]));

impl Writer<'_> {
    pub fn byte(&mut self, n: u8) {
        (self.0)(&[n]);
    }

    pub fn number(&mut self, n: u64) {
        (self.0)(&n.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        (self.0)(bytes);
    }

    pub fn numbers(&mut self, list: &[u64]) {
        self.number(list.len() as u64);
        list.iter().for_each(|&n| self.number(n));
    }

    pub fn values(&mut self, values: &[u16]) {
        self.number(values.len() as u64);
        let mut bytes = Vec::with_capacity(1 << 16);
        for part in values.chunks(1 << 15) {
            bytes.clear();
            bytes.extend(part.iter().flat_map(|v| v.to_le_bytes()));
            (self.0)(&bytes);
        }
    }
}

/// Reads what a `Writer` wrote.
pub(crate) struct Reader<'a>(&'a [u8]);

type Read<T> = Result<T, Unreadable>;

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Read<&'a [u8]> {
        let (bytes, rest) = self
            .0
            .split_at_checked(count)
            .ok_or(Unreadable("it ends too early"))?;
        self.0 = rest;
        Ok(bytes)
    }

    pub fn byte(&mut self) -> Read<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn flag(&mut self) -> Read<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Unreadable("a flag is neither 0 nor 1")),
        }
    }

    pub fn number(&mut self) -> Read<u64> {
        let bytes = self.take(8)?.try_into().expect("8 bytes");
        Ok(u64::from_le_bytes(bytes))
    }

    pub fn size(&mut self) -> Read<usize> {
        usize::try_from(self.number()?).map_err(|_| Unreadable("a number is too large"))
    }

    /// The bytes of a list whose members have that many each.
    fn list(&mut self, each: usize) -> Read<&'a [u8]> {
        let count = self.size()?.checked_mul(each);
        self.take(count.ok_or(Unreadable("a list is too long"))?)
    }

    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        self.list(1)
    }

    pub fn numbers(&mut self) -> Read<Vec<u64>> {
        let bytes = self.list(8)?.chunks_exact(8);
        Ok(bytes
            .map(|b| u64::from_le_bytes(b.try_into().expect("8 bytes")))
            .collect())
    }

    pub fn values(&mut self) -> Read<Vec<u16>> {
        let bytes = self.list(2)?.chunks_exact(2);
        Ok(bytes.map(|b| u16::from_le_bytes([b[0], b[1]])).collect())
    }
}

impl Sequence {
    /// The state as bytes, a piece at a time.
    pub fn save(&self, put: &mut dyn FnMut(&[u8])) {
        let mut out = Writer(put);
        out.numbers(&self.code.digits);
        out.number(self.code.tail);
        out.byte(u8::from(self.code.unequal));
        match &self.state {
            State::Plain(s) => {
                out.byte(0);
                s.save(&mut out);
            }
            State::Scalar(s) => {
                out.byte(1);
                out.values(s.values());
            }
            State::Pairs(s) => {
                out.byte(2);
                s.table.save(&mut out);
            }
            State::Bytes(s) => {
                out.byte(4);
                s.table.save(&mut out);
            }
            State::Words(s) => {
                out.byte(5);
                s.table.save(&mut out);
            }
            State::Taking(s) => {
                out.byte(3);
                out.values(&s.values(0..s.len()));
            }
        }
    }

    /// The sequence that was saved as these bytes.
    ///
    /// ```
    /// use grundy_core::Code;
    /// use grundy_kernels::Sequence;
    /// let mut kayles = Sequence::new(&Code::finite([0, 7, 7]));
    /// kayles.advance(5000, &mut |_| false).unwrap();
    /// let mut bytes = Vec::new();
    /// kayles.save(&mut |piece| bytes.extend_from_slice(piece));
    /// let mut again = Sequence::load(&bytes).unwrap();
    /// assert_eq!(again.len(), kayles.len());
    /// again.advance(10_000, &mut |_| false).unwrap();
    /// kayles.advance(10_000, &mut |_| false).unwrap();
    /// assert_eq!(again.values(0..10_000), kayles.values(0..10_000));
    /// assert!(Sequence::load(&bytes[1..]).is_err());
    /// ```
    ///
    /// # Errors
    /// If they are not the state of a sequence.
    pub fn load(bytes: &[u8]) -> Result<Sequence, Unreadable> {
        let mut read = Reader(bytes);
        let code = Code {
            digits: read.numbers()?,
            tail: read.number()?,
            unequal: read.flag()?,
        };
        if !code.ends() {
            return Err(Unreadable("a move of the code may take nothing"));
        }
        let (pairs, taking) = (
            code.parts() == 2 && code.tail == 0,
            code.parts() <= 1 && code.tail <= 3,
        );
        let state = match read.byte()? {
            0 => State::Plain(Plain::load(&code, &mut read)?),
            1 if pairs => {
                let values = read.values()?.into_iter().map(u32::from);
                let scalar = Scalar::with_values(&code.digits, code.unequal, values);
                State::Scalar(scalar.map_err(|_| Unreadable("a value is too large"))?)
            }
            2 if pairs => State::Pairs(Box::new(Pairs::new(Table::load(&code, &mut read)?))),
            4 if pairs => State::Bytes(Box::new(Large::new(Table::load(&code, &mut read)?))),
            5 if pairs => State::Words(Box::new(Large::new(Table::load(&code, &mut read)?))),
            3 if taking => {
                let taking = Taking::with_values(&code, read.values()?);
                State::Taking(taking.ok_or(Unreadable("a value is too large"))?)
            }
            _ => return Err(Unreadable("the way of computing does not fit the code")),
        };
        if !read.0.is_empty() {
            return Err(Unreadable("something follows its end"));
        }
        Ok(Sequence {
            code,
            state,
            threads: 1,
        })
    }
}
