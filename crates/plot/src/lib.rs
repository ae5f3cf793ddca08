//! Pictures of sequences and tables: an SVG text, the bytes of a PNG file, or text for a terminal.
//!
//! Drawing only: what is drawn comes as plain numbers and texts, and nothing here knows what a game is. A [`Picture`] is laid
//! out as a scene of rectangles, circles, texts and cell matrices, which two writers turn into SVG and PNG; the terminal
//! has a layout of its own. The same picture gives the same bytes. Cost: a few steps for each number drawn; a PNG takes four
//! bytes a pixel, some 8 MB.

mod chart;
mod colour;
mod font;
mod map;
mod picture;
mod png;
mod raster;
mod scale;
mod scatter;
mod scene;
mod svg;
mod term;

pub use colour::Theme;
pub use picture::{Kind, Labels, MISSING, Map, Picture, Repeat, Scale, Series};
pub use term::{Depth, Screen};

/// The picture as the text of an SVG file.
pub fn svg(picture: &Picture, labels: &Labels, theme: Theme) -> String {
    svg::write(&scene(picture, labels, theme))
}

/// The picture as the bytes of a PNG file.
pub fn png(picture: &Picture, labels: &Labels, theme: Theme) -> Vec<u8> {
    raster::write(&scene(picture, labels, theme))
}

/// The picture as lines of text.
pub fn term(picture: &Picture, labels: &Labels, screen: &Screen) -> String {
    term::draw(picture, labels, screen)
}

fn scene(picture: &Picture, labels: &Labels, theme: Theme) -> scene::Scene {
    match picture {
        Picture::Series(series) => scatter::lay_out(series, labels, theme),
        Picture::Map(map) => map::lay_out(map, labels, theme),
    }
}
