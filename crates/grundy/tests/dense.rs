//! Tables filled, and positions answered, by machine code and by the interpreter are those of the search, on random games that end and on the catalogue.

use std::sync::Arc;

use grundy::plan::Plan;
use grundy::table::{Table, table};
use grundy::{Arguments, Budget, Code, Engine, Source, nimber};
use grundy_testkit::{Random, game as parsed};

fn csv(game: &Arc<grundy::ir::Game>, args: &[&str], to: &[u64], engine: Engine) -> String {
    let args = Arguments::parse(args).unwrap();
    let table = table(game, &args, to, engine, &Budget::default(), None);
    let table = table.unwrap_or_else(|e| panic!("{}\n{}", game.source.text, e.render(false)));
    let mut out = Vec::new();
    table.write_csv(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// A random game of counters that fall, some of them while others rise.
fn random_game(r: &mut Random) -> (String, usize) {
    let (start, counters) = *r.pick(&[
        &("n", 1),
        &("(a, b)", 2),
        &("{a, b}", 2),
        &("(a, b, c)", 3),
        &("{a, b, c}", 3),
        &("(a, b, c, d)", 4),
    ]);
    let names: Vec<&str> = start
        .split(|c: char| !c.is_alphanumeric())
        .filter(|s| !s.is_empty())
        .collect();
    let mut out = format!("game random\nstart {start}\n");
    if r.one_in(3) {
        out += *r.pick(&[
            &"play misere\n",
            &"win if 2 * X <= 1\n",
            &"lose if X == 3\n",
        ]);
        out = out.replace('X', names[0]);
    }
    for _ in 0..1 + r.below(3) {
        let falls = names[r.below(counters as u64) as usize];
        let other = names[r.below(counters as u64) as usize];
        let with = match r.below(4) {
            0 if other != falls && start.starts_with('(') => {
                format!("{other} + {}", 1 + r.below(2))
            }
            1 if other != falls => format!("{other} - k"),
            2 if other != falls => format!("{other} // 2"),
            _ => other.to_owned(),
        };
        let left: Vec<String> = names
            .iter()
            .map(|name| match *name {
                name if name == falls => format!("{name} - {} * k", 1 + r.below(2)),
                name if name == other => with.clone(),
                name => name.to_owned(),
            })
            .collect();
        let (open, close) = match start.chars().next() {
            Some('(') => ("(", ")"),
            Some('{') => ("{", "}"),
            _ => ("", ""),
        };
        let guard = match r.below(4) {
            0 => format!(" if k*k <= {other} + 1"),
            1 => format!(" if ({other} + k) % 3 != {}", r.below(3)),
            2 => format!(" if {falls} % k == 0"),
            _ => String::new(),
        };
        let left = format!("{open}{}{close}", left.join(", "));
        out += &format!("move {start} -> {left} for k in 1..{falls}{guard}\n");
    }
    (out, counters)
}

#[test]
fn random_tables_are_those_of_the_search() {
    let mut r = Random::new(7);
    let mut filled = 0;
    for _ in 0..400 {
        let (source, counters) = random_game(&mut r);
        let game = parsed(&source);
        let to: Vec<u64> = match source.contains("start {") {
            true => vec![[14, 8, 5, 4][counters - 1]; counters],
            false => (0..counters)
                .map(|_| r.below([14, 8, 5, 4][counters - 1]))
                .collect(),
        };
        let search = csv(&game, &[], &to, Engine::Search);
        for engine in [Engine::Jit, Engine::Interpret, Engine::Auto] {
            assert_eq!(csv(&game, &[], &to, engine), search, "{source}{to:?}");
            filled += 1;
        }
    }
    assert_eq!(filled, 1200);
}

/// Answers from an array, of one part and of sums: outcome, value and all winning moves of the search.
#[test]
fn random_positions_are_answered_as_by_the_search() {
    let mut r = Random::new(11);
    let (mut compared, mut sums) = (0, 0);
    for _ in 0..250 {
        let (source, counters) = random_game(&mut r);
        let game = parsed(&source);
        let budget = || Budget::with_memory(1 << 20);
        let mut plans: Vec<(Engine, Option<Plan>)> = [
            Engine::Search,
            Engine::Jit,
            Engine::Interpret,
            Engine::Rays,
            Engine::Auto,
        ]
        .map(|engine| (engine, None))
        .into();
        for _ in 0..3 {
            let mut part = || {
                let most = [40, 12, 7, 5][counters - 1];
                let at: Vec<String> = (0..counters).map(|_| r.below(most).to_string()).collect();
                let args = Arguments::parse(&at).unwrap();
                grundy::bind::bind(&game, &args).unwrap()
            };
            let (first, second) = (part(), part());
            let mut position = first.position.clone();
            if r.one_in(3) {
                position.parts.extend(second.position.parts);
            }
            let mut wanted = None;
            for (engine, plan) in &mut plans {
                let plan =
                    plan.get_or_insert_with(|| Plan::new(&first.rules, *engine, budget()).unwrap());
                let answer = match plan.answer(&position, usize::MAX) {
                    Ok(answer) => answer,
                    // Not every game has rays, and values do not decide every sum.
                    Err(error) if error.code == Code::Unsupported => continue,
                    // In some, play can go on for ever.
                    Err(error)
                        if wanted.is_none() && matches!(error.code, Code::Memory | Code::Cycle) =>
                    {
                        break;
                    }
                    Err(error) => panic!("{source}{position:?}\n{}", error.render(false)),
                };
                let mut moves: Vec<_> = answer.moves.iter().map(|m| (m.part, &m.to)).collect();
                moves.sort();
                let said = format!(
                    "{:?} {:?} {} {moves:?}",
                    answer.outcome, answer.grundy, answer.moves_total
                );
                match &wanted {
                    None => wanted = Some(said),
                    Some(wanted) => {
                        let method = answer.method();
                        assert_eq!(&said, wanted, "{source}{position:?} by {method}");
                        compared += 1;
                        sums += usize::from(position.parts.len() > 1);
                    }
                }
            }
        }
    }
    assert!(
        compared > 1800 && sums > 400,
        "{compared} compared, {sums} of them sums"
    );
}

/// A search that would be long is left for an array, and the answer says so.
#[test]
fn a_long_search_goes_on_in_an_array() {
    let text = "(a, b) -> (a - k, b) for k in 1..a if k % 3 != 2; (a, b) -> (a, b - k) for k in 1..b if k*k <= a + b";
    for (rules, method) in [
        (text.to_owned(), "rays"),
        (text.replace("k % 3 != 2", "(k * a) % 7 != 2"), "jit"),
    ] {
        let game = grundy::open(&rules).unwrap().game;
        let answers: Vec<_> = [Engine::Auto, Engine::Search]
            .into_iter()
            .map(|engine| {
                let args = Arguments::parse(&["330", "310"]).unwrap();
                let bound = grundy::bind::bind(&game, &args).unwrap();
                let plan = Plan::new(&bound.rules, engine, Budget::default()).unwrap();
                plan.answer(&bound.position, 5).unwrap()
            })
            .collect();
        assert_eq!(answers[0].method(), method);
        assert_eq!(answers[1].method(), "search");
        assert_eq!(answers[0].outcome, answers[1].outcome);
        assert_eq!(answers[0].grundy, answers[1].grundy);
        assert_eq!(answers[0].moves, answers[1].moves);
    }
}

#[test]
fn tables_of_the_catalogue_are_those_of_the_search() {
    let games: [(&str, &[&str], &[u64]); 8] = [
        ("wythoff", &[], &[20]),
        ("euclid", &[], &[15]),
        ("stone_box", &[], &[30, 6]),
        ("subtract_a_square", &[], &[200]),
        ("proper_divisor", &[], &[200]),
        ("s_nim", &["S=[2,5]"], &[60]),
        ("t_wythoff", &["k=3"], &[12]),
        ("grundys_game", &[], &[60]),
    ];
    for (name, args, to) in games {
        let game = grundy::open(name).unwrap().game;
        let search = csv(&game, args, to, Engine::Search);
        for engine in [Engine::Jit, Engine::Interpret] {
            assert_eq!(csv(&game, args, to, engine), search, "{name}");
        }
    }
}

#[test]
fn wythoffs_tenth_row_is_the_one_of_the_literature() {
    let game = grundy::open("wythoff").unwrap().game;
    let table = csv(&game, &[], &[10, 20], Engine::Jit);
    let row: Vec<&str> = table
        .lines()
        .filter_map(|line| line.strip_prefix("10,")?.split(',').nth(1))
        .collect();
    let known = "10,11,9,8,13,12,0,15,16,17,14,18,7,6,2,3,1,4,5,23,28";
    assert_eq!(row.join(","), known);
}

#[test]
fn corners_are_worth_nim_products() {
    let game = grundy::open("turning_corners").unwrap().game;
    for engine in [Engine::Jit, Engine::Interpret] {
        let table = csv(&game, &[], &[15, 16], engine);
        let mut cells = 0;
        for line in table.lines().skip(1) {
            let cell: Vec<&str> = line.split(',').collect();
            let product = Source::new("", format!("{}*{}", cell[0], cell[1]));
            let product = nimber::work_out(&product, &Budget::default()).unwrap();
            assert_eq!(cell[2], product.value.to_string(), "{line}");
            cells += 1;
        }
        assert_eq!(cells, 16 * 17);
    }
}

#[test]
fn machine_code_on_any_number_of_threads_gives_the_same_table() {
    let mut r = Random::new(12);
    let mut tables = 0;
    for _ in 0..60 {
        let (text, counters) = random_game(&mut r);
        if counters == 1 {
            continue;
        }
        let game = parsed(&text);
        let to = vec![[40, 12, 6][counters - 2]; counters];
        let args = Arguments::parse(&[] as &[&str]).unwrap();
        for engine in [Engine::Jit, Engine::Interpret] {
            let filled = |threads| {
                let budget = Budget::default().on_threads(threads);
                let table = table(&game, &args, &to, engine, &budget, None);
                let text = |table: Table| {
                    let mut text = Vec::new();
                    table.write_csv(&mut text).unwrap();
                    (text, table.method)
                };
                table.map(text).map_err(|e| e.render(false))
            };
            let alone = filled(1);
            for threads in [2, 3, 5] {
                assert_eq!(filled(threads), alone, "{text}{threads} threads");
            }
            tables += usize::from(alone.is_ok());
        }
    }
    assert!(tables > 60, "{tables}");
}

#[test]
fn a_large_table_is_filled_where_that_is_less_than_to_ask_a_theorem() {
    let take = parsed("n -> n - k for k in S if k <= n");
    let many: Vec<String> = (0..1_200).map(|i| (2 * i + 1).to_string()).collect();
    let many = format!("S=[{}]", many.join(","));
    for (set, to, method) in [
        ("S=[2,5,12]", 1_000, "look-back"),
        ("S=[2,5,12]", 100_000, "jit"),
        (&many, 100_000, "look-back"),
    ] {
        let args = Arguments::parse(&[set]).unwrap();
        let table = table(&take, &args, &[to], Engine::Auto, &Budget::default(), None).unwrap();
        assert_eq!(table.method, method, "{to}");
    }
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    let args = Arguments::parse(&[] as &[&str]).unwrap();
    let within = |text: &str, to: &[u64], engine, memory| {
        let budget = Budget::with_memory(memory);
        let table = table(&parsed(text), &args, to, engine, &budget, None);
        table.map(|table| table.method).map_err(|e| e.render(false))
    };
    let heap = "n -> n - k for k in 1..n";
    let refused = |why: Result<_, String>, words: &str| {
        let why: String = why.expect_err("too little memory");
        assert!(why.contains(words), "{why}");
        assert!(why.contains("G0801") && why.contains("--memory"), "{why}");
    };
    // A byte a value is not enough from 255 on, and then there are cells of one byte and of two.
    assert!(within(heap, &[999], Engine::Jit, 3_000).is_ok());
    refused(
        within(heap, &[999], Engine::Jit, 2_999),
        "needs 2 KiB for values past 8 bits, beside the 1000 bytes that it takes so far",
    );
    refused(
        within(heap, &[999], Engine::Jit, 999),
        "needs at least 1000 bytes",
    );
    refused(
        within(heap, &[999], Engine::Rays, 2_000),
        "needs 2 KiB, and 272 bytes for the values along its rays",
    );
    // Outcomes take two bits while they are found.
    let lost = "game lost\nplay misere\nstart (a, b)\nmove (a, b) -> (a - k, b) for k in 1..a if k*k % 3 == 1\n\
                move (a, b) -> (a, b - 1)";
    assert!(within(lost, &[99, 99], Engine::Jit, 2_500).is_ok());
    refused(
        within(lost, &[99, 99], Engine::Jit, 2_499),
        "needs at least 2.5 KiB",
    );
}
