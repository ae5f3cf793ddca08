//! A scene as the text of an SVG file. Cell matrices of some size are images in it, small ones rectangles.

use std::fmt::Write as _;

use crate::colour::Rgb;
use crate::png;
use crate::scene::{Anchor, Mark, Scene, Shape};

/// A matrix of more cells than this is an image.
const RECTS: usize = 4096;
const FONTS: &str = "Roboto, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif";

/// The text of the file. Writing to a string does not fail.
pub fn write(scene: &Scene) -> String {
    let mut out = String::new();
    let (w, h) = (number(scene.width), number(scene.height));
    let [title, about] = scene.about.each_ref().map(|text| escaped(text));
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
         font-family=\"{FONTS}\">\n<title>{title}</title>\n<desc>{about}</desc>\n\
         <rect width=\"{w}\" height=\"{h}\" fill=\"{}\"/>\n",
        hex(scene.paper)
    );
    for shape in &scene.shapes {
        put(shape, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

fn put(shape: &Shape, out: &mut String) {
    match shape {
        Shape::Rect { at, fill } => {
            let [x, y, w, h] = at.map(number);
            let fill = hex(*fill);
            let _ = writeln!(
                out,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{fill}\"/>"
            );
        }
        Shape::Marks {
            mark,
            radius,
            fill,
            at,
        } if !at.is_empty() => {
            let fill = hex(*fill);
            // One path for all of them: a tenth of the bytes of an element each.
            let (style, piece) = match mark {
                Mark::Disk => (
                    format!(
                        "stroke=\"{fill}\" stroke-width=\"{}\" stroke-linecap=\"round\"",
                        number(2.0 * radius)
                    ),
                    "h0".to_owned(),
                ),
                Mark::Diamond => {
                    let r = number(*radius);
                    (
                        format!("fill=\"{fill}\""),
                        format!("m0-{r}l{r} {r}-{r} {r}-{r}-{r}z"),
                    )
                }
                Mark::Ring => {
                    let (r, d) = (number(*radius), number(2.0 * radius));
                    (
                        format!("fill=\"none\" stroke=\"{fill}\" stroke-width=\"1.5\""),
                        format!("m-{r} 0a{r} {r} 0 1 0 {d} 0a{r} {r} 0 1 0-{d} 0"),
                    )
                }
            };
            let _ = write!(out, "<path {style} d=\"");
            for [x, y] in at {
                let _ = write!(out, "M{} {}{piece}", number(*x), number(*y));
            }
            out.push_str("\"/>\n");
        }
        Shape::Marks { .. } => {}
        Shape::Text {
            at,
            size,
            bold,
            anchor,
            fill,
            text,
        } => {
            let [x, y] = at.map(number);
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let bold = if *bold { " font-weight=\"bold\"" } else { "" };
            let _ = writeln!(
                out,
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"{bold}{anchor} fill=\"{}\">{}</text>",
                number(*size),
                hex(*fill),
                escaped(text)
            );
        }
        Shape::Cells {
            at,
            columns,
            pixels,
            palette,
        } => {
            let rows = pixels.len() / (*columns).max(1);
            let [x, y, w, h] = at.map(number);
            if pixels.len() > RECTS {
                // The attribute is for those who do not know the newer word.
                let image = png::base64(&png::indexed(*columns, rows, palette, pixels));
                let _ = writeln!(
                    out,
                    "<image x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" preserveAspectRatio=\"none\" \
                     image-rendering=\"optimizeSpeed\" style=\"image-rendering:pixelated\" href=\"data:image/png;base64,{image}\"/>"
                );
                return;
            }
            let (step_x, step_y) = (at[2] / *columns as f64, at[3] / rows as f64);
            // A path for each colour; equal neighbours are one piece.
            for (i, colour) in palette.iter().enumerate() {
                let Some(colour) = colour else { continue };
                let mut path = String::new();
                for (r, row) in pixels.chunks_exact(*columns).enumerate() {
                    let mut from = 0;
                    for run in row.chunk_by(|a, b| a == b) {
                        if usize::from(run[0]) == i {
                            let _ = write!(
                                path,
                                "M{} {}h{}v{}h-{}z",
                                number(at[0] + from as f64 * step_x),
                                number(at[1] + r as f64 * step_y),
                                number(run.len() as f64 * step_x),
                                number(step_y),
                                number(run.len() as f64 * step_x),
                            );
                        }
                        from += run.len();
                    }
                }
                if !path.is_empty() {
                    let _ = writeln!(
                        out,
                        "<path fill=\"{}\" shape-rendering=\"crispEdges\" d=\"{path}\"/>",
                        hex(*colour)
                    );
                }
            }
        }
    }
}

/// A length with at most two digits behind the point.
fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn hex(colour: Rgb) -> String {
    format!("#{:06x}", colour.0)
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // XML has no place for the others.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
