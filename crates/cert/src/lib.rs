//! Certificates: what is claimed of a game's values, and what another program needs to check it. The format and nothing
//! else lives here: no values are computed, no claim is checked.
//!
//! A certificate is JSON in UTF-8, one object with exactly these keys, numbers exact natural numbers below 2^64:
//!
//! | key | what |
//! |---|---|
//! | `format` | `"grundy-certificate"` |
//! | `version` | 1; a reader refuses a newer one by name |
//! | `game` | `text`, the rules as they were given (a code, or the text of a game), and `arguments`, a list of `name=value` |
//! | `code` | the take-and-break code that the rules are: `digits`, `tail`, `unequal` ([`grundy_core::Code`]); not where the proof is of the kind `rows` |
//! | `period`, `preperiod`, `saltus` | G(n + period) = G(n) + saltus for every n ≥ preperiod; both as small as can be |
//! | `max` | the greatest value of all heaps, `null` if the saltus is not 0 |
//! | `values` | `count` and `sha256` of the values of the heaps 0, 1, …, count − 1, and perhaps the `list` |
//! | `proof` | `kind`, and what the theorem of that kind asks for ([`Proof`]) |
//!
//! The list is an array of texts, each some values with spaces between them. The hash is that of the values as
//! little-endian 16-bit numbers, or 32-bit ones if any is past 65,535, in lower-case hexadecimal digits.
//!
//! The book's page "Certificates" has the theorems. Cost: linear in the file.

mod read;
mod rows;
mod values;
mod write;

pub use grundy_core::Code;
pub use read::{Problem, parse, read};
pub use rows::{Ray, Row, Rows};
pub use values::{Hasher, Values};
pub use write::write;

/// The version that this library writes, and the newest that it reads.
pub const VERSION: u64 = 1;

/// What is claimed, and the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// The rules as the user gave them.
    pub game: GameText,
    /// The code that they are; one without digits where the proof is of a row, which has its moves itself.
    pub code: Code,
    /// The least p for which G(n + p) = G(n) + saltus from some n on.
    pub period: u64,
    /// The least heap from which on that holds; heap 0 counts, so it is the number of values before the period begins.
    pub preperiod: u64,
    /// 0 for a period, positive for an arithmetic period.
    pub saltus: u64,
    /// The greatest value of all heaps, `None` if there is none because the saltus is not 0.
    pub max: Option<u64>,
    /// The values that the proof is about.
    pub values: Values,
    /// Which theorem it is, with its numbers.
    pub proof: Proof,
}

/// Rules as they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameText {
    /// A code (`0.77`, `subtract{1,3}`), a rule (`n -> n - 1`) or the whole text of a `.game` file; no name of a catalogue.
    pub text: String,
    /// The parameters that the moves read, as on a command line: `S=[1,3]`.
    pub arguments: Vec<String>,
}

/// The theorem that a certificate rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// The values up to a bound repeat, and past it every option has a large heap (Guy and Smith). The values are those of
    /// the heaps 0 to `checked_to`.
    Long {
        /// N of the theorem.
        checked_to: u64,
    },
    /// Every heap of one period is settled by few heaps; for codes with two parts. The values are those of the heaps below
    /// `settled_from` + period.
    Window(Window),
    /// Any number past the last digit may be taken, one heap is left, and the state of `n` repeats. The values are those of
    /// the heaps below `state_at` + period.
    Cofinite {
        /// The first of the two heaps, a period apart, before which the state is the same.
        state_at: u64,
    },
    /// The saltus is a power of two, no option can have the value of its heap, and the heaps from `settled_from` on, as
    /// many as two periods times `multiple`, have every smaller value by options that larger heaps have as well. The values
    /// are those of the heaps below the end of these.
    Arithmetic {
        /// c: the options are moved by c periods.
        multiple: u64,
        /// n1: the first heap looked at.
        settled_from: u64,
    },
    /// A row of a game of two counters whose moves are translations: the state from which its values are computed comes
    /// again. The values are those of the row before that; n is the other counter.
    Rows(Rows),
}

impl Proof {
    /// As `kind` has it in the file.
    pub fn kind(&self) -> &'static str {
        match self {
            Proof::Long { .. } => "long",
            Proof::Window(_) => "window",
            Proof::Cofinite { .. } => "cofinite",
            Proof::Arithmetic { .. } => "arithmetic",
            Proof::Rows(_) => "rows",
        }
    }
}

/// The numbers of a window proof. A value v at heap n is *rare* if the number of ones of v & mask, plus n + t0 if
/// `position_bit` is set, is even, t0 being a number that a split takes; heap n is rare if its value is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Splits the values.
    pub mask: u64,
    /// Whether the parity of the heap takes part; only if all numbers that splits take have one parity.
    pub position_bit: bool,
    /// R: no heap past it is rare.
    pub rares_to: u64,
    /// K: past `settled_from` every rare value below a heap's own is that of an option with a heap of at most K, or of one
    /// heap.
    pub witnesses_to: u64,
    /// n1: the first heap of the period looked at.
    pub settled_from: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(proof: Proof) -> Certificate {
        Certificate {
            game: GameText {
                text: "n -> n - k for k in S if k <= n # \"quoted\" é".to_owned(),
                arguments: vec!["S=[1,2]".to_owned()],
            },
            code: Code::finite([0, 3, 3]),
            period: 3,
            preperiod: 0,
            saltus: 0,
            max: Some(2),
            values: Values::listed((0..100).map(|n| n % 3).collect()),
            proof,
        }
    }

    fn samples() -> [Certificate; 5] {
        let window = Window {
            mask: 0b1011,
            position_bit: true,
            rares_to: 100,
            witnesses_to: 200,
            settled_from: u64::MAX,
        };
        let mut cofinite = sample(Proof::Cofinite { state_at: 9 });
        (cofinite.max, cofinite.saltus) = (None, 5);
        cofinite.values = Values::hashed(7, "ab".repeat(32));
        let arithmetic = Certificate {
            proof: Proof::Arithmetic {
                multiple: 2,
                settled_from: 11,
            },
            ..cofinite.clone()
        };
        let ray = |from, step, count| Ray { from, step, count };
        let rows = Certificate {
            code: Code::default(),
            proof: Proof::Rows(Rows {
                fixed: 1,
                rays: vec![ray([1, 0], [1, 0], None), ray([2, 3], [0, 0], Some(1))],
                rows: vec![Row::default(); 2],
            }),
            ..cofinite.clone()
        };
        [
            sample(Proof::Long { checked_to: 99 }),
            sample(Proof::Window(window)),
            cofinite,
            arithmetic,
            rows,
        ]
    }

    #[test]
    fn what_is_written_is_read() {
        for certificate in samples() {
            assert_eq!(parse(&certificate.text()).unwrap(), certificate);
            let path = std::env::temp_dir().join(format!(
                "grundy-cert-{}-{}",
                std::process::id(),
                certificate.proof.kind()
            ));
            write(&certificate, &path).unwrap();
            write(&certificate, &path).unwrap();
            assert_eq!(read(&path).unwrap(), certificate);
            std::fs::remove_file(&path).unwrap();
        }
        assert!(write(&samples()[0], std::path::Path::new("/no/such/folder/f")).is_err());
    }

    #[test]
    fn problems_are_named() {
        let text = samples()[0].text();
        let problem = |text: &str| parse(text).unwrap_err().to_string();
        let but = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            problem(&text.replacen(from, to, 1))
        };
        assert!(problem(&text[..text.len() / 2]).contains("cut off"));
        for other in ["", "\n", "{}", "[1]", "7", "{\"format\": \"x\"}"] {
            assert!(problem(other).starts_with("not a certificate"), "{other}");
        }
        assert!(problem("hello").starts_with("not a certificate"));
        assert!(problem(&(text.clone() + "}")).starts_with("not a certificate"));
        assert!(but("\"version\": 1", "\"version\": 2").contains("format version 2"));
        assert!(but("\"version\": 1", "\"version\": 0").contains("`version`"));
        assert!(but("\"version\": 1", "\"version\": \"1\"").contains("`version`"));
        assert!(but("\"kind\": \"long\"", "\"kind\": \"short\"").contains("`short`"));
        assert!(but("\"period\": 3", "\"period\": 3.0").contains("`period`"));
        assert!(but("\"period\": 3", "\"period\": -3").contains("`period`"));
        assert!(but("\"period\": 3", "\"perio\": 3").contains("`period` is missing"));
        let two = "\"period\": 3,\n  \"more\": 1";
        assert_eq!(
            but("\"period\": 3", two),
            "`more` is not a key of this version"
        );
        assert!(but("\"tail\": 0", "\"tail\": 18446744073709551616").contains("`code.tail`"));
        assert!(but("0 1 2", "0 1  2").contains("`values.list`"));
        assert!(but("0 1 2", "0 +1 2").contains("`values.list`"));
        assert!(but("\"S=[1,2]\"", "7").contains("`game.arguments`"));
        assert!(read(std::path::Path::new("/no/such/file")).is_err());
    }

    #[test]
    fn the_hash_is_that_of_little_endian_numbers() {
        // sha256sum of the bytes 00 00 01 00 02 00, and of 00000000 00000100 little-endian in 32 bits.
        let narrow = Values::listed(vec![0, 1, 2]).sha256;
        assert_eq!(
            narrow,
            "90c2698921ca9fd02950be353f721888760e33ab5095a21e50f1e4360b6de1a0"
        );
        let wide = Values::listed(vec![0, 65_536]).sha256;
        assert_eq!(
            wide,
            "30e06038fb18a7cfda688d7bfe8de1ca8fee6002c5b4a498e6993a3592e88893"
        );
    }

    #[test]
    fn no_text_makes_it_panic() {
        let text = samples()[1].text().into_bytes();
        let mut state = 3u64;
        for _ in 0..20_000 {
            let mut bytes = text.clone();
            for _ in 0..1 + state % 4 {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                if bytes.is_empty() {
                    break;
                }
                let at = (state >> 33) as usize % bytes.len();
                match state >> 20 & 3 {
                    0 => bytes[at] = (state >> 24) as u8,
                    1 => _ = bytes.remove(at),
                    2 => bytes.truncate(at + 1),
                    _ => bytes.insert(at, b"0123456789{}[]\",:-"[(state >> 24) as usize % 18]),
                }
            }
            if let Ok(text) = String::from_utf8(bytes) {
                let _ = parse(&text);
            }
        }
    }
}
