//! Exact integers: a machine word while the number fits in one, a big integer past it. Nothing wraps.
//!
//! Cost: one branch over machine arithmetic for numbers within ±2^63; `num-bigint` beyond. 16 bytes each.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, Mul, Neg, Sub};
use std::str::FromStr;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive};

/// An integer of any size, exact in every operation.
///
/// ```
/// use grundy_core::Int;
/// let big = Int::from(i64::MAX) + Int::from(1);
/// assert_eq!(big.to_string(), "9223372036854775808");
/// assert_eq!(big - Int::from(1), Int::from(i64::MAX));
/// assert_eq!(Int::from(-7).div_floor(&Int::from(2)), Some(Int::from(-4)));
/// ```
#[derive(Clone)]
pub struct Int(Repr);

// `Big` never holds a number that fits in an i64, so equal numbers have equal representations.
#[derive(Clone)]
enum Repr {
    Small(i64),
    Big(Box<BigInt>),
}
use Repr::{Big, Small};

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Small(0));
    /// One.
    pub const ONE: Int = Int(Small(1));

    /// The number as a machine word, if it fits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(v) => Some(v),
            Big(_) => None,
        }
    }

    /// The number as an unsigned machine word, if it fits.
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Small(v) => u64::try_from(*v).ok(),
            Big(b) => b.to_u64(),
        }
    }

    /// The number as an index, if it fits.
    #[inline]
    pub fn to_usize(&self) -> Option<usize> {
        match &self.0 {
            Small(v) => usize::try_from(*v).ok(),
            Big(b) => b.to_usize(),
        }
    }

    /// The number as a big integer.
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Small(v) => BigInt::from(*v),
            Big(b) => (**b).clone(),
        }
    }

    /// Whether the number is below zero.
    #[inline]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small(v) => *v < 0,
            Big(b) => b.is_negative(),
        }
    }

    /// Whether the number is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// The quotient rounded towards minus infinity (`//` of the rule language); `None` for a zero divisor.
    #[inline]
    pub fn div_floor(&self, by: &Int) -> Option<Int> {
        if by.is_zero() {
            return None;
        }
        if let (Small(a), Small(b)) = (&self.0, &by.0)
            && let (Some(q), r) = (a.checked_div(*b), a.wrapping_rem(*b))
        {
            return Some(Int(Small(if r != 0 && (r < 0) != (*b < 0) {
                q - 1
            } else {
                q
            })));
        }
        Some(match (&self.0, &by.0) {
            // Truncation is rounding down here, and needs no big divisor.
            (Big(a), Small(b)) if !a.is_negative() && *b > 0 => (&**a / *b).into(),
            (Big(a), Big(b)) => a.div_floor(b).into(),
            _ => self.to_big().div_floor(&by.to_big()).into(),
        })
    }

    /// The remainder that goes with [`Int::div_floor`], with the sign of the divisor (`%`); `None` for a zero divisor.
    #[inline]
    pub fn mod_floor(&self, by: &Int) -> Option<Int> {
        if by.is_zero() {
            return None;
        }
        if let (Small(a), Small(b)) = (&self.0, &by.0) {
            let r = a.wrapping_rem(*b);
            return Some(Int(Small(if r != 0 && (r < 0) != (*b < 0) {
                r + b
            } else {
                r
            })));
        }
        Some(match (&self.0, &by.0) {
            (Big(a), Small(b)) if !a.is_negative() && *b > 0 => (&**a % *b).into(),
            (Big(a), Big(b)) => a.mod_floor(b).into(),
            _ => self.to_big().mod_floor(&by.to_big()).into(),
        })
    }

    /// The power; `None` for a negative exponent or a result of more than 2^26 bits (20 million digits).
    pub fn pow(&self, exponent: &Int) -> Option<Int> {
        if let Small(-1..=1) = self.0 {
            let even = exponent.mod_floor(&Int::from(2))?.is_zero();
            return match self.0 {
                _ if exponent.is_negative() => None,
                Small(0) if !exponent.is_zero() => Some(Int::ZERO),
                Small(-1) if !even => Some(Int::from(-1)),
                _ => Some(Int::ONE),
            };
        }
        let e = u32::try_from(exponent.to_u64()?).ok()?;
        let base = self.to_big();
        if base.bits().checked_mul(u64::from(e))? > 1 << 26 {
            return None;
        }
        Some(base.pow(e).into())
    }

    /// The greatest common divisor, never negative; gcd(0, 0) = 0.
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return u64_to_int(a.unsigned_abs().gcd(&b.unsigned_abs()));
        }
        self.to_big().gcd(&other.to_big()).into()
    }

    /// The absolute value.
    pub fn abs(&self) -> Int {
        if self.is_negative() {
            -self
        } else {
            self.clone()
        }
    }

    /// The integer square root rounded down; `None` for a negative number.
    pub fn isqrt(&self) -> Option<Int> {
        match &self.0 {
            _ if self.is_negative() => None,
            Small(v) => Some(Int(Small(v.isqrt()))),
            Big(b) => Some(b.sqrt().into()),
        }
    }

    /// The bitwise exclusive or in two's complement; on naturals, the nim-sum.
    #[inline]
    pub fn bitxor(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            return Int(Small(a ^ b));
        }
        (self.to_big() ^ other.to_big()).into()
    }
}

fn u64_to_int(v: u64) -> Int {
    i64::try_from(v).map_or_else(|_| Int(Big(Box::new(BigInt::from(v)))), |v| Int(Small(v)))
}

impl From<i64> for Int {
    #[inline]
    fn from(v: i64) -> Self {
        Int(Small(v))
    }
}

impl From<i32> for Int {
    fn from(v: i32) -> Self {
        Int(Small(i64::from(v)))
    }
}

impl From<u64> for Int {
    fn from(v: u64) -> Self {
        u64_to_int(v)
    }
}

impl From<usize> for Int {
    fn from(v: usize) -> Self {
        u64_to_int(v as u64)
    }
}

impl From<BigInt> for Int {
    fn from(v: BigInt) -> Self {
        match v.to_i64() {
            Some(small) => Int(Small(small)),
            None => Int(Big(Box::new(v))),
        }
    }
}

macro_rules! operator {
    ($Trait:ident, $method:ident, $checked:ident) => {
        impl $Trait<&Int> for &Int {
            type Output = Int;
            #[inline]
            fn $method(self, other: &Int) -> Int {
                if let (Small(a), Small(b)) = (&self.0, &other.0)
                    && let Some(v) = a.$checked(*b)
                {
                    return Int(Small(v));
                }
                // By reference: a copy costs as much as the operation.
                match (&self.0, &other.0) {
                    (Big(a), Big(b)) => (&**a).$method(&**b),
                    (Big(a), Small(b)) => (&**a).$method(*b),
                    (Small(a), Big(b)) => (*a).$method(&**b),
                    (Small(a), Small(b)) => BigInt::from(*a).$method(*b),
                }
                .into()
            }
        }
        impl $Trait for Int {
            type Output = Int;
            #[inline]
            fn $method(self, other: Int) -> Int {
                (&self).$method(&other)
            }
        }
    };
}
operator!(Add, add, checked_add);
operator!(Sub, sub, checked_sub);
operator!(Mul, mul, checked_mul);

impl Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        &Int::ZERO - self
    }
}

impl PartialEq for Int {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a == b,
            (Big(a), Big(b)) => a == b,
            _ => false,
        }
    }
}
impl Eq for Int {}

impl PartialEq<i64> for Int {
    fn eq(&self, other: &i64) -> bool {
        self.to_i64() == Some(*other)
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            (Small(_), Big(b)) => {
                if b.sign() == Sign::Minus {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (Big(_), Small(_)) => other.cmp(self).reverse(),
        }
    }
}
impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Int {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Small(v) => state.write_i64(*v),
            Big(b) => b.hash(state),
        }
    }
}

impl Default for Int {
    fn default() -> Self {
        Int::ZERO
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(v) => fmt::Display::fmt(v, f),
            Big(b) => fmt::Display::fmt(b, f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a decimal integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIntError;

impl fmt::Display for ParseIntError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a decimal integer")
    }
}
impl std::error::Error for ParseIntError {}

impl FromStr for Int {
    type Err = ParseIntError;
    /// Reads an optional sign and decimal digits, nothing else.
    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(ParseIntError);
        }
        if let Ok(v) = text.parse::<i64>() {
            return Ok(Int(Small(v)));
        }
        text.parse::<BigInt>()
            .map(Int::from)
            .map_err(|_| ParseIntError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES: [i64; 11] = [
        i64::MIN,
        i64::MIN + 1,
        -(1 << 32),
        -3,
        -1,
        0,
        1,
        2,
        1 << 32,
        i64::MAX - 1,
        i64::MAX,
    ];

    #[test]
    fn every_operation_agrees_with_big_integers_at_the_edges_of_the_word() {
        let mut all: Vec<BigInt> = EDGES.map(BigInt::from).to_vec();
        for far in [64u32, 200] {
            let far = BigInt::from(1) << far;
            all.extend([&far + 5, &far - 1, -&far, 7 - &far]);
        }
        for p in &all {
            for q in &all {
                let (x, y) = (Int::from(p.clone()), Int::from(q.clone()));
                assert_eq!((&x + &y).to_big(), p + q);
                assert_eq!((&x - &y).to_big(), p - q);
                assert_eq!((&x * &y).to_big(), p * q);
                assert_eq!(x.gcd(&y).to_big(), p.gcd(q));
                assert_eq!(x.bitxor(&y).to_big(), p ^ q);
                assert_eq!(x.cmp(&y), p.cmp(q));
                if y.is_zero() {
                    assert_eq!(x.div_floor(&y), None);
                    assert_eq!(x.mod_floor(&y), None);
                } else {
                    assert_eq!(x.div_floor(&y).unwrap().to_big(), p.div_floor(q));
                    assert_eq!(x.mod_floor(&y).unwrap().to_big(), p.mod_floor(q));
                }
                let back = &(&x * &y) - &(&x * &y);
                assert_eq!(back, Int::ZERO, "a big result that shrinks is small again");
            }
        }
    }

    #[test]
    fn powers_of_small_bases_do_not_depend_on_the_size_of_the_exponent() {
        let huge: Int = "100000000000000000000000000001".parse().unwrap();
        assert_eq!(Int::ONE.pow(&huge), Some(Int::ONE));
        assert_eq!(Int::from(-1).pow(&huge), Some(Int::from(-1)));
        assert_eq!(Int::ZERO.pow(&huge), Some(Int::ZERO));
        assert_eq!(Int::ZERO.pow(&Int::ZERO), Some(Int::ONE));
        assert_eq!(Int::from(2).pow(&huge), None);
        assert_eq!(
            Int::from(10).pow(&Int::from(18)),
            Some(Int::from(10i64.pow(18)))
        );
        assert_eq!(Int::from(2).pow(&Int::from(-1)), None);
    }

    #[test]
    fn only_decimal_integers_parse() {
        for bad in ["", "-", "+", "1_000", "0x10", "1.0", " 1", "1 ", "--1", "١"] {
            assert!(bad.parse::<Int>().is_err(), "{bad:?}");
        }
        assert_eq!(
            "-9223372036854775809".parse::<Int>().unwrap().to_string(),
            "-9223372036854775809"
        );
        assert_eq!("+7".parse::<Int>().unwrap(), Int::from(7));
    }

    #[test]
    fn square_roots_are_exact() {
        let n: Int = "1000000000000000000000000000000".parse().unwrap();
        assert_eq!(n.isqrt().unwrap().to_string(), "1000000000000000");
        assert_eq!(
            (n - Int::ONE).isqrt().unwrap().to_string(),
            "999999999999999"
        );
        assert_eq!(Int::from(-1).isqrt(), None);
    }
}
