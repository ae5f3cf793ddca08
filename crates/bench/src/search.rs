//! The interpreter under the search: all of Wythoff's game up to (300, 300), options looked at a second. The number of
//! positions and of options is stated; it changes only with the search itself.

use std::time::Instant;

use grundy::{Arguments, Budget, bind, open};

const OPTIONS: u64 = 18_225_850;

pub fn run() -> Result<(), String> {
    let game = open("wythoff").map_err(|e| format!("{e:?}"))?.game;
    let args = Arguments::parse(&["300", "300"]).map_err(|e| e.to_string())?;
    let bound = bind::bind(&game, &args).map_err(|e| e.to_string())?;
    let mut best = f64::MAX;
    let mut options = 0;
    for _ in 0..3 {
        let mut engine = grundy_search::Engine::new(&bound.rules, Budget::default());
        let start = Instant::now();
        engine
            .position_value(&bound.position)
            .map_err(|e| e.to_string())?;
        best = best.min(start.elapsed().as_secs_f64());
        options = engine.options_examined();
    }
    if options != OPTIONS {
        return Err(format!("{options} options looked at, not {OPTIONS}"));
    }
    println!(
        "{options} options in {best:.2} s: {:.1} million a second",
        options as f64 / best / 1e6
    );
    Ok(())
}
