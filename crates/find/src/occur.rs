//! Where the end of a text of bytes occurred before: the latest place first.
//!
//! Cost: one pass backwards by a vectorised search, in chunks that double, so that a near occurrence is found soon.

use memchr::memmem::Finder;

/// The distances, least first, at which the last `length` bytes stand once more; occurrences may overlap.
pub(crate) fn earlier(bytes: &[u8], length: usize) -> Earlier<'_> {
    let length = length.min(bytes.len());
    Earlier {
        bytes,
        length,
        finder: Finder::new(&bytes[bytes.len() - length..]),
        open: bytes.len() - length,
        chunk: 64,
        found: Vec::new(),
    }
}

pub(crate) struct Earlier<'a> {
    bytes: &'a [u8],
    length: usize,
    finder: Finder<'a>,
    /// Places below this have not been looked at.
    open: usize,
    chunk: usize,
    found: Vec<usize>,
}

impl Iterator for Earlier<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        loop {
            if let Some(at) = self.found.pop() {
                return Some(self.bytes.len() - self.length - at);
            }
            if self.open == 0 {
                return None;
            }
            let from = self.open.saturating_sub(self.chunk);
            let end = (self.open + self.length).saturating_sub(1).max(self.open);
            let part = &self.bytes[from..end.min(self.bytes.len())];
            let mut at = 0;
            while let Some(found) = part.get(at..).and_then(|rest| self.finder.find(rest)) {
                if from + at + found >= self.open {
                    break;
                }
                self.found.push(from + at + found);
                at += found + 1;
            }
            self.open = from;
            self.chunk = (2 * self.chunk).min(1 << 22);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_occurrences_come_in_order() {
        let mut state = 5u64;
        for round in 0..2000 {
            let mut next = |n: u64| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (state >> 33) % n
            };
            let (size, kinds) = (next(400), 1 + next(3));
            let bytes: Vec<u8> = (0..size).map(|_| next(kinds) as u8).collect();
            let length = next(size.min(6) + 1) as usize;
            let end = &bytes[bytes.len() - length..];
            let want: Vec<usize> = (1..=bytes.len() - length)
                .filter(|d| &bytes[bytes.len() - length - d..bytes.len() - d] == end)
                .collect();
            let got: Vec<usize> = earlier(&bytes, length).collect();
            assert_eq!(got, want, "{round}");
        }
    }
}
