//! Tables along rays say what the interpreter says of every cell.

use std::ops::ControlFlow;

use grundy_lang::interp::Rules;
use grundy_lang::ir::{Play, Shape};
use grundy_search::dense::rays::{Failed, Ray, Rays, Split, Unfit, pairs, rows, split, symmetric};
use grundy_search::dense::{
    Cells, Evaluate, Interpret, Layout, Mode, Order, Plain, Threads, Worker,
};
use grundy_testkit::{Random, game, rays};

#[derive(Debug, Default)]
struct Seen {
    filled: usize,
    limited: usize,
    guarded: usize,
    rest: usize,
    misere: usize,
    unordered: usize,
    no_rays: usize,
    no_way: usize,
    by_rows: usize,
    by_pairs: usize,
}

fn truth(rules: &Rules, layout: &Layout, mode: Mode, threads: usize) -> Cells {
    let worker = || Worker {
        evaluate: Box::new(Interpret::new(rules.machine(), layout, mode)),
        ask: Box::new(|at, _| panic!("no value for {at:?}")),
    };
    let threads = Threads {
        count: threads,
        worker: &worker,
    };
    let plain = Plain {
        layout,
        order: &Order::natural(layout.words().len()),
        mode,
        wanted: None,
        widen: &|_, _| Ok(()),
    };
    let told = &mut |_| ControlFlow::Continue(());
    let cells = plain.fill(worker(), &threads, told);
    cells.expect("no errors").expect("not stopped")
}

fn rays_of<'a>(split: &Split, layout: &'a Layout, rules: &Rules) -> Result<Rays<'a>, Unfit> {
    let misere = rules.game().play == Play::Misere;
    let mode = if misere { Mode::Outcomes } else { Mode::Values };
    Rays::new(layout, &split.rays, mode, misere, 1 << 30)
}

fn along_rays(
    split: &Split,
    layout: &Layout,
    rules: &Rules,
    threads: usize,
) -> Result<Cells, Failed> {
    let misere = rules.game().play == Play::Misere;
    let mode = if misere { Mode::Outcomes } else { Mode::Values };
    let rays = rays_of(split, layout, rules).expect("a way");
    let interpret = |rules, mode| -> Box<dyn Evaluate + '_> {
        Box::new(Interpret::new(Rules::machine(rules), layout, mode))
    };
    let guards = || {
        let guards = split.guards.iter();
        guards.map(|g| interpret(g, Mode::Outcomes)).collect()
    };
    let rest = split.rest.as_ref();
    let rest = rest.map(|rules| move || interpret(rules, mode));
    let rest = rest.as_ref().map(|rest| rest as _);
    rays.fill(&guards, rest, threads, &mut |_| ControlFlow::Continue(()))
}

fn same(text: &str, layout: &Layout, ours: &Cells, truth: &Cells, how: &str) {
    for place in 0..layout.cells() {
        assert_eq!(
            ours.get(place),
            truth.get(place),
            "{text}{layout:?} cell {place} {how}"
        );
    }
}

fn compare(text: &str, rules: &Rules, to: &[u64], seen: &mut Seen) {
    let layout = Layout::new(&rules.game().shape, to).expect("a table");
    let misere = rules.game().play == Play::Misere;
    let mode = if misere { Mode::Outcomes } else { Mode::Values };
    let Ok(split) = split(rules, &layout) else {
        seen.no_rays += 1;
        return;
    };
    if rays_of(&split, &layout, rules).is_err() {
        seen.no_way += 1;
        return;
    }
    let cells = along_rays(&split, &layout, rules, 1);
    if misere && split.rest.is_some() {
        assert_eq!(cells.err(), Some(Failed::Unable));
        seen.no_way += 1;
        return;
    }
    let (ours, truth) = (cells.expect("a table"), truth(rules, &layout, mode, 1));
    same(text, &layout, &ours, &truth, "along rays");
    if split.rest.is_none() && to.len() == 2 {
        p_positions(text, &split.rays, &layout, &truth, misere, seen);
    }
    seen.filled += 1;
    seen.limited += usize::from(
        split
            .rays
            .iter()
            .any(|r| r.count.is_some() && !r.is_short()),
    );
    seen.guarded += usize::from(!split.guards.is_empty());
    seen.rest += usize::from(split.rest.is_some());
    seen.misere += usize::from(misere);
    seen.unordered += usize::from(!layout.unordered().is_empty());
}

/// The P-positions by themselves are those of the table.
fn p_positions(
    text: &str,
    rays: &[Ray],
    layout: &Layout,
    truth: &Cells,
    misere: bool,
    seen: &mut Seen,
) {
    let unordered = !layout.unordered().is_empty();
    if unordered && !symmetric(rays) {
        return;
    }
    let to = [layout.words()[0].to, layout.words()[1].to];
    let lost = |a: u64, b: u64| {
        let at = if unordered {
            [a.min(b), a.max(b)]
        } else {
            [a, b]
        };
        truth.get(layout.index(&at).expect("a cell")) == Some(0)
    };
    let going = &mut |_| ControlFlow::Continue(());
    let visit = &mut |a: u64, bits: &[u64]| {
        for b in 0..64 * bits.len() as u64 {
            let ours = bits[(b / 64) as usize] >> (b % 64) & 1 == 1;
            assert_eq!(
                ours,
                b <= to[1] && lost(a, b),
                "{text}{to:?} ({a}, {b}) {rays:?}"
            );
        }
        ControlFlow::Continue(())
    };
    if let Some(done) = rows(rays, to, misere, going, visit) {
        assert_eq!(done, Ok(()));
        seen.by_rows += 1;
    }
    if !unordered {
        return;
    }
    let mut found = Vec::new();
    let visit = &mut |a, b| {
        found.push((a, b));
        ControlFlow::Continue(())
    };
    if let Some(done) = pairs(rays, to[0], misere, going, visit) {
        let all = (0..=to[0]).flat_map(|a| (a..=to[0]).map(move |b| (a, b)));
        let all: Vec<_> = all.filter(|&(a, b)| lost(a, b)).collect();
        assert_eq!(found, all, "{text}{to:?} {rays:?}");
        let mut alone: Vec<u64> = (0..=to[0]).collect();
        alone.retain(|n| found.iter().all(|(a, b)| n != a && n != b));
        assert_eq!(done, Ok(alone.len() as u64));
        seen.by_pairs += 1;
    }
}

#[test]
fn random_games_along_rays_agree_with_the_interpreter() {
    let mut r = Random::new(20);
    let mut seen = Seen::default();
    for _ in 0..2_600 {
        let random = rays::game(&mut r);
        let rules = random
            .rules()
            .unwrap_or_else(|e| panic!("{}\n{e}", random.text));
        let shape = &rules.game().shape;
        let n = shape.width().expect("counters");
        let most = [90, 32, 9, 4][n - 1];
        let mut to: Vec<u64> = (0..n).map(|_| r.below(most + 1)).collect();
        match shape {
            Shape::Unordered(..) => to.fill(most),
            Shape::Tuple(members) if members.len() < n => to.fill(most),
            _ => {}
        }
        compare(&random.text, &rules, &to, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.by_rows > 300 && seen.by_pairs > 20, "{seen:?}");
    let Seen {
        filled,
        limited,
        guarded,
        rest,
        misere,
        unordered,
        ..
    } = seen;
    assert!(filled > 2_000, "{filled}");
    assert!(
        limited > 100 && guarded > 100 && rest > 100,
        "{limited} {guarded} {rest}"
    );
    assert!(misere > 100 && unordered > 500, "{misere} {unordered}");
}

#[test]
fn random_pairs_of_heaps_have_the_p_positions_of_their_tables() {
    let mut r = Random::new(21);
    let mut seen = Seen::default();
    for _ in 0..150 {
        let mut text = "game g\nstart {a, b}\nmove {a, b} -> {a - k, b} for k in 1..a\nmove {a, b} -> {a, b - k} for k in 1..b\n".to_owned();
        for _ in 0..r.below(4) {
            let (first, second) = (r.below(4), r.below(4));
            text += &format!(
                "move {{a, b}} -> {{a - {first} - k, b - {second} - k}} for k in {}..min(a - {first}, b - {second})\n",
                1 + r.below(3)
            );
            if first != second {
                text += &format!(
                    "move {{a, b}} -> {{a - {second} - k, b - {first} - k}} for k in 1..min(a - {second}, b - {first})\n"
                );
            }
        }
        let rules = Rules::new(game(&text), vec![0.into(), 0.into()]);
        compare(&text, &rules, &[40, 40], &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.by_pairs > 80, "{seen:?}");
}

#[test]
fn any_number_of_threads_gives_the_same_table() {
    let mut r = Random::new(22);
    let (mut tables, mut long, mut misere) = (0, 0, 0);
    for _ in 0..150 {
        let random = rays::game(&mut r);
        let rules = random.rules().expect("rules");
        let shape = &rules.game().shape;
        let n = shape.width().expect("counters");
        let to = vec![[300, 70, 8, 4][n - 1]; n];
        let layout = Layout::new(shape, &to).expect("a table");
        let outcomes = rules.game().play == Play::Misere;
        let mode = if outcomes {
            Mode::Outcomes
        } else {
            Mode::Values
        };
        let plain = truth(&rules, &layout, mode, 1);
        let split = split(&rules, &layout).ok();
        let split = split.filter(|split| rays_of(split, &layout, &rules).is_ok());
        let split = split.filter(|split| !outcomes || split.rest.is_none());
        for threads in [1, 2, 3, 5] {
            let how = format!("on {threads} threads");
            if n > 1 && threads > 1 {
                let cells = truth(&rules, &layout, mode, threads);
                same(&random.text, &layout, &cells, &plain, &how);
            }
            if let Some(split) = &split {
                let cells = along_rays(split, &layout, &rules, threads).expect("a table");
                same(&random.text, &layout, &cells, &plain, &how);
            }
        }
        tables += usize::from(split.is_some());
        long += usize::from(n == 2);
        misere += usize::from(outcomes);
    }
    assert!(
        tables > 90 && long > 50 && misere > 10,
        "{tables} {long} {misere}"
    );
}

#[test]
fn large_tables_agree_with_the_interpreter() {
    let wythoff = "game w\nstart {a, b}\nmove {a, b} -> {a - k, b} for k in 1..a\nmove {a, b} -> {a, b - k} for k in 1..b\n\
                   move {a, b} -> {a - k, b - k} for k in 1..min(a, b)\n";
    let limited = "game l\nstart (a, b)\nmove (a, b) -> (a - k, b) for k in 1..min(a, 30)\n\
                   move (a, b) -> (a, b - k) for k in 1..b\nmove (a, b) -> (a - k, b - 2*k) for k in 1..min(a, b//2)\n";
    for (text, to) in [(wythoff, [300, 300]), (limited, [200, 300])] {
        let mut seen = Seen::default();
        compare(
            text,
            &Rules::new(game(text), vec![0.into(), 0.into()]),
            &to,
            &mut seen,
        );
        assert_eq!(seen.filled, 1);
    }
}

#[test]
fn what_runs_along_no_ray_is_seen() {
    for (moves, rays, rest) in [
        ("(a, b) -> (k, b) for k in 0..a-1", 1, false),
        (
            "(a, b) -> (a - k, b - l) for k in 1..a, l in 1..b if abs(k - l) < 3",
            5,
            false,
        ),
        ("(a, b) -> (a - k, b - l) for k in 1..a, l in 1..b", 0, true),
        ("(a, b) -> (a - k, b) for k in 1..b if k <= a", 0, true),
        ("(a, b) -> (a - k*k, b) for k in 1..a if k*k <= a", 0, true),
        ("(a, b) -> (a - k, b) for k in 1..a if k != 3", 2, false),
        ("(a, b) -> (a - 2*k, b) for k in 1..a//2", 1, false),
    ] {
        let text = format!("game g\nstart (a, b)\nmove {moves}\n");
        let rules = Rules::new(game(&text), vec![0.into(), 0.into()]);
        let layout = Layout::new(&rules.game().shape, &[100, 100]).expect("a table");
        match split(&rules, &layout) {
            Ok(split) => assert_eq!(
                (split.rays.len(), split.rest.is_some()),
                (rays, rest),
                "{moves} {:?}",
                split.rays
            ),
            Err(_) => assert_eq!((0, true), (rays, rest), "{moves}"),
        }
    }
}
