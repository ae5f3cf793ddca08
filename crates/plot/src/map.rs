//! Cells in colours: values or outcomes of pairs, and of single numbers in a strip.
//!
//! Where there are more cells than pixels, a pixel stands for a block of them, and that is said: of values it has the mean
//! colour, of remainders the most frequent, and it is marked where one of them is a P-position.

use crate::chart::{Chart, Entry, LABEL, Look, MARGIN};
use crate::colour::{Theme, ramp};
use crate::font;
use crate::picture::{Kind, Labels, MISSING, Map, Scale};
use crate::scale::{Heights, ONE, grouped, steps};
use crate::scatter::{greatest, what};
use crate::scene::{Anchor, DENSITY, Mark, Scene, Shape};

/// The most pixels of a side, and the fewest, if a cell may be as large as that takes.
const MOST: usize = 1360;
const LEAST: usize = 240;
/// The most pixels of a side of a cell.
const CELL: usize = 88;
/// The most pixels of the height of a strip.
const STRIP: usize = 120;
/// How wide a picture is at least.
const WIDTH: f64 = 640.0;
/// From this size on, in points, cells have lines between them, and P-positions a mark.
const LINES: f64 = 8.0;
/// From this size on they have their value written in them.
const NUMBERS: f64 = 19.0;

/// Steps of a colour scale.
const STEPS: usize = 250;
/// A P-position, an N-position, no position.
const LOST: u8 = 251;
const WON: u8 = 252;
const NONE: u8 = 253;
/// More remainders than this have a scale in place of a square each.
const SQUARES: u32 = 16;
/// Logarithms of values up to this are looked up.
const LOOKED_UP: u32 = 1 << 20;

/// From values to steps of the colour scale.
struct Steps {
    heights: Heights,
    known: Vec<u8>,
}

impl Steps {
    fn new(scale: Scale, max: u32) -> Self {
        let heights = Heights::new(scale, max);
        let step = |v| Self::step(&heights, v);
        let known = if max <= LOOKED_UP {
            (0..=max).map(step).collect()
        } else {
            Vec::new()
        };
        Steps { heights, known }
    }

    fn step(heights: &Heights, value: u32) -> u8 {
        (heights.of(value) * STEPS as u64 / ONE) as u8
    }

    fn of(&self, value: u32) -> u8 {
        match self.known.get(value as usize) {
            Some(step) => *step,
            None => Self::step(&self.heights, value),
        }
    }
}

/// What the pixels of a map are, as many columns to the right and rows upwards as it has blocks.
pub struct Blocks {
    /// How many cells are a block, to the right and upwards.
    pub each: [usize; 2],
    /// How many blocks there are, to the right and upwards.
    pub size: [usize; 2],
    /// Whether one of the cells is a P-position, by columns.
    pub lost: Vec<bool>,
    /// The cell of each block as a step of the colour scale, of outcomes 0; `None` if it has no position.
    pub steps: Vec<Option<u8>>,
}

/// Makes at most so many blocks to the right and upwards.
pub fn blocks(map: &Map, most: [usize; 2]) -> Blocks {
    let [nx, ny] = map.size;
    let each = [
        nx.div_ceil(most[0].max(1)).max(1),
        ny.div_ceil(most[1].max(1)).max(1),
    ];
    let size = [nx.div_ceil(each[0]), ny.div_ceil(each[1])];
    let scale = match map.kind {
        Kind::Values(scale) => scale,
        Kind::Outcomes => Scale::Linear,
    };
    let colours = Steps::new(scale, greatest(&map.cells));
    let mut out = Blocks {
        each,
        size,
        lost: Vec::with_capacity(size[0] * size[1]),
        steps: Vec::with_capacity(size[0] * size[1]),
    };
    let mut counts = [0u32; STEPS + 1];
    for bx in 0..size[0] {
        for by in 0..size[1] {
            let (mut sum, mut known, mut lost) = (0u64, 0u64, false);
            let mut frequent: Option<u8> = None;
            counts.fill(0);
            for x in bx * each[0]..((bx + 1) * each[0]).min(nx) {
                let column = &map.cells[x * ny..(x + 1) * ny];
                for &value in &column[by * each[1]..((by + 1) * each[1]).min(ny)] {
                    if value == MISSING {
                        continue;
                    }
                    lost |= value == 0;
                    known += 1;
                    let step = match map.kind {
                        Kind::Values(_) => colours.of(value),
                        Kind::Outcomes => 0,
                    };
                    sum += u64::from(step);
                    if matches!(scale, Scale::Mod(_)) {
                        counts[usize::from(step)] += 1;
                        // The least of the most frequent.
                        let rank = |s: u8| (counts[usize::from(s)], std::cmp::Reverse(s));
                        if frequent.is_none_or(|best| rank(step) > rank(best)) {
                            frequent = Some(step);
                        }
                    }
                }
            }
            let step = frequent.or_else(|| (known > 0).then(|| (sum / known.max(1)) as u8));
            out.lost.push(lost);
            out.steps.push(step);
        }
    }
    out
}

/// Tells that some cells share a place, if they do.
pub fn shared(map: &Map, blocks: &Blocks, place: &str) -> Option<String> {
    let [x, y] = blocks.each;
    if x * y == 1 {
        return None;
    }
    let cells = match map.axes.len() {
        1 => format!("{x} neighbours"),
        _ => format!("{x} × {y} positions"),
    };
    Some(match map.kind {
        Kind::Outcomes => format!(
            "Each {place} stands for {cells}, and is marked where one of them is a P-position."
        ),
        Kind::Values(Scale::Mod(_)) => format!(
            "Each {place} stands for {cells}: it has their most frequent colour, and is marked where one of them is a P-position."
        ),
        Kind::Values(_) => format!(
            "Each {place} stands for {cells}: it has their mean colour, and is marked where one of them is a P-position."
        ),
    })
}

/// The picture.
pub fn lay_out(map: &Map, labels: &Labels, theme: Theme) -> Scene {
    let colours = theme.colours();
    let density = DENSITY as f64;
    let strip = map.axes.len() == 1;
    let mut blocks = blocks(map, [MOST, MOST]);
    let [columns, rows] = blocks.size;
    let cell = (MOST / columns.max(rows).max(1)).clamp(1, CELL);
    let side = |n: usize, least: usize| match n * cell < least {
        true => (least / n.max(1)).clamp(cell, CELL.max(cell)),
        false => cell,
    };
    let mut pixels = [side(columns, LEAST), side(rows, LEAST)];
    if strip {
        pixels = [MOST / columns, STRIP.min(MOST / columns * 6).max(40)];
    }
    let [cell_x, cell_y] = pixels.map(|p| p as f64 / density);
    let (wide, high) = (columns as f64 * cell_x, rows as f64 * cell_y);
    let mut labels = labels.clone();
    labels.notes.extend(shared(map, &blocks, "pixel"));

    let max = greatest(&map.cells);
    let y_axis = map.axes.get(1);
    let last = map.size.map(|n| n.saturating_sub(1) as u64);
    let ticks_y: Vec<u64> = match y_axis {
        Some(_) => steps(last[1], ((high / 26.0) as usize).clamp(1, 12)).collect(),
        None => Vec::new(),
    };
    let widest = ticks_y
        .iter()
        .map(|&t| font::room(&grouped(t), LABEL, false));
    let left = MARGIN + widest.fold(4.0, f64::max).ceil() + if strip { 0.0 } else { 12.0 };

    let legend = legend(map, max, theme, &blocks);
    let name = match map.kind {
        Kind::Values(scale) => what(&map.axes.join(", "), scale),
        Kind::Outcomes => String::new(),
    };
    let bold = font::room(&name, LABEL, true);
    let room = legend
        .entries
        .iter()
        .map(|e| 18.0 + font::room(&e.text, LABEL, false));
    let room = room.fold(bold, f64::max).max(60.0);
    let width = (left + wide + 28.0 + room + MARGIN).ceil().max(WIDTH);
    let mut chart = Chart::new(&labels, colours, width);
    chart.bottom += if strip { 14.0 } else { 30.0 };
    let top = chart.bottom;
    if let Some(y) = y_axis {
        let ink = colours.ink;
        chart.text([left - 10.0, top - 9.0], 13.0, true, Anchor::End, ink, y);
    }

    let mut palette: Vec<_> = (0..=STEPS as u64)
        .map(|s| Some(ramp(s, STEPS as u64)))
        .collect();
    let lost = match map.kind {
        Kind::Values(_) => colours.zero,
        Kind::Outcomes => colours.lost,
    };
    palette.extend([Some(lost), Some(colours.won), Some(colours.missing)]);
    let mut cells = Vec::with_capacity(columns * rows);
    for y in (0..rows).rev() {
        for x in 0..columns {
            let at = x * rows + y;
            cells.push(match (blocks.steps[at], map.kind) {
                (None, _) => NONE,
                (Some(_), _) if blocks.lost[at] => LOST,
                (Some(_), Kind::Outcomes) => WON,
                (Some(step), _) => step,
            });
        }
    }
    blocks.steps.clear();
    let area = [left, top, wide, high];
    chart.frame(area, colours.axis);
    chart.shapes.push(Shape::Cells {
        at: area,
        columns,
        pixels: cells,
        palette: palette.clone(),
    });
    let size = cell_x.min(cell_y);
    let middle = |x: usize, y: usize| {
        let right = left + (x as f64 + 0.5) * cell_x;
        [right, top + high - (y as f64 + 0.5) * cell_y]
    };
    if size >= LINES {
        for x in 1..columns {
            let at = [left + x as f64 * cell_x - 0.5, top, 1.0, high];
            chart.rect(at, colours.paper);
        }
        for y in 1..rows {
            let at = [left, top + y as f64 * cell_y - 0.5, wide, 1.0];
            chart.rect(at, colours.paper);
        }
        let digits = grouped(max.into()).replace(',', "");
        let letters = (size * 0.45).min(13.0);
        let numbers = matches!(map.kind, Kind::Values(_))
            && size >= NUMBERS
            && font::room(&digits, letters, true) <= cell_x - 3.0;
        let mut marks = Vec::new();
        // Lines are only there where a block is a cell.
        for (i, &value) in map.cells.iter().enumerate() {
            let [x, y] = middle(i / rows, i % rows);
            if value == MISSING {
                continue;
            }
            if numbers {
                let behind = if value == 0 {
                    lost
                } else {
                    ramp_of(map, max, value)
                };
                let ink = [colours.zero, Theme::Light.colours().ink]
                    [usize::from(behind.lightness() > 128)];
                let at = [x, y + letters * 0.36];
                chart.text(
                    at,
                    letters,
                    value == 0,
                    Anchor::Middle,
                    ink,
                    &value.to_string(),
                );
            } else if value == 0 && map.kind != Kind::Outcomes {
                marks.push([x, y]);
            }
        }
        chart.shapes.push(Shape::Marks {
            mark: Mark::Disk,
            radius: (size * 0.22).min(5.0),
            fill: Theme::Light.colours().ink,
            at: marks,
        });
    }

    let across = |n: u64| left + (n as f64 / blocks.each[0] as f64 + 0.5) * cell_x;
    let digits = font::room(&grouped(last[0]), LABEL, false) + 14.0;
    for n in steps(last[0], ((wide / digits.max(30.0)) as usize).clamp(1, 12)) {
        chart.rect([across(n) - 0.5, top + high + 1.0, 1.0, 4.0], colours.axis);
        chart.label([across(n), top + high + 18.0], Anchor::Middle, &grouped(n));
    }
    let below = [left + wide / 2.0, top + high + 35.0];
    chart.text(below, 13.0, true, Anchor::Middle, colours.ink, &map.axes[0]);
    for n in ticks_y {
        let y = top + high - (n as f64 / blocks.each[1] as f64 + 0.5) * cell_y;
        chart.rect([left - 5.0, y - 0.5, 4.0, 1.0], colours.axis);
        chart.label([left - 9.0, y + LABEL * 0.36], Anchor::End, &grouped(n));
    }

    let right = left + wide + 28.0;
    let mut down = top + LABEL * 0.8;
    if !name.is_empty() {
        chart.text(
            [right, down],
            LABEL,
            true,
            Anchor::Start,
            colours.ink,
            &name,
        );
        down += 12.0;
        if let Some((heights, scale_max)) = legend.bar {
            let bar = (high - 60.0).clamp(60.0, 200.0);
            let rows = 100;
            let pixels = (0..rows)
                .map(|r| ((rows - 1 - r) * STEPS / (rows - 1)) as u8)
                .collect();
            chart.shapes.push(Shape::Cells {
                at: [right, down, 14.0, bar],
                columns: 1,
                pixels,
                palette,
            });
            for t in heights.ticks(scale_max, (bar / 24.0) as usize) {
                let y = down + bar - bar * heights.of(t) as f64 / ONE as f64;
                chart.rect([right + 14.0, y - 0.5, 4.0, 1.0], colours.axis);
                chart.label(
                    [right + 22.0, y + LABEL * 0.36],
                    Anchor::Start,
                    &grouped(t.into()),
                );
            }
            down += bar + 12.0;
        }
        down += 14.0;
    }
    for entry in &legend.entries {
        chart.entry([right, down], entry);
        down += 20.0;
    }
    chart.bottom = (top + high + 41.0).max(down - 12.0);
    chart.finish(&labels)
}

fn ramp_of(map: &Map, max: u32, value: u32) -> crate::colour::Rgb {
    let scale = match map.kind {
        Kind::Values(scale) => scale,
        Kind::Outcomes => Scale::Linear,
    };
    ramp(Heights::new(scale, max).of(value), ONE)
}

struct Legend {
    /// The scale of a bar and the greatest value, if there is one.
    bar: Option<(Heights, u32)>,
    entries: Vec<Entry>,
}

fn legend(map: &Map, max: u32, theme: Theme, blocks: &Blocks) -> Legend {
    let colours = theme.colours();
    let mut legend = Legend {
        bar: None,
        entries: Vec::new(),
    };
    let mut entry = |look, text: &str| {
        let text = text.to_owned();
        legend.entries.push(Entry { look, text });
    };
    match map.kind {
        Kind::Values(scale) => {
            let heights = Heights::new(scale, max);
            match scale {
                Scale::Mod(m) if m <= SQUARES => {
                    for r in (0..m).rev() {
                        let look = Look::Square(ramp(heights.of(r), ONE), Some(colours.axis));
                        entry(look, &r.to_string());
                    }
                }
                _ => legend.bar = Some((heights, max)),
            }
            if blocks.lost.contains(&true) {
                let edge = Some(colours.axis);
                let text = "P-position (0)".to_owned();
                let look = Look::Square(colours.zero, edge);
                legend.entries.push(Entry { look, text });
            }
        }
        Kind::Outcomes => {
            entry(Look::Square(colours.lost, None), "P: previous player wins");
            entry(Look::Square(colours.won, None), "N: next player wins");
        }
    }
    if map.cells.contains(&MISSING) {
        let text = "no position".to_owned();
        let look = Look::Square(colours.missing, None);
        legend.entries.push(Entry { look, text });
    }
    legend
}
