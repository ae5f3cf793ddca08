//! What is written is read back by the reader of the crate `parquet`, which shares no line with the writer.

use std::fs::File;
use std::sync::atomic::{AtomicUsize, Ordering};

use parquet::basic::{ColumnOrder, Encoding as Basic, LogicalType, SortOrder};
use parquet::column::page::Page;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::statistics::Statistics;
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const KINDS: [Kind; 5] = [
    Kind::Rising,
    Kind::U16,
    Kind::U32,
    Kind::MaybeU64,
    Kind::Text,
];
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
/// Around the borders of bytes, runs, miniblocks, blocks and pages.
const LENGTHS: [usize; 29] = [
    0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 255, 256, 257, 258,
    513, 1000, 19_999, 20_000, 20_001, 40_001,
];

fn columns() -> Vec<(&'static str, Kind)> {
    NAMES.into_iter().zip(KINDS).collect()
}

fn written(columns: &[(&str, Kind)], about: &[(&str, &str)], blocks: &[Vec<Column>]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut out = Parquet::new(&mut file, columns, about).unwrap();
    for block in blocks {
        out.block(block).unwrap();
    }
    out.finish().unwrap();
    file
}

/// The reader wants a file of the system or bytes of another crate.
fn reader(bytes: &[u8]) -> SerializedFileReader<File> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let (id, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(format!("grundy-export-{id}-{count}.parquet"));
    std::fs::write(&path, bytes).unwrap();
    let file = File::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    SerializedFileReader::new(file).unwrap()
}

fn all<T: DataType>(mut column: ColumnReaderImpl<T>, optional: bool) -> Vec<Option<T::T>> {
    let (mut there, mut values) = (Vec::new(), Vec::new());
    let levels = optional.then_some(&mut there);
    let (rows, _, _) = column
        .read_records(usize::MAX, levels, None, &mut values)
        .unwrap();
    let mut values = values.into_iter();
    let read: Vec<_> = match optional {
        true => there
            .iter()
            .map(|&level| (level == 1).then(|| values.next().unwrap()))
            .collect(),
        false => values.by_ref().map(Some).collect(),
    };
    assert!(values.next().is_none() && read.len() == rows);
    read
}

fn read(reader: &SerializedFileReader<File>, kinds: &[Kind]) -> Vec<Vec<Column>> {
    let groups = reader.num_row_groups();
    let column = |group: usize, i: usize| {
        let group = reader.get_row_group(group).unwrap();
        let rows = group.metadata().num_rows() as usize;
        let column = match (kinds[i], group.get_column_reader(i).unwrap()) {
            (Kind::Rising, ColumnReader::Int64ColumnReader(list)) => {
                let list = all(list, false).into_iter().flatten();
                Column::Rising(list.map(|n| n as u64).collect())
            }
            (Kind::U16 | Kind::U32, ColumnReader::Int32ColumnReader(list)) => {
                let list = all(list, false).into_iter().flatten();
                Column::Small(list.map(|n| n as u32).collect())
            }
            (Kind::MaybeU64, ColumnReader::Int64ColumnReader(list)) => {
                let list = all(list, true).into_iter();
                Column::MaybeU64(list.map(|n| n.map(|n| n as u64)).collect())
            }
            (Kind::Text, ColumnReader::ByteArrayColumnReader(list)) => {
                let list = all(list, false).into_iter().flatten();
                let text = |t: parquet::data_type::ByteArray| t.as_utf8().unwrap().to_owned();
                Column::Text(list.map(text).collect())
            }
            (kind, _) => panic!("{kind:?} is stored as another"),
        };
        assert_eq!(column.len(), rows);
        column
    };
    (0..groups)
        .map(|group| (0..kinds.len()).map(|i| column(group, i)).collect())
        .collect()
}

/// Least, greatest and how many are missing, as the values say it.
fn bounds(column: &Column) -> (Option<(u64, u64)>, u64) {
    let values: Vec<u64> = match column {
        Column::Rising(list) => list.clone(),
        Column::Small(list) => list.iter().map(|&n| n.into()).collect(),
        Column::MaybeU64(list) => list.iter().flatten().copied().collect(),
        Column::Text(_) => return (None, 0),
    };
    let missing = (column.len() - values.len()) as u64;
    let (least, most) = (values.iter().min(), values.iter().max());
    (least.copied().zip(most.copied()), missing)
}

fn check(blocks: &[Vec<Column>]) {
    let file = written(&columns(), &[], blocks);
    let reader = reader(&file);
    let found = read(&reader, &KINDS);
    assert_eq!(found.len(), blocks.len());
    let mut at = 4;
    for (g, (found, wanted)) in found.iter().zip(blocks).enumerate() {
        let group = reader.metadata().row_group(g);
        for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
            assert!(found == wanted, "block {g}, column {i} of {wanted:?}");
            let chunk = group.column(i);
            let stated = chunk.statistics().unwrap();
            let numbers = match stated {
                Statistics::Int32(s) => s
                    .min_opt()
                    .zip(s.max_opt())
                    .map(|(a, b)| (u64::from(*a as u32), u64::from(*b as u32))),
                Statistics::Int64(s) => s
                    .min_opt()
                    .zip(s.max_opt())
                    .map(|(a, b)| (*a as u64, *b as u64)),
                _ => None,
            };
            let (bounds, missing) = bounds(wanted);
            assert_eq!((numbers, stated.null_count_opt()), (bounds, Some(missing)));
            // Chunks lie one after another, and nothing else lies between.
            assert_eq!(chunk.byte_range().0, at);
            assert_eq!(chunk.uncompressed_size(), chunk.compressed_size());
            at += chunk.byte_range().1;
        }
        let size: i64 = group.columns().iter().map(|c| c.compressed_size()).sum();
        assert_eq!(group.total_byte_size(), size);
    }
    let rows: usize = blocks.iter().map(|b| b[0].len()).sum();
    assert_eq!(reader.metadata().file_metadata().num_rows(), rows as i64);
}

/// Numbers of a pattern: what encodings treat differently, and what breaks arithmetic.
fn numbers(pattern: usize, length: usize) -> Vec<u64> {
    let mut x = 0x9e37_79b9_7f4a_7c15 ^ (length as u64);
    let mut random = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x
    };
    let edges = [0, u64::MAX, 1, 1 << 63, (1 << 63) - 1, u64::MAX - 1];
    let mut last = 0u64;
    let next = |i: usize| {
        let i = i as u64;
        match pattern {
            0 => 0,
            1 => u64::MAX,
            2 => i,
            3 => u64::MAX - i,
            4 => random(),
            5 => edges[random() as usize % edges.len()],
            6 => edges[i as usize % 2],
            7 => edges[3 + i as usize % 2],
            8 => i / 13,
            9 => random() % 3,
            10 => {
                // Runs of many lengths.
                last = if random().is_multiple_of(8) {
                    random() % 5
                } else {
                    last
                };
                last
            }
            _ => {
                last = last.wrapping_add(random() >> (random() % 64));
                last
            }
        }
    };
    (0..length).map(next).collect()
}

fn block(pattern: usize, length: usize) -> Vec<Column> {
    let list = numbers(pattern, length);
    let missing = numbers((pattern + 5) % 12, length);
    let maybe = |(&n, m): (&u64, &u64)| (!m.is_multiple_of(3)).then_some(n);
    vec![
        Column::Rising(list.clone()),
        Column::Small(list.iter().map(|&n| (n as u16).into()).collect()),
        Column::Small(list.iter().map(|&n| n as u32).collect()),
        Column::MaybeU64(list.iter().zip(&missing).map(maybe).collect()),
        Column::Text(list.iter().map(|n| format!("{n:x}é")).collect()),
    ]
}

#[test]
fn every_pattern_at_every_border_is_read_back() {
    for pattern in 0..12 {
        let blocks: Vec<_> = LENGTHS.iter().map(|&l| block(pattern, l)).collect();
        check(&blocks);
    }
}

#[test]
fn values_may_all_be_missing_and_texts_empty() {
    for length in LENGTHS {
        let mut block = block(0, length);
        block[3] = Column::MaybeU64(vec![None; length]);
        block[4] = Column::Text(vec![String::new(); length]);
        check(&[block]);
    }
}

proptest! {
    #[test]
    fn random_columns_are_read_back(
        rows in vec(vec(any::<(u64, u16, u32, Option<u64>, String)>(), 0..300), 0..4),
        shift in (0u32..64, 0u32..16, 0u32..32),
    ) {
        let blocks: Vec<_> = rows.iter().map(|rows| vec![
            Column::Rising(rows.iter().map(|r| r.0 >> shift.0).collect()),
            Column::Small(rows.iter().map(|r| (r.1 >> shift.1).into()).collect()),
            Column::Small(rows.iter().map(|r| r.2 >> shift.2).collect()),
            Column::MaybeU64(rows.iter().map(|r| r.3.map(|n| n >> shift.0)).collect()),
            Column::Text(rows.iter().map(|r| r.4.clone()).collect()),
        ]).collect();
        check(&blocks);
    }

    #[test]
    fn random_runs_are_read_back(runs in vec((0u64..1 << 20, 1usize..40), 0..60), shift in 0u32..20) {
        let list: Vec<u64> = runs.iter().flat_map(|&(n, count)| vec![n >> shift; count]).collect();
        check(&[vec![
            Column::Rising(list.clone()),
            Column::Small(list.iter().map(|&n| (n as u16).into()).collect()),
            Column::Small(list.iter().map(|&n| n as u32).collect()),
            Column::MaybeU64(list.iter().map(|&n| (n > 0).then_some(n)).collect()),
            Column::Text(list.iter().map(u64::to_string).collect()),
        ]]);
    }
}

#[test]
fn rows_have_the_types_of_their_kinds() {
    let row = |i: u64| {
        [
            Field::ULong(u64::MAX - 5 + i),
            Field::UShort(u16::MAX - i as u16),
            Field::UInt(u32::MAX - i as u32),
            match i % 3 {
                0 => Field::Null,
                _ => Field::ULong(u64::MAX - i),
            },
            Field::Str(format!("0.{i}")),
        ]
    };
    let column = Column::MaybeU64(vec![None, Some(u64::MAX - 1), Some(u64::MAX - 2), None]);
    let blocks = [vec![
        Column::Rising((0..4).map(|i| u64::MAX - 5 + i).collect()),
        Column::Small((0..4).map(|i| 65_535 - i).collect()),
        Column::Small((0..4).map(|i| u32::MAX - i).collect()),
        column,
        Column::Text((0..4).map(|i| format!("0.{i}")).collect()),
    ]];
    let reader = reader(&written(&columns(), &[], &blocks));
    let found: Vec<Vec<Field>> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| {
            row.unwrap()
                .into_columns()
                .into_iter()
                .map(|c| c.1)
                .collect()
        })
        .collect();
    assert_eq!(found, (0..4).map(row).collect::<Vec<_>>());
}

#[test]
fn the_schema_is_that_of_the_kinds() {
    let reader = reader(&written(
        &columns(),
        &[("rules", "n -> n - 1"), ("claim", "")],
        &[],
    ));
    let about = reader.metadata().file_metadata();
    let wanted = "message table {
        required int64 a (INTEGER(64,false));
        required int32 b (INTEGER(16,false));
        required int32 c (INTEGER(32,false));
        optional int64 d (INTEGER(64,false));
        required binary e (STRING);
    }";
    assert_eq!(about.schema(), &parse_message_type(wanted).unwrap());
    let types = about.schema_descr().columns().iter();
    let types: Vec<_> = types.map(|c| c.logical_type_ref().cloned()).collect();
    assert_eq!(types[1], Some(LogicalType::integer(16, false)));
    assert_eq!(types[4], Some(LogicalType::String));
    let order = ColumnOrder::TYPE_DEFINED_ORDER(SortOrder::UNSIGNED);
    assert_eq!(about.column_orders(), Some(&vec![order; 5]));
    assert_eq!((about.version(), about.num_rows()), (1, 0));
    let version = concat!("grundy ", env!("CARGO_PKG_VERSION"));
    assert_eq!(about.created_by(), Some(version));
    let about = about.key_value_metadata().unwrap().iter();
    let about: Vec<_> = about
        .map(|pair| (&*pair.key, pair.value.as_deref().unwrap()))
        .collect();
    assert_eq!(about, [("rules", "n -> n - 1"), ("claim", "")]);
}

#[test]
fn there_may_be_many_columns_blocks_and_texts_about_them_or_none() {
    // Lists of fifteen and more are told otherwise than shorter ones.
    for count in [13, 14, 15, 16, 200] {
        let names: Vec<String> = (0..count).map(|i| format!("n{i}")).collect();
        let columns: Vec<_> = names.iter().map(|name| (&**name, Kind::U16)).collect();
        let about: Vec<_> = names.iter().map(|name| (&**name, "")).collect();
        let block = |b: u32| (0..count).map(|c| Column::Small(vec![b * c])).collect();
        let blocks: Vec<Vec<Column>> = (0..count).map(block).collect();
        let many = reader(&written(&columns, &about, &blocks));
        assert!(read(&many, &vec![Kind::U16; columns.len()]) == blocks);
        let found = many.metadata().file_metadata().key_value_metadata();
        assert_eq!(found.unwrap().len(), columns.len());
    }
    let none = reader(&written(&[], &[], &[vec![], vec![]]));
    assert_eq!(none.metadata().file_metadata().num_rows(), 0);
}

/// Readers differ in what they forgive: the bytes are those of the format.
#[test]
fn encodings_are_padded_and_no_wider_than_they_must() {
    let made = |fill: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        fill(&mut out);
        out
    };
    // Blocks of 256 in 4 miniblocks; the least difference; widths; 64 differences of 2 bits, of which there are two.
    let wanted = [&[0x80, 2, 4, 3, 10, 3, 2, 0, 0, 0, 0b11, 0][..], &[0; 14]].concat();
    assert_eq!(made(&|out| delta(out, &[5, 6, 4])), wanted);
    assert_eq!(made(&|out| delta(out, &[])), [0x80, 2, 4, 0, 0]);
    assert_eq!(made(&|out| delta(out, &[1 << 63])).len(), 4 + 10);
    // The example of the specification, and a group that is not full.
    let eight: Vec<u32> = (0..8).collect();
    let wanted = [3, 0b1000_1000, 0b1100_0110, 0b1111_1010];
    assert_eq!(made(&|out| hybrid(out, &eight, 3)), wanted);
    assert_eq!(
        made(&|out| hybrid(out, &eight[..3], 3)),
        [3, 0b1000_1000, 0, 0]
    );
    assert_eq!(
        made(&|out| hybrid(out, &[700; 1000], 10)),
        [0xd0, 0x0f, 0xbc, 2]
    );
}

/// The number of values, the encoding and the size of each page.
fn pages(reader: &SerializedFileReader<File>, column: usize) -> Vec<(u32, Basic, usize)> {
    let group = reader.get_row_group(0).unwrap();
    let pages = group.get_column_page_reader(column).unwrap();
    let about = |page: Page| (page.num_values(), page.encoding(), page.buffer().len());
    pages.map(|page| about(page.unwrap())).collect()
}

#[test]
fn pages_are_of_bounded_size() {
    const ROWS: usize = 50_000;
    let blocks = [block(4, ROWS)];
    let random = reader(&written(&columns(), &[], &blocks));
    for (i, encoding) in [
        (0, Basic::DELTA_BINARY_PACKED),
        (2, Basic::PLAIN),
        (3, Basic::PLAIN),
        (4, Basic::PLAIN),
    ] {
        let pages = pages(&random, i);
        assert!(pages.len() >= 3 && pages.iter().all(|p| p.1 == encoding));
        assert!(pages.iter().all(|p| p.0 <= 20_000 && p.2 <= 1 << 20));
        assert_eq!(pages.iter().map(|p| p.0).sum::<u32>(), ROWS as u32);
    }
    // One text alone may be more than a page is else.
    let sizes = [400_000, 400_000, 400_000, 3_000_000, 0, 1_048_571, 0, 0];
    let texts: Vec<String> = sizes
        .iter()
        .map(|&n| "é".repeat(n / 2) + &"x".repeat(n % 2))
        .collect();
    let block = vec![Column::Text(texts)];
    let long = reader(&written(
        &[("text", Kind::Text)],
        &[],
        std::slice::from_ref(&block),
    ));
    let counts: Vec<u32> = pages(&long, 0).iter().map(|p| p.0).collect();
    assert_eq!(counts, [2, 1, 1, 1, 1, 2]);
    assert!(read(&long, &[Kind::Text])[0] == block);
}

#[test]
fn a_dictionary_is_there_where_it_pays() {
    let column = |kind, list: Vec<u32>| {
        let columns = [("n", kind)];
        reader(&written(&columns, &[], &[vec![Column::Small(list)]]))
    };
    let few = column(
        Kind::U32,
        (0..50_000).map(|i| i * i % 7 * 1_000_000).collect(),
    );
    let found = pages(&few, 0);
    assert_eq!((found[0].0, found[0].2), (4, 16));
    assert!(
        found[1..]
            .iter()
            .all(|p| p.1 == Basic::RLE_DICTIONARY && p.2 < 20_000 / 4 + 10)
    );
    assert_eq!(found.len(), 4);
    let chunk = few.metadata().row_group(0).column(0);
    assert_eq!(chunk.dictionary_page_offset(), Some(4));
    let stated: Vec<_> = chunk.encodings().collect();
    assert_eq!(stated, [Basic::PLAIN, Basic::RLE, Basic::RLE_DICTIONARY]);
    // Every value once: plain is shorter. More than the dictionary may hold: plain, though it is not.
    let lists: [Vec<u32>; 2] = [(0..20_000).collect(), (0..800_000).map(|i| i / 3).collect()];
    for list in lists {
        let all = column(Kind::U32, list);
        assert!(pages(&all, 0).iter().all(|p| p.1 == Basic::PLAIN));
        assert_eq!(
            all.metadata()
                .row_group(0)
                .column(0)
                .dictionary_page_offset(),
            None
        );
    }
    let wide = column(Kind::U16, (0..800_000).map(|i| i % 65_536).collect());
    assert_eq!(pages(&wide, 0)[0].0, 65_536);
}

#[test]
fn blocks_that_do_not_fit_the_columns_are_errors() {
    let empty = written(&columns(), &[], &[]);
    let mut file = Vec::new();
    let mut out = Parquet::new(&mut file, &columns(), &[]).unwrap();
    let good = block(2, 3);
    let mut bad = vec![good[..4].to_vec(), [&good[..], &good[..1]].concat(), vec![]];
    for i in 0..5 {
        for (j, other) in good.iter().enumerate() {
            if KINDS[i] != KINDS[j] && (i, j) != (1, 2) && (i, j) != (2, 1) {
                let mut block = good.clone();
                block[i] = other.clone();
                bad.push(block);
            }
        }
        for length in [0, 2, 4] {
            let mut good = good.clone();
            good[i] = block(2, length)[i].clone();
            bad.push(good);
        }
    }
    let mut wide = good.clone();
    wide[1] = Column::Small(vec![0, 65_536, 0]);
    bad.push(wide);
    for block in bad {
        let error = out.block(&block).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{block:?}");
    }
    // Nothing of them is in the file.
    out.finish().unwrap();
    assert_eq!(file, empty);
}

#[test]
fn names_that_a_schema_cannot_have_are_errors() {
    for name in [
        "", " ", "no name", "a\n", "a;b", "a,b", "(", "a)", "{", "}", "a=b",
    ] {
        assert!(Parquet::new(Vec::new(), &[("n", Kind::U16), (name, Kind::U16)], &[]).is_err());
    }
    for name in ["a.b", "é", "max_1", "\""] {
        let file = reader(&written(
            &[(name, Kind::U16)],
            &[],
            &[vec![Column::Small(vec![7])]],
        ));
        let column = file.metadata().row_group(0).column(0).column_path().parts();
        assert_eq!(column, [name]);
        assert!(read(&file, &[Kind::U16])[0] == [Column::Small(vec![7])]);
    }
}

#[test]
fn an_error_of_the_goal_keeps_its_kind() {
    /// Has room for so many bytes.
    struct Pipe(usize);
    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let size = bytes.len().min(self.0);
            self.0 -= size;
            match size {
                0 if !bytes.is_empty() => Err(ErrorKind::BrokenPipe.into()),
                _ => Ok(size),
            }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let write = |room| {
        let mut out = Parquet::new(Pipe(room), &columns(), &[])?;
        out.block(&block(4, 5))?;
        out.finish()
    };
    let size = written(&columns(), &[], &[block(4, 5)]).len();
    for room in 0..size {
        assert_eq!(write(room).unwrap_err().kind(), ErrorKind::BrokenPipe);
    }
    assert!(write(size).is_ok());
}
