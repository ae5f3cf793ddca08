//! Values of expressions, and positions in canonical form.
//!
//! A part of a position is a flat row of integers whose meaning its [`Shape`] gives: a counter is one word, a tuple its
//! members one after the other, and whatever has a varying length starts with the number of its elements. Unordered things
//! are in order of size, so that equal positions are equal words. Cost: 16 bytes a word; up to four words without allocation.

use std::cmp::Ordering;
use std::sync::Arc;

use grundy_core::Int;
use smallvec::SmallVec;

use crate::ir::Shape;

/// The words of a part.
pub type Words = SmallVec<[Int; 4]>;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A number.
    Int(Int),
    /// A truth value.
    Bool(bool),
    /// A character.
    Char(char),
    /// The members of a list, tuple, set or multiset; those without an order are sorted.
    Seq(Arc<[Value]>),
}

impl Value {
    /// The number, if it is one.
    pub fn as_int(&self) -> Option<&Int> {
        if let Value::Int(v) = self {
            Some(v)
        } else {
            None
        }
    }

    /// The members, if it has any to speak of.
    pub fn as_seq(&self) -> Option<&[Value]> {
        if let Value::Seq(v) = self {
            Some(v)
        } else {
            None
        }
    }

    /// A list of these.
    pub fn seq(values: impl IntoIterator<Item = Value>) -> Self {
        Value::Seq(values.into_iter().collect())
    }
}

impl From<Int> for Value {
    fn from(v: Int) -> Self {
        Value::Int(v)
    }
}

impl From<i64> for Value {
    fn from(v: i64) -> Self {
        Value::Int(Int::from(v))
    }
}

/// One part of a position, in canonical form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Pos(pub Words);

impl Pos {
    /// The part with these counters, in canonical form already.
    pub fn of_counters(counters: &[u64]) -> Pos {
        Pos(counters.iter().map(|&c| Int::from(c)).collect())
    }
}

/// A whole position: the disjunctive sum of its parts, in the order in which they were given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Position {
    /// The parts.
    pub parts: Vec<Pos>,
}

impl Position {
    /// A position of one part.
    pub fn one(part: Pos) -> Self {
        Position { parts: vec![part] }
    }

    /// The position after a move in part `index` that leaves `left`; the new parts stand where the old one stood.
    pub fn after(&self, index: usize, left: &[Pos]) -> Self {
        let mut parts = self.parts.clone();
        parts.splice(index..=index, left.iter().cloned());
        Position { parts }
    }
}

impl Shape {
    /// The number of words of a part, if all parts of this shape have the same number.
    pub fn width(&self) -> Option<usize> {
        match self {
            Shape::Int => Some(1),
            Shape::Tuple(members) => members.iter().map(Shape::width).sum(),
            Shape::Unordered(n, member) => member.width().map(|w| w * n),
            Shape::Array(_) | Shape::Str | Shape::Multiset(_) | Shape::Set(_) => None,
        }
    }

    /// Appends the canonical words of a value. The value must be of this shape, unordered members in any order.
    /// `Err` holds a count below zero, which no position has.
    pub fn encode(&self, value: &Value, out: &mut Words) -> Result<(), Int> {
        match (self, value) {
            (Shape::Int, Value::Int(v)) => {
                if v.is_negative() {
                    return Err(v.clone());
                }
                out.push(v.clone());
            }
            (Shape::Tuple(shapes), Value::Seq(members)) => {
                for (shape, member) in shapes.iter().zip(members.iter()) {
                    shape.encode(member, out)?;
                }
            }
            (Shape::Array(shape), Value::Seq(members)) => {
                out.push(Int::from(members.len()));
                out.reserve(members.len());
                for member in members.iter() {
                    shape.encode(member, out)?;
                }
            }
            (Shape::Str, Value::Seq(members)) => {
                out.push(Int::from(members.len()));
                out.extend(members.iter().map(|c| match c {
                    Value::Char(c) => Int::from(i64::from(u32::from(*c))),
                    other => unreachable!("the checker gave a string the element {other:?}"),
                }));
            }
            (Shape::Unordered(_, shape), Value::Seq(members)) => {
                let mut blocks = members
                    .iter()
                    .map(|m| shape.words(m))
                    .collect::<Result<Vec<_>, _>>()?;
                blocks.sort();
                out.extend(blocks.into_iter().flatten());
            }
            (Shape::Multiset(shape) | Shape::Set(shape), Value::Seq(members)) => {
                let mut blocks = members
                    .iter()
                    .map(|m| shape.words(m))
                    .collect::<Result<Vec<_>, _>>()?;
                blocks.sort();
                if matches!(self, Shape::Set(_)) {
                    blocks.dedup();
                } else {
                    blocks.retain(|b| !(b.len() == 1 && b[0].is_zero()));
                }
                out.push(Int::from(blocks.len()));
                out.extend(blocks.into_iter().flatten());
            }
            (shape, value) => {
                unreachable!("the checker gave the shape {shape:?} the value {value:?}")
            }
        }
        Ok(())
    }

    fn words(&self, value: &Value) -> Result<Words, Int> {
        let mut out = Words::new();
        self.encode(value, &mut out)?;
        Ok(out)
    }

    /// The part in canonical form; `Err` holds a count below zero.
    pub fn pos(&self, value: &Value) -> Result<Pos, Int> {
        self.words(value).map(Pos)
    }

    /// The value that a part stands for.
    pub fn value(&self, pos: &Pos) -> Value {
        self.decode(&mut pos.0.as_slice())
    }

    /// Takes one value of this shape off the front of `words`.
    pub fn decode(&self, words: &mut &[Int]) -> Value {
        fn take(words: &mut &[Int]) -> Int {
            let (first, rest) = words
                .split_first()
                .expect("a part has the words of its shape");
            *words = rest;
            first.clone()
        }
        fn count(words: &mut &[Int]) -> usize {
            take(words)
                .to_usize()
                .expect("a length is the number of words that follow")
        }
        match self {
            Shape::Int => Value::Int(take(words)),
            Shape::Tuple(shapes) => {
                Value::seq(shapes.iter().map(|s| s.decode(words)).collect::<Vec<_>>())
            }
            Shape::Unordered(n, shape) => {
                Value::seq((0..*n).map(|_| shape.decode(words)).collect::<Vec<_>>())
            }
            Shape::Array(shape) | Shape::Multiset(shape) | Shape::Set(shape) => {
                let n = count(words);
                Value::seq((0..n).map(|_| shape.decode(words)).collect::<Vec<_>>())
            }
            Shape::Str => {
                let n = count(words);
                Value::seq(
                    (0..n)
                        .map(|_| {
                            let code = take(words).to_u64().and_then(|v| u32::try_from(v).ok());
                            Value::Char(
                                code.and_then(char::from_u32)
                                    .expect("a string holds characters"),
                            )
                        })
                        .collect::<Vec<_>>(),
                )
            }
        }
    }

    /// A part as a person writes it: `14`, `(3, 4)`, `{9, 14}`, `[1, 2]`, `"X..X"`.
    pub fn display(&self, pos: &Pos) -> String {
        let mut out = String::new();
        self.show(&mut pos.0.as_slice(), &mut out);
        out
    }

    fn show(&self, words: &mut &[Int], out: &mut String) {
        let (open, close, shapes): (_, _, Vec<&Shape>) = match self {
            Shape::Int => {
                out.push_str(&words[0].to_string());
                *words = &words[1..];
                return;
            }
            Shape::Str => {
                let text = self.decode(words);
                out.push('"');
                for c in text.as_seq().unwrap_or_default() {
                    if let Value::Char(c) = c {
                        out.extend(c.escape_debug());
                    }
                }
                out.push('"');
                return;
            }
            Shape::Tuple(shapes) => ('(', ')', shapes.iter().collect()),
            Shape::Unordered(n, shape) => ('{', '}', vec![&**shape; *n]),
            Shape::Array(shape) | Shape::Multiset(shape) | Shape::Set(shape) => {
                let n = words[0]
                    .to_usize()
                    .expect("a length is the number of words that follow");
                *words = &words[1..];
                let (open, close) = if matches!(self, Shape::Array(_)) {
                    ('[', ']')
                } else {
                    ('{', '}')
                };
                (open, close, vec![&**shape; n])
            }
        };
        out.push(open);
        for (i, shape) in shapes.into_iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            shape.show(words, out);
        }
        out.push(close);
    }

    /// A whole position: its part, or its parts joined by ` + `; `0` parts is the empty sum.
    pub fn display_position(&self, position: &Position) -> String {
        if position.parts.is_empty() {
            return "[]".to_owned();
        }
        position
            .parts
            .iter()
            .map(|p| self.display(p))
            .collect::<Vec<_>>()
            .join(" + ")
    }
}

/// Compares positions by total size first: smaller positions are nearer to the end of play.
pub fn by_size(a: &Pos, b: &Pos) -> Ordering {
    let size = |p: &Pos| p.0.iter().fold(Int::ZERO, |sum, w| &sum + w);
    size(a).cmp(&size(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(values: &[i64]) -> Value {
        Value::seq(values.iter().map(|&v| Value::from(v)))
    }

    #[test]
    fn unordered_things_have_one_form() {
        let pair = Shape::Unordered(2, Box::new(Shape::Int));
        assert_eq!(pair.pos(&ints(&[14, 9])), pair.pos(&ints(&[9, 14])));
        let heaps = Shape::Multiset(Box::new(Shape::Int));
        assert_eq!(
            heaps.pos(&ints(&[3, 0, 1, 3])),
            heaps.pos(&ints(&[1, 3, 3]))
        );
        let cells = Shape::Set(Box::new(Shape::Int));
        assert_eq!(
            cells.pos(&ints(&[3, 0, 1, 3])),
            cells.pos(&ints(&[1, 0, 3]))
        );
    }

    #[test]
    fn values_survive_encoding() {
        let shape = Shape::Tuple(vec![
            Shape::Array(Box::new(Shape::Tuple(vec![Shape::Int, Shape::Str]))),
            Shape::Int,
        ]);
        let text = |s: &str| Value::seq(s.chars().map(Value::Char));
        let value = Value::seq([
            Value::seq([
                Value::seq([Value::from(1), text("a\"b")]),
                Value::seq([Value::from(2), text("")]),
            ]),
            Value::from(7),
        ]);
        let pos = shape.pos(&value).unwrap();
        assert_eq!(shape.value(&pos), value);
        assert_eq!(shape.display(&pos), r#"([(1, "a\"b"), (2, "")], 7)"#);
    }

    #[test]
    fn a_count_below_zero_is_no_position() {
        assert_eq!(Shape::Int.pos(&Value::from(-3)), Err(Int::from(-3)));
    }
}
