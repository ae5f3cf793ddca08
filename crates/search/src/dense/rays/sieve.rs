//! The P-positions of games of two counters whose moves run along rays, without values.
//!
//! Row by row ([`rows`]): whatever a P-position can be reached from is marked, 64 positions of a row at a time, and what is
//! left unmarked is a P-position. For each ray that leaves the row a set of marked columns is kept and read with the shift
//! that the ray has run up to the row. Cost: a few operations on words for each ray and 64 cells; a bit for each ray and
//! column, and the P-positions found.
//!
//! Pair by pair ([`pairs`]): where any number may be taken from either counter, and the moves are the same with the counters
//! exchanged, each number is in one P-position at most. So the rows that have had their pair are left out, and the pair of
//! another is looked for from the least difference that no P-position has marked. Where each number is in exactly one pair
//! and each difference (or one in t) belongs to one, as in Wythoff's game, that is a step a pair. Cost: 5 bytes a number, 9
//! from 2^32 on.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::{Failed, Ray};
use crate::dense::Told;

/// Cells between two looks at whether to go on.
const TELL: u64 = 1 << 24;

/// A set of marked columns that moves on with the rows.
struct Marks<'a> {
    ray: &'a Ray,
    /// For each row modulo the ray's step: columns, counted from what the ray has run up to the row.
    sets: Vec<Vec<u64>>,
    /// What keeps columns from being negative.
    shift: u64,
}

/// Bytes that [`rows`] takes, without the P-positions themselves.
pub fn rows_bytes(rays: &[Ray], to: [u64; 2]) -> u64 {
    let leaving = rays.iter().filter(|ray| ray.step[0] > 0);
    let sets = leaving.map(|ray| marked_words(ray, to).saturating_mul(ray.step[0]));
    let words = sets.fold(to[1] / 32 + 2, u64::saturating_add);
    words.saturating_mul(8)
}

/// Words of a set of marked columns; a word more is read than there is.
fn marked_words(ray: &Ray, to: [u64; 2]) -> u64 {
    shift(ray, to).saturating_add(to[1]) / 64 + 3
}

/// How far columns are counted back to row 0.
fn shift(ray: &Ray, to: [u64; 2]) -> u64 {
    (to[0] / ray.step[0]).saturating_mul(ray.step[1])
}

/// Visits the rows of a table with sides `0..=to`, each as bits, 1 for a P-position, the bits past the last column 0. `None`
/// if this is not for these rays.
pub fn rows(
    rays: &[Ray],
    to: [u64; 2],
    misere: bool,
    told: &mut Told<'_>,
    visit: &mut dyn FnMut(u64, &[u64]) -> ControlFlow<()>,
) -> Option<Result<(), Failed>> {
    let limited = |ray: &Ray| ray.step[0] > 0 && ray.count.is_some_and(|count| count > 1);
    if rays
        .iter()
        .any(|ray| ray.guard.is_some() || (limited(ray) && ray.from != ray.step))
    {
        return None;
    }
    let words = (to[1] / 64 + 1) as usize;
    let leaving = rays.iter().filter(|ray| ray.step[0] > 0);
    let marks = leaving.map(|ray| Marks {
        ray,
        sets: vec![vec![0; marked_words(ray, to) as usize]; ray.step[0] as usize],
        shift: shift(ray, to),
    });
    let mut marks: Vec<Marks> = marks.collect();
    // The P-positions of earlier rows, as far back as a move or the end of one can lie.
    let far = rays.iter().map(|ray| {
        let end = ray.count.filter(|_| ray.step[0] > 0).unwrap_or(0);
        ray.from[0].saturating_add(end.saturating_mul(ray.step[0]))
    });
    let far = far.max().unwrap_or(0);
    let mut found: VecDeque<Vec<u64>> = VecDeque::new();
    let before = |found: &VecDeque<Vec<u64>>, back: u64| -> Vec<u64> {
        let i = (found.len() as u64).checked_sub(back);
        i.and_then(|i| found.get(i as usize))
            .cloned()
            .unwrap_or_default()
    };
    let mut due = TELL;
    let mut p = vec![0u64; words];
    let mut extra = vec![0u64; words];
    for row in 0..=to[0] {
        extra.fill(0);
        for mark in &mut marks {
            let Ray {
                from, step, count, ..
            } = mark.ray;
            let passed = row / step[0];
            let set = &mut mark.sets[(row % step[0]) as usize];
            let key = |column: u64| (column + mark.shift).checked_sub(passed * step[1]);
            if let Some(count) = count {
                // Those that are out of reach from this row on.
                for b in before(&found, from[0] + count * step[0]) {
                    if let Some(k) =
                        key(b + from[1] + count * step[1]).filter(|k| k / 64 < set.len() as u64)
                    {
                        set[(k / 64) as usize] &= !(1 << (k % 64));
                    }
                }
            }
            if from[0] > 0 {
                for b in before(&found, from[0]) {
                    if let Some(k) = key(b + from[1]).filter(|k| k / 64 < set.len() as u64) {
                        set[(k / 64) as usize] |= 1 << (k % 64);
                    }
                }
            }
        }
        for ray in rays
            .iter()
            .filter(|ray| ray.step[0] == 0 && ray.from[0] > 0)
        {
            for b in before(&found, ray.from[0]) {
                mark_row(&mut extra, b, ray);
            }
        }
        // In misère play a position without moves is won.
        let least = rays
            .iter()
            .filter(|ray| ray.from[0] <= row)
            .map(|ray| ray.from[1])
            .min();
        let ended = if misere { least.unwrap_or(u64::MAX) } else { 0 };
        let mut columns = Vec::new();
        let mut over = false;
        for w in 0..words {
            p[w] = 0;
            if over {
                continue;
            }
            let mut marked = extra[w];
            for mark in &marks {
                let step = &mark.ray.step;
                let first = w as u64 * 64 + mark.shift - row / step[0] * step[1];
                let set = &mark.sets[(row % step[0]) as usize];
                let (at, bit) = ((first / 64) as usize, first % 64);
                marked |= set[at] >> bit | set[at + 1] << 1 << (63 - bit);
            }
            let base = w as u64 * 64;
            if ended > base {
                marked |= if ended - base >= 64 {
                    u64::MAX
                } else {
                    (1 << (ended - base)) - 1
                };
            }
            if to[1] - base < 63 {
                marked |= u64::MAX << (to[1] - base + 1);
            }
            while marked != u64::MAX {
                let bit = marked.trailing_ones();
                let b = base + u64::from(bit);
                marked |= 1 << bit;
                p[w] |= 1 << bit;
                columns.push(b);
                for ray in rays.iter().filter(|ray| ray.from[0] == 0) {
                    if ray.step[..] == [0, 1] && ray.from[1] == 1 && ray.count.is_none() {
                        over = true;
                    } else {
                        mark_row(&mut extra, b, ray);
                    }
                }
                if over {
                    break;
                }
                marked |= extra[w];
            }
        }
        // What goes on from this very row along rays that begin beside a P-position.
        for mark in marks.iter_mut().filter(|mark| mark.ray.from[0] == 0) {
            let Ray { from, step, .. } = mark.ray;
            let set = &mut mark.sets[(row % step[0]) as usize];
            for b in &columns {
                let k = (b + from[1] + mark.shift).checked_sub(row / step[0] * step[1]);
                if let Some(k) = k.filter(|k| k / 64 < set.len() as u64) {
                    set[(k / 64) as usize] |= 1 << (k % 64);
                }
            }
        }
        if visit(row, &p).is_break() {
            return Some(Err(Failed::Stopped));
        }
        found.push_back(columns);
        if found.len() as u64 > far.max(1) {
            found.pop_front();
        }
        let cells = (row + 1).saturating_mul(to[1] + 1);
        if cells >= due {
            due = cells.saturating_add(TELL);
            if told(cells).is_break() {
                return Some(Err(Failed::Stopped));
            }
        }
    }
    Some(Ok(()))
}

/// Marks what of a row a P-position in it, or in one that the ray begins below, can be reached from.
fn mark_row(row: &mut [u64], column: u64, ray: &Ray) {
    let end = row.len() as u64 * 64;
    // A ray that leaves the row has one cell in it; one without a step is a single move.
    let count = if ray.step[0] > 0 || ray.step[1] == 0 {
        1
    } else {
        ray.count.unwrap_or(u64::MAX)
    };
    let mut b = column.saturating_add(ray.from[1]);
    for _ in 0..count {
        if b >= end {
            return;
        }
        row[(b / 64) as usize] |= 1 << (b % 64);
        b = b.saturating_add(ray.step[1]);
    }
}

/// Visits the P-positions (a, b) with a <= b <= to, in order of a, and tells how many numbers up to `to` are in none of them.
/// `None` if this is not for these rays: not any number may be taken from either counter, or another ray is none of equal
/// numbers from both, or the moves change when the counters are exchanged, or play is misère.
pub fn pairs(
    rays: &[Ray],
    to: u64,
    misere: bool,
    told: &mut Told<'_>,
    visit: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Option<Result<u64, Failed>> {
    let plain = |ray: &Ray, step: [u64; 2]| {
        ray.step[..] == step && ray.from == ray.step && ray.count.is_none()
    };
    let is_row = |ray: &Ray| plain(ray, [0, 1]) || plain(ray, [1, 0]);
    let both = [[0, 1], [1, 0]]
        .iter()
        .all(|step| rays.iter().any(|ray| plain(ray, *step)));
    let diagonals: Vec<&Ray> = rays.iter().filter(|ray| !is_row(ray)).collect();
    let fits = |ray: &&Ray| ray.step[..] == [1, 1] && ray.count.is_none();
    if misere
        || !both
        || !symmetric(rays)
        || rays.iter().any(|ray| ray.guard.is_some())
        || !diagonals.iter().all(fits)
    {
        return None;
    }
    Some(if is_small(to) {
        pair_by_pair(&diagonals, to, u32::MAX, told, visit)
    } else {
        pair_by_pair(&diagonals, to, u64::MAX, told, visit)
    })
}

/// Bytes that [`pairs`] takes.
pub fn pairs_bytes(to: u64) -> u64 {
    let each = if is_small(to) { 5 } else { 9 };
    to.saturating_add(1).saturating_mul(each)
}

/// Whether rows fit four bytes, and one more number.
fn is_small(to: u64) -> bool {
    to < u64::from(u32::MAX)
}

/// The same for these rays besides the rows, with rows as numbers below `none`.
fn pair_by_pair<R: Copy + Ord + Into<u64> + TryFrom<u64>>(
    diagonals: &[&Ray],
    to: u64,
    none: R,
    told: &mut Told<'_>,
    visit: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<u64, Failed> {
    // For each difference the least row in which it is marked.
    let mut marked = vec![none; to as usize + 1];
    let mut used = vec![false; to as usize + 1];
    let mut low = 0u64;
    let (mut alone, mut due) = (0, TELL);
    for a in 0..=to {
        if used[a as usize] {
            continue;
        }
        // Differences are marked for good once their row has come, so that what lies below is never free again.
        while low <= to && marked[low as usize].into() <= a {
            low += 1;
        }
        let free = |d: &u64| marked[*d as usize].into() > a && !used[(a + d) as usize];
        let Some(d) = (low..=to - a.min(to)).find(free) else {
            alone += 1;
            continue;
        };
        let b = a + d;
        (used[a as usize], used[b as usize]) = (true, true);
        if visit(a, b).is_break() {
            return Err(Failed::Stopped);
        }
        for ray in diagonals {
            // From either way round that the pair can be written.
            for (p, q) in [(a, b), (b, a)] {
                let (row, other) = (p + ray.from[0], q + ray.from[1]);
                if let Some(d) = other.checked_sub(row).filter(|&d| d <= to) {
                    let first = &mut marked[d as usize];
                    *first = (*first).min(R::try_from(row).unwrap_or(none));
                }
            }
        }
        if a >= due {
            due = a + TELL;
            if told(a).is_break() {
                return Err(Failed::Stopped);
            }
        }
    }
    Ok(alone)
}

/// Whether the moves are the same with the counters exchanged.
pub fn symmetric(rays: &[Ray]) -> bool {
    rays.iter().all(|ray| rays.contains(&ray.exchanged(0, 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_four_bytes_and_of_eight_give_the_same_pairs() {
        let ray = |from: [u64; 2], step: [u64; 2]| Ray {
            from: from.into(),
            step: step.into(),
            count: None,
            guard: None,
        };
        let told = &mut |_| ControlFlow::Continue(());
        for diagonals in [
            vec![ray([1, 1], [1, 1])],
            vec![ray([1, 2], [1, 1]), ray([2, 1], [1, 1])],
            vec![],
        ] {
            let diagonals: Vec<&Ray> = diagonals.iter().collect();
            let (mut narrow, mut wide) = (Vec::new(), Vec::new());
            let into = |list: &mut Vec<(u64, u64)>, a, b| {
                list.push((a, b));
                ControlFlow::Continue(())
            };
            let one = pair_by_pair(&diagonals, 3000, u32::MAX, told, &mut |a, b| {
                into(&mut narrow, a, b)
            });
            let other = pair_by_pair(&diagonals, 3000, u64::MAX, told, &mut |a, b| {
                into(&mut wide, a, b)
            });
            assert_eq!((one, &narrow), (other, &wide));
            assert!(narrow.len() > 1000);
        }
    }
}
