//! A table in bands of tiles, which threads fill one behind the other.
//!
//! A band is filled tile by tile, by one thread, and no tile before the same one of the band above. So whatever lies in front
//! of a cell in both directions is there when it is computed, and of two tiles that are filled at the same time neither
//! lies so in front of the other: a line that falls in no direction passes through one of them at most. Which thread fills
//! which band is of no account for what is in it. Cost: some dozen instructions a tile.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use super::Told;

/// How tiles of bands hang together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each needs those in front of it.
    Whole,
    /// The same, and also the tile on the other side of the diagonal if that is in a band above.
    Mirrored,
    /// There are only those up to the diagonal; the band and the tile of a cell are of the same side.
    Half,
}

/// A table's bands and tiles.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    /// The greatest numbers along the bands' side and along the tiles'.
    pub to: [u64; 2],
    /// How many numbers belong to a band and to a tile.
    pub step: [u64; 2],
    pub kind: Kind,
}

impl Grid {
    /// The number of bands.
    fn bands(&self) -> usize {
        (self.to[0] / self.step[0] + 1) as usize
    }

    /// The numbers of a band.
    pub fn band(&self, band: u64) -> Range<u64> {
        let from = band * self.step[0];
        from..from.saturating_add(self.step[0]).min(self.to[0] + 1)
    }

    /// The numbers of a tile.
    pub fn tile(&self, tile: u64) -> Range<u64> {
        let from = tile * self.step[1];
        from..from.saturating_add(self.step[1]).min(self.to[1] + 1)
    }

    /// The number of tiles of a band.
    fn tiles(&self, band: u64) -> u64 {
        let last = match self.kind {
            Kind::Half => self.to[1].min(self.band(band).end - 1),
            _ => self.to[1],
        };
        last / self.step[1] + 1
    }

    /// The band and tile on the other side of the diagonal that a tile needs.
    fn mirror(&self, band: u64, tile: u64) -> Option<(u64, u64)> {
        let (rows, columns) = (self.band(band), self.tile(tile));
        if self.kind != Kind::Mirrored || columns.start >= rows.start {
            return None;
        }
        let row = (columns.end - 1).min(rows.start - 1);
        let column = (rows.end - 1).min(self.to[1]);
        Some((row / self.step[0], column / self.step[1]))
    }
}

/// What one thread says of how far it has come, and hears whether to go on.
pub(super) struct Ticker<'a, 't> {
    shared: &'a Shared,
    /// Cells between two looks.
    every: u64,
    cells: u64,
    glances: u64,
    /// On one thread.
    told: Option<&'a mut Told<'t>>,
}

#[derive(Debug, Default)]
struct Shared {
    cells: AtomicU64,
    stop: AtomicBool,
    /// Threads that have come to their end.
    ended: AtomicUsize,
}

/// While other threads have work left and the first has none, it listens this often.
const LISTEN: Duration = Duration::from_millis(20);

impl Ticker<'_, '_> {
    /// So many cells more are done.
    #[inline]
    pub fn tick(&mut self, cells: u64) -> ControlFlow<()> {
        self.cells += cells;
        if self.cells < self.every {
            return ControlFlow::Continue(());
        }
        self.look()
    }

    /// Something is done that counts later.
    pub fn glance(&mut self) -> ControlFlow<()> {
        self.glances += 1;
        if self.glances < self.every {
            return ControlFlow::Continue(());
        }
        self.glances = 0;
        self.look()
    }

    #[cold]
    fn look(&mut self) -> ControlFlow<()> {
        let cells = std::mem::take(&mut self.cells);
        let cells = self.shared.cells.fetch_add(cells, Ordering::Relaxed) + cells;
        if let Some(told) = &mut self.told
            && told(cells).is_break()
        {
            self.shared.stop.store(true, Ordering::Relaxed);
        }
        if self.shared.stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Says that a thread has ended; stops the others if it was in a panic, so that none waits for it.
struct Ending<'a> {
    shared: &'a Shared,
    first: Thread,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.stop.store(true, Ordering::Relaxed);
        }
        self.shared.ended.fetch_add(1, Ordering::Release);
        self.first.unpark();
    }
}

/// Does a tile of a band; says whether to go on.
pub(super) type Work<'w, W, E> =
    dyn Fn(&mut W, &mut Ticker<'_, '_>, u64, u64) -> Result<ControlFlow<()>, E> + Sync + 'w;

/// Does all tiles, each band in order, on up to so many threads, each with a worker of its own, the first that is given. The error is that of the
/// first band that has one, whatever the number of threads; `false` if it was broken off. What is told is told about every
/// `every` cells.
pub(super) fn run<W, E: Send>(
    grid: &Grid,
    threads: usize,
    every: u64,
    told: &mut Told<'_>,
    first: W,
    make: &(dyn Fn() -> W + Sync),
    work: &Work<'_, W, E>,
) -> Result<bool, E> {
    let bands = grid.bands();
    let shared = Shared::default();
    let next = AtomicUsize::new(0);
    let done: Vec<AtomicU64> = (0..bands).map(|_| AtomicU64::new(0)).collect();
    // The first band with an error, and it.
    let failed = AtomicUsize::new(usize::MAX);
    let error = Mutex::new(None);
    let threads = threads.clamp(1, bands);
    let alone = threads == 1;
    let current = std::thread::current();
    let thread = |told: Option<&mut Told<'_>>, mut worker: W| {
        let _ending = Ending {
            shared: &shared,
            first: current.clone(),
        };
        let mut ticker = Ticker {
            shared: &shared,
            every,
            cells: 0,
            glances: 0,
            told,
        };
        let over = |band: usize| {
            shared.stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed) < band
        };
        loop {
            let band = next.fetch_add(1, Ordering::Relaxed);
            if band >= bands || over(band) {
                return;
            }
            let wait = |other: usize, tile: u64| {
                let mut turns = 0;
                while done[other].load(Ordering::Acquire) <= tile {
                    if over(band) {
                        return ControlFlow::Break(());
                    }
                    turns += 1;
                    if turns < 64 {
                        std::hint::spin_loop();
                    } else {
                        std::thread::yield_now();
                    }
                }
                ControlFlow::Continue(())
            };
            for tile in 0..grid.tiles(band as u64) {
                if !alone {
                    let above = band.checked_sub(1).filter(|&b| tile < grid.tiles(b as u64));
                    let mirror = grid.mirror(band as u64, tile);
                    let mirror = mirror.map(|(b, tile)| (b as usize, tile));
                    let needed = above.map(|b| (b, tile)).into_iter().chain(mirror);
                    for (other, tile) in needed {
                        if wait(other, tile).is_break() {
                            return;
                        }
                    }
                }
                match work(&mut worker, &mut ticker, band as u64, tile) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(())) => return,
                    Err(why) => {
                        let mut error = error.lock().unwrap_or_else(PoisonError::into_inner);
                        if band < failed.load(Ordering::Relaxed) {
                            failed.store(band, Ordering::Relaxed);
                            *error = Some(why);
                        }
                        return;
                    }
                }
                done[band].store(tile + 1, Ordering::Release);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| thread(None, make()));
        }
        thread(Some(told), first);
        while shared.ended.load(Ordering::Acquire) < threads {
            std::thread::park_timeout(LISTEN);
            if told(shared.cells.load(Ordering::Relaxed)).is_break() {
                shared.stop.store(true, Ordering::Relaxed);
            }
        }
    });
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(!shared.stop.load(Ordering::Relaxed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(kind: Kind) -> Grid {
        Grid {
            to: [19, 19],
            step: [2, 2],
            kind,
        }
    }

    #[test]
    fn a_tile_comes_behind_those_it_needs() {
        for kind in [Kind::Whole, Kind::Mirrored, Kind::Half] {
            let grid = grid(kind);
            for threads in [1, 2, 3, 5] {
                let seen = Mutex::new(vec![[false; 10]; 10]);
                let work = |(): &mut (), _: &mut Ticker<'_, '_>, band: u64, tile: u64| {
                    let (b, t) = (band as usize, tile as usize);
                    let mut seen = seen.lock().unwrap();
                    assert!(t == 0 || seen[b][t - 1], "{kind:?} {b} {t}");
                    let above = b > 0 && tile < grid.tiles(band - 1);
                    assert!(!above || seen[b - 1][t], "{kind:?} {b} {t}");
                    assert!(kind != Kind::Mirrored || t >= b || seen[t][b]);
                    assert!(!std::mem::replace(&mut seen[b][t], true));
                    Ok::<_, ()>(ControlFlow::Continue(()))
                };
                let told = &mut |_| ControlFlow::Continue(());
                assert_eq!(run(&grid, threads, 1, told, (), &|| (), &work), Ok(true));
                let done: usize = seen
                    .lock()
                    .unwrap()
                    .iter()
                    .flatten()
                    .filter(|s| **s)
                    .count();
                assert_eq!(done, if kind == Kind::Half { 55 } else { 100 });
            }
        }
    }

    #[test]
    fn the_error_is_that_of_the_first_band_and_a_stop_is_heard() {
        let going = &mut |_| ControlFlow::Continue(());
        for threads in [1, 2, 3, 5] {
            let work = |(): &mut (), _: &mut Ticker<'_, '_>, band: u64, tile: u64| {
                let fails = (band, tile) == (3, 9) || (band, tile) == (4, 0) || band == 7;
                if fails {
                    Err(band)
                } else {
                    Ok(ControlFlow::Continue(()))
                }
            };
            let done = run(&grid(Kind::Whole), threads, 1, going, (), &|| (), &work);
            assert_eq!(done, Err(3), "{threads} threads");
            let work = |(): &mut (), ticker: &mut Ticker<'_, '_>, _: u64, _: u64| {
                Ok::<_, ()>(ticker.tick(4))
            };
            let mut cells = 0;
            let told = &mut |done| {
                cells = done;
                if done < 40 {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            };
            let done = run(&grid(Kind::Whole), threads, 1, told, (), &|| (), &work);
            assert_eq!((done, cells >= 40), (Ok(false), true), "{threads} threads");
        }
    }
}
