//! The parser on real rules, on mutations of them, and on faulty ones.

use grundy_lang::ast::*;
use grundy_lang::diag::Source;
use grundy_lang::parser::parse;

const SAMPLES: &[&str] = &[
    r#"game team_nim "Team Nim (POJ 2068)"
param n, S, M[2*n]
start (S, 0)
move  (s, p) -> (s - k, (p + 1) % (2*n))  for k in 1..min(M[p], s)
play  misere                              # who takes the last stone loses
input  n S M[2*n] until n == 0            # the contest's own format
output "1" if win else "0"
expect n=1 S=101 M=[4,4] -> lose          # facts; the tests run them
"#,
    "game wythoff
start {a, b}
move {a, b} -> {a - k, b}      for k in 1..a
move {a, b} -> {a, b - k}      for k in 1..b
move {a, b} -> {a - k, b - k}  for k in 1..min(a, b)
",
    r#"game georgia_bob "Georgia and Bob (POJ 1704)"
start sorted(P)
move p[] -> p with p[i] = x   for i in 0..len(p)-1, x in (p[i-1] if i > 0 else 0)+1..p[i]-1
output "Georgia will win" if win else "Bob will win"
"#,
    r#"game stone_box "Stone Game (HDU 1729)"
start sum (s, c)
move (s, c) -> (s, c + k)     for k in 1..min(c*c, s - c)
"#,
    r#"game card_boxes "Game (HDU 3389)"
start x
move x[] -> x with x[A-1] -= k, x[B-1] += k   for A in 2..len(x), B in 1..A-1, k in 1..x[A-1]  if (A + B) % 6 == 3
"#,
    "game lasker       : n -> k for k in 0..n-1 | n -> [k, n-k] for k in 1..n//2",
    "game fibonacci_nim: start (n, n-1); (n, m) -> (n - k, 2*k) for k in 1..min(n, m)",
    "game treblecross  : n -> [max(0, i-2), max(0, n-i-3)] for i in 0..n-1",
    "game s_nim        : n -> n - k for k in S if k <= n",
    "game chess_dag    : v -> w for w in adj[v]",
    "game multiply     : p -> p*k for k in 2..9 if p < n; win if p >= n",
    "n -> n - k for k in 1..3",
    "{a, ...} -> {a - k, ...} for k in 1..a\n{a, b, ...} -> {a + b, ...}\nstart {h...}",
    "s{} -> s ^ {i} for i in s\nstart s",
    "n -> [p for i in 1..m] for p in 0..n-1, m in 0..3",
    "input repeat T: n (s c)[N] adj[n][] x[] s\noutput row \"{case}\"\nrequire 0 <= k < n and k not in S \"bad k\"\nlimit n <= 10**9, k in 1..5",
    "start -> start - 1\nmove[] -> move with move[0] -= 1\nwin if start == 1 or start in {2, 5}\nlose (a, {b, c}) if a == b",
    "input x until x == \"#\"\nsample \"3\\n\" -> \"win\\n\"\nalias a, b\nabout \"x\"\nsource \"y\"\nexpect 14 9 -> win\nexpect \"xx\" [[1,2],[]] -1 -> 5",
    "output row\noutput row + 1\noutput row[0]\nstart sum\nstart sum + 1\nstart sum (a, b)\nstart every\nparam tree, grid",
    "x[] -> x[0..i-1] + [e for e in x if e > 0] + x[i+1..len(x)-1] for i in 0..len(x)-1\n  if all(x[j] > 0 for j in 0..i)\n  if not any(x)",
];

#[test]
fn the_samples_parse() {
    for sample in SAMPLES {
        let (game, errors) = parse(&Source::new("sample", *sample));
        assert!(errors.is_empty(), "{sample}\n{}", errors[0]);
        assert!(!game.statements.is_empty());
        assert!(
            !game
                .statements
                .iter()
                .any(|s| matches!(s.kind, StatementKind::Error | StatementKind::Reserved(_)))
        );
    }
}
