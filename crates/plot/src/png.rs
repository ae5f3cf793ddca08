//! PNG files (W3C Portable Network Graphics, third edition): 8 bits, as RGB or as places in a palette.

use miniz_oxide::deflate::compress_to_vec_zlib;

use crate::colour::Rgb;

/// How hard to compress, of 10.
const LEVEL: u8 = 6;

/// A file of pixels as red, green and blue, row by row.
pub fn rgb(width: usize, height: usize, pixels: &[u8]) -> Vec<u8> {
    file(width, height, 2, &[], pixels, 3)
}

/// A file of pixels as places in a palette of at most 256 colours; where it has none one sees what is behind.
pub fn indexed(width: usize, height: usize, palette: &[Option<Rgb>], pixels: &[u8]) -> Vec<u8> {
    let colours: Vec<u8> = palette
        .iter()
        .flat_map(|c| c.unwrap_or(Rgb(0)).parts())
        .collect();
    let mut chunks = vec![(*b"PLTE", colours)];
    if palette.contains(&None) {
        let opaque = palette.iter().map(|c| if c.is_some() { 255 } else { 0 });
        chunks.push((*b"tRNS", opaque.collect()));
    }
    file(width, height, 3, &chunks, pixels, 1)
}

fn file(
    width: usize,
    height: usize,
    kind: u8,
    chunks: &[([u8; 4], Vec<u8>)],
    pixels: &[u8],
    each: usize,
) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut head = Vec::new();
    for side in [width, height] {
        head.extend((side as u32).to_be_bytes());
    }
    head.extend([8, kind, 0, 0, 0]);
    chunk(&mut out, *b"IHDR", &head);
    for (name, data) in chunks {
        chunk(&mut out, *name, data);
    }
    let mut rows = Vec::with_capacity(pixels.len() + height);
    for row in pixels.chunks_exact((width * each).max(1)) {
        // No filter: what is drawn here is flat.
        rows.push(0);
        rows.extend(row);
    }
    chunk(&mut out, *b"IDAT", &compress_to_vec_zlib(&rows, LEVEL));
    chunk(&mut out, *b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let start = out.len();
    out.extend(name);
    out.extend(data);
    let sum = crc(&out[start..]);
    out.extend(sum.to_be_bytes());
}

const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u32;
        let mut bit = 0;
        while bit < 8 {
            c = if c & 1 == 1 {
                0xedb8_8320 ^ c >> 1
            } else {
                c >> 1
            };
            bit += 1;
        }
        table[n] = c;
        n += 1;
    }
    table
};

fn crc(bytes: &[u8]) -> u32 {
    !bytes
        .iter()
        .fold(!0u32, |c, &b| TABLE[usize::from(c as u8 ^ b)] ^ c >> 8)
}

/// Bytes as text of 64 letters (RFC 4648).
pub fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            if i <= three.len() {
                out.push(char::from(LETTERS[(bits >> (18 - 6 * i) & 63) as usize]));
            } else {
                out.push('=');
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_letters_are_those_of_the_standards() {
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc(b"IEND"), 0xae42_6082);
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let letters = [
            "", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy",
        ];
        assert_eq!(texts.map(|t| base64(t.as_bytes())), letters);
    }
}
