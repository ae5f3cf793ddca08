//! A scene as the pixels of a PNG file. Edges are smoothed by the part of a pixel that a shape covers.

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use ttf_parser::OutlineBuilder;

use crate::colour::Rgb;
use crate::scene::{Anchor, DENSITY, Mark, Scene, Shape};
use crate::{font, png};

/// The bytes of the file.
pub fn write(scene: &Scene) -> Vec<u8> {
    let mut page = Page::new(scene);
    for shape in &scene.shapes {
        page.put(shape);
    }
    png::rgb(page.width, page.height, &page.pixels)
}

struct Page {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

/// How wide the stroke of a ring is.
const STROKE: f64 = 1.5;
/// The part of a radius that makes a quarter of a circle out of a cubic curve.
const ARC: f32 = 0.552_285;

impl Page {
    fn new(scene: &Scene) -> Self {
        let pixels = |length: f64| (length * DENSITY as f64).ceil() as usize;
        let (width, height) = (pixels(scene.width), pixels(scene.height));
        Page {
            width,
            height,
            pixels: scene.paper.parts().repeat(width * height),
        }
    }

    fn blend(&mut self, x: i64, y: i64, colour: Rgb, part: f32) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else {
            return;
        };
        if x >= self.width || y >= self.height {
            return;
        }
        let at = 3 * (y * self.width + x);
        let part = (part.clamp(0.0, 1.0) * 256.0) as i32;
        for (pixel, c) in self.pixels[at..at + 3].iter_mut().zip(colour.parts()) {
            let old = i32::from(*pixel);
            *pixel = (old + (((i32::from(c) - old) * part) >> 8)) as u8;
        }
    }

    /// Fills what `draw` outlines; x, y, w, h bound it, in pixels.
    fn fill(&mut self, [x, y, w, h]: [f64; 4], colour: Rgb, draw: impl FnOnce(&mut Outline)) {
        let (left, top) = (x.floor(), y.floor());
        let sides = [(x + w).ceil() - left, (y + h).ceil() - top].map(|s| s.max(1.0) as usize + 1);
        let mut outline = Outline {
            out: Rasterizer::new(sides[0], sides[1]),
            origin: [(x - left) as f32, (y - top) as f32],
            unit: 1.0,
            start: point(0.0, 0.0),
            last: point(0.0, 0.0),
        };
        draw(&mut outline);
        outline.out.for_each_pixel_2d(|i, j, part| {
            if part > 0.0 {
                self.blend(
                    left as i64 + i64::from(i),
                    top as i64 + i64::from(j),
                    colour,
                    part,
                );
            }
        });
    }

    fn put(&mut self, shape: &Shape) {
        let density = DENSITY as f64;
        match shape {
            Shape::Rect { at, fill } => {
                let at = at.map(|v| v * density);
                let [_, _, w, h] = at.map(|v| v as f32);
                self.fill(at, *fill, |out| {
                    out.polygon(&[(0.0, 0.0), (w, 0.0), (w, h), (0.0, h)]);
                });
            }
            Shape::Marks {
                mark,
                radius,
                fill,
                at,
            } => {
                for place in at {
                    let [x, y] = place.map(|v| v * density);
                    let outer = match mark {
                        Mark::Ring => radius + STROKE / 2.0,
                        _ => *radius,
                    } * density;
                    let bounds = [x - outer, y - outer, 2.0 * outer, 2.0 * outer];
                    let r = outer as f32;
                    self.fill(bounds, *fill, |out| match mark {
                        Mark::Disk => out.circle(r, r, false),
                        Mark::Diamond => {
                            out.polygon(&[(r, 0.0), (2.0 * r, r), (r, 2.0 * r), (0.0, r)])
                        }
                        Mark::Ring => {
                            out.circle(r, r, false);
                            out.circle(r, (r - (STROKE * density) as f32).max(0.0), true);
                        }
                    });
                }
            }
            Shape::Text {
                at,
                size,
                bold,
                anchor,
                fill,
                text,
            } => {
                let size = size * density;
                let width = font::width(text, size, *bold);
                let [x, y] = at.map(|v| v * density);
                let x = match anchor {
                    Anchor::Start => x,
                    Anchor::Middle => x - width / 2.0,
                    Anchor::End => x - width,
                };
                for (from, glyph) in font::glyphs(text, size, *bold) {
                    // Letters keep within a square of one and a half times their size.
                    let bounds = [
                        x + from - size / 2.0,
                        y - size * 1.25,
                        size * 2.0,
                        size * 1.75,
                    ];
                    self.fill(bounds, *fill, |out| {
                        out.origin[0] += (size / 2.0) as f32;
                        out.origin[1] += (size * 1.25) as f32;
                        out.unit = (size / glyph.units()) as f32;
                        glyph.outline(out);
                    });
                }
            }
            Shape::Cells {
                at,
                columns,
                pixels,
                palette,
            } => {
                let rows = pixels.len() / (*columns).max(1);
                let [x, y, w, h] = at.map(|v| (v * density).round() as usize);
                for j in 0..h {
                    for i in 0..w {
                        let cell = j * rows / h * columns + i * columns / w;
                        if let Some(colour) = palette[usize::from(pixels[cell])] {
                            self.blend((x + i) as i64, (y + j) as i64, colour, 1.0);
                        }
                    }
                }
            }
        }
    }
}

/// Lines and curves on their way to pixels.
struct Outline {
    out: Rasterizer,
    origin: [f32; 2],
    /// The size of a unit of a font, whose y goes up.
    unit: f32,
    start: Point,
    last: Point,
}

impl Outline {
    fn polygon(&mut self, corners: &[(f32, f32)]) {
        let [x, y] = self.origin;
        for (i, a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            self.out
                .draw_line(point(x + a.0, y + a.1), point(x + b.0, y + b.1));
        }
    }

    /// A circle around the place (middle, middle).
    fn circle(&mut self, middle: f32, r: f32, backwards: bool) {
        let [x, y] = self.origin.map(|o| o + middle);
        let at = |a: f32, b: f32| point(x + a * r, y + b * r);
        for (a, b) in [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)] {
            // From (a, b) a quarter on, to (−b, a).
            let (from, to) = (at(a, b), at(-b, a));
            let (near, far) = (at(a - ARC * b, b + ARC * a), at(-b + ARC * a, a + ARC * b));
            if backwards {
                self.out.draw_cubic(to, far, near, from);
            } else {
                self.out.draw_cubic(from, near, far, to);
            }
        }
    }

    fn place(&self, x: f32, y: f32) -> Point {
        point(
            self.origin[0] + x * self.unit,
            self.origin[1] - y * self.unit,
        )
    }
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.start = self.place(x, y);
        self.last = self.start;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.place(x, y);
        self.out.draw_line(self.last, to);
        self.last = to;
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let to = self.place(x, y);
        self.out.draw_quad(self.last, self.place(x1, y1), to);
        self.last = to;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let to = self.place(x, y);
        self.out
            .draw_cubic(self.last, self.place(x1, y1), self.place(x2, y2), to);
        self.last = to;
    }

    fn close(&mut self) {
        self.out.draw_line(self.last, self.start);
        self.last = self.start;
    }
}
