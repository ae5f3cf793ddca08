//! Tables filled by machine code and by the interpreter are those of the search, on random games that end and on the catalogue.

use std::sync::Arc;

use grundy::table::table;
use grundy::{Arguments, Budget, Engine, Source, nimber};
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
