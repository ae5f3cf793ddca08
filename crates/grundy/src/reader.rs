//! The numbers and words of a judge's input, from any stream, read as a person would read them.
//!
//! Blank is whatever looks blank: spaces of every width, tabs, line ends of every system, a byte order mark, a DOS end of
//! file, the no-break space in UTF-8 and in Latin-1. Digits may be full-width. Numbers of up to 18 digits are made in one pass over the buffer; longer ones become big
//! integers. Lines are counted as they pass and columns are a subtraction, so a place costs nothing until it is wanted.
//! Cost: 2–4 ns a short number, one buffer, and the length of the longest token. The stream is read only when a token is
//! not complete in the buffer, so that a person at a terminal is answered line by line.

use std::io::{self, Read};

use grundy_core::Int;
use grundy_lang::value::Value;

/// The buffer at first. A page that is touched for the first time costs as much as a hundred short numbers, so that a larger
/// one is slower for an input of a thousand cases.
const CHUNK: usize = 1 << 14;
/// The buffer once [`LONG`] bytes have passed: fewer calls of the system are 8 % of the time of 40 MB of numbers.
const LARGE_CHUNK: usize = 1 << 16;
const LONG: u64 = 1 << 18;
/// Bytes kept behind the reading point, to show the line of an error.
const HISTORY: usize = 1 << 12;

/// A place in the input. Lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
    /// The byte, from the start of the stream.
    offset: u64,
    /// The first byte of its line.
    line_at: u64,
}

/// Why a number or word could not be read.
#[derive(Debug)]
pub enum Fault {
    /// The input is over; the place is its end.
    End(Place),
    /// A token that is no integer.
    NotANumber {
        /// Where it starts.
        place: Place,
        /// The token, cut short if it is long.
        token: String,
        /// What is wrong with it, to follow the token in a sentence.
        why: &'static str,
        /// What to write instead.
        help: Option<String>,
    },
    /// The stream failed.
    Stream(io::Error),
}

/// A point in the buffer.
pub(crate) struct Mark {
    at: usize,
    line: u64,
    line_at: u64,
    inner: u64,
}

/// A reader of tokens.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    buf: Vec<u8>,
    /// The next byte to read, and one past the last byte that is there.
    at: usize,
    end: usize,
    over: bool,
    /// The offset in the stream of the buffer's first byte.
    base: u64,
    line: u64,
    line_at: u64,
    /// Bytes before `at` on this line that begin no character.
    inner: u64,
    negative: Option<Place>,
}

impl<R: Read> Reader<R> {
    /// A reader at the start of a stream. Nothing is read yet.
    pub fn new(from: R) -> Self {
        Reader {
            from,
            buf: Vec::new(),
            at: 0,
            end: 0,
            over: false,
            base: 0,
            line: 1,
            line_at: 0,
            inner: 0,
            negative: None,
        }
    }

    /// The place of the next byte; after [`Reader::more`] said yes, that of the next token.
    pub fn place(&self) -> Place {
        let offset = self.base + self.at as u64;
        Place {
            line: self.line,
            column: offset - self.line_at - self.inner + 1,
            offset,
            line_at: self.line_at,
        }
    }

    /// The first number below zero since this was last asked: such numbers are seldom meant.
    pub fn take_negative(&mut self) -> Option<Place> {
        self.negative.take()
    }

    /// The line that a place is on, and the byte of the line where it is, unless that has left the buffer.
    pub fn excerpt(&self, place: &Place) -> Option<(String, usize)> {
        let start = usize::try_from(place.line_at.checked_sub(self.base)?).ok()?;
        let line = self.buf.get(start..self.end)?;
        let line = &line[..line
            .iter()
            .position(|b| matches!(b, b'\n' | b'\r'))
            .unwrap_or(line.len())];
        if line.len() > HISTORY {
            return None;
        }
        let column = (place.offset - place.line_at) as usize;
        let before = String::from_utf8_lossy(line.get(..column)?).len();
        let line = String::from_utf8_lossy(line).into_owned();
        line.is_char_boundary(before).then_some((line, before))
    }

    /// The tokens that have been read from a place on, each with its own place; none if the place has left the buffer.
    pub fn tokens(&self, from: Place) -> impl Iterator<Item = (Place, &str)> {
        let bytes = from
            .offset
            .checked_sub(self.base)
            .and_then(|start| self.buf.get(usize::try_from(start).ok()?..self.at))
            .unwrap_or_default();
        let mut here = from;
        let mut at = 0;
        let next = move |at: usize| (at < bytes.len()).then(|| decode(&bytes[at..]));
        std::iter::from_fn(move || {
            while let Some((c, width)) = next(at).filter(|(c, _)| is_blank(*c)) {
                at += width;
                here.offset += width as u64;
                here.column += 1;
                let line_goes_on = || matches!(next(at), Some(('\n' | '\r', _)));
                if c == '\n' || c == '\r' && !line_goes_on() {
                    here.line += 1;
                    here.column = 1;
                    here.line_at = here.offset;
                }
            }
            let (place, start) = (here, at);
            while let Some((_, width)) = next(at).filter(|(c, _)| !is_blank(*c)) {
                at += width;
                here.offset += width as u64;
                here.column += 1;
            }
            let token = std::str::from_utf8(&bytes[start..at]).unwrap_or_default();
            (at > start).then_some((place, token))
        })
    }

    /// Whether the buffer holds no further token, so that the next one must be waited for.
    pub fn idle(&self) -> bool {
        let mut rest = &self.buf[self.at..self.end];
        while !rest.is_empty() {
            let (c, width) = decode(rest);
            if !is_blank(c) {
                return false;
            }
            rest = &rest[width..];
        }
        true
    }

    /// The place behind the last token, as far as the buffer still has it; for saying where the input ends.
    pub fn last(&self) -> Place {
        let here = self.place();
        let before = &self.buf[..self.at];
        let text = before.trim_ascii_end();
        let passed = &before[text.len()..];
        let lines = passed.iter().filter(|b| **b == b'\n').count() as u64;
        let Some(start) = text
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or((self.base == 0).then_some(0), |i| Some(i + 1))
        else {
            return here;
        };
        if text.is_empty()
            || passed.windows(2).any(|w| w[0] == b'\r' && w[1] != b'\n')
            || passed == b"\r"
        {
            return here;
        }
        let characters = text[start..]
            .iter()
            .filter(|b| !(0x80..0xC0).contains(*b))
            .count() as u64;
        Place {
            line: here.line - lines,
            column: characters + 1,
            offset: self.base + text.len() as u64,
            line_at: self.base + start as u64,
        }
    }

    /// Whether a token follows. Leaves the reader in front of it.
    #[inline]
    pub fn more(&mut self) -> Result<bool, Fault> {
        if self.ready() {
            return Ok(true);
        }
        self.skip(false)
    }

    /// Passes plain blanks in the buffer; whether a plain character stands behind them.
    #[inline]
    pub(crate) fn ready(&mut self) -> bool {
        while let Some(&byte) = self.buf[..self.end].get(self.at) {
            match byte {
                b' ' => self.at += 1,
                b'\n' => self.end_line(1),
                _ => return matches!(byte, b'!'..=b'~'),
            }
        }
        false
    }

    /// Whether a token follows on this line.
    pub fn more_on_line(&mut self) -> Result<bool, Fault> {
        self.skip(true)
    }

    /// The next number.
    #[inline]
    pub fn int(&mut self) -> Result<Int, Fault> {
        match self.short() {
            Some(v) => Ok(Int::from(v)),
            None => self.long(),
        }
    }

    /// Appends the next `n` numbers; what could be read before a fault is there too.
    pub fn ints(&mut self, n: usize, out: &mut Vec<Value>) -> Result<(), Fault> {
        out.reserve(n.min(1 << 16));
        for _ in 0..n {
            out.push(Value::Int(self.int()?));
        }
        Ok(())
    }

    /// The next word. Bytes that are no UTF-8 become U+FFFD.
    pub fn word(&mut self) -> Result<String, Fault> {
        let len = self.token()?;
        let word = String::from_utf8_lossy(&self.buf[self.at..self.at + len]).into_owned();
        self.pass(len);
        Ok(word)
    }

    /// A number of at most 18 digits that stands in the buffer with an ASCII blank behind it; `None` for anything else,
    /// and then only blanks have been passed.
    #[inline(always)]
    pub(crate) fn short(&mut self) -> Option<i64> {
        let bytes = &self.buf[..self.end];
        let mut i = self.at;
        loop {
            match *bytes.get(i)? {
                b' ' | b'\t' => i += 1,
                b'\r' if bytes.get(i + 1) == Some(&b'\n') => i += 1,
                b'\n' => {
                    i += 1;
                    self.at = i;
                    self.line += 1;
                    self.line_at = self.base + i as u64;
                    self.inner = 0;
                }
                _ => break,
            }
        }
        let start = i;
        let mut v = 0u64;
        if let Some(&eight) = bytes[i..].first_chunk::<8>() {
            let (digits, value) = leading_digits(eight);
            v = value;
            i += digits;
        }
        loop {
            let byte = *bytes.get(i)?;
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                if i == start || i - start > 18 || !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                    return None;
                }
                self.at = i;
                // Below 10^18, so it fits.
                return Some(v as i64);
            }
            v = v.wrapping_mul(10).wrapping_add(u64::from(digit));
            i += 1;
        }
    }

    /// Where the reader stands; good until more of the stream is read.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            at: self.at,
            line: self.line,
            line_at: self.line_at,
            inner: self.inner,
        }
    }

    /// Goes back to a mark.
    pub(crate) fn back(&mut self, mark: Mark) {
        (self.at, self.line) = (mark.at, mark.line);
        (self.line_at, self.inner) = (mark.line_at, mark.inner);
    }

    /// Any number, or the fault.
    #[cold]
    fn long(&mut self) -> Result<Int, Fault> {
        let len = self.token()?;
        let place = self.place();
        let text = String::from_utf8_lossy(&self.buf[self.at..self.at + len]);
        let plain: String = text.chars().map(narrow).collect();
        match plain.parse::<Int>() {
            Ok(v) => {
                if v.is_negative() && self.negative.is_none() {
                    self.negative = Some(place);
                }
                self.pass(len);
                Ok(v)
            }
            Err(_) => {
                let (why, help) = match self.buf.get(self.at..self.at + 2) {
                    Some([0xFF, 0xFE] | [0xFE, 0xFF]) if place.offset == 0 => (
                        "begins a text in UTF-16; only UTF-8 is read",
                        Some("save the input as UTF-8".to_owned()),
                    ),
                    _ => diagnose(&plain),
                };
                let mut token: String = text.chars().take(40).collect();
                if token.len() < text.len() {
                    token.push('…');
                }
                Err(Fault::NotANumber {
                    place,
                    token,
                    why,
                    help,
                })
            }
        }
    }

    /// Passes blanks, to the end of the line or of the input; whether a token stands there.
    fn skip(&mut self, on_line: bool) -> Result<bool, Fault> {
        while let Some((c, len)) = self.char(0)? {
            match c {
                '\n' | '\r' if on_line => return Ok(false),
                '\n' => self.end_line(1),
                // A line end of its own on some systems; elsewhere, any number of them in front of the real one.
                '\r' => match self.char(1)? {
                    Some(('\n' | '\r', _)) => self.at += 1,
                    _ => self.end_line(1),
                },
                // What begins no character, and is one all the same.
                LATIN_BLANK if len == 1 => self.at += 1,
                c if is_blank(c) => self.pass(len),
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    fn end_line(&mut self, len: usize) {
        self.at += len;
        self.line += 1;
        self.line_at = self.base + self.at as u64;
        self.inner = 0;
    }

    /// Passes bytes that end no line.
    fn pass(&mut self, len: usize) {
        let bytes = &self.buf[self.at..self.at + len];
        self.inner += bytes.iter().filter(|b| (0x80..0xC0).contains(*b)).count() as u64;
        self.at += len;
    }

    /// Goes to the next token; its length in bytes, and all of it is in the buffer.
    fn token(&mut self) -> Result<usize, Fault> {
        if !self.skip(false)? {
            return Err(Fault::End(self.last()));
        }
        let mut len = 0;
        while let Some((c, width)) = self.char(len)? {
            if is_blank(c) {
                break;
            }
            len += width;
        }
        Ok(len)
    }

    /// The character `ahead` bytes on and its width; a byte that begins none counts as one.
    #[inline]
    fn char(&mut self, ahead: usize) -> Result<Option<(char, usize)>, Fault> {
        while self.at + ahead >= self.end {
            if !self.refill()? {
                return Ok(None);
            }
        }
        let first = self.buf[self.at + ahead];
        if first.is_ascii() {
            return Ok(Some((char::from(first), 1)));
        }
        while self.at + ahead + width(first) > self.end && self.refill()? {}
        Ok(Some(decode(&self.buf[self.at + ahead..self.end])))
    }

    /// Reads more of the stream behind what is there; whether there was any.
    #[cold]
    fn refill(&mut self) -> Result<bool, Fault> {
        if self.over {
            return Ok(false);
        }
        let dead = self.at.saturating_sub(HISTORY);
        if dead >= HISTORY {
            self.buf.copy_within(dead..self.end, 0);
            self.base += dead as u64;
            self.at -= dead;
            self.end -= dead;
        }
        let chunk = if self.base < LONG { CHUNK } else { LARGE_CHUNK };
        if self.buf.len() < self.end + chunk / 2 {
            // Doubling, so that a token of any length is moved a bounded number of times a byte.
            let size = (2 * self.buf.len()).max(chunk);
            self.buf.resize(size, 0);
        }
        loop {
            match self.from.read(&mut self.buf[self.end..]) {
                Ok(0) => {
                    self.over = true;
                    return Ok(false);
                }
                Ok(n) => {
                    self.end += n;
                    return Ok(true);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Fault::Stream(e)),
            }
        }
    }
}

/// How many of the eight bytes are digits before another comes, and their number. All eight are taken at a time: the
/// digits are moved behind zeros, and neighbours are put together to pairs, fours and the whole.
#[inline]
fn leading_digits(eight: [u8; 8]) -> (usize, u64) {
    // The first byte is the lowest. A digit becomes its value, anything else 10 or more, which adding 0x76 brings to the
    // top bit or past it; what that carries goes into bytes behind, and the first place is all that counts.
    let values = u64::from_le_bytes(eight) ^ 0x3030_3030_3030_3030;
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let digits = (others.trailing_zeros() / 8) as usize;
    if digits == 0 {
        return (0, 0);
    }
    let moved = values << (64 - 8 * digits);
    let pairs = moved.wrapping_mul(10).wrapping_add(moved >> 8);
    const EVERY_FOURTH: u64 = 0x0000_00FF_0000_00FF;
    let high = (pairs & EVERY_FOURTH).wrapping_mul(100 + (1_000_000 << 32));
    let low = (pairs >> 16 & EVERY_FOURTH).wrapping_mul(1 + (10_000 << 32));
    (digits, high.wrapping_add(low) >> 32)
}

/// The no-break space, which is a byte of its own in Latin-1.
const LATIN_BLANK: char = '\u{a0}';

/// How many bytes the character has that starts with this one; 1 if none starts so.
fn width(first: u8) -> usize {
    match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    }
}

/// The first character of some bytes and its width; a byte that begins none counts as one.
fn decode(bytes: &[u8]) -> (char, usize) {
    let first = bytes[0];
    if first.is_ascii() {
        return (char::from(first), 1);
    }
    let text = bytes.get(..width(first));
    let text = text.and_then(|bytes| std::str::from_utf8(bytes).ok());
    match text.and_then(|text| text.chars().next()) {
        Some(c) => (c, c.len_utf8()),
        None if first == LATIN_BLANK as u8 => (LATIN_BLANK, 1),
        None => (char::REPLACEMENT_CHARACTER, 1),
    }
}

fn is_blank(c: char) -> bool {
    // Zero-width characters come with pasted text, ^Z with old files.
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}' | '\u{1a}')
}

/// The ASCII form of full-width digits and of the signs that word processors make.
fn narrow(c: char) -> char {
    match c {
        '０'..='９' => char::from(b'0' + (u32::from(c) - u32::from('０')) as u8),
        '−' | '－' | '–' => '-',
        '＋' => '+',
        c => c,
    }
}

/// What is wrong with a token that is no integer, and what to write instead.
fn diagnose(token: &str) -> (&'static str, Option<String>) {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let body = token.strip_prefix(['-', '+']).unwrap_or(token);
    if let Some((whole, fraction)) = body.split_once('.')
        && (whole.is_empty() || digits(whole))
        && (fraction.is_empty() || digits(fraction))
        && body.len() > 1
    {
        let whole_number = fraction.bytes().all(|b| b == b'0') && !whole.is_empty();
        let sign = &token[..token.len() - body.len()];
        return (
            "has a decimal point; only whole numbers are read",
            whole_number.then(|| format!("write {sign}{whole}")),
        );
    }
    if let Some((mantissa, exponent)) = body.split_once(['e', 'E'])
        && !mantissa.is_empty()
        && mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))
    {
        return (
            "is written with an exponent; only plain digits are read",
            Some("write all the digits".to_owned()),
        );
    }
    if body
        .split([',', ';', '，', '、'])
        .all(|piece| piece.is_empty() || digits(piece))
        && body.bytes().any(|b| b.is_ascii_digit())
    {
        return (
            "is no number: blanks stand between numbers, nothing inside them",
            Some("put blanks in place of the commas".to_owned()),
        );
    }
    if body
        .strip_prefix("0x")
        .is_some_and(|s| s.bytes().all(|b| b.is_ascii_hexdigit()))
    {
        return ("is not decimal", None);
    }
    ("is no number", None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its bytes in pieces of the sizes in turn.
    struct Pieces<'a>(&'a [u8], Vec<usize>, usize);
    impl Read for Pieces<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            let want = self.1[self.2 % self.1.len()];
            self.2 += 1;
            let n = want.min(self.0.len()).min(buf.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    fn all(text: &str) -> Vec<String> {
        let mut reader = Reader::new(text.as_bytes());
        let mut out = Vec::new();
        while reader.more().unwrap() {
            out.push(reader.int().unwrap().to_string());
        }
        out
    }

    #[test]
    fn whatever_looks_blank_is_blank() {
        let texts = [
            "1 2 3",
            "1 2 3\n",
            "\r\n\r\n1\r\n2\r\n3\r\n",
            "1\r2\r3",
            "\t1\t 2\x0b\x0c3\t\t",
            "\u{feff}1\n2\n3",
            "1\u{a0}2\u{3000}3\u{2007}\u{202f}",
            "１ ２\u{200b} ３",
            "+1 ＋2 03",
            "1 2 3\x1a",
            "1\u{85}2\u{2028}3",
        ];
        for text in texts {
            assert_eq!(all(text), ["1", "2", "3"], "{text:?}");
        }
        assert_eq!(all("−1 －２ -3 –4"), ["-1", "-2", "-3", "-4"]);
        assert_eq!(all(" \n\u{a0}\n"), Vec::<String>::new());
        assert_eq!(all(""), Vec::<String>::new());
    }

    #[test]
    fn a_no_break_space_of_latin_1_is_blank() {
        let text = b"\xa01\xa0\xa02 \xa0\n\xa0\xa03\xa0x\xc3\xa0\xa0y";
        for size in [1, 2, 3, usize::MAX] {
            let mut reader = Reader::new(Pieces(text, vec![size], 0));
            let mut numbers = Vec::new();
            assert!(reader.more().unwrap());
            let start = reader.place();
            while let Ok(v) = reader.int() {
                numbers.push(v.to_i64().unwrap());
            }
            assert_eq!(numbers, [1, 2, 3]);
            let places: Vec<_> = reader.tokens(start).collect();
            let places = places.iter().map(|(p, token)| (p.line, p.column, *token));
            assert!(places.eq([(1, 2, "1"), (1, 5, "2"), (2, 3, "3")]));
            let place = reader.place();
            assert_eq!((place.line, place.column), (2, 5));
            // It may be the second byte of a letter, too.
            assert_eq!(reader.word().unwrap(), "xà");
            assert_eq!(reader.word().unwrap(), "y");
        }
    }

    #[test]
    fn blanks_of_any_kind_hold_nothing_to_answer() {
        for (text, idle) in [("1 \u{a0}\n", true), ("1\u{3000}2", false), ("1\t", true)] {
            let mut reader = Reader::new(text.as_bytes());
            reader.int().unwrap();
            assert_eq!(reader.idle(), idle, "{text:?}");
        }
    }

    #[test]
    fn eight_bytes_at_a_time_are_as_one_by_one() {
        let mut state = 1u64;
        let mut byte = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let random = (state >> 56) as u8;
            // Digits mostly, and what is next to them in the table.
            if random < 200 {
                b'0' + random % 10
            } else {
                random.wrapping_mul(37)
            }
        };
        for _ in 0..100_000 {
            let eight: [u8; 8] = std::array::from_fn(|_| byte());
            let digits = eight.iter().take_while(|b| b.is_ascii_digit()).count();
            let value = eight[..digits]
                .iter()
                .fold(0, |v, b| 10 * v + u64::from(b - b'0'));
            assert_eq!(leading_digits(eight), (digits, value), "{eight:?}");
        }
        for other in (0..=255u8).filter(|b| !b.is_ascii_digit()) {
            assert_eq!(
                leading_digits([b'7', other, other, b'9', 0, 255, b'/', b':']),
                (1, 7)
            );
        }
    }

    #[test]
    fn numbers_of_every_length_are_exact_however_the_stream_is_cut() {
        let mut want = vec![];
        for len in 1..=45 {
            want.push(format!("-9{}", "0".repeat(len)));
            want.push(
                (1..=len)
                    .map(|i| char::from(b'0' + (i % 9 + 1) as u8))
                    .collect(),
            );
            want.push("9".repeat(len));
        }
        want.push("7".repeat(300_000));
        want.extend(
            [
                "0",
                i64::MAX.to_string().as_str(),
                i64::MIN.to_string().as_str(),
            ]
            .map(str::to_owned),
        );
        let text = want.join("\u{a0}\r\n  ");
        for sizes in [
            vec![1],
            vec![2, 3, 5, 7],
            vec![CHUNK - 3],
            vec![usize::MAX],
            vec![19, 1, 64],
        ] {
            let mut reader = Reader::new(Pieces(text.as_bytes(), sizes, 0));
            for (i, number) in want.iter().enumerate() {
                assert!(reader.more().unwrap());
                assert_eq!(reader.place().line, i as u64 + 1);
                assert_eq!(reader.int().unwrap().to_string(), *number);
            }
            assert!(!reader.more().unwrap());
        }
    }

    #[test]
    fn places_count_lines_and_characters() {
        let text = "\u{feff}12 \u{3000}x\r\n\r\n  ３３  y\rz\r\r\nw";
        let mut reader = Reader::new(Pieces(text.as_bytes(), vec![1], 0));
        let mut seen = vec![];
        while reader.more().unwrap() {
            let place = reader.place();
            let word = reader.word().unwrap();
            let (line, byte) = reader.excerpt(&place).unwrap();
            assert!(line[byte..].starts_with(&word), "{line:?} {byte}");
            seen.push((place.line, place.column));
        }
        assert_eq!(seen, [(1, 2), (1, 6), (3, 3), (3, 7), (4, 1), (5, 1)]);
    }

    #[test]
    fn tokens_are_found_again_where_they_were_read() {
        let text = "\u{feff}12 \u{3000}x\r\n\r\n  ３３  y\rz\r\r\nw 5";
        let mut reader = Reader::new(Pieces(text.as_bytes(), vec![1], 0));
        let mut seen = vec![];
        while reader.more().unwrap() {
            let place = reader.place();
            seen.push((place, reader.word().unwrap()));
        }
        for from in 0..seen.len() {
            let again: Vec<_> = reader
                .tokens(seen[from].0)
                .map(|(p, t)| (p, t.to_owned()))
                .collect();
            assert_eq!(again, seen[from..]);
        }
    }

    #[test]
    fn places_hold_in_the_middle_of_a_long_line() {
        let text = "1\u{a0}".repeat(300_000) + "x";
        let mut reader = Reader::new(text.as_bytes());
        for _ in 0..300_000 {
            reader.int().unwrap();
        }
        let Err(Fault::NotANumber { place, token, .. }) = reader.int() else {
            panic!("a letter is no number");
        };
        assert_eq!(
            (place.line, place.column, token.as_str()),
            (1, 600_001, "x")
        );
        assert_eq!(
            reader.excerpt(&place),
            None,
            "a line of a megabyte is not shown"
        );
    }

    #[test]
    fn tokens_that_are_no_integers_are_told_apart() {
        let why = |token: &str| match Reader::new(token.as_bytes()).int() {
            Err(Fault::NotANumber { why, help, .. }) => {
                format!("{why} / {}", help.unwrap_or_default())
            }
            other => panic!("{token}: {other:?}"),
        };
        let point = "has a decimal point; only whole numbers are read / ";
        assert_eq!(why("3.0"), format!("{point}write 3"));
        assert_eq!(why("-3."), format!("{point}write -3"));
        assert_eq!(why("2.5"), point);
        let exponent =
            "is written with an exponent; only plain digits are read / write all the digits";
        assert_eq!(why("1e5"), exponent);
        assert_eq!(why("-1.5E+10"), exponent);
        assert_eq!(
            why("1,2,3"),
            "is no number: blanks stand between numbers, nothing inside them / put blanks in place of the commas"
        );
        assert_eq!(why("0x1F"), "is not decimal / ");
        for token in [
            "x",
            "-",
            "+",
            "--1",
            "1-2",
            ".",
            "e5",
            "12a",
            "½",
            "١",
            "1_000",
            "9".repeat(30).as_str(),
        ] {
            if !token.starts_with('9') {
                assert_eq!(why(token), "is no number / ", "{token}");
            }
        }
        assert_eq!(why("\u{0}"), "is no number / ");
    }

    #[test]
    fn the_rest_of_a_line_ends_with_the_line() {
        for end in ["\n", "\r\n", "\r", "\u{a0}\n"] {
            let text = format!("1 2{end}3{end}");
            let mut reader = Reader::new(text.as_bytes());
            assert!(reader.more_on_line().unwrap());
            reader.int().unwrap();
            assert!(reader.more_on_line().unwrap());
            reader.int().unwrap();
            assert!(!reader.more_on_line().unwrap(), "{end:?}");
            assert!(reader.more().unwrap());
            assert_eq!(reader.int().unwrap(), Int::from(3));
            assert!(!reader.more_on_line().unwrap());
            assert!(!reader.more().unwrap());
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_no_number_and_no_crash() {
        for bytes in [
            &b"\xff\xfe1\x00"[..],
            b"\xe3\x80",
            b"\xc2",
            b"1\xe3\x80",
            b"\xf0\x9f\x98",
        ] {
            assert!(
                matches!(Reader::new(bytes).int(), Err(Fault::NotANumber { .. })),
                "{bytes:?}"
            );
        }
    }

    #[test]
    fn text_in_utf_16_is_named() {
        for bytes in [&b"\xff\xfe3\x00 \x004\x00"[..], b"\xfe\xff\x003"] {
            let Err(Fault::NotANumber { why, help, .. }) = Reader::new(bytes).int() else {
                panic!("{bytes:?}");
            };
            assert_eq!(why, "begins a text in UTF-16; only UTF-8 is read");
            assert_eq!(help.unwrap(), "save the input as UTF-8");
        }
    }

    #[test]
    fn the_first_number_below_zero_is_remembered_once() {
        let mut reader = Reader::new(&b"4 -0 7\n -2 -1"[..]);
        for _ in 0..5 {
            reader.int().unwrap();
        }
        let place = reader.take_negative().unwrap();
        assert_eq!((place.line, place.column), (2, 2));
        assert_eq!(reader.take_negative(), None);
    }

    #[test]
    fn a_line_can_be_answered_before_the_next_one_comes() {
        struct Terminal(u8);
        impl Read for Terminal {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                assert_eq!(self.0, 1, "the second line was waited for");
                buf[..4].copy_from_slice(b"3 4\n");
                Ok(4)
            }
        }
        let mut reader = Reader::new(Terminal(0));
        assert_eq!(reader.int().unwrap(), Int::from(3));
        assert_eq!(reader.int().unwrap(), Int::from(4));
        assert!(!reader.more_on_line().unwrap());
        assert!(reader.idle());
    }
}
