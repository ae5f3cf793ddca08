//! Where the end of a text of bytes occurred before: the latest place first.
//!
//! An occurrence of a long end holds one of some places of the text that are equally far apart, with the sixteen bytes that
//! begin there; so only these are looked up, in a table of the end's sixteens (as Wu and Manber do, "A fast algorithm for
//! multi-pattern searching", 1994). Cost: for n bytes a table of √n places of the end, eighteen bytes each at most, and √n
//! lookups, or n over the end's length if that is more. Where more bytes are compared in vain than have been passed, and for
//! short ends, one pass backwards by a vectorised search takes over, in chunks that double, so that a near occurrence is
//! found soon.

use memchr::memmem::Finder;

/// The distances, least first, at which the last `length` bytes stand once more; occurrences may overlap.
pub(crate) fn earlier(bytes: &[u8], length: usize) -> Earlier<'_> {
    let length = length.min(bytes.len());
    let (rest, end) = bytes.split_at(bytes.len() - length);
    Earlier {
        bytes,
        end,
        open: rest.len(),
        samples: Samples::new(end, rest.len()),
        finder: None,
        chunk: 64,
        found: Vec::new(),
    }
}

pub(crate) struct Earlier<'a> {
    bytes: &'a [u8],
    end: &'a [u8],
    /// Places below this have not been looked at.
    open: usize,
    /// Looks where it is cheap to.
    samples: Option<Samples>,
    /// Looks at the rest.
    finder: Option<Finder<'a>>,
    chunk: usize,
    found: Vec<usize>,
}

impl Iterator for Earlier<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let last = self.bytes.len() - self.end.len();
        if let Some(samples) = &mut self.samples
            && let Some(at) = samples.next(self.bytes, self.end, &mut self.open)
        {
            return Some(last - at);
        }
        while self.found.is_empty() && self.open > 0 {
            self.look();
        }
        self.found.pop().map(|at| last - at)
    }
}

impl Earlier<'_> {
    /// Looks for all of the end in the next chunk.
    fn look(&mut self) {
        let finder = self.finder.get_or_insert_with(|| Finder::new(self.end));
        let from = self.open.saturating_sub(self.chunk);
        let to = (self.open + self.end.len())
            .saturating_sub(1)
            .max(self.open);
        let part = &self.bytes[from..to.min(self.bytes.len())];
        let mut at = 0;
        while let Some(found) = part.get(at..).and_then(|rest| finder.find(rest)) {
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

/// So many bytes are looked up together.
const SAMPLE: usize = 16;
/// Samples nearer to one another are not worth it.
const LEAST_STRIDE: usize = 64;
/// So many bytes are compared between two counts, and as many are counted for a place tried.
const BLOCK: usize = 128;
/// So many bytes may be compared in vain before any are passed.
const CREDIT: usize = 1 << 14;
/// Ends a list.
const NONE: u16 = u16::MAX;

/// The first places of the end by their samples, and how far the search with them has come.
struct Samples {
    /// How far apart the text's samples are: each occurrence has one of them at one of the end's first `stride` places.
    stride: usize,
    /// By the sample's hash: the least place with it, and after each place the next one.
    first: Vec<u16>,
    next: Vec<u16>,
    /// The text's sample that is tried, the next place of the end to have it at, and the least occurrence that holds it.
    sample: usize,
    place: u16,
    low: usize,
    /// Bytes compared in vain and not made up for by bytes passed.
    debt: usize,
}

impl Samples {
    /// For an end that is looked for from so many places on. None if it is not worth it.
    fn new(end: &[u8], places: usize) -> Option<Samples> {
        let most = (end.len() + 1).saturating_sub(SAMPLE).min(NONE.into());
        let stride = most.min(places.isqrt());
        if stride < LEAST_STRIDE {
            return None;
        }
        let mut samples = Samples {
            stride,
            first: vec![NONE; 4 * stride.next_power_of_two()],
            next: vec![NONE; stride],
            sample: 0,
            place: NONE,
            low: places,
            debt: 0,
        };
        for place in (0..stride).rev() {
            let slot = samples.slot(&end[place..]);
            samples.next[place] = std::mem::replace(&mut samples.first[slot], place as u16);
        }
        Some(samples)
    }

    /// Where the list of the places is whose sample may be the one that these bytes begin with.
    fn slot(&self, bytes: &[u8]) -> usize {
        let sample = bytes.first_chunk::<SAMPLE>();
        let sample = u128::from_le_bytes(*sample.expect("a sample ends before the text does"));
        let (low, high) = (sample as u64, (sample >> 64) as u64);
        let mixed = low.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32) ^ high;
        let mixed = mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (mixed >> (u64::BITS - self.first.len().trailing_zeros())) as usize
    }

    /// The greatest occurrence below `open`, which is made to be that place. None if there is none from the new `open` on,
    /// which is 0 unless too much was compared in vain.
    fn next(&mut self, bytes: &[u8], end: &[u8], open: &mut usize) -> Option<usize> {
        while self.debt <= CREDIT {
            let place = usize::from(self.place);
            let at = self.sample.checked_sub(place);
            if let Some(at) = at.filter(|_| self.place != NONE) {
                self.place = self.next[place];
                *open = at;
                let text = bytes[at..at + end.len()].chunks(BLOCK);
                match text.zip(end.chunks(BLOCK)).position(|(a, b)| a != b) {
                    None => return Some(at),
                    Some(same) => self.debt += (same + 2) * BLOCK,
                }
                continue;
            }
            *open = self.low;
            self.sample = self.low.checked_sub(1)?;
            self.place = self.first[self.slot(&bytes[self.sample..])];
            self.low = self.low.saturating_sub(self.stride);
            self.debt = self.debt.saturating_sub(self.stride);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use grundy_testkit::Random;

    use super::*;

    /// The distances by a look at each place.
    fn slow(bytes: &[u8], length: usize) -> Vec<usize> {
        let last = bytes.len() - length;
        let end = &bytes[last..];
        let all = (1..=last).filter(|d| &bytes[last - d..bytes.len() - d] == end);
        all.collect()
    }

    #[test]
    fn all_occurrences_come_in_order() {
        let mut random = Random::new(5);
        for round in 0..2000 {
            let (size, kinds) = (random.below(400), 1 + random.below(3));
            let bytes: Vec<u8> = (0..size).map(|_| random.below(kinds) as u8).collect();
            let length = random.below(size.min(6) + 1) as usize;
            let got: Vec<usize> = earlier(&bytes, length).collect();
            assert_eq!(got, slow(&bytes, length), "{round}");
        }
    }

    /// A text of few symbols, in runs, with repeats and near repeats of what came before.
    fn text(random: &mut Random, size: usize) -> Vec<u8> {
        let (kinds, run) = (1 + random.below(4), 1 + random.below(300) as usize);
        let style = random.below(4);
        let mut text: Vec<u8> = Vec::with_capacity(size + 8000);
        while text.len() < size {
            let before = text.len();
            match random.below(8) {
                0..=3 if style > 0 && before > 0 => {
                    let period = 1 + random.below(before.min(6000) as u64) as usize;
                    for _ in 0..random.below(8000) {
                        text.push(text[text.len() - period]);
                    }
                    let spoilt = before + random.below(8000) as usize;
                    if style > 1 && spoilt < text.len() {
                        text[spoilt] ^= 1;
                    }
                }
                4 | 5 => text.extend((0..run).map(|_| random.below(kinds) as u8)),
                _ => text.extend(std::iter::repeat_n(random.below(kinds) as u8, run)),
            }
        }
        text.truncate(size);
        text
    }

    #[test]
    fn samples_find_what_a_look_at_each_place_finds() {
        let mut random = Random::new(7);
        let (mut sampled, mut taken_over, mut several) = (0, 0, 0);
        for round in 0..400 {
            let size = 4300 + random.below(16_000) as usize;
            let bytes = text(&mut random, size);
            let length = 70 + random.below(size as u64 - 4200) as usize;
            let mut search = earlier(&bytes, length);
            let got: Vec<usize> = search.by_ref().collect();
            assert_eq!(got, slow(&bytes, length), "{round}");
            sampled += usize::from(search.samples.is_some());
            taken_over += usize::from(search.samples.is_some() && search.finder.is_some());
            several += usize::from(search.finder.is_none() && got.len() > 1);
        }
        assert!(
            sampled > 200 && taken_over > 20 && several > 20,
            "{sampled} {taken_over} {several}"
        );
    }

    #[test]
    fn what_is_compared_in_vain_is_bounded() {
        // Each place tried fails at the last byte, or the sample is all that is the same.
        let (size, length) = (400_000, 4096);
        let mut late = vec![0; size];
        late[size - length] = 1;
        let mut early = vec![0; size];
        early[size - 1] = 1;
        for bytes in [late, early] {
            let mut search = earlier(&bytes, length);
            assert_eq!(search.next(), None);
            let debt = search.samples.map(|s| s.debt);
            assert!(
                debt.is_some_and(|d| d <= CREDIT + length + 2 * BLOCK),
                "{debt:?}"
            );
            assert!(search.finder.is_some());
        }
    }
}
