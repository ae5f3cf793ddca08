//! Play of every game of the catalogue is proved to end; play that need not end is shown; and on random rules of every
//! shape a proof is never contradicted by playing.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use grundy_lang::bind::{self, Arguments, Bound};
use grundy_lang::check;
use grundy_lang::diag::{Code, Source};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Game, Shape};
use grundy_lang::linear::{self, Termination};
use grundy_lang::value::{Pos, Value};

fn load(label: &str, text: &str) -> Result<Arc<Game>, String> {
    let source = Source::new(label, text);
    match check::load(&source) {
        Ok((game, _)) => Ok(Arc::new(game)),
        Err(errors) => Err(errors.iter().map(|e| e.render(false)).collect()),
    }
}

fn bound(game: &Arc<Game>, words: Option<&str>) -> Result<Bound, String> {
    let args = match (words, game.expects.first()) {
        (Some(words), _) => {
            let words: Vec<&str> = words.split(' ').collect();
            Arguments::parse(&words).map_err(|e| e.render(false))?
        }
        (None, Some(e)) => Arguments {
            source: game.source.clone(),
            list: e.args.clone(),
        },
        (None, None) => return Err("no arguments".to_owned()),
    };
    bind::bind(game, &args).map_err(|e| e.render(false))
}

fn rules(text: &str) -> Rules {
    let game = load("<rule>", text).unwrap();
    let params = game.vars.iter().map(|_| Value::from(6)).collect();
    Rules::new(game, params)
}

#[test]
fn play_of_every_game_of_the_catalogue_ends() {
    let words = HashMap::from([
        ("cutting", "7 5"),
        ("divide", "n=[9]"),
        ("misere_nim", "n=[3,4]"),
        ("nim_moves", "n=[3,4]"),
        ("stairs", "p=[1,2,3]"),
        ("digital_deletions", "201"),
        ("euclid", "34 12"),
        ("grundys_game", "n=[9]"),
        ("kiki", "5 4"),
        ("merge_or_take", "[1,2,3]"),
        ("s_nim", "S=[2,5] n=[5,12]"),
        ("stones_dp", "K=7 a=[2,3]"),
        ("t_wythoff", "9 5 2"),
        ("treblecross", "n=[9]"),
        ("tree_stones", "n=4 par=[0,1,0] a=[2,3,3,3]"),
    ]);
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let mut wrong = String::new();
    let mut count = 0;
    for entry in fs::read_dir(games).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let game = load(&name, &fs::read_to_string(&path).unwrap()).unwrap();
        // A game whose input is not known here is one more line above, or an `expect` in its file.
        let bound = match bound(&game, words.get(&name[..]).copied()) {
            Ok(bound) => bound,
            Err(e) => {
                println!("{name}: {e}");
                continue;
            }
        };
        count += 1;
        let found = linear::check_from(&bound.rules, &bound.position);
        println!("{name}: {found:?}");
        if !matches!(found, Termination::Proved { .. }) {
            wrong.push_str(&format!("{name}: {found:?}\n"));
        }
        for d in linear::diagnostics_from(&bound.rules, &bound.position) {
            wrong.push_str(&d.render(false));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count >= 35, "{count} games");
}

#[test]
fn rules_that_end_are_proved() {
    for text in [
        "n -> n - k for k in 1..3",
        "(a, b) -> (a - 1, b + k) for k in 1..9",
        "(s, c) -> (s, c + k) for k in 1..min(c*c, s - c)",
        "{a, b} -> {a - k, b - k} for k in 1..min(a, b)",
        "n -> n // 2 if n > 0",
        "n -> [k, n - k] for k in 1..n-1",
        "n -> n + 1 if n < 100",
        "x[] -> x with x[A-1] -= k, x[B-1] += k for A in 2..len(x), B in 1..A-1, k in 1..x[A-1] if (A + B) % 6 == 3",
        "p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1",
        "x[] -> x[0..i-1] + x[i+1..len(x)-1] for i in 0..len(x)-1",
        "x[] -> [x[0..i-1], x[i+1..len(x)-1]] for i in 0..len(x)-1",
        "s[] -> s with s[i] = \"O\" for i in 0..len(s)-1 if s[i] == \"X\"",
        "s{} -> s ^ {i, j} for i in s, j in 0..i-1",
        "s{} -> s - {i} for i in s",
        "{a, ...} -> {a - k, ...} for k in 1..a",
        "{a, b, ...} -> {a + b, ...}",
        "{a, ...} -> {k, a - k, ...} for k in 1..a-1",
    ] {
        let found = linear::check(&rules(text));
        assert!(
            matches!(found, Termination::Proved { .. }),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn play_that_need_not_end_is_shown() {
    for (text, cycle) in [
        ("n -> n", true),
        ("n -> n - 1; n -> n + 1", true),
        ("(a, b) -> (b, a)", true),
        ("(a, b) -> (a - 1, b + 1); (a, b) -> (a + 1, b - 1)", true),
        ("{a, b} -> {a - k, b + k} for k in 1..a", true),
        (
            "x[] -> x with x[i] -= 1, x[j] += 1 for i in 0..len(x)-1, j in 0..len(x)-1",
            true,
        ),
        ("s{} -> s ^ {i} for i in 0..5", true),
        ("{a, ...} -> {a - 1, 1, ...} if a > 0", true),
        ("s[] -> s with s[i] = \"X\" for i in 0..len(s)-1", true),
        ("n -> n + 1", false),
        ("n -> n + k for k in 1..3", false),
        ("(a, b) -> (a + b, b) if b > 0", false),
        ("n -> [n + 2, 1] if n % 2 == 0", false),
        ("s[] -> s + \"a\"", false),
        ("s[] -> \"ab\" + s if len(s) > 1", false),
        (
            "s[] -> s + \"ab\" if s[0] == \"b\" and not len(s) < 2",
            false,
        ),
        ("x[] -> x + [1]", false),
        ("x[] -> x + [x[i]] for i in 0..len(x)-1", false),
        ("x[] -> x + x if len(x) > 0", false),
        ("x[] -> [k] + x for k in x if k in x", false),
        ("(x[], n) -> (x + [n], n + len(x)) if n > 2", false),
        (
            "(x[], n) -> (x + [n], n) if n > 0 | (x[], n) -> (x, n - 1) if n > 0",
            false,
        ),
        ("s[] -> [s + \"a\", \"\"] if len(s) > 0", false),
        ("{a, ...} -> {a, a, ...}", false),
        ("{a, b, ...} -> {b, 3, a, ...} if a < b", false),
    ] {
        let rules = rules(text);
        let found = linear::check(&rules);
        match &found {
            Termination::CanCycle { positions, .. } => {
                assert!(cycle, "{text}: {found:?}");
                real(&rules, positions);
                assert_eq!(positions.first(), positions.last());
            }
            Termination::CanGrow { positions, .. } => {
                assert!(!cycle, "{text}: {found:?}");
                real(&rules, positions);
            }
            _ => panic!("{text}: {found:?}"),
        }
        let all = linear::diagnostics(&rules);
        assert_eq!(all[0].code, Code::Cycle);
        assert!(!all[0].notes.is_empty());
    }
}

/// Moves that make a list longer, but not for ever.
#[test]
fn what_grows_to_a_bound_is_not_refused() {
    for text in [
        "s[] -> s + \"a\" if len(s) < 40",
        "s[] -> s + \"a\" if s[len(s)-1] == \"b\"",
        "s[] -> \"a\" + s if len(s) > 0 and s[0] == \"b\"",
        "(x[], n) -> (x + [n], n - 1) if n > 0",
        "x[] -> x + [x[len(x)-1] - 1] if len(x) > 0 and x[len(x)-1] > 0",
        "x[] -> x + [7 - len(x)]",
        "x[] -> x + [1] for k in len(x)..9",
        "x[] -> x + [1] if all(k > 1 for k in x)",
        "x[] -> x + [1]\nwin if len(x) > 30",
        "(x[], t) -> (x + [1], t)\nlose if sum(x) > 9",
        "{a, ...} -> {a - 1, a - 1, ...}",
        "{a, ...} -> {1, ...} if a > 1",
    ] {
        let rules = rules(text);
        let found = linear::check(&rules);
        assert!(
            matches!(found, Termination::Proved { .. } | Termination::Unknown),
            "{text}: {found:?}"
        );
    }
    // Growth begins where play leads, or nowhere.
    let rule = "s[] -> s + \"a\" if s[0] == \"a\" | s[] -> \"a\" if s == \"b\"";
    let game = load("<rule>", rule).unwrap();
    for (from, grows) in [("s=b", true), ("s=c", false)] {
        let b = bound(&game, Some(from)).unwrap();
        let found = linear::check_from(&b.rules, &b.position);
        let is = matches!(found, Termination::CanGrow { .. });
        assert_eq!(is, grows, "{from}: {found:?}");
    }
}

/// Each part is left by some move from the one before.
fn real(rules: &Rules, positions: &[Pos]) {
    assert!(positions.len() > 1);
    for pair in positions.windows(2) {
        assert!(options(rules, &pair[0]).contains(&pair[1]), "{pair:?}");
    }
}

fn options(rules: &Rules, pos: &Pos) -> HashSet<Pos> {
    let mut out = HashSet::new();
    let mut machine = rules.machine();
    if matches!(machine.end(pos), Ok(None)) {
        let _ = machine.options(pos, &mut |opt| {
            out.extend(opt.parts.iter().cloned());
            ControlFlow::Continue(())
        });
    }
    out
}

#[test]
fn a_start_from_which_play_ends_is_enough() {
    let game = load(
        "<rule>",
        "start p; p -> p*k for k in 2..9 if p < n; win if p >= n",
    )
    .unwrap();
    let b = bound(&game, Some("n=50 p=1")).unwrap();
    assert!(matches!(
        linear::check(&b.rules),
        Termination::CanCycle { .. }
    ));
    assert!(matches!(
        linear::check_from(&b.rules, &b.position),
        Termination::Proved { .. }
    ));
    let b = bound(&game, Some("n=50 p=0")).unwrap();
    assert!(matches!(
        linear::check_from(&b.rules, &b.position),
        Termination::CanCycle { .. }
    ));
}

#[test]
fn a_graph_is_searched_for_cycles() {
    let game = load("<rule>", "v -> w for w in adj[v]").unwrap();
    let b = bound(&game, Some("adj=[[1,2],[2],[]] v=[0]")).unwrap();
    assert!(matches!(
        linear::check(&b.rules),
        Termination::Proved { .. }
    ));
    let b = bound(&game, Some("adj=[[1,2],[2],[0],[1]] v=[3]")).unwrap();
    let Termination::CanCycle { positions, .. } = linear::check(&b.rules) else {
        panic!("0 -> 2 -> 0 is a cycle");
    };
    real(&b.rules, &positions);
    assert_eq!(positions.first(), positions.last());
}

#[test]
fn an_index_outside_is_a_warning_and_a_count_below_zero_is_not() {
    let all = linear::diagnostics(&rules(
        "x[] -> x with x[i] -= 1, x[i+1] += 1 for i in 0..len(x)-1",
    ));
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].code, Code::LeavesSpace);
    let fine = "x[] -> x with x[i] -= 5, x[i+1] += 1 for i in 0..len(x)-2";
    assert!(linear::diagnostics(&rules(fine)).is_empty());
    assert!(linear::diagnostics(&rules("n -> n - 7")).is_empty());
}

#[test]
fn a_huge_start_takes_no_time() {
    let text = "start (a, b); (a, b) -> (b + k, a) for k in 0..b if k*k == a";
    let game = load("<rule>", text).unwrap();
    let huge = "a=1000000000000000000003 b=1000000000000000000000000";
    let b = bound(&game, Some(huge)).unwrap();
    let began = std::time::Instant::now();
    let _ = linear::diagnostics_from(&b.rules, &b.position);
    assert!(began.elapsed().as_secs() < 20);
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len() as u64) as usize]
    }
}

/// The text of random rules for one shape.
fn random_text(r: &mut Random) -> String {
    let shape = r.below(6);
    let mut moves = Vec::new();
    for _ in 0..1 + r.below(2) {
        let k = r.of(&["k in 0..2", "k in 1..2", "k in 1..3"]);
        moves.push(match shape {
            0 => {
                let mut e = || {
                    r.of(&[
                        "a", "b", "a - k", "b - k", "a + k", "b + 1", "a + b", "a - b", "2*a",
                        "a // 2", "0", "k",
                    ])
                };
                let (p, q) = (e(), e());
                let guard = r.of(&[
                    "a > b",
                    "a < b",
                    "a != b",
                    "a > 0",
                    "b > 0 and a > 1",
                    "a % 2 == 1",
                    "a + b < 9",
                ]);
                format!("(a, b) -> ({p}, {q}) for {k} if {guard}")
            }
            1 => {
                let mut e = || {
                    r.of(&[
                        "a",
                        "b",
                        "a - k",
                        "b - k",
                        "a + k",
                        "a + b",
                        "a - b",
                        "b // 2",
                        "min(a, b)",
                        "0",
                    ])
                };
                let (p, q) = (e(), e());
                let guard = r.of(&["a > b", "a != b", "a > 0", "b > 0", "a + b < 9", "a >= b"]);
                format!("{{a, b}} -> {{{p}, {q}}} for {k} if {guard}")
            }
            2 => {
                let i = r.of(&["i in 0..len(x)-1", "i in 1..len(x)-1", "i in 0..len(x)-2"]);
                let j = r.of(&[
                    "j in 0..i-1",
                    "j in 0..len(x)-1",
                    "j in i+1..len(x)-1",
                    "j in i..len(x)-1",
                ]);
                let guard = r.of(&[
                    "x[i] > 0",
                    "x[i] > x[j]",
                    "i != j",
                    "x[i] > k",
                    "x[j] > 0",
                    "x[i] != x[j]",
                ]);
                let result = r.of(&[
                    "x with x[i] -= k",
                    "x with x[i] -= k, x[j] += k",
                    "x with x[i] -= 1, x[j] += k",
                    "x with x[i] = k",
                    "x with x[i] = x[j]",
                    "x with x[i] = x[j], x[j] = x[i]",
                    "x with x[i] = x[i] - k, x[j] -= k",
                    "sorted(x with x[i] -= k)",
                    "sorted(x with x[i] = x[j], x[j] -= k)",
                    "x[0..i-1] + x[i+1..len(x)-1]",
                    "x[0..j] + [k] + x[i..len(x)-1]",
                    "x[j..i]",
                    "[min(x[t], k) for t in 0..len(x)-1]",
                    "[x[t] - k if t == i else x[t] for t in 0..len(x)-1]",
                    "[x[t] + 1 if t == i else x[t] for t in 0..len(x)-1]",
                ]);
                format!("x[] -> ({result}) for {i}, {j}, {k} if {guard}")
            }
            3 => {
                let i = r.of(&["i in 0..len(s)-1", "i in 1..len(s)-1"]);
                let j = r.of(&["j in 0..i-1", "j in 0..len(s)-1", "j in i+1..len(s)-1"]);
                let guard = r.of(&[
                    "s[i] == \"X\"",
                    "s[i] != \"X\"",
                    "s[i] == \".\"",
                    "s[i] == \"X\" and s[j] == \".\"",
                    "s[i] == \".\" or s[j] == \"X\"",
                    "s[i] != s[j]",
                    "s[i] < s[j]",
                ]);
                let result = r.of(&[
                    "s with s[i] = \"X\"",
                    "s with s[i] = \".\"",
                    "s with s[i] = \".\", s[j] = \"X\"",
                    "s with s[i] = \"O\", s[j] = \"X\"",
                    "s with s[i] = s[j], s[j] = s[i]",
                    "s with s[i] = s[j]",
                    "s[0..i-1]",
                    "s[0..i-1] + s[i+1..len(s)-1]",
                    "s[0..i] + \"X\" + s[j..len(s)-1]",
                    "reversed(s)",
                ]);
                format!("s[] -> {result} for {i}, {j} if {guard}")
            }
            4 => {
                let q = r.of(&[
                    "i in s, j in 0..i-1",
                    "i in s, j in s",
                    "i in 0..4, j in 0..i-1",
                    "i in 0..4, j in s",
                    "i in s, j in 0..5",
                ]);
                let guard = r.of(&["i in s", "j in s", "j not in s", "i != j", "j < i", "i > 0"]);
                let result = r.of(&[
                    "s ^ {i, j}",
                    "s ^ {i}",
                    "s - {i}",
                    "s - {i} + {j}",
                    "s + {j}",
                    "s - {i, j}",
                    "(s ^ {i}) ^ {j}",
                    "(s + {j}) - {i}",
                ]);
                format!("s{{}} -> {result} for {q} if {guard}")
            }
            _ => {
                let guard = r.of(&["a > 0", "a > k", "a != k", "a % 2 == 0"]);
                if r.below(2) == 0 {
                    let result = r.of(&[
                        "a - k, ...",
                        "a - k, k, ...",
                        "k, ...",
                        "a + k, ...",
                        "a - 1, a - 1, ...",
                        "...",
                        "a, k",
                    ]);
                    format!("{{a, ...}} -> {{{result}}} for {k} if {guard}")
                } else {
                    let result = r.of(&[
                        "a + b, ...",
                        "a - k, b + k, ...",
                        "a - b, b, ...",
                        "a, ...",
                        "b - k, a, ...",
                        "a + b - k, ...",
                        "a // 2, b, ...",
                    ]);
                    format!("{{a, b, ...}} -> {{{result}}} for {k} if {guard}")
                }
            }
        });
    }
    moves.join("; ")
}

/// Small positions of a shape.
fn small(shape: &Shape) -> Vec<Pos> {
    let ints = |n: usize, side: i64| {
        let mut all: Vec<Vec<Value>> = vec![Vec::new()];
        for _ in 0..n {
            all = all
                .iter()
                .flat_map(|p| (0..=side).map(move |x| [p.clone(), vec![Value::from(x)]].concat()))
                .collect();
        }
        all
    };
    let rows: Vec<Vec<Value>> = match shape {
        Shape::Str => (0..5)
            .flat_map(|n| ints(n, 2))
            .map(|row| {
                let letter = |v: &Value| match v.as_int().and_then(|i| i.to_i64()) {
                    Some(0) => Value::Char('.'),
                    Some(1) => Value::Char('X'),
                    _ => Value::Char('O'),
                };
                row.iter().map(letter).collect()
            })
            .collect(),
        Shape::Array(_) | Shape::Multiset(_) | Shape::Set(_) => {
            (0..4).flat_map(|n| ints(n, 3)).collect()
        }
        _ => ints(2, 6),
    };
    rows.into_iter()
        .filter_map(|row| shape.pos(&Value::seq(row)).ok())
        .collect()
}

/// Whether a cycle can be reached, within a bound on positions; by removing positions without options over and over.
fn has_cycle(rules: &Rules) -> bool {
    let mut next: HashMap<Pos, Vec<Pos>> = HashMap::new();
    let mut queue = small(&rules.game().shape);
    while let Some(p) = queue.pop() {
        if next.len() > 600 {
            break;
        }
        if next.contains_key(&p) {
            continue;
        }
        let options: Vec<Pos> = options(rules, &p).into_iter().collect();
        let small = |p: &&Pos| p.0.len() < 12 && p.0.iter().all(|w| w.to_i64() < Some(100));
        queue.extend(options.iter().filter(small).cloned());
        next.insert(p, options);
    }
    loop {
        let before = next.len();
        let keep: HashSet<Pos> = next
            .iter()
            .filter(|(_, o)| o.iter().any(|o| next.contains_key(o)))
            .map(|(p, _)| p.clone())
            .collect();
        next.retain(|p, _| keep.contains(p));
        if next.len() == before {
            return before > 0;
        }
    }
}

/// Random rules tried.
const ROUNDS: usize = 500;

#[test]
fn a_proof_is_never_contradicted_by_playing() {
    let mut r = Random(2024);
    let (mut proved, mut cycles, mut unknown, mut bad) = (0, 0, 0, 0);
    for _ in 0..ROUNDS {
        let text = random_text(&mut r);
        let game = match load("<rule>", &text) {
            Ok(game) => game,
            Err(e) => {
                bad += 1;
                if bad < 3 {
                    println!("{text}: {e}");
                }
                continue;
            }
        };
        if !game.vars.iter().all(|v| v.part || !v.in_rules) {
            panic!("{text}: has parameters");
        }
        let rules = Rules::new(
            game.clone(),
            game.vars.iter().map(|_| Value::from(0)).collect(),
        );
        match linear::check(&rules) {
            Termination::Proved { measure } => {
                proved += 1;
                assert!(!has_cycle(&rules), "{text}: {measure}");
            }
            Termination::CanCycle { positions, .. } => {
                cycles += 1;
                real(&rules, &positions);
                assert_eq!(positions.first(), positions.last());
            }
            Termination::CanGrow { positions, .. } => {
                cycles += 1;
                real(&rules, &positions);
            }
            Termination::Unknown => unknown += 1,
        }
    }
    let counts = format!("{proved} proved, {cycles} cycles, {unknown} unknown, {bad} not rules");
    assert!(
        proved > 100 && cycles > 100 && unknown < 80 && bad < 20,
        "{counts}"
    );
}
