//! Options a second of the whole search, interpreter included, on Wythoff's game from (300, 300): all 45,451 positions and
//! their 18.2 million options. The value is checked against the values by diagonals of a plain array.

use std::sync::Arc;
use std::time::Instant;

use grundy_core::{Budget, Int, mex};
use grundy_lang::check;
use grundy_lang::diag::Source;
use grundy_lang::interp::Rules;
use grundy_lang::value::{Pos, Value};
use grundy_search::Engine;

const RULES: &str = "start {a, b}
move {a, b} -> {a - k, b}      for k in 1..a
move {a, b} -> {a, b - k}      for k in 1..b
move {a, b} -> {a - k, b - k}  for k in 1..min(a, b)";

fn main() {
    let to = 300usize;
    let mut plain = vec![vec![0u64; to + 1]; to + 1];
    for a in 0..=to {
        for b in 0..=to {
            let first = (1..=a).map(|k| plain[a - k][b]);
            let second = (1..=b).map(|k| plain[a][b - k]);
            let both = (1..=a.min(b)).map(|k| plain[a - k][b - k]);
            plain[a][b] = mex(first.chain(second).chain(both));
        }
    }
    let (game, _) = check::load(&Source::new("<rule>", RULES)).expect("the rules are right");
    let params = vec![Value::from(0); game.vars.len()];
    let rules = Rules::new(Arc::new(game), params);
    let start = Pos([Int::from(to), Int::from(to)].into_iter().collect());
    for _ in 0..5 {
        let mut engine = Engine::new(&rules, Budget::default());
        let clock = Instant::now();
        let value = engine.value(&start).expect("play ends");
        let seconds = clock.elapsed().as_secs_f64();
        assert_eq!(value, Int::from(plain[to][to]));
        let options = engine.options_examined();
        println!(
            "{} positions, {options} options, {:.2} million options a second",
            engine.positions_stored(),
            options as f64 / seconds / 1e6
        );
    }
}
