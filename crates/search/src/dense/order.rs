//! The order in which the cells of a table are computed.
//!
//! One counter after the other, each up or down, the last one fastest: a lexicographic order. Of all these that one is taken
//! under which most options of some sample positions come before them, which for a game whose play ends by such a measure
//! is one under which all do. Cost: the samples times the orders, 384 for four counters.

use std::ops::{ControlFlow, Range};

use super::layout::{COUNTERS, Layout};

/// Counters for which all orders are tried.
const TRIED: usize = 4;

/// A counter of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Which.
    pub counter: usize,
    /// Whether it runs from 0 up.
    pub up: bool,
}

/// An order of the cells of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    axes: Vec<Axis>,
}

/// A position and an option of it.
pub type Sample = (Vec<u64>, Vec<u64>);

impl Order {
    /// All counters from 0 up, the first slowest.
    pub fn natural(counters: usize) -> Order {
        let axis = |counter| Axis { counter, up: true };
        Order {
            axes: (0..counters).map(axis).collect(),
        }
    }

    /// The order under which most of the samples have the option first; the natural one if none is better.
    pub fn suiting(counters: usize, samples: &[Sample]) -> Order {
        let mut best = Order::natural(counters);
        let mut most = best.suits(samples);
        if counters > TRIED {
            return best;
        }
        let mut axes = Vec::new();
        orders(counters, &mut axes, &mut |axes| {
            let order = Order {
                axes: axes.to_vec(),
            };
            let suits = order.suits(samples);
            if suits > most {
                (best, most) = (order, suits);
            }
        });
        best
    }

    fn suits(&self, samples: &[Sample]) -> usize {
        let before = |(position, option): &&Sample| {
            let differs = self
                .axes
                .iter()
                .find(|a| position[a.counter] != option[a.counter]);
            differs.is_some_and(|a| (option[a.counter] < position[a.counter]) == a.up)
        };
        samples.iter().filter(before).count()
    }

    /// The counters, slowest first.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Whether all options of the samples lie in front of their positions along the first side and along the second, or on
    /// the same line, so that the table can be cut into tiles there.
    pub fn tiles(&self, samples: &[Sample]) -> bool {
        let [first, second, ..] = self.axes[..] else {
            return false;
        };
        let before = |a: Axis, (position, option): &Sample| {
            let (at, to) = (position[a.counter], option[a.counter]);
            if a.up { to <= at } else { to >= at }
        };
        self.suits(samples) == samples.len()
            && samples
                .iter()
                .all(|s| before(first, s) && before(second, s))
    }

    /// Visits every position of a table once, members in no order in order of size. The counters behind those of the table
    /// are 0.
    pub fn visit(
        &self,
        layout: &Layout,
        f: &mut dyn FnMut(&[u64; COUNTERS]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.visit_part(layout, &[0..u64::MAX, 0..u64::MAX], f)
    }

    /// The same of a part of the table, from so far to so far along the first two sides, in the direction of the order.
    pub fn visit_part(
        &self,
        layout: &Layout,
        part: &[Range<u64>; 2],
        f: &mut dyn FnMut(&[u64; COUNTERS]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        // The neighbours in size that are fixed before a counter is.
        let mut bounds = Vec::new();
        for (i, axis) in self.axes.iter().enumerate() {
            let run = layout
                .unordered()
                .iter()
                .find(|r| r.contains(&axis.counter));
            let fixed = |c: &usize| self.axes[..i].iter().any(|a| a.counter == *c);
            let run = run.cloned().unwrap_or(0..0);
            bounds.push((
                run.clone()
                    .filter(|c| *c < axis.counter)
                    .filter(fixed)
                    .max(),
                run.filter(|c| *c > axis.counter).find(fixed),
            ));
        }
        let visit = Visit {
            order: self,
            layout,
            part,
            bounds,
        };
        visit.from(0, &mut [0; COUNTERS], f)
    }
}

/// A visit of a part of a table.
struct Visit<'a> {
    order: &'a Order,
    layout: &'a Layout,
    part: &'a [Range<u64>; 2],
    bounds: Vec<(Option<usize>, Option<usize>)>,
}

impl Visit<'_> {
    fn from(
        &self,
        depth: usize,
        at: &mut [u64; COUNTERS],
        f: &mut dyn FnMut(&[u64; COUNTERS]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(axis) = self.order.axes.get(depth) else {
            return f(at);
        };
        let (below, above) = self.bounds[depth];
        let to = self.layout.words()[axis.counter].to;
        let low = below.map_or(0, |c| at[c]);
        let high = above.map_or(to, |c| at[c]);
        // How far along the side, from where the order begins.
        let (mut start, mut end) = if axis.up {
            (low, high + 1)
        } else {
            (to - high, to - low + 1)
        };
        if let Some(part) = self.part.get(depth) {
            (start, end) = (start.max(part.start), end.min(part.end));
        }
        for i in start..end {
            at[axis.counter] = if axis.up { i } else { to - i };
            self.from(depth + 1, at, f)?;
        }
        ControlFlow::Continue(())
    }
}

/// All orders of that many counters, each both ways.
fn orders(counters: usize, axes: &mut Vec<Axis>, f: &mut dyn FnMut(&[Axis])) {
    if axes.len() == counters {
        return f(axes);
    }
    for counter in 0..counters {
        if axes.iter().any(|a| a.counter == counter) {
            continue;
        }
        for up in [true, false] {
            axes.push(Axis { counter, up });
            orders(counters, axes, f);
            axes.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use grundy_lang::ir::Shape;

    use super::*;

    #[test]
    fn every_order_visits_every_cell_once() {
        let pair = Shape::Unordered(2, Box::new(Shape::Int));
        let shape = Shape::Tuple(vec![Shape::Int, pair]);
        let layout = Layout::new(&shape, &[2, 4, 4]).unwrap();
        let mut count = 0;
        orders(3, &mut Vec::new(), &mut |axes| {
            let order = Order {
                axes: axes.to_vec(),
            };
            let mut seen = vec![false; layout.cells() as usize];
            let mut last: Option<[u64; COUNTERS]> = None;
            let _ = order.visit(&layout, &mut |at| {
                let place = layout.index(&at[..3]).unwrap() as usize;
                assert!(!std::mem::replace(&mut seen[place], true));
                if let Some(last) = last {
                    let sample = (at.to_vec(), last.to_vec());
                    assert_eq!(order.suits(&[sample]), 1, "{order:?} {last:?} {at:?}");
                }
                last = Some(*at);
                ControlFlow::Continue(())
            });
            assert!(seen.iter().all(|s| *s), "{order:?}");
            count += 1;
        });
        assert_eq!(count, 48);
    }

    #[test]
    fn the_order_goes_with_the_play() {
        // A cap that grows under a heap that falls by twice as much.
        let samples = [(vec![3, 9], vec![4, 7]), (vec![1, 5], vec![2, 3])];
        let order = Order::suiting(2, &samples);
        assert_eq!(order.suits(&samples), 2);
        let growing = [(vec![3, 9], vec![3, 11])];
        assert_eq!(Order::suiting(2, &growing).suits(&growing), 1);
        assert_eq!(Order::suiting(3, &[]), Order::natural(3));
    }
}
