//! Parquet files of a few columns, written block by block; a block is a row group.
//!
//! Numbers that rise by steps are kept as differences, others by a dictionary, which is a few bits a value where there are few
//! values; no further compression. Cost: some 20 ns a value.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

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
    out: SerializedFileWriter<W>,
}

impl<W: Write + Send> Parquet<W> {
    /// Starts a file with these columns and these texts about it.
    ///
    /// # Errors
    /// If it cannot be written, or a name is no name of a column.
    pub fn new(out: W, columns: &[(&str, Kind)], about: &[(&str, &str)]) -> io::Result<Self> {
        let mut schema = String::from("message table {");
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("grundy {}", env!("CARGO_PKG_VERSION")))
            .set_key_value_metadata(Some(
                about
                    .iter()
                    .map(|(k, v)| KeyValue::new((*k).to_owned(), (*v).to_owned()))
                    .collect(),
            ));
        for (name, kind) in columns {
            schema += &match kind {
                Kind::Rising => format!(" required int64 {name} (INTEGER(64,false));"),
                Kind::U16 => format!(" required int32 {name} (INTEGER(16,false));"),
                Kind::U32 => format!(" required int32 {name} (INTEGER(32,false));"),
                Kind::MaybeU64 => format!(" optional int64 {name} (INTEGER(64,false));"),
                Kind::Text => format!(" required binary {name} (STRING);"),
            };
            if *kind == Kind::Rising {
                let path = ColumnPath::from(*name);
                properties = properties
                    .set_column_dictionary_enabled(path.clone(), false)
                    .set_column_encoding(path, Encoding::DELTA_BINARY_PACKED);
            }
        }
        schema.push_str(" }");
        let schema = parse_message_type(&schema).map_err(plain)?;
        let out = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties.build()));
        Ok(Parquet {
            out: out.map_err(plain)?,
        })
    }

    /// The next rows: a block for each column, all of one length.
    ///
    /// # Errors
    /// If they cannot be written, or are not what the columns hold.
    pub fn block(&mut self, columns: &[Column]) -> io::Result<()> {
        let mut group = self.out.next_row_group().map_err(plain)?;
        for column in columns {
            let writer = group.next_column().map_err(plain)?;
            let mut writer =
                writer.ok_or_else(|| io::Error::other("there are too many columns"))?;
            put(&mut writer, column).map_err(plain)?;
            writer.close().map_err(plain)?;
        }
        group.close().map_err(plain)?;
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> io::Result<()> {
        self.out.close().map_err(plain)?;
        Ok(())
    }
}

fn put(writer: &mut SerializedColumnWriter, column: &Column) -> Result<(), ParquetError> {
    match column {
        Column::Rising(list) => {
            let list: Vec<i64> = list.iter().map(|&n| n as i64).collect();
            writer.typed::<Int64Type>().write_batch(&list, None, None)?;
        }
        Column::Small(list) => {
            let list: Vec<i32> = list.iter().map(|&n| n as i32).collect();
            writer.typed::<Int32Type>().write_batch(&list, None, None)?;
        }
        Column::MaybeU64(list) => {
            let there: Vec<i16> = list.iter().map(|n| i16::from(n.is_some())).collect();
            let list: Vec<i64> = list.iter().flatten().map(|&n| n as i64).collect();
            writer
                .typed::<Int64Type>()
                .write_batch(&list, Some(&there), None)?;
        }
        Column::Text(list) => {
            let list: Vec<ByteArray> = list.iter().map(|t| ByteArray::from(t.as_str())).collect();
            writer
                .typed::<ByteArrayType>()
                .write_batch(&list, None, None)?;
        }
    }
    Ok(())
}

/// The cause behind an error of the library, where it is one of the world.
fn plain(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let kinds = [
            Kind::Rising,
            Kind::U16,
            Kind::U32,
            Kind::MaybeU64,
            Kind::Text,
        ];
        let columns: Vec<(&str, Kind)> = ["a", "b", "c", "d", "e"].into_iter().zip(kinds).collect();
        // A file of the library's own, so that the reader may have it.
        let path =
            std::env::temp_dir().join(format!("grundy-export-{}.parquet", std::process::id()));
        let file = std::fs::File::create(&path).unwrap();
        let mut out = Parquet::new(
            file,
            &columns,
            &[("rules", "n -> n - 1"), ("claim", "proved")],
        )
        .unwrap();
        let row = |i: u64| {
            let maybe = (!i.is_multiple_of(3)).then_some(u64::MAX - i);
            (
                i,
                (i * i % 65_536) as u32,
                u32::MAX - i as u32,
                maybe,
                format!("0.{i}"),
            )
        };
        let mut from = 0;
        for length in [1u64, 5000, 0, 70_000] {
            let rows: Vec<_> = (from..from + length).map(row).collect();
            out.block(&[
                Column::Rising(rows.iter().map(|r| r.0).collect()),
                Column::Small(rows.iter().map(|r| r.1).collect()),
                Column::Small(rows.iter().map(|r| r.2).collect()),
                Column::MaybeU64(rows.iter().map(|r| r.3).collect()),
                Column::Text(rows.iter().map(|r| r.4.clone()).collect()),
            ])
            .unwrap();
            from += length;
        }
        out.finish().unwrap();
        let file = std::fs::File::open(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let about = reader
            .metadata()
            .file_metadata()
            .key_value_metadata()
            .unwrap();
        assert!(about.contains(&KeyValue::new("claim".to_owned(), "proved".to_owned())));
        let mut count = 0;
        for (i, found) in reader.get_row_iter(None).unwrap().enumerate() {
            let (a, b, c, d, e) = row(i as u64);
            let wanted = [
                Field::ULong(a),
                Field::UShort(b as u16),
                Field::UInt(c),
                d.map_or(Field::Null, Field::ULong),
                Field::Str(e),
            ];
            let found: Vec<Field> = found
                .unwrap()
                .into_columns()
                .into_iter()
                .map(|c| c.1)
                .collect();
            assert_eq!(found, wanted, "row {i}");
            count += 1;
        }
        assert_eq!(count, from);
    }

    #[test]
    fn blocks_that_do_not_fit_the_columns_are_errors() {
        let mut file = Vec::new();
        let mut out = Parquet::new(&mut file, &[("n", Kind::Rising)], &[]).unwrap();
        assert!(
            out.block(&[Column::Rising(vec![1]), Column::Small(vec![1])])
                .is_err()
        );
        assert!(Parquet::new(Vec::new(), &[("no name", Kind::U16)], &[]).is_err());
    }
}
