//! From text to steps:
//!
//! ```text
//! sum   = term {"+" term}                  ordinary integers behind `^`:
//! term  = power {("*" | "/") power}        exponent = ["-"] whole ["^" exponent]
//! power = atom ["^" exponent]              whole    = number | "(" integer ")"
//! atom  = number | "(" sum ")"             integer  = exponents with "*", "+" and "-" between
//!       | "sqrt" "(" sum ")"
//! ```
//!
//! Cost: linear in the text, beside what decimal numbers take to read.

use std::sync::Arc;

use grundy_core::{Int, Nimber};
use grundy_lang::diag::{Code, Diagnostic, Source, Span};

use super::{MOST_BITS, Step};
use crate::Result;

/// So deep may brackets and exponents nest.
const MOST_DEEP: usize = 150;
/// The digits of 2^[`MOST_BITS`].
const MOST_DIGITS: usize = 315_653;
const EXAMPLE: &str = "write an expression such as `8*16 + 7/3`, `5^-2` or `sqrt(6)`";
const ADDITION: &str = "a + a is 0 for every nimber a, so a - b is a + b, and -a is a";
const ORDINARY: &str = "the operators of an exponent are `+`, `-`, `*` and `^`, as in `5^(2^8 - 2)`; a root is `sqrt(x)`";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum T {
    Number,
    Sqrt,
    Sign(u8),
    End,
}

struct Parser<'s> {
    source: &'s Arc<Source>,
    /// Behind the token at hand.
    at: usize,
    token: T,
    span: Span,
    /// The end of the token before.
    before: usize,
    depth: usize,
    steps: Vec<Step>,
}

/// The steps of an expression.
pub fn parse(source: &Arc<Source>) -> Result<Vec<Step>> {
    let mut p = Parser {
        source,
        at: 0,
        token: T::End,
        span: Span::default(),
        before: 0,
        depth: 0,
        steps: Vec::new(),
    };
    p.next()?;
    if p.token == T::End {
        let error = p.error(Code::Syntax, p.span, "there is no expression", "empty");
        return Err(error.help(EXAMPLE).into());
    }
    p.sum()?;
    match p.token {
        T::End => Ok(p.steps),
        T::Sign(b')') => {
            let error = p.error(
                Code::Bracket,
                p.span,
                "a bracket that closes nothing",
                "no `(` before it",
            );
            Err(error.help("leave it out, or open one before").into())
        }
        _ => Err(p.no_operator()),
    }
}

impl Parser<'_> {
    fn error(&self, code: Code, at: Span, message: impl Into<String>, label: &str) -> Diagnostic {
        Diagnostic::error(code, self.source, message).at(at, label)
    }

    fn syntax<V>(&self, message: impl Into<String>, label: &str, help: &str) -> Result<V> {
        Err(self
            .error(Code::Syntax, self.span, message, label)
            .help(help)
            .into())
    }

    /// Goes on to the next token.
    fn next(&mut self) -> Result<()> {
        let text = &self.source.text;
        self.before = self.span.end as usize;
        let start = self.at + text[self.at..].len() - text[self.at..].trim_start().len();
        let rest = &text[start..];
        let Some(first) = rest.chars().next() else {
            self.token = T::End;
            self.at = text.len();
            self.span = Span::new(text.trim_end().len(), text.trim_end().len());
            return Ok(());
        };
        let word = rest.find(|c: char| !(c == '_' || c.is_ascii_alphanumeric()));
        let word = &rest[..word.unwrap_or(rest.len())];
        let length = if word.is_empty() {
            first.len_utf8()
        } else {
            word.len()
        };
        self.at = start + length;
        self.span = Span::new(start, self.at);
        self.token = match first {
            '0'..='9' if word.bytes().all(|b| b.is_ascii_digit()) => T::Number,
            '0'..='9' => {
                let help =
                    "a number is its decimal digits and nothing else; a product needs its `*`";
                return self.syntax(
                    format!("`{}` is no number", shown(word)),
                    "digits and letters",
                    help,
                );
            }
            '+' | '-' | '*' | '/' | '^' | '(' | ')' => T::Sign(first as u8),
            _ if word == "sqrt" => T::Sqrt,
            '.' | ',' => {
                let help =
                    "numbers are whole and have no signs between their digits; a quotient is `3/2`";
                return self.syntax(
                    format!("`{first}` has no place here"),
                    "no part of a number",
                    help,
                );
            }
            _ if !word.is_empty() => {
                let help = match word.to_ascii_lowercase().as_str() {
                    "xor" | "nimsum" | "add" => "the nim-sum is `a + b`",
                    "inv" | "inverse" => "the inverse is `1/x`, or `x^-1`",
                    "mul" | "nimmul" | "times" => "the product is `a * b`",
                    "pow" | "power" => "a power is `x^5`",
                    "square" | "sq" => "the square is `x^2`",
                    "root" => "the square root is `sqrt(x)`",
                    _ => {
                        "an expression has numbers, `+`, `*`, `/`, `^`, brackets and `sqrt(x)`, and no other name"
                    }
                };
                let message = format!("`{}` is not defined", shown(word));
                let error = self.error(Code::UnknownName, self.span, message, "no such name");
                return Err(error.help(help).into());
            }
            _ => {
                let help = match first {
                    '×' | '⊗' | '·' | '⋅' | '∗' => "the nim-product is `*`",
                    '⊕' | '⊻' => "the nim-sum is `+`",
                    '÷' | '∕' | '⊘' | ':' => "the quotient is `/`",
                    '−' | '–' | '—' => ADDITION,
                    '²' | '³' | '⁻' | '¹' => "a power is `x^2`, an inverse `x^-1`",
                    '√' => "the square root is `sqrt(x)`",
                    '[' | '{' => "brackets are round",
                    _ => {
                        "an expression has numbers, `+`, `*`, `/`, `^`, round brackets and `sqrt(x)`"
                    }
                };
                let message = format!("the character `{first}` has no meaning here");
                let error = self.error(
                    Code::UnexpectedCharacter,
                    self.span,
                    message,
                    "no part of an expression",
                );
                return Err(error.help(help).into());
            }
        };
        Ok(())
    }

    fn is(&self, sign: u8) -> bool {
        self.token == T::Sign(sign)
    }

    /// Something stands where an operator should.
    fn no_operator(&self) -> Box<Diagnostic> {
        let error = if self.is(b'-') {
            self.error(
                Code::Syntax,
                self.span,
                "there is no subtraction",
                "a minus sign",
            )
            .help(format!("write `+`: {ADDITION}"))
        } else {
            let help = "a product is `2*3`, a sum `2+3`; another expression is another argument";
            self.error(
                Code::Syntax,
                self.span,
                "an operator is missing",
                "expected one before this",
            )
            .help(help)
        };
        error.into()
    }

    /// Something stands where a number should.
    fn no_operand<V>(&self, ordinary: bool) -> Result<V> {
        let T::Sign(sign) = self.token else {
            return match self.token {
                T::Sqrt => self.syntax(
                    "an exponent is an ordinary integer",
                    "a root of nimbers",
                    ORDINARY,
                ),
                _ => self.syntax(
                    "the expression ends too early",
                    "expected a number",
                    EXAMPLE,
                ),
            };
        };
        let doubled = self.before == self.span.start as usize && self.before > 0;
        let previous = self.source.text[..self.before].bytes().next_back();
        match sign {
            b'*' if doubled && previous == Some(b'*') => self.syntax(
                "`**` is no operator",
                "expected a number",
                "a power is `2^3`",
            ),
            b'/' if doubled && previous == Some(b'/') => self.syntax(
                "`//` is no operator",
                "expected a number",
                "the quotient is `7/3`, and exact",
            ),
            b'*' => self.syntax(
                "`*` with nothing before it to multiply",
                "expected a number",
                "`*` is the product; write the nimber *5 as `5`",
            ),
            b'-' if !ordinary => self.syntax(
                "there is no minus sign",
                "expected a number",
                &format!("leave it out: {ADDITION}"),
            ),
            _ => {
                let help = if ordinary { ORDINARY } else { EXAMPLE };
                self.syntax(
                    format!("`{}` with no number before it", sign as char),
                    "expected a number",
                    help,
                )
            }
        }
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth <= MOST_DEEP {
            return Ok(());
        }
        let message = format!("nested more than {MOST_DEEP} deep");
        let error = self.error(Code::TooDeep, self.span, message, "one level too many");
        Err(error
            .help("work out the inner part first, and write its value")
            .into())
    }

    /// Behind an opening bracket: what `inside` reads, and the closing bracket.
    fn bracket<V>(&mut self, inside: fn(&mut Self) -> Result<V>) -> Result<V> {
        let open = self.span;
        self.deeper()?;
        self.next()?;
        let value = inside(self)?;
        match self.token {
            T::Sign(b')') => {}
            T::End => {
                let error = self.error(
                    Code::Bracket,
                    open,
                    "a bracket that is not closed",
                    "opened here",
                );
                return Err(error.help("close it with `)`").into());
            }
            _ => return Err(self.no_operator()),
        }
        self.depth -= 1;
        self.next()?;
        Ok(value)
    }

    fn sum(&mut self) -> Result<()> {
        self.term()?;
        while self.is(b'+') {
            self.next()?;
            self.term()?;
            self.steps.push(Step::Add);
        }
        Ok(())
    }

    fn term(&mut self) -> Result<()> {
        self.power()?;
        while self.is(b'*') || self.is(b'/') {
            let division = self.is(b'/');
            self.next()?;
            let start = self.span;
            self.power()?;
            let divisor = Span::new(start.start as usize, self.before);
            self.steps.push(if division {
                Step::Div(divisor)
            } else {
                Step::Mul
            });
        }
        Ok(())
    }

    fn power(&mut self) -> Result<()> {
        let start = self.span;
        match self.token {
            T::Number => {
                let number = self.number()?;
                // Digits alone are never negative.
                self.steps
                    .push(Step::Push(Nimber::from_int(&number).unwrap_or_default()));
            }
            T::Sqrt => {
                self.next()?;
                if !self.is(b'(') {
                    return self.syntax(
                        "`sqrt` without brackets",
                        "expected `(`",
                        "write `sqrt(x)`",
                    );
                }
                self.bracket(Self::sum)?;
                self.steps.push(Step::Sqrt);
            }
            T::Sign(b'(') => self.bracket(Self::sum)?,
            _ => return self.no_operand(false),
        }
        if self.is(b'^') {
            let base = Span::new(start.start as usize, self.before);
            self.next()?;
            let exponent = self.exponent()?;
            self.steps.push(Step::Pow(exponent, base));
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Int> {
        let digits = self.source.slice(self.span).trim_start_matches('0');
        let number: Option<Int> = match digits.len() {
            0 => Some(Int::ZERO),
            1..=MOST_DIGITS => digits.parse().ok(),
            _ => None,
        };
        let number = number.filter(|n| n.to_big().bits() <= MOST_BITS);
        let Some(number) = number else {
            return Err(self.too_large(format!("a number of {} digits", digits.len()), self.span));
        };
        self.next()?;
        Ok(number)
    }

    fn too_large(&self, message: String, at: Span) -> Box<Diagnostic> {
        let help = format!("numbers are below 2^{MOST_BITS}, which has {MOST_DIGITS} digits");
        self.error(Code::TooLarge, at, message, "too large")
            .help(help)
            .into()
    }

    fn exponent(&mut self) -> Result<Int> {
        let start = self.span;
        self.deeper()?;
        let negative = self.is(b'-');
        if negative {
            self.next()?;
        }
        let mut value = match self.token {
            T::Number => self.number()?,
            T::Sign(b'(') => self.bracket(Self::integer)?,
            _ => return self.no_operand(true),
        };
        if self.is(b'^') {
            self.next()?;
            let above = self.span;
            let exponent = self.exponent()?;
            let above = Span::new(above.start as usize, self.before);
            if exponent.is_negative() {
                let error = self.error(
                    Code::Syntax,
                    above,
                    "an exponent is an ordinary integer",
                    "below 0, so the power is a fraction",
                );
                return Err(error.help(ORDINARY).into());
            }
            let whole = Span::new(start.start as usize, self.before);
            value = self.bounded(value.pow(&exponent), whole)?;
        }
        self.depth -= 1;
        Ok(if negative { -&value } else { value })
    }

    /// A result within an exponent, unless it is too large.
    fn bounded(&self, value: Option<Int>, at: Span) -> Result<Int> {
        let value = value.filter(|v| v.to_big().bits() <= MOST_BITS);
        value.ok_or_else(|| self.too_large("an exponent out of bounds".to_owned(), at))
    }

    /// What stands in the brackets of an exponent.
    fn integer(&mut self) -> Result<Int> {
        let start = self.span.start as usize;
        let mut value = self.product()?;
        while self.is(b'+') || self.is(b'-') {
            let minus = self.is(b'-');
            self.next()?;
            let other = self.product()?;
            let sum = if minus {
                &value - &other
            } else {
                &value + &other
            };
            value = self.bounded(Some(sum), Span::new(start, self.before))?;
        }
        if self.is(b'/') {
            return self.syntax(
                "an exponent is an ordinary integer",
                "no division",
                ORDINARY,
            );
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Int> {
        let start = self.span.start as usize;
        let mut value = self.exponent()?;
        while self.is(b'*') {
            self.next()?;
            let product = &value * &self.exponent()?;
            value = self.bounded(Some(product), Span::new(start, self.before))?;
        }
        Ok(value)
    }
}

/// As much of a word as a message has room for.
fn shown(word: &str) -> String {
    match word.char_indices().nth(30) {
        Some((at, _)) => format!("{}…", &word[..at]),
        None => word.to_owned(),
    }
}
