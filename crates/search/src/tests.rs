//! The searches against plain recursion by the definitions, on games written by hand and on random ones.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;

use grundy_core::{Budget, Int, Outcome, mex};
use grundy_lang::check;
use grundy_lang::diag::{Code, Source};
use grundy_lang::interp::{Opt, Resume, Rules};
use grundy_lang::ir::{Play, Shape};
use grundy_lang::value::{Pos, Position, Value};

use crate::dense::{self, Interpret, Layout, Mode, Order};
use crate::engine::{Facts, Moves};
use crate::{Engine, Result};

type Options = dyn Fn(&Pos) -> Vec<Vec<Pos>>;
type End = dyn Fn(&Pos) -> Option<bool>;

/// A game whose options and ends are functions of the part.
#[derive(Clone)]
struct Hand {
    options: Rc<Options>,
    end: Rc<End>,
}

impl Moves for Hand {
    fn end(&mut self, part: &Pos) -> Result<Option<bool>> {
        Ok((self.end)(part))
    }

    fn options_from(
        &mut self,
        part: &Pos,
        from: &Resume,
        visit: &mut dyn FnMut(Opt<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<Resume>> {
        let skip = from.at.first().and_then(Int::to_usize).unwrap_or(0);
        for (i, parts) in (self.options)(part).iter().enumerate().skip(skip) {
            let opt = Opt {
                parts,
                rule: 0,
                env: &[],
            };
            if visit(opt).is_break() {
                return Ok(ControlFlow::Break(Resume {
                    rule: 0,
                    at: [Int::from(i)].into_iter().collect(),
                }));
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

fn pos(words: &[i64]) -> Pos {
    Pos(words.iter().map(|&w| Int::from(w)).collect())
}

fn words(pos: &Pos) -> Vec<i64> {
    pos.0.iter().map(|w| w.to_i64().unwrap()).collect()
}

fn facts(shape: Shape) -> Facts {
    Facts {
        shape,
        misere: false,
        win_if: false,
        lose_if: false,
        splits: true,
        source: Source::new("<rule>", ""),
        spans: Vec::new(),
    }
}

fn pair() -> Shape {
    Shape::Tuple(vec![Shape::Int, Shape::Int])
}

/// A game on one counter.
fn heap(options: impl Fn(i64) -> Vec<Vec<i64>> + 'static) -> Hand {
    Hand {
        options: Rc::new(move |p| {
            let all = options(words(p)[0]);
            let part = |parts: Vec<i64>| parts.into_iter().map(|n| pos(&[n])).collect();
            all.into_iter().map(part).collect()
        }),
        end: Rc::new(|_| None),
    }
}

fn engine(facts: &Facts, hand: &Hand) -> Engine<Hand> {
    within(facts, hand, Budget::default())
}

fn within(facts: &Facts, hand: &Hand, budget: Budget) -> Engine<Hand> {
    Engine::over(facts.clone(), hand.clone(), hand.clone(), budget)
}

fn heap_values(hand: &Hand, to: i64) -> Vec<i64> {
    let mut engine = engine(&facts(Shape::Int), hand);
    let value = |n| engine.value(&pos(&[n])).unwrap().to_i64().unwrap();
    (0..=to).rev().map(value).rev().collect()
}

#[test]
fn known_sequences() {
    let nim = heap(|n| (0..n).map(|k| vec![k]).collect());
    assert_eq!(heap_values(&nim, 200), (0..=200).collect::<Vec<_>>());
    let squares = heap(|n| {
        (1..=n)
            .filter(|k| k * k <= n)
            .map(|k| vec![n - k * k])
            .collect()
    });
    assert_eq!(heap_values(&squares, 9), [0, 1, 0, 1, 2, 0, 1, 0, 1, 2]);
    let kayles = heap(|n| {
        let split = |take: i64| (0..=n - take).map(move |i| vec![i, n - take - i]);
        (1..=2.min(n)).flat_map(split).collect()
    });
    assert_eq!(
        heap_values(&kayles, 11),
        [0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6]
    );
}

fn wythoff() -> Hand {
    Hand {
        options: Rc::new(|p| {
            let (a, b) = (words(p)[0], words(p)[1]);
            let sorted = |a: i64, b: i64| vec![pos(&[a.min(b), a.max(b)])];
            let first = (1..=a).map(|k| sorted(a - k, b));
            let second = (1..=b).map(|k| sorted(a, b - k));
            let both = (1..=a.min(b)).map(|k| sorted(a - k, b - k));
            first.chain(second).chain(both).collect()
        }),
        end: Rc::new(|_| None),
    }
}

/// A filled table, cell by cell.
struct Table {
    layout: Layout,
    cells: dense::Cells,
    by_value: bool,
}

impl Table {
    /// Fills a table with an engine for what does not come from the table, and with the same moves.
    fn new<M: Moves>(facts: Facts, mut engine: Engine<M>, moves: M, to: &[u64]) -> Table {
        let layout = Layout::new(&facts.shape, to).unwrap();
        let by_value = engine.values_valid(1).is_ok();
        let mode = if by_value {
            Mode::Values
        } else {
            Mode::Outcomes
        };
        let evaluate = Box::new(Interpret::over(facts, moves, &layout, mode));
        let ask = move |at: &[u64], _: &dense::Cells| {
            let part = Pos::of_counters(at);
            if by_value {
                return Ok(engine.value(&part)?.to_u64().unwrap());
            }
            let outcome = engine.outcome_by_search(&Position::one(part))?;
            Ok(u64::from(outcome.next_wins()))
        };
        let told = &mut |_| ControlFlow::Continue(());
        let order = Order::natural(to.len());
        let worker = dense::Worker {
            evaluate,
            ask: Box::new(ask),
        };
        let alone = dense::Threads {
            count: 1,
            worker: &|| unreachable!("there are no others"),
        };
        let cells = dense::Plain {
            layout: &layout,
            order: &order,
            mode,
            wanted: None,
            widen: &|_, _| Ok(()),
        }
        .fill(worker, &alone, told);
        Table {
            layout,
            cells: cells.unwrap().expect("nothing breaks it off"),
            by_value,
        }
    }

    fn number(&self, at: &[u64]) -> u64 {
        let place = self.layout.index(at).expect("a cell of the table");
        self.cells.get(place).expect("it is filled")
    }

    fn value(&self, at: &[u64]) -> Option<u64> {
        self.by_value.then(|| self.number(at))
    }

    fn outcome(&self, at: &[u64]) -> Outcome {
        Outcome::from_next_wins(self.number(at) != 0)
    }
}

#[test]
fn wythoff_by_search_and_by_table() {
    let shape = Shape::Unordered(2, Box::new(Shape::Int));
    let facts = facts(shape);
    let table = Table::new(
        facts.clone(),
        engine(&facts, &wythoff()),
        wythoff(),
        &[20, 13],
    );
    let mut search = engine(&facts, &wythoff());
    let losing = [
        (0, 0),
        (1, 2),
        (3, 5),
        (4, 7),
        (6, 10),
        (8, 13),
        (9, 15),
        (11, 18),
        (12, 20),
    ];
    for a in 0..=20i64 {
        for b in 0..=13i64 {
            let part = pos(&[a.min(b), a.max(b)]);
            let at = [a.min(b) as u64, a.max(b) as u64];
            let value = search.value(&part).unwrap();
            assert_eq!(table.value(&at).map(Int::from), Some(value));
            let lost = losing.contains(&(a.min(b), a.max(b)));
            assert_eq!(table.outcome(&at).next_wins(), !lost, "{a} {b}");
        }
    }
    let start = Position::one(pos(&[9, 14]));
    let winning = search.winning_options(&start, 10).unwrap();
    let ends: Vec<_> = winning.list.iter().map(|(_, p)| words(&p[0])).collect();
    assert_eq!(ends, [[8, 13]]);
    assert_eq!(winning.total, Int::ONE);
}

/// A fixed pseudo-random function of its arguments.
fn noise(seed: u64, at: &[i64]) -> u64 {
    at.iter().fold(
        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1,
        |h, &v| {
            let h = (h ^ v as u64).wrapping_mul(0xD6E8_FEB8_6659_FD93);
            h ^ (h >> 32)
        },
    )
}

/// A random game on pairs: each has some options of no, one or two parts that come earlier in the order of pairs.
fn random(seed: u64, splits: bool, ends: u64) -> Hand {
    Hand {
        options: Rc::new(move |p| {
            let (a, b) = (words(p)[0], words(p)[1]);
            let earlier = |h: u64| {
                let x = (h % (a as u64 + 1)) as i64;
                let below = if x == a { b } else { b + 2 };
                (below > 0).then(|| pos(&[x, (h >> 20) as i64 % below]))
            };
            let count = noise(seed, &[a, b]) % 5;
            (0..count as i64)
                .filter_map(|i| {
                    let h = noise(seed, &[a, b, i]);
                    match h >> 60 {
                        0 if splits => Some(vec![]),
                        1..=5 if splits => {
                            Some(vec![earlier(h)?, earlier(noise(seed, &[a, b, i, 1]))?])
                        }
                        _ => Some(vec![earlier(h)?]),
                    }
                })
                .collect()
        }),
        end: Rc::new(move |p| match noise(seed ^ 77, &words(p)) % 16 {
            0 if ends & 1 > 0 => Some(true),
            1 if ends & 2 > 0 => Some(false),
            _ => None,
        }),
    }
}

fn plain_value(hand: &Hand, part: &Pos, memo: &mut HashMap<Pos, u64>) -> u64 {
    if let Some(&value) = memo.get(part) {
        return value;
    }
    let value = if (hand.end)(part).is_some() {
        0
    } else {
        mex((hand.options)(part)
            .iter()
            .map(|parts| parts.iter().fold(0, |x, p| x ^ plain_value(hand, p, memo)))
            .collect::<Vec<_>>())
    };
    memo.insert(part.clone(), value);
    value
}

/// Whether the player to move wins a row of parts, none left out.
fn plain_wins(
    hand: &Hand,
    misere: bool,
    parts: &[Pos],
    memo: &mut HashMap<Vec<Pos>, bool>,
) -> bool {
    if let Some(won) = parts.iter().find_map(|p| (hand.end)(p)) {
        return !won;
    }
    if let Some(&wins) = memo.get(parts) {
        return wins;
    }
    let mut any = false;
    let mut wins = false;
    for i in 0..parts.len() {
        for left in (hand.options)(&parts[i]) {
            any = true;
            let mut next = parts.to_vec();
            next.splice(i..=i, left.iter().cloned());
            next.sort();
            // The first part left that has ended decides, and only those just left can have.
            wins |= match left.iter().find_map(|p| (hand.end)(p)) {
                Some(won) => won,
                None => !plain_wins(hand, misere, &next, memo),
            };
        }
    }
    let wins = wins || !any && misere;
    memo.insert(parts.to_vec(), wins);
    wins
}

#[test]
fn random_games_agree_with_plain_recursion() {
    let mut lost = 0;
    for seed in 0..200u64 {
        let (splits, ends, misere) = (seed % 2 == 0, seed / 2 % 4, seed / 8 % 2 == 1);
        let hand = random(seed, splits, ends);
        let facts = Facts {
            misere,
            win_if: ends & 1 > 0,
            lose_if: ends & 2 > 0,
            splits,
            ..facts(pair())
        };
        let mut engine = engine(&facts, &hand);
        let (mut values, mut wins) = (HashMap::new(), HashMap::new());
        for round in 0..6i64 {
            let count = (noise(seed, &[round]) % 3 + u64::from(round > 0)).min(3 - seed % 2);
            let part = |i: u64| {
                let h = noise(seed, &[round, i as i64, 5]);
                pos(&[(h % 4) as i64, (h >> 9) as i64 % 4])
            };
            let position = Position {
                parts: (0..count).map(part).collect(),
            };
            let expect = plain_wins(&hand, misere, &position.parts, &mut wins);
            let case = format!("game {seed}: {position:?}");
            let outcome = engine.outcome(&position).unwrap();
            assert_eq!(outcome.next_wins(), expect, "{case}");
            lost += u32::from(!expect);
            let by_search = engine.outcome_by_search(&position).unwrap();
            assert_eq!(by_search, outcome, "{case}");
            if engine.values_valid(position.parts.len()).is_ok() {
                let sum = position
                    .parts
                    .iter()
                    .fold(0, |x, p| x ^ plain_value(&hand, p, &mut values));
                assert_eq!(engine.position_value(&position).unwrap(), Int::from(sum));
            } else {
                let error = engine.position_value(&position).unwrap_err();
                assert_eq!(error.code, Code::Unsupported);
            }
            let mut all = Vec::new();
            for i in 0..position.parts.len() {
                if position.parts.iter().any(|p| (hand.end)(p).is_some()) {
                    break;
                }
                let mut met: Vec<Vec<Pos>> = Vec::new();
                for left in (hand.options)(&position.parts[i]) {
                    let mut sorted = left.clone();
                    sorted.sort();
                    if met.contains(&sorted) {
                        continue;
                    }
                    met.push(sorted);
                    // Only parts just left can have ended.
                    let won = match left.iter().find_map(|p| (hand.end)(p)) {
                        Some(won) => won,
                        None => {
                            let next = position.after(i, &left);
                            !plain_wins(&hand, misere, &next.parts, &mut wins)
                        }
                    };
                    if won {
                        all.push((i, left));
                    }
                }
            }
            let found = engine.winning_options(&position, 3).unwrap();
            assert_eq!(found.total, Int::from(all.len()), "{case}");
            all.truncate(3);
            assert_eq!(found.list, all, "{case}");
        }
    }
    assert!(lost > 150, "only {lost} positions were lost");
}

#[test]
fn tables_agree_with_the_search() {
    for seed in 0..120u64 {
        let (splits, ends, misere) = (seed % 2 == 0, seed / 2 % 4, seed / 8 % 2 == 1);
        let hand = random(seed, splits, ends);
        let facts = Facts {
            misere,
            win_if: ends & 1 > 0,
            lose_if: ends & 2 > 0,
            splits,
            ..facts(pair())
        };
        let table = Table::new(facts.clone(), engine(&facts, &hand), hand.clone(), &[4, 6]);
        let mut search = engine(&facts, &hand);
        let by_value = search.values_valid(1).is_ok();
        assert_eq!(table.layout.cells(), 35);
        for at in (0..35).map(|i| [i / 7, i % 7]) {
            let part = Pos::of_counters(&at);
            let value = by_value.then(|| search.value(&part).unwrap());
            assert_eq!(
                table.value(&at).map(Int::from),
                value,
                "game {seed} at {part:?}"
            );
            let outcome = search.outcome_by_search(&Position::one(part)).unwrap();
            assert_eq!(table.outcome(&at), outcome, "game {seed} at {at:?}");
        }
    }
}

#[test]
fn misere_nim_is_lost_with_an_odd_number_of_single_stones() {
    let nim = heap(|n| (0..n).map(|k| vec![k]).collect());
    let facts = Facts {
        misere: true,
        ..facts(Shape::Int)
    };
    let mut engine = engine(&facts, &nim);
    for a in 0..6 {
        for b in 0..6 {
            for c in 0..6 {
                let position = Position {
                    parts: [a, b, c].map(|n| pos(&[n])).into(),
                };
                let sum = a ^ b ^ c;
                let wins = if a.max(b).max(c) <= 1 {
                    sum == 0
                } else {
                    sum != 0
                };
                let outcome = engine.outcome(&position).unwrap();
                assert_eq!(outcome, Outcome::from_next_wins(wins), "{position:?}");
            }
        }
    }
}

#[test]
fn big_numbers_are_positions_like_any_other() {
    let base: Int = "1000000000000000000000000000000".parse().unwrap();
    let start = base.clone();
    let hand = Hand {
        options: Rc::new(move |p| {
            (1..=3i64)
                .map(|k| &p.0[0] - &Int::from(k))
                .filter(|n| *n >= base)
                .map(|n| vec![Pos([n].into_iter().collect())])
                .collect()
        }),
        end: Rc::new(|_| None),
    };
    let mut engine = engine(&facts(Shape::Int), &hand);
    for k in 0..40i64 {
        let part = Pos([&start + &Int::from(k)].into_iter().collect());
        assert_eq!(engine.value(&part).unwrap(), Int::from(k % 4));
    }
}

#[test]
fn a_cycle_is_shown() {
    let hand = heap(|n| match n {
        0 => vec![],
        5 => vec![vec![3], vec![4]],
        4 => vec![],
        3 => vec![vec![2, 0]],
        2 => vec![vec![5, 1], vec![4]],
        _ => vec![vec![n - 1]],
    });
    for misere in [false, true] {
        let facts = Facts {
            misere,
            ..facts(Shape::Int)
        };
        let mut engine = engine(&facts, &hand);
        let position = Position::one(pos(&[8]));
        let error = engine.outcome_by_search(&position).unwrap_err();
        assert_eq!(error.code, Code::Cycle);
        // A cycle of parts that leaves a part beside it each time is no cycle of positions, but play goes on for ever.
        assert_eq!(error.notes, ["a cycle of 3 moves: 5 -> 3 -> 2 -> 5"]);
        assert!(engine.outcome(&position).is_err());
        if !misere {
            let error = engine.value(&pos(&[8])).unwrap_err();
            assert_eq!(error.notes, ["a cycle of 3 moves: 5 -> 3 -> 2 -> 5"]);
            // What is not on a cycle can still be asked, and asking twice gives the same error.
            assert_eq!(engine.value(&pos(&[1])).unwrap(), Int::ONE);
            let again = engine.value(&pos(&[8])).unwrap_err();
            assert_eq!(again.notes, error.notes);
        }
    }
}

#[test]
fn the_memory_bound_is_met_and_said() {
    let take = heap(|n| (1..=3.min(n)).map(|k| vec![n - k]).collect());
    for misere in [false, true] {
        let facts = Facts {
            misere,
            ..facts(Shape::Int)
        };
        let mut engine = within(&facts, &take, Budget::with_memory(1 << 20));
        let position = Position::one(pos(&[1_000_000]));
        let error = engine.outcome(&position).unwrap_err();
        assert_eq!(error.code, Code::Memory);
        assert_eq!(error.message, "the search met its memory bound of 1 MiB");
        let stored = engine.positions_stored();
        assert!(stored > 10_000);
        assert_eq!(error.notes, [format!("{stored} positions were stored")]);
        assert!(error.help.unwrap().contains("`--memory 2M`"));
    }
}

#[test]
fn a_stop_is_heard_and_progress_told() {
    let take = heap(|n| (1..=3.min(n)).map(|k| vec![n - k]).collect());
    let budget = Budget::default();
    let mut engine = within(&facts(Shape::Int), &take, budget.clone());
    engine.on_progress(move |progress| {
        assert!(progress.positions > 0 && progress.options > 0);
        budget.stop();
    });
    let error = engine.value(&pos(&[1_000_000])).unwrap_err();
    assert_eq!(error.code, Code::Interrupted);
    assert_eq!(engine.options_examined(), 1 << 18);
}

#[test]
fn a_part_with_many_unsolved_options_is_not_entered_again_and_again() {
    let hub = heap(|n| match n {
        4096 => (0..4096).map(|k| vec![k]).collect(),
        _ => vec![],
    });
    let mut engine = engine(&facts(Shape::Int), &hub);
    assert_eq!(engine.value(&pos(&[4096])).unwrap(), Int::ONE);
    assert_eq!(engine.options_examined(), 2 * 4096);
}

/// Rules from a text, counters named in the order of `start` or of the first move's pattern.
fn rules(text: &str) -> Rules {
    let (game, _) =
        check::load(&Source::new("<rule>", text)).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let params = vec![Value::from(0); game.vars.len()];
    Rules::new(Arc::new(game), params)
}

/// Values by recursion over the interpreter's own enumeration.
fn interpreted(rules: &Rules, part: &Pos, memo: &mut HashMap<Pos, u64>) -> u64 {
    if let Some(&value) = memo.get(part) {
        return value;
    }
    let mut options: Vec<Vec<Pos>> = Vec::new();
    let mut machine = rules.machine();
    if machine.end(part).unwrap().is_none() {
        let _ = machine
            .options(part, &mut |opt| {
                options.push(opt.parts.to_vec());
                ControlFlow::Continue(())
            })
            .unwrap();
    }
    let mut value_of =
        |parts: &Vec<Pos>| parts.iter().fold(0, |x, p| x ^ interpreted(rules, p, memo));
    let value = mex(options.iter().map(&mut value_of).collect::<Vec<_>>());
    memo.insert(part.clone(), value);
    value
}

#[test]
fn random_rule_texts_agree_with_plain_recursion() {
    for seed in 0..300u64 {
        let small = |i: i64, n: u64| (noise(seed, &[i]) >> 7) % n;
        let (lo, len) = (1 + small(1, 3), small(2, 4));
        let heap = [
            format!("n -> n - k for k in {lo}..{}", lo + len),
            format!(
                "n -> n - k for k in 1..n if k % {} != {}",
                2 + len,
                small(3, 2)
            ),
            format!("n -> [i, n - {lo} - i] for i in 0..n - {lo} | n -> n - 1 if n > {len}"),
            format!("n -> n // {} if n > 0 | n -> n - {lo}", 2 + len),
            format!("n -> [k, k - 1, 0] for k in {lo}..n - 1"),
            format!("n -> n - k for k in 1..n; win if n == {}", small(4, 6)),
        ];
        let pair = [
            format!(
                "(a, b) -> (a - k, b + {len}) for k in 1..a | (a, b) -> (a, b - k) for k in 1..b"
            ),
            format!("{{a, b}} -> {{a - k, b - j}} for k in 0..a, j in 0..b if k + j in 1..{lo}"),
            format!("(a, b) -> [(k, b), (0, k)] for k in 0..a - 1 | (a, b) -> (a, b - {lo})"),
        ];
        let two = seed % 3 == 0;
        let text = if two {
            &pair[small(5, 3) as usize]
        } else {
            &heap[small(6, 6) as usize]
        };
        let rules = rules(text);
        let mut engine = Engine::new(&rules, Budget::default());
        let mut memo = HashMap::new();
        let parts: Vec<Pos> = if two {
            let all = (0..=5).flat_map(|a| (a..=6).map(move |b| pos(&[a, b])));
            all.collect()
        } else {
            (0..=25).map(|n| pos(&[n])).collect()
        };
        for part in parts.iter().rev() {
            let value = interpreted(&rules, part, &mut memo);
            assert_eq!(
                engine.value(part).unwrap(),
                Int::from(value),
                "{text} at {part:?}"
            );
            let outcome = engine
                .outcome_by_search(&Position::one(part.clone()))
                .unwrap();
            assert_eq!(outcome.next_wins(), value != 0, "{text} at {part:?}");
        }
        let to: &[u64] = if two { &[5, 6] } else { &[25] };
        let engine = Engine::new(&rules, Budget::default());
        let table = Table::new(Facts::of(rules.game()), engine, rules.machine(), to);
        for part in &parts {
            let at: Vec<u64> = part.0.iter().map(|w| w.to_u64().unwrap()).collect();
            assert_eq!(table.value(&at), Some(memo[part]), "{text}");
        }
    }
}

#[test]
fn misere_texts_agree_with_plain_recursion() {
    let texts = [
        "n -> n - k for k in 1..3; play misere",
        "n -> [i, n - 2 - i] for i in 0..n - 2; play misere",
        "n -> [i, n - 1 - i] for i in 0..n - 1 | n -> n - 3; play misere",
        "n -> n - k for k in 1..n; lose if n == 2",
        "n -> [i, n - 2 - i] for i in 0..n - 2; win if n == 3",
    ];
    for text in texts {
        let rules = rules(text);
        let by_hand = rules.clone();
        let ends = rules.clone();
        let hand = Hand {
            options: Rc::new(move |p| {
                let mut all = Vec::new();
                let _ = by_hand.machine().options(p, &mut |opt| {
                    all.push(opt.parts.to_vec());
                    ControlFlow::Continue(())
                });
                all
            }),
            end: Rc::new(move |p| ends.machine().end(p).unwrap()),
        };
        let misere = rules.game().play == Play::Misere;
        let mut engine = Engine::new(&rules, Budget::default());
        let mut memo = HashMap::new();
        for a in 0..=7 {
            for b in 0..=7 {
                let position = Position {
                    parts: vec![pos(&[a]), pos(&[b])],
                };
                let expect = plain_wins(&hand, misere, &position.parts, &mut memo);
                let outcome = engine.outcome(&position).unwrap();
                assert_eq!(outcome.next_wins(), expect, "{text}: {a} {b}");
            }
        }
    }
}

#[test]
fn a_heap_of_ten_million_takes_no_stack_and_little_memory() {
    let budget = Budget::with_memory(450 << 20);
    let normal = rules("n -> n - k for k in 1..3");
    let mut engine = Engine::new(&normal, budget.clone());
    let value = engine.value(&pos(&[10_000_001])).unwrap();
    assert_eq!(value, Int::from(10_000_001 % 4));
    assert_eq!(engine.positions_stored(), 10_000_002);
    // Each option once, and once more where a position waited for its first.
    assert_eq!(engine.options_examined(), 30_000_000 + 10_000_001);
    drop(engine);
    let misere = rules("n -> n - k for k in 1..3; play misere");
    let mut engine = Engine::new(&misere, budget);
    let outcome = engine.outcome(&Position::one(pos(&[10_000_001]))).unwrap();
    assert_eq!(outcome, Outcome::P);
}

#[test]
fn a_cycle_of_rules_shows_the_move() {
    let rules = rules("n -> n + 1 if n < 5 | n -> n - 2 if n > 3");
    let error = Engine::new(&rules, Budget::default())
        .value(&pos(&[1]))
        .unwrap_err();
    assert_eq!(error.code, Code::Cycle);
    assert_eq!(error.notes, ["a cycle of 3 moves: 3 -> 4 -> 5 -> 3"]);
    assert_eq!(
        rules.game().source.slice(error.labels[0].0),
        "n -> n - 2 if n > 3"
    );
}
