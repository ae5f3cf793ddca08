//! What the tests of the judge and of the check share: the five founding games as texts of their own, and a decider that
//! knows nothing but the rules.
#![allow(dead_code)]

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use grundy::format::Want;
use grundy::judge::{CaseAnswer, Decide};
use grundy_core::{Int, mex};
use grundy_lang::diag::{Diagnostic, Source};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{Game, Play};
use grundy_lang::value::{Pos, Position};

pub const TEAM_NIM: &str = r#"
game team_nim "Team Nim"
param n, S, M[2*n]
start (S, 0)
move (s, p) -> (s - k, (p + 1) % (2*n)) for k in 1..min(M[p], s)
play misere
input n S M[2*n] until n == 0
output "1" if win else "0"
require n >= 0 and S >= 0
limit n <= 10, S < 8192
sample "1 101 4 4\n1 100 4 4\n3 97 8 7 6 5 4 3\n0\n" -> "0\n1\n1\n"
"#;

pub const WYTHOFF: &str = r#"
game wythoff
start {a, b}
move {a, b} -> {a - k, b}     for k in 1..a
move {a, b} -> {a, b - k}     for k in 1..b
move {a, b} -> {a - k, b - k} for k in 1..min(a, b)
input a b
output "1" if win else "0"
limit a <= 1000000000, b <= 1000000000
sample "2 1\n8 4\n4 7\n" -> "0\n1\n0\n"
"#;

pub const GEORGIA_BOB: &str = r#"
game georgia_bob
start sorted(P)
move p[] -> p with p[i] = x for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1
input repeat T: N P[N]
output "Georgia will win" if win else "Bob will win"
require all(v >= 1 for v in P) "a piece stands on a square from 1 on"
require distinct(P) "two pieces stand on one square"
limit T <= 20, N <= 1000
sample "2\n3\n1 2 3\n8\n1 5 6 7 9 12 14 17\n" -> "Bob will win\nGeorgia will win\n"
"#;

pub const STONE_BOX: &str = r#"
game stone_box
start sum (s, c)
move (s, c) -> (s, c + k) for k in 1..min(c*c, s - c)
input N (s c)[N] until N == 0
output "Case {case}:"
output "Yes" if win else "No"
require c <= s "more stones than the box holds"
limit N <= 50, s <= 1000000
sample "3\n2 0\n3 3\n6 2\n2\n6 3\n6 3\n0\n" -> "Case 1:\nYes\nCase 2:\nNo\n"
"#;

pub const CARD_BOXES: &str = r#"
game card_boxes
start x
move x[] -> x with x[A-1] -= k, x[B-1] += k for A in 2..len(x), B in 1..A-1, k in 1..x[A-1] if (A + B) % 6 == 3
input repeat T: N x[N]
output "Case {case}: Alice" if win else "Case {case}: Bob"
limit T <= 100, N <= 10000
sample "2\n2\n1 2\n7\n1 3 3 2 2 1 2\n" -> "Case 1: Alice\nCase 2: Bob\n"
"#;

pub const S_NIM: &str = r#"
game s_nim
move n -> n - d for d in S if d <= n
param k, S[k]
input k S[k] repeat m: l n[l] until k == 0
output row "W" if win else "L"
require all(v >= 1 for v in S)
"#;

pub fn load(text: &str) -> Arc<Game> {
    match grundy_lang::check::load(&Source::new("test.game", text)) {
        Ok((game, _)) => Arc::new(game),
        Err(errors) => panic!(
            "{}",
            errors.iter().map(|e| e.render(false)).collect::<String>()
        ),
    }
}

/// Decides by plain search over the interpreter: values where every part is alone in counting, outcomes of the whole
/// otherwise.
#[derive(Default)]
pub struct Slow {
    rules: Option<Rules>,
    values: HashMap<Pos, u64>,
    outcomes: HashMap<Vec<Pos>, bool>,
    /// How often rules were set.
    pub plans: usize,
    /// What was asked for last.
    pub want: Want,
}

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

fn options(rules: &Rules, pos: &Pos) -> Result<Vec<Vec<Pos>>> {
    let mut out = Vec::new();
    let _ = rules.machine().options(pos, &mut |o| {
        out.push(o.parts.to_vec());
        ControlFlow::Continue(())
    })?;
    Ok(out)
}

impl Slow {
    fn value(&mut self, rules: &Rules, pos: &Pos) -> Result<u64> {
        if let Some(v) = self.values.get(pos) {
            return Ok(*v);
        }
        let mut values = Vec::new();
        for parts in options(rules, pos)? {
            let mut sum = 0;
            for part in &parts {
                sum ^= self.value(rules, part)?;
            }
            values.push(sum);
        }
        let v = mex(values);
        self.values.insert(pos.clone(), v);
        Ok(v)
    }

    /// Whether the player to move wins, by the rules' own play.
    pub fn wins(&mut self, rules: &Rules, parts: &[Pos]) -> Result<bool> {
        let mut key = parts.to_vec();
        key.sort();
        if let Some(v) = self.outcomes.get(&key) {
            return Ok(*v);
        }
        let mut any = false;
        let mut won = false;
        for (i, part) in parts.iter().enumerate() {
            for left in options(rules, part)? {
                any = true;
                let mut next = parts.to_vec();
                next.splice(i..=i, left);
                won |= !self.wins(rules, &next)?;
            }
        }
        if !any {
            won = rules.game().play == Play::Misere;
        }
        self.outcomes.insert(key, won);
        Ok(won)
    }
}

impl Decide for Slow {
    fn rules(&mut self, rules: Rules) -> Result<()> {
        self.rules = Some(rules);
        self.values.clear();
        self.outcomes.clear();
        self.plans += 1;
        Ok(())
    }

    fn answer(&mut self, position: &Position, want: Want) -> Result<CaseAnswer> {
        let rules = self.rules.clone().expect("rules come before positions");
        self.want = want;
        if rules.game().play == Play::Misere {
            let win = self.wins(&rules, &position.parts)?;
            return Ok(CaseAnswer {
                win,
                value: None,
                moves: None,
            });
        }
        let values = position
            .parts
            .iter()
            .map(|p| self.value(&rules, p))
            .collect::<Result<Vec<_>>>()?;
        let sum = values.iter().fold(0, |a, b| a ^ b);
        let mut winning = std::collections::HashSet::new();
        for (i, part) in position.parts.iter().enumerate() {
            for mut left in options(&rules, part)? {
                let mut after = sum ^ values[i];
                for p in &left {
                    after ^= self.value(&rules, p)?;
                }
                left.sort();
                if after == 0 {
                    winning.insert((i, left));
                }
            }
        }
        Ok(CaseAnswer {
            win: sum != 0,
            value: Some(Int::from(sum)),
            moves: Some(Int::from(winning.len())),
        })
    }
}

/// A diagnostic in full, whatever it looks like when it is rendered: its line and what is marked there, notes, help.
pub fn plain(d: &Diagnostic) -> String {
    let mut out = format!("{}: {}\n", d.code, d.message);
    for (span, label) in &d.labels {
        let text = d.source.text.lines().next().unwrap_or("");
        let width = d.source.slice(*span).chars().count().max(1);
        let before = d.source.text[..span.start as usize].chars().count();
        let carets = "^".repeat(width);
        out.push_str(&format!(
            "{}:{} | {text}\n",
            d.source.label, d.source.first_line
        ));
        let indent = " "
            .repeat(d.source.label.len() + 1 + d.source.first_line.to_string().len() + 3 + before);
        out.push_str(format!("{indent}{carets} {label}").trim_end());
        out.push('\n');
    }
    for note in &d.notes {
        out.push_str(&format!("note: {note}\n"));
    }
    if let Some(help) = &d.help {
        out.push_str(&format!("help: {help}\n"));
    }
    out
}
