//! Values over n as points, with the period and what is before it.

use crate::chart::{Chart, Entry, LABEL, Look, MARGIN};
use crate::colour::Theme;
use crate::font;
use crate::picture::{Labels, MISSING, Scale, Series};
use crate::scale::{Heights, ONE, grouped, steps};
use crate::scene::{Anchor, DENSITY, Mark, Scene, Shape};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 380.0;
/// Room above the values, for what is written of the period.
const HEAD: f64 = 24.0;
/// More points than this are an image of their own.
const POINTS: usize = 20_000;
/// Periods are told apart if they are at least so wide.
const PERIOD: f64 = 9.0;

/// The greatest number of some.
pub fn greatest(values: &[u32]) -> u32 {
    let known = values.iter().copied().filter(|&v| v != MISSING);
    known.max().unwrap_or(0)
}

/// What the height of a point says.
pub fn what(axis: &str, scale: Scale) -> String {
    match scale {
        Scale::Linear | Scale::Log => format!("G({axis})"),
        Scale::Mod(m) => format!("G({axis}) mod {m}"),
    }
}

/// The picture.
pub fn lay_out(series: &Series, labels: &Labels, theme: Theme) -> Scene {
    let colours = theme.colours();
    let mut labels = labels.clone();
    let max = greatest(&series.values);
    let heights = Heights::new(series.scale, max);
    let ticks = heights.ticks(max, 8);
    let widest = ticks
        .iter()
        .map(|&t| font::room(&grouped(t.into()), LABEL, false));
    let left = MARGIN + widest.fold(8.0, f64::max).ceil() + 10.0;
    let last = series.values.len().saturating_sub(1) as u64;
    // The last number below stands half outside.
    let right = font::room(&grouped(last), LABEL, false) / 2.0;
    let wide = (WIDTH - left - right.max(MARGIN + 6.0) - 4.0).floor();
    let many = series.values.len() > POINTS;
    if many {
        let each = (last + 1).div_ceil((wide * DENSITY as f64) as u64);
        labels.notes.push(match each {
            1 => "Points are drawn as pixels.".to_owned(),
            each => format!("Points are drawn as pixels, each of which may stand for several among {each} neighbours."),
        });
    }
    let mut chart = Chart::new(&labels, colours, WIDTH);

    // Half a step of room at either end.
    let step = wide / (last + 1) as f64;
    let x = |n: f64| left + step * (n + 0.5);
    let (radius, mark) = match step {
        s if s >= 8.0 => (3.5, 5.0),
        s if s >= 2.0 => (2.5, 4.0),
        s if s >= 0.4 => (1.5, 2.8),
        _ => (1.0, 1.8),
    };

    let repeat = series.repeat.as_ref();
    let shown = repeat.filter(|r| r.from <= last);
    let exceptional = repeat.is_some_and(|r| r.exceptions.iter().any(|&n| n <= last));
    let zeros = series.values.contains(&0);
    let mut legend = vec![Entry {
        look: Look::Mark(Mark::Disk, 3.5, colours.point),
        text: "Grundy value".to_owned(),
    }];
    let mut entry = |look, text: &str| {
        let text = text.to_owned();
        legend.push(Entry { look, text });
    };
    if zeros {
        entry(
            Look::Mark(Mark::Diamond, 5.0, colours.lost),
            "P-position (value 0)",
        );
    }
    if exceptional {
        entry(Look::Mark(Mark::Ring, 5.0, colours.exception), "exception");
    }
    if repeat.is_some_and(|r| r.from > 0) {
        entry(
            Look::Square(colours.before, Some(colours.grid)),
            "before the period",
        );
    }
    if shown.is_some() {
        entry(Look::Square(colours.period, None), "first period");
    }
    let gap = 20.0;
    let rooms = legend
        .iter()
        .map(|e| 18.0 + font::room(&e.text, LABEL, false) + gap);
    chart.bottom += 30.0;
    let mut at = WIDTH - MARGIN - rooms.sum::<f64>() + gap;
    let y = chart.bottom - 8.0;
    let name = what(&series.axis, series.scale);
    chart.text([MARGIN, y], 13.0, true, Anchor::Start, colours.ink, &name);
    for entry in &legend {
        at += chart.entry([at, y], entry) + gap;
    }

    let top = chart.bottom + 4.0;
    let floor = top + HEIGHT;
    // Room below for the lowest points.
    let (low, high) = (floor - 10.0, top + HEAD);
    let up = |v: u32| low - (low - high) * heights.of(v) as f64 / ONE as f64;
    if let Some(repeat) = repeat.filter(|r| r.from > 0) {
        let end = left + step * repeat.from.min(last + 1) as f64;
        chart.rect([left, top, end - left, HEIGHT], colours.before);
    }
    if let Some(repeat) = shown {
        let from = left + step * repeat.from as f64;
        let to = left + step * repeat.from.saturating_add(repeat.length).min(last + 1) as f64;
        chart.rect([from, top, to - from, HEIGHT], colours.period);
    }
    for &t in &ticks {
        chart.rect([left, up(t) - 0.5, wide, 1.0], colours.grid);
        chart.label(
            [left - 8.0, up(t) + LABEL * 0.36],
            Anchor::End,
            &grouped(t.into()),
        );
    }
    if let Some(repeat) = shown {
        let each = step * repeat.length as f64;
        if each >= PERIOD {
            let mut edge = left + step * repeat.from as f64;
            while edge < left + wide {
                chart.rect([edge - 0.3, top, 0.6, HEIGHT], colours.axis);
                edge += each;
            }
        }
        let from = left + step * repeat.from as f64;
        let room = font::room(&repeat.label, LABEL, true);
        let (place, anchor) = if from + 4.0 + room < left + wide {
            (from + 4.0, Anchor::Start)
        } else {
            (left + wide - 4.0, Anchor::End)
        };
        chart.text(
            [place, top + 16.0],
            LABEL,
            true,
            anchor,
            colours.ink,
            &repeat.label,
        );
    }
    chart.rect([left, floor, wide, 1.0], colours.axis);
    for n in steps(last, 10) {
        chart.rect([x(n as f64) - 0.5, floor, 1.0, 5.0], colours.axis);
        chart.label([x(n as f64), floor + 19.0], Anchor::Middle, &grouped(n));
    }
    let middle = [left + wide / 2.0, floor + 36.0];
    chart.text(
        middle,
        13.0,
        true,
        Anchor::Middle,
        colours.ink,
        &series.axis,
    );

    let known = || {
        series
            .values
            .iter()
            .enumerate()
            .filter(|(_, v)| **v != MISSING)
    };
    if many {
        chart
            .shapes
            .push(pixels(series, [left, top, wide, HEIGHT], theme, &up));
    } else {
        let place = |n: usize, v: u32| [x(n as f64), up(v)];
        let others = known().filter(|(_, v)| **v != 0);
        let lost = known().filter(|(_, v)| **v == 0);
        let exceptions = repeat.map_or(&[][..], |r| &r.exceptions).iter();
        let exceptions = exceptions.filter_map(|&n| {
            let value = series.values.get(usize::try_from(n).ok()?)?;
            (*value != MISSING).then(|| place(n as usize, *value))
        });
        let mut marks = |mark, radius, fill, at| {
            chart.shapes.push(Shape::Marks {
                mark,
                radius,
                fill,
                at,
            });
        };
        let all = others.map(|(n, &v)| place(n, v)).collect();
        marks(Mark::Disk, radius, colours.point, all);
        let all = lost.map(|(n, &v)| place(n, v)).collect();
        marks(Mark::Diamond, mark, colours.lost, all);
        marks(
            Mark::Ring,
            mark + 1.0,
            colours.exception,
            exceptions.collect(),
        );
    }
    chart.bottom = floor + 42.0;
    chart.finish(&labels)
}

/// Many points: a pixel is coloured if a point falls on it.
fn pixels(series: &Series, at: [f64; 4], theme: Theme, up: &dyn Fn(u32) -> f64) -> Shape {
    let colours = theme.colours();
    let (columns, rows) = (
        (at[2] * DENSITY as f64) as usize,
        (at[3] * DENSITY as f64) as usize,
    );
    let mut pixels = vec![0u8; columns * rows];
    let count = series.values.len();
    let exceptions = series.repeat.as_ref().map_or(&[][..], |r| &r.exceptions);
    let mut exceptions = exceptions.iter().peekable();
    for (n, &value) in series.values.iter().enumerate() {
        let exception = exceptions.next_if(|&&e| e == n as u64).is_some();
        if value == MISSING {
            continue;
        }
        let kind = match value {
            _ if exception => 3,
            0 => 2,
            _ => 1,
        };
        let x = n * columns / count;
        let y = ((up(value) - at[1]) * DENSITY as f64) as usize;
        // A single pixel is hard to see.
        let size = if kind == 1 { 2 } else { 3 };
        for j in y.saturating_sub(1)..(y + size - 1).min(rows) {
            for i in x..(x + size).min(columns) {
                let pixel = &mut pixels[j * columns + i];
                *pixel = kind.max(*pixel);
            }
        }
    }
    Shape::Cells {
        at: [at[0], at[1], columns as f64 / DENSITY as f64, at[3]],
        columns,
        pixels,
        palette: vec![
            None,
            Some(colours.point),
            Some(colours.lost),
            Some(colours.exception),
        ],
    }
}
