//! Parquet files of a few columns, written block by block; a block is a row group.
//!
//! Source: the Apache Parquet format specification (parquet-format: `README.md`, `Encodings.md`, `LogicalTypes.md`,
//! `parquet.thrift`). Numbers that rise by steps are kept as differences, others by a dictionary where it pays, which
//! is a few bits a value where there are few values; no further compression.
//!
//! Cost: some 4 ns a value that rises by steps, 4 to 20 ns another number, 20 ns a short text. Memory is that of the
//! greatest column of a block in a few forms, and some 100 bytes for each column of each block until the file ends.

mod encode;
mod thrift;

use std::io::{self, ErrorKind, Write};
use std::ops::Range;

use encode::{Dictionary, Plain, delta, hybrid};
use thrift::{BINARY, I32, STRUCT, int32, structure, text};

const MAGIC: &[u8] = b"PAR1";
/// A page ends after so many rows, or before its texts are more than so many bytes, unless there is one alone.
const PAGE_ROWS: usize = 20_000;
const PAGE_BYTES: usize = 1 << 20;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned numbers of 64 bits that rise by small steps.
    Rising,
    /// Unsigned numbers of 16 bits.
    U16,
    /// Unsigned numbers of 32 bits.
    U32,
    /// Unsigned numbers of 64 bits that may be missing.
    MaybeU64,
    /// Texts.
    Text,
}

/// A block of a column.
#[derive(Clone, Debug)]
#[cfg_attr(test, derive(PartialEq))]
pub enum Column {
    /// For [`Kind::Rising`].
    Rising(Vec<u64>),
    /// For [`Kind::U16`] and [`Kind::U32`].
    Small(Vec<u32>),
    /// For [`Kind::MaybeU64`].
    MaybeU64(Vec<Option<u64>>),
    /// For [`Kind::Text`].
    Text(Vec<String>),
}

/// A file on its way.
///
/// ```
/// use grundy_export::{Column, Kind, Parquet};
/// let mut file = Vec::new();
/// let columns = [("n", Kind::Rising), ("grundy", Kind::U16)];
/// let mut out = Parquet::new(&mut file, &columns, &[("rules", "0.77")]).unwrap();
/// out.block(&[Column::Rising(vec![0, 1, 2]), Column::Small(vec![0, 1, 2])]).unwrap();
/// out.finish().unwrap();
/// assert!(file.starts_with(b"PAR1") && file.ends_with(b"PAR1"));
/// ```
pub struct Parquet<W: Write + Send> {
    out: W,
    columns: Vec<(String, Kind)>,
    about: Vec<(String, String)>,
    /// The bytes written.
    at: u64,
    rows: u64,
    /// What the end of the file says of each block.
    groups: Vec<u8>,
    blocks: usize,
}

impl<W: Write + Send> Parquet<W> {
    /// Starts a file with these columns and these texts about it.
    ///
    /// # Errors
    /// If it cannot be written, or a name is no name of a column.
    pub fn new(mut out: W, columns: &[(&str, Kind)], about: &[(&str, &str)]) -> io::Result<Self> {
        for (name, _) in columns {
            // Schemas as text, which many programs show and read, have no quotes.
            if name.is_empty()
                || name.contains(|c: char| c.is_whitespace() || ";,(){}=".contains(c))
            {
                return Err(wrong(format!("`{name}` is no name of a column")));
            }
        }
        out.write_all(MAGIC)?;
        let owned = |text: &&str| (*text).to_owned();
        Ok(Parquet {
            out,
            columns: columns
                .iter()
                .map(|(name, kind)| (owned(name), *kind))
                .collect(),
            about: about
                .iter()
                .map(|(key, value)| (owned(key), owned(value)))
                .collect(),
            at: MAGIC.len() as u64,
            rows: 0,
            groups: Vec::new(),
            blocks: 0,
        })
    }

    /// The next rows: a block for each column, all of one length.
    ///
    /// # Errors
    /// If they cannot be written, or are not what the columns hold.
    pub fn block(&mut self, columns: &[Column]) -> io::Result<()> {
        let rows = self.fitting(columns)? as u64;
        let (start, mut chunks) = (self.at, Vec::new());
        for ((name, kind), column) in self.columns.iter().zip(columns) {
            let chunk = Chunk::new(column)?;
            self.out.write_all(&chunk.bytes)?;
            chunk.describe(&mut chunks, name, *kind, rows, self.at);
            self.at += chunk.bytes.len() as u64;
        }
        structure(&mut self.groups, |group| {
            group.list(1, STRUCT, columns.len()).extend(chunks);
            group.int64(2, self.at - start);
            group.int64(3, rows);
            group.int64(5, start);
            group.int64(6, self.at - start);
        });
        self.rows += rows;
        self.blocks += 1;
        Ok(())
    }

    /// How long the columns of a block are, if they are what this file holds.
    fn fitting(&self, columns: &[Column]) -> io::Result<usize> {
        let (wanted, found) = (self.columns.len(), columns.len());
        if wanted != found {
            return Err(wrong(format!("{wanted} columns are wanted, not {found}")));
        }
        let rows = columns.first().map_or(0, Column::len);
        for ((name, kind), column) in self.columns.iter().zip(columns) {
            let fits = match (kind, column) {
                (Kind::U16, Column::Small(list)) => list.iter().all(|&n| n <= u16::MAX.into()),
                (Kind::Rising, Column::Rising(_))
                | (Kind::U32, Column::Small(_))
                | (Kind::MaybeU64, Column::MaybeU64(_))
                | (Kind::Text, Column::Text(_)) => true,
                _ => false,
            };
            if !fits {
                return Err(wrong(format!(
                    "the column `{name}` holds {kind:?}, and nothing else"
                )));
            }
            if column.len() != rows {
                let found = column.len();
                return Err(wrong(format!(
                    "the column `{name}` has {found} rows, others {rows}"
                )));
            }
        }
        Ok(rows)
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        let mut end = Vec::new();
        let leaves = self.columns.len();
        structure(&mut end, |file| {
            file.int32(1, 1);
            let schema = file.list(2, STRUCT, 1 + leaves);
            structure(schema, |root| {
                root.binary(4, b"table");
                root.int32(5, leaves as i32);
            });
            for (name, kind) in &self.columns {
                kind.describe(schema, name);
            }
            file.int64(3, self.rows);
            file.list(4, STRUCT, self.blocks).extend(&self.groups);
            if !self.about.is_empty() {
                let about = file.list(5, STRUCT, self.about.len());
                for (key, value) in &self.about {
                    structure(about, |pair| {
                        pair.binary(1, key.as_bytes());
                        pair.binary(2, value.as_bytes());
                    });
                }
            }
            file.binary(6, concat!("grundy ", env!("CARGO_PKG_VERSION")).as_bytes());
            // Least and greatest are those of the kinds: of unsigned numbers.
            let orders = file.list(7, STRUCT, leaves);
            for _ in 0..leaves {
                structure(orders, |order| order.structure(1, |_| ()));
            }
        });
        let size = u32::try_from(end.len()).map_err(|_| wrong("there are too many blocks"))?;
        end.extend(size.to_le_bytes());
        end.extend(MAGIC);
        self.out.write_all(&end)?;
        self.out.flush()
    }
}

impl Kind {
    /// How values are stored, as a number of the format.
    fn stored(self) -> i32 {
        match self {
            Kind::U16 | Kind::U32 => 1,
            Kind::Rising | Kind::MaybeU64 => 2,
            Kind::Text => 6,
        }
    }

    /// Appends a column's element of the schema.
    fn describe(self, out: &mut Vec<u8>, name: &str) {
        // The kind under its older and its newer name.
        let (older, bits) = match self {
            Kind::U16 => (12, 16),
            Kind::U32 => (13, 32),
            Kind::Rising | Kind::MaybeU64 => (14, 64),
            Kind::Text => (0, 0),
        };
        structure(out, |leaf| {
            leaf.int32(1, self.stored());
            leaf.int32(3, (self == Kind::MaybeU64).into());
            leaf.binary(4, name.as_bytes());
            leaf.int32(6, older);
            leaf.structure(10, |newer| match self {
                Kind::Text => newer.structure(1, |_| ()),
                _ => newer.structure(10, |integer| {
                    integer.byte(1, bits);
                    integer.no(2);
                }),
            });
        });
    }
}

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::Rising(list) => list.len(),
            Column::Small(list) => list.len(),
            Column::MaybeU64(list) => list.len(),
            Column::Text(list) => list.len(),
        }
    }
}

/// Encodings by their numbers in the format.
#[derive(Clone, Copy)]
enum Encoding {
    Plain = 0,
    Runs = 3,
    Delta = 5,
    Dictionary = 8,
}

/// A column of a block as it stands in the file.
#[derive(Default)]
struct Chunk {
    bytes: Vec<u8>,
    /// How many of them are a page with a dictionary.
    dictionary: usize,
    encodings: Vec<Encoding>,
    missing: u64,
    /// The least and the greatest number, in plain form.
    bounds: Option<[Vec<u8>; 2]>,
}

impl Chunk {
    fn new(column: &Column) -> io::Result<Self> {
        let mut chunk = Chunk::default();
        match column {
            Column::Rising(list) => {
                chunk.bound(list);
                chunk.encodings = vec![Encoding::Runs, Encoding::Delta];
                let ends = ends(list.len());
                chunk.pages(&ends, None, Encoding::Delta, |body, at| {
                    delta(body, &list[at])
                })?;
            }
            Column::Small(list) => {
                chunk.bound(list);
                chunk.values(list, &ends(list.len()), None)?;
            }
            Column::MaybeU64(list) => {
                let there: Vec<u32> = list.iter().map(|n| n.is_some().into()).collect();
                let values: Vec<u64> = list.iter().copied().flatten().collect();
                chunk.missing = (list.len() - values.len()) as u64;
                chunk.bound(&values);
                chunk.values(&values, &ends(list.len()), Some(&there))?;
            }
            Column::Text(list) => {
                let list: Vec<&str> = list.iter().map(String::as_str).collect();
                chunk.values(&list, &text_ends(&list), None)?;
            }
        }
        Ok(chunk)
    }

    fn bound<T: Plain + Ord>(&mut self, values: &[T]) {
        let plain = |value: T| {
            let mut out = Vec::new();
            value.put(&mut out);
            out
        };
        let each = || values.iter().copied();
        let bounds = each().min().zip(each().max());
        self.bounds = bounds.map(|(least, most)| [plain(least), plain(most)]);
    }

    /// Values by a dictionary, or plainly.
    fn values<T: Plain>(
        &mut self,
        values: &[T],
        ends: &[usize],
        there: Option<&[u32]>,
    ) -> io::Result<()> {
        let Some(dictionary) = Dictionary::of(values) else {
            self.encodings = vec![Encoding::Plain, Encoding::Runs];
            return self.pages(ends, there, Encoding::Plain, |body, at| {
                values[at].iter().for_each(|value| value.put(body));
            });
        };
        self.encodings = vec![Encoding::Plain, Encoding::Runs, Encoding::Dictionary];
        let mut body = Vec::new();
        dictionary
            .entries
            .iter()
            .for_each(|value| value.put(&mut body));
        self.page(&body, None, dictionary.entries.len())?;
        self.dictionary = self.bytes.len();
        self.pages(ends, there, Encoding::Dictionary, |body, at| {
            dictionary.put(body, at)
        })
    }

    /// Pages of the rows up to each of `ends`; `put` gives a range of the values that are there.
    fn pages(
        &mut self,
        ends: &[usize],
        there: Option<&[u32]>,
        encoding: Encoding,
        put: impl Fn(&mut Vec<u8>, Range<usize>),
    ) -> io::Result<()> {
        let (mut row, mut value, mut body) = (0, 0, Vec::new());
        for &end in ends {
            body.clear();
            let mut count = end - row;
            if let Some(there) = there {
                let there = &there[row..end];
                count = there.iter().filter(|n| **n == 1).count();
                body.extend([0; 4]);
                hybrid(&mut body, there, 1);
                let size = (body.len() - 4) as u32;
                body[..4].copy_from_slice(&size.to_le_bytes());
            }
            put(&mut body, value..value + count);
            self.page(&body, Some(encoding), end - row)?;
            row = end;
            value += count;
        }
        Ok(())
    }

    /// A page of `count` values, or of the entries of a dictionary if it has no encoding.
    fn page(&mut self, body: &[u8], encoding: Option<Encoding>, count: usize) -> io::Result<()> {
        let size = i32::try_from(body.len()).map_err(|_| wrong("a text is longer than 2 GB"))?;
        structure(&mut self.bytes, |header| {
            header.int32(1, if encoding.is_some() { 0 } else { 2 });
            header.int32(2, size);
            header.int32(3, size);
            match encoding {
                Some(encoding) => header.structure(5, |data| {
                    data.int32(1, count as i32);
                    data.int32(2, encoding as i32);
                    data.int32(3, Encoding::Runs as i32);
                    data.int32(4, Encoding::Runs as i32);
                }),
                None => header.structure(7, |dictionary| {
                    dictionary.int32(1, count as i32);
                    dictionary.int32(2, Encoding::Plain as i32);
                }),
            }
        });
        self.bytes.extend(body);
        Ok(())
    }

    /// Appends what the end of the file says of this column of a block, which begins at `at`.
    fn describe(&self, out: &mut Vec<u8>, name: &str, kind: Kind, rows: u64, at: u64) {
        let size = self.bytes.len() as u64;
        structure(out, |column| {
            // Where this is said a second time: nowhere.
            column.int64(2, 0);
            column.structure(3, |chunk| {
                chunk.int32(1, kind.stored());
                let encodings = chunk.list(2, I32, self.encodings.len());
                self.encodings
                    .iter()
                    .for_each(|e| int32(encodings, *e as i32));
                text(chunk.list(3, BINARY, 1), name.as_bytes());
                chunk.int32(4, 0);
                chunk.int64(5, rows);
                chunk.int64(6, size);
                chunk.int64(7, size);
                chunk.int64(9, at + self.dictionary as u64);
                if self.dictionary > 0 {
                    chunk.int64(11, at);
                }
                chunk.structure(12, |statistics| {
                    statistics.int64(3, self.missing);
                    if let Some([least, most]) = &self.bounds {
                        statistics.binary(5, most);
                        statistics.binary(6, least);
                    }
                });
            });
        });
    }
}

/// Where pages of numbers end; even of no rows there is one.
fn ends(rows: usize) -> Vec<usize> {
    (PAGE_ROWS..rows).step_by(PAGE_ROWS).chain([rows]).collect()
}

/// Where pages of texts end.
fn text_ends(texts: &[&str]) -> Vec<usize> {
    let (mut ends, mut from, mut bytes) = (Vec::new(), 0, 0);
    for (row, text) in texts.iter().enumerate() {
        if row > from && (row - from == PAGE_ROWS || bytes + text.size() > PAGE_BYTES) {
            ends.push(row);
            (from, bytes) = (row, 0);
        }
        bytes += text.size();
    }
    ends.push(texts.len());
    ends
}

fn wrong(cause: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, cause.into())
}

#[cfg(test)]
mod tests;
