//! The parser on real rules, on mutations of them, and on faulty ones.

use grundy_lang::ast::*;
use grundy_lang::diag::Source;
use grundy_lang::parser::parse;
use proptest::prelude::*;

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

/// The catalogue's games and the samples.
fn corpus() -> Vec<String> {
    let games = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let files = std::fs::read_dir(games).into_iter().flatten().flatten();
    let mut texts: Vec<String> = files
        .filter_map(|f| std::fs::read_to_string(f.path()).ok())
        .collect();
    texts.sort();
    texts.extend(SAMPLES.iter().map(|s| s.to_string()));
    texts
}

/// What must hold for any text: places lie within it, there are not many errors, printing works and does not let a control
/// character through, the tree is no larger than the text, and a text without errors has no faulty statement.
fn holds_for_any_text(text: &str) {
    let source = Source::new("any", text);
    let (game, errors) = parse(&source);
    assert!(errors.len() <= 101, "{} errors", errors.len());
    let mut places = Vec::new();
    for error in &errors {
        for (span, _) in &error.labels {
            assert!(
                span.start <= span.end && span.end as usize <= text.len(),
                "{span:?} in {text:?}"
            );
            assert!(
                text.is_char_boundary(span.start as usize)
                    && text.is_char_boundary(span.end as usize)
            );
        }
        places.push((
            error.code,
            error.labels.first().map(|l| l.0),
            error.message.clone(),
        ));
        let printed = error.render(false);
        assert!(
            !printed.chars().any(|c| c.is_control() && c != '\n'),
            "{printed:?}"
        );
        assert!(
            printed.len() < 20_000,
            "{} bytes for one error",
            printed.len()
        );
    }
    let count = places.len();
    places.dedup();
    assert_eq!(places.len(), count, "the same error twice: {text:?}");
    assert!(game.statements.len() <= text.len());
    for statement in &game.statements {
        assert!(statement.span.end as usize <= text.len());
        let faulty = matches!(
            statement.kind,
            StatementKind::Error | StatementKind::Reserved(_)
        );
        assert!(
            !faulty || !errors.is_empty(),
            "a faulty statement without an error: {text:?}"
        );
    }
    let words = format!("{game:?}").len();
    assert!(
        words <= 2000 * text.len() + 200,
        "a tree of {words} bytes for {} bytes",
        text.len()
    );
    drop(grundy_lang::codes::translate(text));
    // What parses is checked: that must not panic either, and what is wrong must lie within the text.
    if errors.is_empty()
        && let Err(errors) = grundy_lang::check::load(&source)
    {
        assert!(!errors.is_empty(), "refused without an error: {text:?}");
        for (span, _) in errors.iter().flat_map(|e| &e.labels) {
            assert!(
                span.start <= span.end && span.end as usize <= text.len(),
                "{span:?} in {text:?}"
            );
        }
        errors.iter().for_each(|e| drop(e.render(false)));
    }
}

/// A piece of text that mutations put in: fragments of the language and what people write instead.
const PIECES: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "->",
    "..",
    "...",
    ",",
    ";",
    "|",
    ":",
    "for",
    "if",
    "else",
    "in",
    "not",
    "and",
    "or",
    "with",
    "move",
    "start",
    "game",
    "input",
    "repeat T:",
    "until",
    "\"",
    "'",
    "#",
    "\n",
    "\r\n",
    "\t",
    "=",
    "==",
    "<=",
    "+=",
    "-",
    "*",
    "**",
    "//",
    "/",
    "&&",
    "||",
    "!",
    "≤",
    "→",
    "（",
    "\u{1b}[31m",
    "\u{0}",
    "\u{202e}",
    "9",
    "2n",
    "1.5",
    "x[",
    "x[]",
    "s{}",
    "true",
    "é",
    "every",
    "play loopy",
    "\\",
    "\u{a0}",
    "0.77",
    "subtract{",
];

fn cut(text: &str, at: usize) -> usize {
    let mut at = at % (text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// One change of a text.
fn mutate(text: &str, kind: u8, a: usize, b: usize, piece: usize) -> String {
    let (a, b) = (cut(text, a), cut(text, b));
    let (from, to) = (a.min(b), a.max(b));
    // Most changes are small: they leave a text that is nearly right.
    let near = cut(text, (from + 1 + piece % 7).min(text.len())).max(from);
    match kind % 6 {
        0 => format!("{}{}", &text[..from], &text[near..]),
        1 => format!("{}{}", &text[..near], &text[from..]),
        2 => format!(
            "{}{}{}",
            &text[..from],
            PIECES[piece % PIECES.len()],
            &text[from..]
        ),
        3 => format!(
            "{} {} {}",
            &text[..from],
            PIECES[piece % PIECES.len()],
            &text[near..]
        ),
        4 => text[..from].to_string(),
        _ => {
            let late = cut(text, (to + 4).min(text.len())).max(to);
            if near > to {
                return text[from..].to_string();
            }
            format!(
                "{}{}{}{}{}",
                &text[..from],
                &text[to..late],
                &text[near..to],
                &text[from..near],
                &text[late..]
            )
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_games(
        which in any::<usize>(),
        changes in prop::collection::vec((any::<u8>(), any::<usize>(), any::<usize>(), any::<usize>()), 1..8),
    ) {
        static CORPUS: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(corpus);
        let mut text = CORPUS[which % CORPUS.len()].clone();
        for (kind, a, b, piece) in changes {
            text = mutate(&text, kind, a, b, piece);
            holds_for_any_text(&text);
        }
    }

    #[test]
    fn pieces_in_any_order(pieces in prop::collection::vec(any::<usize>(), 0..60), blanks in any::<bool>()) {
        let words: Vec<&str> = pieces.iter().map(|p| PIECES[p % PIECES.len()]).collect();
        holds_for_any_text(&words.join(if blanks { " " } else { "" }));
    }

    #[test]
    fn any_characters(text in ".{0,80}") {
        holds_for_any_text(&text);
    }
}

/// Long and deep texts take time in proportion: none of these takes half a second, and one that took the square of its
/// length would take ten.
#[test]
fn long_texts_take_linear_time() {
    let repeated = [
        "(",
        ")",
        "[(",
        "{a, ",
        "n -> (",
        "x with x[0] = ",
        "not ",
        "- ",
        "1 if 1 else ",
        "a[",
        "f(",
        "'",
        "\"",
        "≤",
        "n -> n - 1 | ",
        "n -> n - 1\n",
        "if ",
        "for k in 1..n ",
        "a + ",
        "a or ",
        "2 ** ",
        "in ",
        "|",
        ";",
        "\n",
        "(]",
        "repeat T: ",
        "expect [[",
        "x[1..2]",
        "a, ",
        "{a, ...} -> ",
        "mvoe x ",
        "move (\n",
        "0.7",
        "#",
        "\r",
        "\u{1b}[",
        "7",
    ];
    for piece in repeated {
        for prefix in ["n -> ", ""] {
            let text = format!("{prefix}{}", piece.repeat(400_000 / piece.len()));
            let start = std::time::Instant::now();
            let source = Source::new("long", text);
            let (_, errors) = parse(&source);
            errors.iter().for_each(|e| drop(e.render(true)));
            drop(grundy_lang::codes::translate(&source.text));
            let taken = start.elapsed();
            assert!(
                taken.as_secs() < 4,
                "{piece:?} behind {prefix:?}: {taken:?}"
            );
        }
    }
}

#[test]
fn errors_of_several_statements_are_all_reported() {
    let text = "game g\nmove n -> \nstart n n\nmove n -> n - k for k in 1..n\nplay norml\nmove (a, b -> a\noutput \"x";
    let (game, errors) = parse(&Source::new("g", text));
    let lines: Vec<usize> = errors
        .iter()
        .map(|e| grundy_lang::diag::line_column(&e.source, e.labels[0].0).0)
        .collect();
    assert_eq!(lines, [2, 3, 5, 6, 7]);
    let good = game
        .statements
        .iter()
        .filter(|s| matches!(s.kind, StatementKind::Move(_)))
        .count();
    assert_eq!((game.statements.len(), good), (6, 1));
}

#[test]
fn numbers_of_any_length() {
    let digits: String = (0..5001)
        .map(|i| char::from(b'1' + (i * i % 9) as u8))
        .collect();
    let (game, errors) = parse(&Source::new("n", format!("limit {digits}")));
    assert!(errors.is_empty());
    let StatementKind::Limit(limits) = &game.statements[0].kind else {
        panic!("{game:?}")
    };
    assert!(matches!(&limits[0].kind, ExprKind::Int(n) if n.to_string() == digits));
}

/// The bounds on nesting and height leave every later walk over the tree enough stack, a test's 2 MB here.
#[test]
fn texts_at_the_bounds_are_checked() {
    let nest = |open: &str, inner: &str, close: &str, n: usize| {
        format!("{}{inner}{}", open.repeat(n), close.repeat(n))
    };
    let deepest = |texts: &dyn Fn(usize) -> String| {
        let parses = |n: &usize| parse(&Source::new("deep", texts(*n))).1.is_empty();
        let n = (1..400)
            .take_while(parses)
            .last()
            .expect("one level parses");
        assert!((40..399).contains(&n), "{n} levels in {}", texts(1));
        drop(grundy_lang::check::load(&Source::new("deep", texts(n))));
    };
    deepest(&|n| format!("n -> {}", nest("(", "n - 1", ")", n)));
    deepest(&|n| format!("n -> n{}", " - 1".repeat(n)));
    deepest(&|n| format!("n -> n - 1 if {}n > 1", "not ".repeat(n)));
    deepest(&|n| format!("n -> n - {}1", "-".repeat(n)));
    deepest(&|n| format!("n -> {}n", "n if n > 1 else ".repeat(n)));
    deepest(&|n| format!("n -> n - {}", nest("min(", "1", ", n)", n)));
    deepest(&|n| format!("x[] -> x with x[0] = {}", nest("x[", "0", "]", n)));
    deepest(&|n| format!("n -> n - {}1", "2 ** ".repeat(n)));
    deepest(&|n| format!("n -> n - {}", nest("sum(", "i", " for i in 1..n)", n)));
    deepest(&|n| format!("{} -> n", nest("(", "n", ", m)", n)));
    deepest(&|n| format!("start {}\nn -> n - 1", nest("[", "n", "]", n)));
    deepest(&|n| format!("n -> n - 1\nexpect {} -> win", nest("[", "1", "]", n)));
    deepest(&|n| format!("n -> n - 1\ninput {} n", "repeat T: ".repeat(n)));
}

#[test]
fn a_set_among_its_own_members_is_refused() {
    for text in [
        "s{} -> s ^ {i} - i for i in s\nstart s",
        "s{} -> s ^ ({i} - i)",
        "n -> [x] + x",
        "n -> x if x == {x}",
    ] {
        let errors = grundy_lang::check::load(&Source::new("endless", text)).unwrap_err();
        assert_eq!(errors[0].code.as_str(), "G0301", "{text}: {}", errors[0]);
    }
}

/// Tuples over names double with each name; forty of them would fill any memory.
#[test]
fn types_do_not_grow_without_bound() {
    let chain = |link: &dyn Fn(usize) -> String, join: &str, order: bool| {
        let links: Vec<String> = if order {
            (1..40).map(link).collect()
        } else {
            (1..40).rev().map(link).collect()
        };
        links.join(join)
    };
    let quantified = |i: usize| format!("a{i} in [(a{0}, a{0})]", i - 1);
    let equal = |i: usize| format!("a{i} == (a{0}, a{0})", i - 1);
    let names: Vec<String> = (0..40).map(|i| format!("a{i}")).collect();
    let texts = [
        format!(
            "n -> n - 1 for a0 in 1..n, {}",
            chain(&quantified, ", ", true)
        ),
        format!("n -> n - 1 if {}", chain(&equal, " and ", true)),
        format!("n -> n - 1 if {}", chain(&equal, " and ", false)),
        format!(
            "param {}\nn -> n - 1 if {} and a39",
            names.join(", "),
            chain(&equal, " and ", false)
        ),
        format!(
            "({}) -> 3 if {} and a39 == a38",
            names.join(", "),
            chain(&equal, " and ", false)
        ),
    ];
    for text in texts {
        let errors = grundy_lang::check::load(&Source::new("large", &*text)).unwrap_err();
        assert!(
            errors.iter().all(|e| e.render(false).len() < 10_000),
            "{text}"
        );
    }
}
