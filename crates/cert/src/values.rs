//! Values of heaps in a certificate, and their hash. Cost: the hash is a few nanoseconds a value.

use sha2::{Digest, Sha256};

/// Values of the heaps 0, 1, …, count − 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// How many there are.
    pub count: u64,
    /// The SHA-256 of the values as little-endian 16-bit numbers, or 32-bit ones if any is past 65,535.
    pub sha256: String,
    /// The values themselves, where they are few enough to be written.
    pub list: Option<Vec<u64>>,
}

impl Values {
    /// Values that are written out.
    pub fn listed(list: Vec<u64>) -> Self {
        let mut hasher = Hasher::new(list.iter().copied().max().unwrap_or(0));
        list.iter().for_each(|&v| hasher.push(v));
        Values {
            count: list.len() as u64,
            sha256: hasher.finish(),
            list: Some(list),
        }
    }

    /// Values that only their hash stands for.
    pub fn hashed(count: u64, sha256: String) -> Self {
        Values {
            count,
            sha256,
            list: None,
        }
    }
}

/// The hash of values, one after the other.
///
/// ```
/// use grundy_cert::{Hasher, Values};
/// let mut hasher = Hasher::new(2);
/// [0, 1, 2].into_iter().for_each(|v| hasher.push(v));
/// assert_eq!(hasher.finish(), Values::listed(vec![0, 1, 2]).sha256);
/// ```
#[derive(Clone, Debug)]
pub struct Hasher {
    sha: Sha256,
    wide: bool,
    bytes: Vec<u8>,
}

impl Hasher {
    /// For values up to that; it says how wide they are.
    pub fn new(max: u64) -> Self {
        Hasher {
            sha: Sha256::new(),
            wide: max > u64::from(u16::MAX),
            bytes: Vec::with_capacity(Self::BLOCK + 4),
        }
    }

    const BLOCK: usize = 1 << 14;

    /// The next value. Of a value past 32 bits the lower ones are taken.
    #[inline]
    pub fn push(&mut self, value: u64) {
        let bytes = value.to_le_bytes();
        self.bytes
            .extend_from_slice(&bytes[..if self.wide { 4 } else { 2 }]);
        if self.bytes.len() >= Self::BLOCK {
            self.sha.update(&self.bytes);
            self.bytes.clear();
        }
    }

    /// The hash in hexadecimal digits.
    pub fn finish(mut self) -> String {
        self.sha.update(&self.bytes);
        let digest = self.sha.finalize();
        digest.iter().map(|b| format!("{b:02x}")).collect()
    }
}
