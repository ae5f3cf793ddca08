//! What all pictures have around them: title, notes, legends.

use crate::colour::{Colours, Rgb};
use crate::font;
use crate::picture::Labels;
use crate::scene::{Anchor, Mark, Scene, Shape};

/// Room between the edge and what is drawn.
pub const MARGIN: f64 = 20.0;
const TITLE: f64 = 19.0;
const SUBTITLE: f64 = 13.0;
/// The size of the letters at axes and in legends.
pub const LABEL: f64 = 12.0;
const NOTE: f64 = 11.5;

/// A picture that is being laid out.
pub struct Chart {
    /// The shapes so far.
    pub shapes: Vec<Shape>,
    /// Its colours.
    pub colours: Colours,
    /// How wide it is.
    pub width: f64,
    /// How far down it reaches.
    pub bottom: f64,
}

/// An entry of a legend.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What it looks like.
    pub look: Look,
    /// What it says.
    pub text: String,
}

/// What an entry looks like.
#[derive(Clone, Copy, Debug)]
pub enum Look {
    /// A mark.
    Mark(Mark, f64, Rgb),
    /// A square of a colour, with an edge of another if it would not be seen else.
    Square(Rgb, Option<Rgb>),
}

impl Chart {
    /// With its title.
    pub fn new(labels: &Labels, colours: Colours, width: f64) -> Self {
        let mut chart = Chart {
            shapes: Vec::new(),
            colours,
            width,
            bottom: MARGIN - 4.0,
        };
        let room = width - 2.0 * MARGIN;
        for line in font::wrap(&labels.title, TITLE, true, room, 2) {
            chart.bottom += TITLE * 1.3;
            let at = [MARGIN, chart.bottom - TITLE * 0.3];
            chart.text(at, TITLE, true, Anchor::Start, colours.ink, &line);
        }
        for line in font::wrap(&labels.subtitle, SUBTITLE, false, room, 2) {
            chart.bottom += SUBTITLE * 1.4;
            let at = [MARGIN, chart.bottom - SUBTITLE * 0.25];
            chart.text(at, SUBTITLE, false, Anchor::Start, colours.faint, &line);
        }
        chart
    }

    /// A line of text.
    pub fn text(
        &mut self,
        at: [f64; 2],
        size: f64,
        bold: bool,
        anchor: Anchor,
        fill: Rgb,
        text: &str,
    ) {
        let text = text.to_owned();
        self.shapes.push(Shape::Text {
            at,
            size,
            bold,
            anchor,
            fill,
            text,
        });
    }

    /// A label of an axis.
    pub fn label(&mut self, at: [f64; 2], anchor: Anchor, text: &str) {
        let fill = self.colours.faint;
        self.text(at, LABEL, false, anchor, fill, text);
    }

    /// A rectangle.
    pub fn rect(&mut self, at: [f64; 4], fill: Rgb) {
        self.shapes.push(Shape::Rect { at, fill });
    }

    /// The edges of a rectangle, just outside of it.
    pub fn frame(&mut self, [x, y, w, h]: [f64; 4], fill: Rgb) {
        let line = 1.0;
        self.rect([x - line, y - line, w + 2.0 * line, line], fill);
        self.rect([x - line, y + h, w + 2.0 * line, line], fill);
        self.rect([x - line, y, line, h], fill);
        self.rect([x + w, y, line, h], fill);
    }

    /// An entry of a legend; `at` is its left edge and the line its text stands on. Gives how wide it is.
    pub fn entry(&mut self, [x, y]: [f64; 2], entry: &Entry) -> f64 {
        let middle = y - LABEL * 0.36;
        match entry.look {
            Look::Mark(mark, radius, fill) => self.shapes.push(Shape::Marks {
                mark,
                radius,
                fill,
                at: vec![[x + 6.0, middle]],
            }),
            Look::Square(fill, edge) => {
                let at = [x, middle - 6.0, 12.0, 12.0];
                if let Some(edge) = edge {
                    self.frame([at[0] + 1.0, at[1] + 1.0, 10.0, 10.0], edge);
                    self.rect([at[0] + 1.0, at[1] + 1.0, 10.0, 10.0], fill);
                } else {
                    self.rect(at, fill);
                }
            }
        }
        let fill = self.colours.ink;
        self.text(
            [x + 18.0, y],
            LABEL,
            false,
            Anchor::Start,
            fill,
            &entry.text,
        );
        18.0 + font::room(&entry.text, LABEL, false)
    }

    /// The picture, with the notes below.
    pub fn finish(mut self, labels: &Labels) -> Scene {
        let room = self.width - 2.0 * MARGIN;
        self.bottom += 8.0;
        for note in &labels.notes {
            for line in font::wrap(note, NOTE, false, room, 4) {
                self.bottom += NOTE * 1.4;
                let at = [MARGIN, self.bottom - NOTE * 0.3];
                let fill = self.colours.faint;
                self.text(at, NOTE, false, Anchor::Start, fill, &line);
            }
        }
        let notes = labels.notes.iter().map(String::as_str);
        let about: Vec<&str> = std::iter::once(labels.subtitle.as_str())
            .chain(notes)
            .collect();
        Scene {
            width: self.width,
            height: (self.bottom + MARGIN - 4.0).ceil(),
            paper: self.colours.paper,
            about: [labels.title.clone(), about.join(". ")],
            shapes: self.shapes,
        }
    }
}
