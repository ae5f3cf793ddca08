//! The letters of pictures: how wide they are, and their outlines. See `font/README.md` for where they come from.

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FACES: LazyLock<[Option<Face<'static>>; 2]> = LazyLock::new(|| {
    [
        &include_bytes!("../font/Roboto-Regular.subset.ttf")[..],
        &include_bytes!("../font/Roboto-Bold.subset.ttf")[..],
    ]
    .map(|bytes| Face::parse(bytes, 0).ok())
});

/// What stands for a letter that the font does not have.
const UNKNOWN: char = '?';
/// The font that shows an SVG file may be wider than ours by as much.
const SLACK: f64 = 1.08;

fn face(bold: bool) -> Option<&'static Face<'static>> {
    FACES[usize::from(bold)].as_ref()
}

fn glyph(face: &Face, c: char) -> Option<GlyphId> {
    face.glyph_index(c).or_else(|| face.glyph_index(UNKNOWN))
}

/// How wide a text is.
pub fn width(text: &str, size: f64, bold: bool) -> f64 {
    let Some(face) = face(bold) else { return 0.0 };
    let units: u64 = text
        .chars()
        .filter_map(|c| face.glyph_hor_advance(glyph(face, c)?))
        .map(u64::from)
        .sum();
    units as f64 * size / f64::from(face.units_per_em())
}

/// The room that a text should have.
pub fn room(text: &str, size: f64, bold: bool) -> f64 {
    width(text, size, bold) * SLACK
}

/// A letter.
pub struct Glyph {
    face: &'static Face<'static>,
    id: GlyphId,
}

impl Glyph {
    /// The size of letters in the units of their outlines.
    pub fn units(&self) -> f64 {
        f64::from(self.face.units_per_em())
    }

    /// Gives its outline to a builder, in units of the font, upwards.
    pub fn outline(&self, builder: &mut dyn OutlineBuilder) {
        // Blanks have none.
        let _ = self.face.outline_glyph(self.id, builder);
    }
}

/// The letters of a text, each with how far its start is from that of the text.
pub fn glyphs(text: &str, size: f64, bold: bool) -> Vec<(f64, Glyph)> {
    let Some(face) = face(bold) else {
        return Vec::new();
    };
    let unit = size / f64::from(face.units_per_em());
    let mut x = 0u64;
    let ids = text.chars().filter_map(|c| glyph(face, c));
    ids.map(|id| {
        let from = x as f64 * unit;
        x += u64::from(face.glyph_hor_advance(id).unwrap_or(0));
        (from, Glyph { face, id })
    })
    .collect()
}

/// A text in lines of at most this width, broken at blanks where there are any; what does not fit in `most` lines is cut.
pub fn wrap(text: &str, size: f64, bold: bool, width: f64, most: usize) -> Vec<String> {
    let fits = |line: &str| room(line, size, bold) <= width;
    let mut lines = vec![String::new()];
    let mut cut = false;
    'words: for word in text.split_whitespace() {
        let mut rest = word;
        loop {
            let line = lines.last_mut().expect("there is a line");
            let joined = if line.is_empty() {
                rest.to_owned()
            } else {
                format!("{line} {rest}")
            };
            if fits(&joined) {
                *line = joined;
                break;
            }
            if line.is_empty() {
                // A word longer than a line.
                let mut end = 0;
                for (at, c) in rest.char_indices() {
                    if at > 0 && !fits(&rest[..at + c.len_utf8()]) {
                        break;
                    }
                    end = at + c.len_utf8();
                }
                line.push_str(&rest[..end]);
                rest = &rest[end..];
                if rest.is_empty() {
                    break;
                }
            }
            if lines.len() >= most {
                cut = true;
                break 'words;
            }
            lines.push(String::new());
        }
    }
    if cut {
        let line = lines.last_mut().expect("there is a line");
        while !fits(&format!("{line}…")) && line.pop().is_some() {}
        *line = format!("{}…", line.trim_end());
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fonts_are_there_and_have_the_letters() {
        for bold in [false, true] {
            let face = face(bold).unwrap();
            for c in (' '..='~').chain("éßőΣα–—‘’“”•…−≠≤≥×·".chars())
            {
                assert!(face.glyph_index(c).is_some(), "{c}");
            }
            assert!(width("mm", 10.0, bold) > width("ii", 10.0, bold));
            // Columns of numbers stand below each other.
            assert_eq!(width("111", 10.0, bold), width("888", 10.0, bold));
        }
        assert_eq!(width("囲碁", 10.0, false), width("??", 10.0, false));
    }

    #[test]
    fn texts_are_broken_at_blanks_and_cut() {
        let wide = |text: &str| room(text, 10.0, false);
        let lines = wrap("one two three", 10.0, false, wide("one two"), 5);
        assert_eq!(lines, ["one two", "three"]);
        let lines = wrap("aaaaaaaaaa", 10.0, false, wide("aaaa"), 5);
        assert_eq!(lines, ["aaaa", "aaaa", "aa"]);
        let lines = wrap("one two three four", 10.0, false, wide("one two"), 1);
        assert_eq!(lines.len(), 1);
        assert!(lines[0].starts_with("one") && lines[0].ends_with('…'));
        assert!(wide(&lines[0]) <= wide("one two"));
        assert!(wrap("", 10.0, false, 50.0, 3).is_empty());
        // Nothing fits: no end without a letter more.
        assert!(wrap("abc", 10.0, false, 0.0, 2).len() <= 2);
    }
}
