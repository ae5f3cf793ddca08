//! Pictures made of letters, for a terminal: Braille dots for points, half blocks for cells, or ASCII.

use std::fmt::Write as _;

use crate::colour::{Rgb, Theme, ramp};
use crate::map::{blocks, shared};
use crate::picture::{Kind, Labels, MISSING, Map, Picture, Scale, Series};
use crate::scale::{Heights, ONE, grouped, steps};
use crate::scatter::{greatest, what};

/// What a terminal can show.
#[derive(Clone, Copy, Debug)]
pub struct Screen {
    /// Letters of a line.
    pub columns: usize,
    /// Whether it has more than ASCII.
    pub unicode: bool,
    /// Its colours.
    pub colour: Depth,
}

/// The colours that a terminal has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// None, or none are wanted.
    None,
    /// A cube of 216.
    Cube,
    /// All of them.
    Full,
}

/// The lines of a chart of points.
const LINES: usize = 18;
/// The most lines of a map.
const TALL: usize = 44;
/// The fewest letters of a line that a picture is laid out for.
const NARROW: usize = 24;
/// The greatest width of a cell in letters.
const CELL: usize = 3;

/// The picture as lines.
pub fn draw(picture: &Picture, labels: &Labels, screen: &Screen) -> String {
    let screen = Screen {
        columns: screen.columns.max(NARROW),
        ..*screen
    };
    let mut labels = labels.clone();
    let body = match picture {
        Picture::Series(series) => points(series, &mut labels, &screen),
        Picture::Map(map) => cells(map, &mut labels, &screen),
    };
    let mut out = String::new();
    for line in wrap(&labels.title, screen.columns) {
        let _ = writeln!(out, "{}", screen.code("1", &line));
    }
    for line in wrap(&labels.subtitle, screen.columns) {
        let _ = writeln!(out, "{line}");
    }
    let _ = write!(out, "\n{body}");
    if let (Picture::Series(_), false) = (picture, labels.notes.is_empty()) {
        out.push('\n');
    }
    for note in &labels.notes {
        for line in wrap(note, screen.columns) {
            let _ = writeln!(out, "{line}");
        }
    }
    if screen.unicode {
        out
    } else {
        out.replace('×', "x")
            .replace('≥', ">=")
            .replace('≤', "<=")
            .replace('–', "-")
            .replace('…', "...")
    }
}

impl Screen {
    fn has_colour(&self) -> bool {
        self.colour != Depth::None
    }

    /// What makes a colour that of the letters (38) or of what is behind them (48).
    fn ground(&self, ground: u8, colour: Rgb) -> String {
        let [r, g, b] = colour.parts();
        match self.colour {
            Depth::None => String::new(),
            Depth::Cube => format!("\x1b[{ground};5;{}m", nearest(colour)),
            Depth::Full => format!("\x1b[{ground};2;{r};{g};{b}m"),
        }
    }

    fn painted(&self, colour: Rgb, text: &str) -> String {
        format!("{}{text}\x1b[0m", self.ground(38, colour))
    }

    fn code(&self, code: &str, text: &str) -> String {
        if self.has_colour() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The places on an axis of so many letters, and below them the numbers that stand there, as far as they have room.
fn axis(ticks: &[(usize, u64)], width: usize) -> String {
    let mut line = String::new();
    for &(at, n) in ticks {
        let text = grouped(n);
        let start = (at + 1).saturating_sub(text.len().div_ceil(2));
        let start = start.min(width.saturating_sub(text.len()));
        let used = line.chars().count();
        if used > 0 && start <= used {
            continue;
        }
        line.extend(std::iter::repeat_n(' ', start - used));
        line.push_str(&text);
    }
    line
}

/// What is at a place of the chart, the last the most important.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kinds {
    Nothing,
    Point,
    Lost,
    Exception,
}

fn points(series: &Series, labels: &mut Labels, screen: &Screen) -> String {
    let max = greatest(&series.values);
    let heights = Heights::new(series.scale, max);
    let ticks = heights.ticks(max, LINES / 3);
    let margin = ticks
        .iter()
        .map(|&t| grouped(t.into()).len())
        .max()
        .unwrap_or(1);
    let columns = screen.columns - margin - 2;
    let [dots_x, dots_y] = if screen.unicode { [2, 4] } else { [1, 1] };
    let (wide, high) = (columns * dots_x, LINES * dots_y);
    let count = series.values.len().max(1);
    // A dot for each n, or a few of them, where there is room.
    let spread = (wide / count).max(1);
    let used = if count < wide { count * spread } else { wide };
    let x = |n: usize| match count < wide {
        true => n * spread + spread / 2,
        false => (n as u128 * wide as u128 / count as u128) as usize,
    };
    let row = |v: u32| (heights.of(v) * (high as u64 - 1) + ONE / 2) / ONE;
    let mut masks = vec![0u8; columns * LINES];
    let mut kinds = vec![Kinds::Nothing; columns * LINES];
    let repeat = series.repeat.as_ref();
    let mut exceptions = repeat.map_or(&[][..], |r| &r.exceptions).iter().peekable();
    for (n, &value) in series.values.iter().enumerate() {
        let exception = exceptions.next_if(|&&e| e == n as u64).is_some();
        if value == MISSING {
            continue;
        }
        let (i, j) = (x(n), high - 1 - row(value) as usize);
        let at = j / dots_y * columns + i / dots_x;
        // The dots of Braille patterns, by columns.
        const DOTS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];
        masks[at] |= DOTS[i % dots_x % 2][j % dots_y % 4];
        let kind = match value {
            _ if exception => Kinds::Exception,
            0 => Kinds::Lost,
            _ => Kinds::Point,
        };
        kinds[at] = kinds[at].max(kind);
    }
    let upright = if screen.unicode { '│' } else { '|' };
    let corner = if screen.unicode { '└' } else { '+' };
    let flat = if screen.unicode { '─' } else { '-' };
    let mut out = format!("{}\n", screen.code("1", &what(&series.axis, series.scale)));
    for line in 0..LINES {
        let here = |t: &&u32| (high - 1 - row(**t) as usize) / dots_y == line;
        let label = ticks
            .iter()
            .rfind(here)
            .map_or_else(String::new, |&t| grouped(t.into()));
        let _ = write!(out, "{label:>margin$} {upright}");
        let mut text = String::new();
        let from = line * columns;
        let mut at = from;
        for run in kinds[from..from + columns].chunk_by(|a, b| a == b) {
            let letters: String = masks[at..at + run.len()]
                .iter()
                .map(|&mask| match (mask, screen.unicode) {
                    (0, _) => ' ',
                    (mask, true) => char::from_u32(0x2800 + u32::from(mask)).unwrap_or('*'),
                    (_, false) if run[0] == Kinds::Exception => '!',
                    (_, false) if run[0] == Kinds::Lost => '0',
                    (_, false) => '*',
                })
                .collect();
            at += run.len();
            text.push_str(&match run[0] {
                Kinds::Exception => screen.code("1;35", &letters),
                Kinds::Lost => screen.code("1;33", &letters),
                Kinds::Point => screen.code("36", &letters),
                Kinds::Nothing => letters,
            });
        }
        let _ = writeln!(out, "{}", text.trim_end());
    }
    let last = count as u64 - 1;
    let marks: Vec<(usize, u64)> = steps(last, columns / 12)
        .map(|n| (x(n as usize) / dots_x, n))
        .collect();
    let _ = writeln!(
        out,
        "{:margin$} {corner}{}",
        "",
        flat.to_string().repeat(columns)
    );
    let _ = writeln!(out, "{:margin$}  {}", "", axis(&marks, columns));
    let end = (used / dots_x).min(columns);
    if let Some(repeat) = repeat {
        let place = |n: u64| match usize::try_from(n) {
            Ok(n) if n < count => x(n) / dots_x,
            _ => end,
        };
        let (from, to) = (
            place(repeat.from),
            place(repeat.from.saturating_add(repeat.length)),
        );
        let (dot, bar) = if screen.unicode {
            ("·", "━")
        } else {
            (".", "=")
        };
        let line = format!(
            "{}{}",
            dot.repeat(from),
            bar.repeat((to - from).max(usize::from(from < end)))
        );
        let _ = writeln!(out, "{:margin$}  {}", "", line.trim_end());
        let mut legend = Vec::new();
        if repeat.from > 0 {
            legend.push(format!("{dot} before the period"));
        }
        if from < end {
            legend.push(format!("{bar} {}", repeat.label));
        }
        labels.notes.insert(0, legend.join(", "));
        let shown: Vec<String> = repeat
            .exceptions
            .iter()
            .take(20)
            .map(u64::to_string)
            .collect();
        if !shown.is_empty() {
            let more = if repeat.exceptions.len() > 20 {
                ", …"
            } else {
                ""
            };
            let are = format!("exceptions: {} = {}{more}", series.axis, shown.join(", "));
            labels.notes.insert(1, are);
        }
    }
    if series.values.contains(&0) && !matches!(series.scale, Scale::Mod(_)) {
        labels.notes.insert(
            0,
            "P-positions have the value 0: the lowest row of points".to_owned(),
        );
    }
    out
}

fn cells(map: &Map, labels: &mut Labels, screen: &Screen) -> String {
    let strip = map.axes.len() == 1;
    let last = map.size.map(|n| n.saturating_sub(1) as u64);
    let margin = if strip { 0 } else { grouped(last[1]).len() };
    let columns = screen.columns - margin - 2;
    // Without half blocks a cell is two letters wide.
    let halves = screen.unicode && (screen.has_colour() || map.kind == Kind::Outcomes);
    let (most, tall) = match halves {
        true => (columns, 2 * TALL),
        false => (columns / 2, TALL),
    };
    let blocks = blocks(map, [most, tall]);
    let [wide, high] = blocks.size;
    let many = if blocks.each == [1, 1] {
        (most / wide.max(1)).min(tall / high.max(1)).clamp(1, CELL)
    } else {
        1
    };
    // A strip is a few lines high.
    let (wide, high, up) = match strip {
        true => (wide * many, if halves { 6 } else { 3 }, usize::MAX),
        false => (wide * many, high * many, many),
    };
    let steps_of = |x: usize, y: usize| {
        let at = x / many * blocks.size[1] + if strip { 0 } else { y / up };
        (blocks.steps[at], blocks.lost[at])
    };
    let colours = Theme::Dark.colours();
    let colour = |x: usize, y: usize| -> Option<Rgb> {
        let (step, lost) = steps_of(x, y);
        Some(match (step?, map.kind) {
            (_, Kind::Outcomes) if lost => colours.lost,
            (_, Kind::Outcomes) => colours.won,
            _ if lost => colours.zero,
            (step, _) => ramp(step.into(), 250),
        })
    };
    let upright = if screen.unicode { "│" } else { "|" };
    let corner = if screen.unicode { "└" } else { "+" };
    let flat = if screen.unicode { "─" } else { "-" };
    let mut out = String::new();
    if let Some(name) = map.axes.get(1) {
        let _ = writeln!(out, "{:>margin$}", screen.code("1", name));
    }
    let per_line = if halves { 2 } else { 1 };
    let lines = high.div_ceil(per_line);
    // The line, from above, on which a y stands.
    let line_of = |n: u64| lines - 1 - (n as usize / blocks.each[1] * many + many / 2) / per_line;
    let ticks: Vec<(usize, u64)> = match strip {
        true => Vec::new(),
        false => steps(last[1], (lines / 4).max(1))
            .map(|n| (line_of(n), n))
            .collect(),
    };
    for line in 0..lines {
        if !strip {
            let tick = ticks.iter().find(|(at, _)| *at == line);
            let label = tick.map_or_else(String::new, |(_, n)| grouped(*n));
            let _ = write!(out, "{label:>margin$} {upright}");
        }
        let mut text = String::new();
        let y = (lines - 1 - line) * per_line;
        if halves && screen.has_colour() {
            let pair = |x| {
                let upper = (y + 1 < high).then(|| colour(x, y + 1)).flatten();
                (upper, colour(x, y))
            };
            let pairs: Vec<_> = (0..wide).map(pair).collect();
            for run in pairs.chunk_by(|a, b| a == b) {
                text.push_str(&halves_of(screen, run.len(), run[0].0, run[0].1));
            }
        } else if halves {
            let dark = |x, y| y < high && steps_of(x, y).1;
            text.extend((0..wide).map(|x| match (dark(x, y + 1), dark(x, y)) {
                (false, false) => ' ',
                (true, false) => '▀',
                (false, true) => '▄',
                (true, true) => '█',
            }));
        } else {
            text.extend((0..wide).map(|x| letters(map.kind, steps_of(x, y), screen)));
        }
        let _ = writeln!(out, "{}", text.trim_end());
    }
    let letters = if halves { 1 } else { 2 };
    let marks: Vec<(usize, u64)> = steps(last[0], (wide * letters / 10).max(1))
        .map(|n| ((n as usize / blocks.each[0] * many + many / 2) * letters, n))
        .collect();
    let indent = if strip { 0 } else { margin + 2 };
    if !strip {
        let _ = writeln!(
            out,
            "{:margin$} {corner}{}",
            "",
            flat.repeat(wide * letters)
        );
    }
    let numbers = axis(&marks, (wide * letters).max(1));
    let _ = writeln!(
        out,
        "{:indent$}{numbers}  {}",
        "",
        screen.code("1", &map.axes[0])
    );
    out.push('\n');
    for line in key(map, screen) {
        let _ = writeln!(out, "{line}");
    }
    labels.notes.extend(shared(
        map,
        &blocks,
        if halves {
            "half block"
        } else {
            "pair of letters"
        },
    ));
    out
}

/// So many pairs of equal cells, one over the other.
fn halves_of(screen: &Screen, count: usize, upper: Option<Rgb>, lower: Option<Rgb>) -> String {
    let letters = |letter: &str| letter.repeat(count);
    match (upper, lower) {
        (None, None) => letters(" "),
        (Some(a), None) => screen.painted(a, &letters("▀")),
        (None, Some(b)) => screen.painted(b, &letters("▄")),
        (Some(a), Some(b)) if a == b => screen.painted(a, &letters("█")),
        (Some(a), Some(b)) => format!(
            "{}{}{}\x1b[0m",
            screen.ground(38, a),
            screen.ground(48, b),
            letters("▀")
        ),
    }
}

/// The nearest of the 216 colours of a cube, by its number in a terminal.
fn nearest(colour: Rgb) -> u32 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let [r, g, b] = colour.parts().map(|c| {
        let near = (0..6).min_by_key(|&i| LEVELS[i].abs_diff(c));
        near.unwrap_or(0) as u32
    });
    16 + 36 * r + 6 * g + b
}

/// A cell as two letters.
fn letters(kind: Kind, (step, lost): (Option<u8>, bool), screen: &Screen) -> String {
    let Some(step) = step else {
        return if screen.unicode { "··" } else { "??" }.to_owned();
    };
    let shade = match (kind, lost, screen.unicode) {
        (_, true, true) => "██",
        (_, true, false) => "##",
        (Kind::Outcomes, false, true) => "  ",
        (Kind::Outcomes, false, false) => "..",
        (_, false, unicode) => {
            let shades = if unicode {
                ["  ", "░░", "▒▒", "▓▓"]
            } else {
                ["  ", "..", "::", "++"]
            };
            shades[usize::from(step) * 4 / 251]
        }
    };
    if screen.has_colour() {
        let colours = Theme::Dark.colours();
        let colour = match (kind, lost) {
            (Kind::Outcomes, true) => colours.lost,
            (Kind::Outcomes, false) => colours.won,
            (_, true) => colours.zero,
            (_, false) => ramp(step.into(), 250),
        };
        return screen.painted(colour, shade);
    }
    shade.to_owned()
}

/// What the cells mean.
fn key(map: &Map, screen: &Screen) -> Vec<String> {
    let max = greatest(&map.cells);
    let halves = screen.unicode && (screen.has_colour() || map.kind == Kind::Outcomes);
    let full = if screen.unicode { "█" } else { "#" };
    let block = |c: Rgb| screen.painted(c, full);
    let colours = Theme::Dark.colours();
    let mut out = match map.kind {
        Kind::Outcomes if screen.has_colour() => vec![format!(
            "{} P: the previous player wins   {} N: the next player wins",
            block(colours.lost),
            block(colours.won)
        )],
        Kind::Outcomes => {
            let [p, n] = if screen.unicode {
                ["█", "blank"]
            } else {
                ["##", ".."]
            };
            vec![format!(
                "{p} P: the previous player wins; {n} N: the next player wins"
            )]
        }
        Kind::Values(scale) => {
            let name = what(&map.axes.join(", "), scale);
            let heights = Heights::new(scale, max);
            let top = match scale {
                Scale::Mod(m) => m.max(1) - 1,
                _ => max,
            };
            if screen.has_colour() {
                let bar: String = (0..32).map(|i| block(ramp(i, 31))).collect();
                vec![
                    format!("{name}: 0 {bar} {}", grouped(top.into())),
                    format!("{} P-position (value 0)", block(colours.zero)),
                ]
            } else {
                let shades = if screen.unicode {
                    ["  ", "░░", "▒▒", "▓▓"]
                } else {
                    ["  ", "..", "::", "++"]
                };
                // The least value of each shade.
                let shade = |v: u32| (heights.of(v) * 250 / ONE) as usize * 4 / 251;
                let first = |s: usize| {
                    let (mut low, mut high) = (0, top + 1);
                    while low < high {
                        let middle = low + (high - low) / 2;
                        if shade(middle) < s {
                            low = middle + 1;
                        } else {
                            high = middle;
                        }
                    }
                    low
                };
                // Other values than 0 may have its remainder.
                let least = u32::from(!matches!(scale, Scale::Mod(_)));
                let mut parts = Vec::new();
                for (i, letters) in shades.iter().enumerate() {
                    let from = first(i).max(least);
                    let end = if i == 3 {
                        top
                    } else {
                        first(i + 1).saturating_sub(1)
                    };
                    if from <= end {
                        let name = if i == 0 { "blank" } else { letters };
                        parts.push(format!("{name} from {}", grouped(from.into())));
                    }
                }
                let p = if screen.unicode { "██" } else { "##" };
                parts.push(format!("{p} P-position (value 0)"));
                vec![format!("{name}: {}", parts.join(", "))]
            }
        }
    };
    if map.cells.contains(&MISSING) {
        let none = match (screen.unicode, halves) {
            (_, true) => "blank",
            (true, false) => "··",
            (false, false) => "??",
        };
        out.push(format!("{none} no position"));
    }
    out
}
