//! Team Nim with ten players a side: recognition and answer against the plain loop over (stones, seat), in one process. The
//! two must agree on every game, and the first player must win the stated number of them.

use std::hint::black_box;
use std::time::{Duration, Instant};

use grundy::{Arguments, Budget, Engine, Outcome, Plan, bind, open};

use crate::random::Random;

const GAMES: usize = 200;
const WINS: usize = 104;

pub fn run() -> Result<(), String> {
    let game = open("team_nim").map_err(|e| format!("{e:?}"))?.game;
    let mut random = Random(7);
    let seats: Vec<Vec<u64>> = (0..GAMES)
        .map(|_| (0..20).map(|_| random.range(1, 16)).collect())
        .collect();
    println!("| stones | first player wins | grundy, median a game | plain loop, median | ratio |");
    println!("|---|---|---|---|---|");
    for (stones, loops) in [
        ("8191".to_owned(), true),
        (format!("1{}", "0".repeat(18)), false),
        (format!("1{}", "0".repeat(1000)), false),
    ] {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut wins = 0;
        for m in &seats {
            let words: Vec<String> = ["10".to_owned(), stones.clone()]
                .into_iter()
                .chain(m.iter().map(u64::to_string))
                .collect();
            let args = Arguments::parse(&words).map_err(|e| e.to_string())?;
            let bound = bind::bind(&game, &args).map_err(|e| e.to_string())?;
            let start = Instant::now();
            let plan = Plan::new(&bound.rules, Engine::Auto, Budget::default())
                .map_err(|e| e.to_string())?;
            let outcome = plan.outcome(&bound.position).map_err(|e| e.to_string())?;
            ours.push(start.elapsed());
            wins += usize::from(outcome == Outcome::N);
            if loops {
                let start = Instant::now();
                let win = plain(black_box(8191), m);
                theirs.push(start.elapsed());
                if win != outcome.next_wins() {
                    return Err(format!("{m:?}: the plain loop disagrees"));
                }
            }
        }
        if loops && wins != WINS {
            return Err(format!(
                "the first player wins {wins} of {GAMES}, not {WINS}"
            ));
        }
        let shown = if stones.len() > 6 {
            format!("10^{}", stones.len() - 1)
        } else {
            stones
        };
        let (ours, theirs) = (median(ours), (!theirs.is_empty()).then(|| median(theirs)));
        println!(
            "| {shown} | {wins} of {GAMES} | {ours:?} | {} | {} |",
            theirs.map_or("–".to_owned(), |t| format!("{t:?}")),
            theirs.map_or("–".to_owned(), |t| format!(
                "{:.0}",
                t.as_secs_f64() / ours.as_secs_f64()
            )),
        );
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// The table over (stones, seat), one row of bytes a seat.
fn plain(stones: usize, m: &[u64]) -> bool {
    let seats = m.len();
    let mut win = vec![true; seats * (stones + 1)];
    for s in 1..=stones {
        for (seat, &most) in m.iter().enumerate() {
            let next = (seat + 1) % seats * (stones + 1);
            let most = s.min(most as usize);
            win[seat * (stones + 1) + s] = win[next + s - most..next + s].iter().any(|w| !w);
        }
    }
    win[stones]
}
