//! The format of NumPy: a header that is a Python literal, padded to 64 bytes, then the numbers.
//!
//! Source: the document "NEP 1: A simple file format for NumPy arrays", version 1.0 of the format.

use std::io::{self, Write};

/// Starts a file of an array of these sides, the last fastest, of unsigned little-endian numbers of `bytes` bytes each; the
/// numbers are to follow.
///
/// ```
/// let mut file = Vec::new();
/// grundy_export::npy(&mut file, &[3], 2).unwrap();
/// file.extend([0, 0, 1, 0, 2, 0]);
/// assert_eq!(file.len() as u64, grundy_export::npy_size(&[3], 2));
/// ```
pub fn npy(out: &mut dyn Write, sides: &[u64], bytes: usize) -> io::Result<()> {
    out.write_all(&header(sides, bytes))
}

/// How long such a file is.
pub fn npy_size(sides: &[u64], bytes: usize) -> u64 {
    let count = sides.iter().fold(1u64, |count, n| count.saturating_mul(*n));
    (header(sides, bytes).len() as u64).saturating_add(count.saturating_mul(bytes as u64))
}

fn header(sides: &[u64], bytes: usize) -> Vec<u8> {
    // A tuple of one has a comma behind it.
    let shape = match sides {
        [one] => format!("{one},"),
        more => more
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(", "),
    };
    let mut text =
        format!("{{'descr': '<u{bytes}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version and length are 10 bytes; the last of the header is a line's end.
    while (10 + text.len() + 1) % 64 != 0 {
        text.push(' ');
    }
    text.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend((text.len() as u16).to_le_bytes());
    out.extend(text.as_bytes());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_begin_at_a_multiple_of_64() {
        for count in [0, 1, 9, 123_456_789, u64::MAX] {
            let header = header(&[count], 4);
            assert_eq!(header.len() % 64, 0);
            assert_eq!(
                usize::from(u16::from_le_bytes([header[8], header[9]])),
                header.len() - 10
            );
            assert_eq!(header.last(), Some(&b'\n'));
            assert!(
                String::from_utf8_lossy(&header[10..]).contains(&format!("'shape': ({count},)"))
            );
        }
        let square = header(&[30, 40], 2);
        assert!(String::from_utf8_lossy(&square).contains("'shape': (30, 40)"));
    }
}
