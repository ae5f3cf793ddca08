//! Structures as Thrift's compact protocol has them, as far as Parquet's headers need it.
//!
//! Source: the document "Thrift Compact protocol encoding" of Apache Thrift. A structure is its fields, each with its
//! kind and how far its number is from the one before, and a zero behind the last. Cost: a step for each byte.

use super::encode::{varint, zigzag};

/// How kinds of fields, and of the elements of a list, are told.
pub const I32: u8 = 5;
pub const BINARY: u8 = 8;
pub const STRUCT: u8 = 12;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I64: u8 = 6;
const LIST: u8 = 9;

/// Appends a structure with the fields that `fill` gives it, in rising order.
pub fn structure(out: &mut Vec<u8>, fill: impl FnOnce(&mut Fields)) {
    fill(&mut Fields { out, last: 0 });
    out.push(0);
}

/// Appends an element of a list of texts.
pub fn text(out: &mut Vec<u8>, bytes: &[u8]) {
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

/// Appends an element of a list of 32-bit numbers.
pub fn int32(out: &mut Vec<u8>, n: i32) {
    varint(out, zigzag(n.into()));
}

/// The fields of a structure on its way.
pub struct Fields<'a> {
    out: &'a mut Vec<u8>,
    last: u8,
}

impl Fields<'_> {
    fn field(&mut self, id: u8, kind: u8) -> &mut Vec<u8> {
        // Parquet's fields are so few that the short form always does.
        debug_assert!((1..16).contains(&(id - self.last)));
        self.out.push((id - self.last) << 4 | kind);
        self.last = id;
        self.out
    }

    pub fn no(&mut self, id: u8) {
        self.field(id, FALSE);
    }

    pub fn byte(&mut self, id: u8, n: u8) {
        self.field(id, BYTE).push(n);
    }

    pub fn int32(&mut self, id: u8, n: i32) {
        int32(self.field(id, I32), n);
    }

    /// A size or a place in a file, which is below 2^63.
    pub fn int64(&mut self, id: u8, n: u64) {
        varint(self.field(id, I64), zigzag(n as i64));
    }

    pub fn binary(&mut self, id: u8, bytes: &[u8]) {
        text(self.field(id, BINARY), bytes);
    }

    pub fn structure(&mut self, id: u8, fill: impl FnOnce(&mut Fields)) {
        structure(self.field(id, STRUCT), fill);
    }

    /// A list, whose elements are to be appended to what this gives.
    pub fn list(&mut self, id: u8, kind: u8, count: usize) -> &mut Vec<u8> {
        let out = self.field(id, LIST);
        match count {
            0..15 => out.push((count as u8) << 4 | kind),
            _ => {
                out.push(0xf0 | kind);
                varint(out, count as u64);
            }
        }
        out
    }
}
