//! `nimber`: expressions of nimbers worked out. `parse` makes steps for a stack of them, so that a sum of a million terms needs
//! no deeper calls than one of two.
//!
//! Cost: that of the operations (see `grundy_core::Nimber`) in the smallest fields that the numbers at hand are in.

mod parse;

use std::sync::Arc;

use grundy_core::{Budget, Claim, Int, Nimber, NoPower};
use grundy_lang::diag::{Code, Diagnostic, Source, Span};
use serde_json::{Value as Json, json};

use crate::Result;
use crate::answer::int_json;

/// The most bits that a number of an expression may have; results have no more than the field of what they are made from.
pub const MOST_BITS: u64 = 1 << 20;
/// Operations on fewer bits are over before anyone could stop them.
const LONG_BITS: u64 = 1 << 10;

/// An expression and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worked {
    /// What was asked, without blanks around it.
    pub expression: String,
    /// Its value.
    pub value: Int,
    /// The bits of the smallest field that all its numbers are in, a power of two: the field of the numbers below
    /// 2^`field_bits`, which the value is in as well.
    pub field_bits: u64,
}

impl Worked {
    /// For programs.
    pub fn to_json(&self) -> Json {
        json!({
            "expression": self.expression,
            "value": int_json(&self.value),
            "field_bits": self.field_bits,
            "claim": Claim::Proved.to_string(),
        })
    }
}

/// What to do with a stack of nimbers. The places are those to blame.
enum Step {
    Push(Nimber),
    Add,
    Mul,
    Div(Span),
    Pow(Int, Span),
    Sqrt,
}

/// The value of an expression: `+` is the nim-sum, `*` and `/` are of the field of nimbers, `^` takes an ordinary integer as its
/// exponent, `sqrt(x)` is the only square root.
///
/// ```
/// use grundy::{Budget, Source, nimber};
/// let text = Source::new("<expression>", "8*16 + 7/3");
/// let worked = nimber::work_out(&text, &Budget::default()).unwrap();
/// assert_eq!((worked.value.to_u64(), worked.field_bits), (Some(137), 8));
/// ```
///
/// # Errors
/// What is no such expression, or has numbers past [`MOST_BITS`]; a division by 0; if it was stopped.
pub fn work_out(source: &Arc<Source>, budget: &Budget) -> Result<Worked> {
    let steps = parse::parse(source)?;
    let mut field_bits = 1;
    let mut stack: Vec<Nimber> = Vec::new();
    for step in steps {
        let long = |a: &Nimber| a.bits() > LONG_BITS;
        if stack.iter().rev().take(2).any(long) && budget.stopped() {
            return Err(stopped(source));
        }
        let mut top = || stack.pop().unwrap_or_default();
        let value = match step {
            Step::Push(number) => {
                field_bits = field_bits.max(number.field_bits());
                number
            }
            Step::Add => &top() + &top(),
            Step::Mul => &top() * &top(),
            Step::Div(at) => {
                let inverse = top().inverse().ok_or_else(|| by_zero(source, at))?;
                &inverse * &top()
            }
            Step::Pow(exponent, at) => {
                let base = top();
                let long = long(&base);
                let power = base.pow(&exponent, || long && budget.stopped());
                power.map_err(|error| match error {
                    NoPower::OfZero => by_zero(source, at),
                    NoPower::Stopped => stopped(source),
                })?
            }
            Step::Sqrt => top().sqrt(),
        };
        stack.push(value);
    }
    Ok(Worked {
        expression: source.text.trim().to_owned(),
        value: stack.pop().unwrap_or_default().to_int(),
        field_bits,
    })
}

fn by_zero(source: &Arc<Source>, at: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(Code::DivisionByZero, source, "division by zero");
    let help = "every other nimber has an inverse; a + a is 0 for every a";
    Box::new(error.at(at, "is 0").help(help))
}

fn stopped(source: &Arc<Source>) -> Box<Diagnostic> {
    let error = Diagnostic::error(
        Code::Interrupted,
        source,
        "stopped before the value was known",
    );
    Box::new(error.help(
        "a product takes seconds at a million bits; a power, one for each few bits of its exponent",
    ))
}

#[cfg(test)]
mod tests {
    use grundy_testkit::Random;

    use super::*;

    fn value(text: &str) -> std::result::Result<String, (Code, String)> {
        work_out(&Source::new("<expression>", text), &Budget::default())
            .map(|worked| worked.value.to_string())
            .map_err(|error| (error.code, error.render(false)))
    }

    #[test]
    fn operators_bind_as_in_ordinary_arithmetic() {
        for (text, expected) in [
            ("8*16 + 7/3", "137"),
            ("2 + 2*2", "1"),
            ("(2+3)*2", "2"),
            ("8/2/2", "12"),
            ("8/(2*2)", "12"),
            ("2*2^2", "1"),
            ("(2*2)^2", "2"),
            ("2^-1", "3"),
            ("2^-1^2", "3"),
            ("2^2^3", "3"),
            ("(2^2)^3", "1"),
            ("5^(2*3 - 4)", "7"),
            ("5^-(1+1)", "11"),
            ("sqrt(sqrt(6))^4", "6"),
            ("sqrt ( 2 )", "3"),
            ("0^0", "1"),
            ("0^5", "0"),
            (" 0007 ", "7"),
            (
                "18446744073709551616 * 18446744073709551616",
                "27670116110564327424",
            ),
            ("5^(2^100000 - 1)", "1"),
        ] {
            assert_eq!(value(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_an_error_with_its_place() {
        let deep = format!("{}1{}", "(".repeat(1000), ")".repeat(1000));
        let tower = "2^".repeat(1000) + "1";
        let digits = "9".repeat(400_000);
        for (text, code) in [
            ("", Code::Syntax),
            ("  ", Code::Syntax),
            ("1 +", Code::Syntax),
            ("1 2", Code::Syntax),
            ("2(3)", Code::Syntax),
            ("5 - 3", Code::Syntax),
            ("-3", Code::Syntax),
            ("*5 + *3", Code::Syntax),
            ("2**3", Code::Syntax),
            ("7//3", Code::Syntax),
            ("1.5", Code::Syntax),
            ("0x10", Code::Syntax),
            ("2^(1/2)", Code::Syntax),
            ("2^sqrt(4)", Code::Syntax),
            ("2^", Code::Syntax),
            ("2^(2^-1)", Code::Syntax),
            ("sqrt 5", Code::Syntax),
            ("5 % 3", Code::UnexpectedCharacter),
            ("8×16", Code::UnexpectedCharacter),
            ("²", Code::UnexpectedCharacter),
            ("(1 + 2", Code::Bracket),
            ("1 + 2)", Code::Bracket),
            ("sqrt(2", Code::Bracket),
            ("()", Code::Syntax),
            (&deep, Code::TooDeep),
            (&tower, Code::TooDeep),
            ("x + 1", Code::UnknownName),
            ("7/(3 + 3)", Code::DivisionByZero),
            ("0^-1", Code::DivisionByZero),
            (&digits, Code::TooLarge),
            ("2^2^2^2^2^2^2^2", Code::TooLarge),
            ("2^(2^1000000 * 2^1000000)", Code::TooLarge),
        ] {
            let error = value(text).expect_err(text);
            assert_eq!(error.0, code, "{text}: {}", error.1);
            assert!(error.1.contains("= help: "), "{}", error.1);
        }
    }

    /// A random expression and its value.
    fn random(r: &mut Random, depth: u64) -> (String, Nimber) {
        let (text, value) = match r.below(if depth == 0 { 2 } else { 8 }) {
            0 => {
                let small = r.below(20);
                return (small.to_string(), small.into());
            }
            1 => {
                let number = (0..=r.below(4)).fold(Int::ZERO, |n, _| {
                    &(&n * &Int::from(1i64 << 60)) + &Int::from(r.bits() >> 4)
                });
                return (number.to_string(), Nimber::from_int(&number).unwrap());
            }
            kind => {
                let (a, x) = random(r, depth - 1);
                let (b, y) = random(r, depth - 1);
                match kind {
                    2 | 3 => (format!("{a} + {b}"), &x + &y),
                    4 => (format!("{a}*{b}"), &x * &y),
                    5 if !y.is_zero() => (format!("{a}/{b}"), &x * &y.inverse().unwrap()),
                    6 if !x.is_zero() => {
                        let e = r.range(-50, 50);
                        let power = x.pow(&Int::from(e), || false);
                        (format!("{a}^{e}"), power.unwrap())
                    }
                    _ => return (format!("sqrt({a})"), x.sqrt()),
                }
            }
        };
        (format!("({text})"), value)
    }

    #[test]
    fn random_expressions_have_their_value_and_broken_ones_an_error() {
        let mut r = Random::new(1);
        for _ in 0..500 {
            let depth = r.below(6);
            let (mut text, expected) = random(&mut r, depth);
            assert_eq!(value(&text), Ok(expected.to_string()), "{text}");
            let signs = [
                "(", ")", "+", "*", "/", "^", "-", "sqrt", "7", "x", " ", "⊗", ".", "\0",
            ];
            for _ in 0..4 {
                let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let at = places[r.below(places.len() as u64) as usize];
                text.insert_str(at, r.pick(&signs));
                if let Err((_, error)) = value(&text) {
                    assert!(error.contains("= help: "), "{error}");
                }
            }
        }
    }

    #[test]
    fn a_long_sum_is_no_deep_one() {
        let text = vec!["3"; 200_001].join("+");
        assert_eq!(value(&text).as_deref(), Ok("3"));
        let text = vec!["2"; 30_000].join("*");
        assert_eq!(value(&text).as_deref(), Ok("1"));
    }

    #[test]
    fn work_on_long_numbers_can_be_stopped() {
        let budget = Budget::default();
        budget.stop();
        let run = |text: &str| work_out(&Source::new("", text), &budget);
        let long = Int::from(2).pow(&Int::from(2000)).unwrap();
        for text in [format!("{long} * {long}"), format!("{long} ^ 5")] {
            assert_eq!(run(&text).unwrap_err().code, Code::Interrupted);
        }
        assert!(run("5 * 5").is_ok());
    }
}
