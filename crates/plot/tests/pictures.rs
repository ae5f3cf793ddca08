//! What pictures look like, as text and as pixels.

use std::fmt::Write as _;

use grundy_plot::{
    Depth, Kind, Labels, MISSING, Map, Picture, Repeat, Scale, Screen, Series, Theme,
};
use miniz_oxide::inflate::decompress_to_vec_zlib;

fn labels() -> Labels {
    Labels {
        title: "Take < & \"break\"".to_owned(),
        subtitle: "Grundy values".to_owned(),
        notes: vec!["Known by a test.".to_owned()],
    }
}

fn series(values: Vec<u32>, scale: Scale) -> Picture {
    Picture::Series(Series {
        axis: "n".to_owned(),
        values,
        scale,
        repeat: Some(Repeat {
            from: 3,
            length: 4,
            label: "period 4".to_owned(),
            exceptions: vec![1],
        }),
    })
}

/// Nim with two heaps, but that no heap is larger than the other by more than `apart`.
fn nim(side: u32, apart: u32, kind: Kind) -> Picture {
    let cell = |a: u32, b: u32| match kind {
        _ if a.abs_diff(b) > apart => MISSING,
        Kind::Outcomes => u32::from(a != b),
        Kind::Values(_) => a ^ b,
    };
    Picture::Map(Map {
        axes: vec!["a".to_owned(), "b".to_owned()],
        size: [side as usize, side as usize],
        cells: (0..side)
            .flat_map(|a| (0..side).map(move |b| cell(a, b)))
            .collect(),
        kind,
    })
}

fn strip(outcomes: &[u32]) -> Picture {
    Picture::Map(Map {
        axes: vec!["n".to_owned()],
        size: [outcomes.len(), 1],
        cells: outcomes.to_vec(),
        kind: Kind::Outcomes,
    })
}

const VALUES: Kind = Kind::Values(Scale::Linear);

fn small() -> Vec<(&'static str, Picture)> {
    let values = vec![0, 3, 1, 2, 0, 1, 2, 2, 0, 1, 2];
    vec![
        ("points", series(values.clone(), Scale::Linear)),
        ("points by logarithm", series(values.clone(), Scale::Log)),
        ("points modulo 2", series(values, Scale::Mod(2))),
        ("values", nim(4, 2, VALUES)),
        ("values by logarithm", nim(3, 9, Kind::Values(Scale::Log))),
        ("values modulo 2", nim(3, 9, Kind::Values(Scale::Mod(2)))),
        ("outcomes", nim(5, 3, Kind::Outcomes)),
        ("a strip", strip(&[1, 0, 1, 1, 0, MISSING])),
        ("nothing", series(vec![], Scale::Log)),
        ("one", series(vec![0], Scale::Linear)),
    ]
}

#[test]
fn as_svg() {
    let mut all = String::new();
    for (name, picture) in small() {
        let _ = writeln!(
            all,
            "{name}\n{}",
            grundy_plot::svg(&picture, &labels(), Theme::Light)
        );
    }
    let dark = grundy_plot::svg(&nim(3, 1, VALUES), &labels(), Theme::Dark);
    insta::assert_snapshot!(all + &dark);
}

#[test]
fn as_text() {
    let mut all = String::new();
    for (unicode, colour) in [
        (true, Depth::None),
        (false, Depth::None),
        (true, Depth::Cube),
        (true, Depth::Full),
    ] {
        for (name, picture) in small() {
            let screen = Screen {
                columns: 50,
                unicode,
                colour,
            };
            let text = grundy_plot::term(&picture, &labels(), &screen);
            assert!(unicode || text.is_ascii(), "{text}");
            assert_eq!(colour == Depth::None, !text.contains('\x1b'), "{text}");
            let _ = writeln!(all, "{name}, unicode: {unicode}, {colour:?}\n{text}");
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn lines_of_text_keep_to_the_width() {
    for columns in [0, 24, 61, 200] {
        for unicode in [true, false] {
            for picture in [
                nim(70, 100, VALUES),
                nim(500, 100, Kind::Outcomes),
                series((0..5000).map(|n| n % 321).collect(), Scale::Log),
                strip(&(0..999).map(|n| n % 3).collect::<Vec<_>>()),
            ] {
                let screen = Screen {
                    columns,
                    unicode,
                    colour: Depth::None,
                };
                let labels = Labels {
                    title: "T".to_owned(),
                    ..Labels::default()
                };
                let text = grundy_plot::term(&picture, &labels, &screen);
                let drawn = text
                    .lines()
                    .filter(|l| l.contains(['│', '|', '└', '+']) && !l.contains("from"));
                for line in drawn {
                    assert!(line.chars().count() <= columns.max(24), "{columns}: {line}");
                }
            }
        }
    }
}

/// The width, the height and the rows of a PNG file, with what is before and in each chunk checked.
fn decode(bytes: &[u8]) -> (usize, usize, u8, Vec<Vec<u8>>) {
    assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut data) = (8, Vec::new());
    let (width, height, kind) = (number(16), number(20), bytes[25]);
    while at < bytes.len() {
        let (size, name) = (number(at), &bytes[at + 4..at + 8]);
        if name == b"IDAT" {
            data.extend(&bytes[at + 8..at + 8 + size]);
        }
        at += size + 12;
    }
    assert_eq!(&bytes[at - 8..at - 4], b"IEND");
    let rows = decompress_to_vec_zlib(&data).unwrap();
    let each = if kind == 2 { 3 } else { 1 };
    assert_eq!(rows.len(), height * (width * each + 1));
    let rows = rows.chunks(width * each + 1).map(|row| row[1..].to_vec());
    (width, height, kind, rows.collect())
}

/// The image inside of an SVG file.
fn image(svg: &str) -> Vec<u8> {
    let start = svg.find("base64,").unwrap() + 7;
    let text = &svg[start..start + svg[start..].find('"').unwrap()];
    let digit = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut out = Vec::new();
    for four in text.as_bytes().chunks(4) {
        let bits = four
            .iter()
            .filter(|c| **c != b'=')
            .fold(0u32, |b, &c| b << 6 | u32::from(digit(c)));
        let known = four.iter().filter(|c| **c != b'=').count();
        let bits = bits << (6 * (4 - known));
        out.extend(&bits.to_be_bytes()[1..known]);
    }
    out
}

/// Where the P-positions are marked in the matrix of 8-bit places.
const LOST: u8 = 251;

#[test]
fn large_maps_are_images_with_each_cell_in_its_place() {
    let side = 100;
    let svg = grundy_plot::svg(&nim(side, 60, VALUES), &labels(), Theme::Light);
    assert!(svg.contains("image-rendering:pixelated"));
    assert!(svg.len() < 40_000);
    let (width, height, kind, rows) = decode(&image(&svg));
    assert_eq!((width, height, kind), (100, 100, 3));
    for (up, row) in rows.iter().rev().enumerate() {
        for (right, &pixel) in row.iter().enumerate() {
            let apart = right.abs_diff(up);
            assert_eq!(pixel == LOST, apart == 0, "{right} {up}");
            assert_eq!(pixel == 253, apart > 60, "{right} {up}");
            if apart <= 60 && apart > 0 {
                assert_eq!(usize::from(pixel), (right ^ up) * 250 / 127, "{right} {up}");
            }
        }
    }
}

#[test]
fn blocks_are_marked_where_a_cell_is_and_that_is_said() {
    let side = 3000;
    for (kind, said) in [
        (VALUES, "3 × 3 positions: it has their mean colour"),
        (
            Kind::Values(Scale::Mod(4)),
            "3 × 3 positions: it has their most frequent colour",
        ),
        (Kind::Outcomes, "3 × 3 positions, and is marked"),
    ] {
        let svg = grundy_plot::svg(&nim(side, side, kind), &labels(), Theme::Dark);
        assert!(svg.contains(said), "{said}");
        let (width, height, _, rows) = decode(&image(&svg));
        assert_eq!((width, height), (1000, 1000));
        for (y, row) in rows.iter().enumerate() {
            for (x, &pixel) in row.iter().enumerate() {
                assert_eq!(pixel == LOST, x + y == 999);
            }
        }
    }
}

#[test]
fn many_points_are_pixels() {
    let values: Vec<u32> = (0..50_000)
        .map(|n| if n == 30_000 { 0 } else { 1 + n % 7 })
        .collect();
    let svg = grundy_plot::svg(&series(values, Scale::Linear), &labels(), Theme::Light);
    assert!(svg.contains("Points are drawn as pixels"));
    let (width, _, _, rows) = decode(&image(&svg));
    let lost: Vec<usize> = (0..width)
        .filter(|&x| rows.iter().any(|row| row[x] == 2))
        .collect();
    assert_eq!(lost[0], 30_000 * width / 50_000);
    assert!(lost.len() <= 3);
    // The exception 1 stands in the first pixels, and every column has a point.
    assert!((0..width).all(|x| rows.iter().any(|row| row[x] != 0)));
    assert!(rows.iter().any(|row| row[0] == 3));
}

#[test]
fn a_png_has_the_pixels_of_its_picture() {
    for (theme, paper) in [(Theme::Light, [255; 3]), (Theme::Dark, [0x14, 0x17, 0x1c])] {
        let picture = nim(60, 60, VALUES);
        let png = grundy_plot::png(&picture, &labels(), theme);
        assert_eq!(png, grundy_plot::png(&picture, &labels(), theme));
        let (width, height, kind, rows) = decode(&png);
        assert_eq!(kind, 2);
        assert_eq!(rows[0][..3], paper);
        let white = |x: usize, y: usize| rows[y][3 * x..3 * x + 3] == [255; 3];
        let dark = |x: usize, y: usize| rows[y][3 * x..3 * x + 3] == [0x1b, 0x1f, 0x24];
        // The diagonal: from the first cell in the lower left corner, each a cell up and to the right, a disk on white.
        let cell = 22;
        let place = (0..width)
            .flat_map(|x| (0..height).map(move |y| (x, y)))
            .find(|&(x, y)| {
                x >= 9
                    && y >= 59 * cell
                    && (0..60).all(|i| {
                        let (x, y) = (x + i * cell, y - i * cell);
                        x + 9 < width
                            && y + 9 < height
                            && dark(x, y)
                            && white(x - 9, y)
                            && white(x, y + 9)
                    })
            });
        assert!(place.is_some());
    }
    for (name, picture) in small() {
        let (width, height, ..) = decode(&grundy_plot::png(&picture, &labels(), Theme::Light));
        assert!(width > 1000 && height > 150, "{name}");
    }
}
