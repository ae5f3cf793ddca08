//! Nimbers: the natural numbers with nim-addition (exclusive or) and nim-multiplication, the least that they can be in a field:
//! a ⊗ b = mex { a'⊗b ⊕ a⊗b' ⊕ a'⊗b' : a' < a, b' < b }. It is the value of a coin-turning game that is the product of two.
//!
//! The numbers below X = 2^(2^k) are a field of 2^(2^k) elements; X ⊗ a = X·a for a < X, and X ⊗ X = X ⊕ X/2 (J. H. Conway, On
//! Numbers and Games, chapter 6; H. W. Lenstra, Nim multiplication, Séminaire de Théorie des Nombres de Bordeaux, 1977/78).
//! So the field twice as wide has the elements p X ⊕ q for p and q of this one, with X ⊗ X = X ⊕ h, h = X/2. In it
//!
//! - (p X ⊕ q)(r X ⊕ s) = ((p ⊕ q)(r ⊕ s) ⊕ q s) X ⊕ q s ⊕ h p r: three products of half the width and one by h;
//! - H X ⊕ 0 with the h of the field below is the h of this one, so a product by h is three of half the width by H:
//!   (H X)(p X ⊕ q) = H (p ⊕ q) X ⊕ H H p;
//! - squares and roots are additive: (p X ⊕ q)² = p² X ⊕ q² ⊕ h p², √(p X ⊕ q) = √p X ⊕ √(q ⊕ h p);
//! - the conjugate of p X ⊕ q is p X ⊕ (p ⊕ q), their product q (p ⊕ q) ⊕ h p² is below X, and 1/a is the conjugate over it.
//!
//! Cost: products, inverses, squares and roots of n bits take O(n^1.59 log n) operations, of which a product has the most; a
//! power takes as many squares as its exponent has bits (at most n count) and a sixth as many products. Tables of 16 bits,
//! 384 KiB, are made at the first use in under a millisecond; beside them a few times the size of the operands.

use std::fmt;
use std::ops::{Add, Mul};
use std::sync::LazyLock;

use num_bigint::{BigInt, BigUint, Sign};

use crate::Int;

/// A natural number as an element of the field of nimbers. `+` is the nim-sum, `*` the nim-product.
///
/// ```
/// use grundy_core::Nimber;
/// let [two, four] = [2, 4].map(Nimber::from);
/// assert_eq!(&two * &two, Nimber::from(3));
/// assert_eq!(&two * &four, Nimber::from(8));
/// assert_eq!(&four * &four, Nimber::from(6));
/// assert_eq!(&two + &two, Nimber::ZERO);
/// assert_eq!(two.inverse(), Some(Nimber::from(3)));
/// assert_eq!(two.sqrt(), Nimber::from(3));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Nimber {
    /// From the lowest; the last is not 0.
    limbs: Vec<u64>,
}

/// Why there is no power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPower {
    /// A negative power of 0.
    OfZero,
    /// It was asked to stop.
    Stopped,
}

impl Nimber {
    /// Zero, the empty nim-sum.
    pub const ZERO: Nimber = Nimber { limbs: Vec::new() };

    fn new(mut limbs: Vec<u64>) -> Self {
        let used = limbs.iter().rposition(|l| *l != 0).map_or(0, |at| at + 1);
        limbs.truncate(used);
        Nimber { limbs }
    }

    /// The number as a nimber; `None` if it is negative.
    pub fn from_int(number: &Int) -> Option<Self> {
        if let Some(small) = number.to_u64() {
            return Some(small.into());
        }
        let (sign, limbs) = number.to_big().to_u64_digits();
        (sign != Sign::Minus).then(|| Nimber::new(limbs))
    }

    /// The nimber as a number.
    pub fn to_int(&self) -> Int {
        match self.limbs[..] {
            [] => Int::ZERO,
            [small] => small.into(),
            _ => {
                let halves = self
                    .limbs
                    .iter()
                    .flat_map(|l| [*l as u32, (l >> 32) as u32]);
                BigInt::from(BigUint::new(halves.collect())).into()
            }
        }
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.limbs.is_empty()
    }

    /// How many bits it has.
    pub fn bits(&self) -> u64 {
        let last = self.limbs.last().map_or(0, |l| l.leading_zeros());
        self.limbs.len() as u64 * 64 - u64::from(last)
    }

    /// The bits of the smallest field that it is in: the least power of two that is not below [`Nimber::bits`].
    pub fn field_bits(&self) -> u64 {
        self.bits().next_power_of_two()
    }

    /// The limbs filled up to those of a field.
    fn padded(&self) -> Vec<u64> {
        let mut limbs = self.limbs.clone();
        limbs.resize(self.limbs.len().next_power_of_two(), 0);
        limbs
    }

    /// The number whose nim-product with this one is 1; 0 has none.
    pub fn inverse(&self) -> Option<Self> {
        (!self.is_zero()).then(|| Nimber::new(inverse(&TABLES, &self.padded())))
    }

    /// The nim-product with itself.
    pub fn square(&self) -> Self {
        let mut limbs = self.padded();
        square(&TABLES, &mut limbs);
        Nimber::new(limbs)
    }

    /// The only number whose square this is.
    pub fn sqrt(&self) -> Self {
        let mut limbs = self.padded();
        sqrt(&TABLES, &mut limbs);
        Nimber::new(limbs)
    }

    /// The power, in which the exponent counts only modulo the order of the field's group. 0 to the power 0 is 1.
    ///
    /// # Errors
    /// A negative power of 0; `stopped` said so, which is asked before every step.
    pub fn pow(&self, exponent: &Int, stopped: impl Fn() -> bool) -> Result<Self, NoPower> {
        if exponent.is_zero() {
            return Ok(1.into());
        }
        if self.is_zero() {
            return if exponent.is_negative() {
                Err(NoPower::OfZero)
            } else {
                Ok(Nimber::ZERO)
            };
        }
        let order = Int::from((BigInt::from(1) << self.field_bits()) - 1);
        let exponent = exponent.mod_floor(&order).unwrap_or(Int::ZERO);
        let exponent = exponent.to_big();
        // From the highest bit: a run of bits that starts and ends with a 1 costs one product by an odd power.
        let mut left = exponent.bits();
        let widest = match left {
            0..32 => 1,
            32..512 => 4,
            _ => 6,
        };
        let square = self.square();
        let mut odd = vec![self.clone()];
        while odd.len() < 1 << (widest - 1) {
            odd.push(&odd[odd.len() - 1] * &square);
        }
        let mut power = Nimber::from(1);
        while left > 0 {
            if stopped() {
                return Err(NoPower::Stopped);
            }
            left -= 1;
            power = power.square();
            if !exponent.bit(left) {
                continue;
            }
            let low = (left.saturating_sub(widest - 1)..=left)
                .find(|b| exponent.bit(*b))
                .unwrap_or(left);
            let mut run = 1;
            while left > low {
                left -= 1;
                power = power.square();
                run = run << 1 | usize::from(exponent.bit(left));
            }
            power = &power * &odd[run >> 1];
        }
        Ok(power)
    }
}

impl From<u64> for Nimber {
    fn from(small: u64) -> Self {
        Nimber::new(vec![small])
    }
}

impl Add for &Nimber {
    type Output = Nimber;
    fn add(self, other: &Nimber) -> Nimber {
        let (long, short) = by_length(self, other);
        let mut limbs = long.limbs.clone();
        add(&mut limbs[..short.limbs.len()], &short.limbs);
        Nimber::new(limbs)
    }
}

impl Mul for &Nimber {
    type Output = Nimber;
    fn mul(self, other: &Nimber) -> Nimber {
        let (long, short) = by_length(self, other);
        if short.is_zero() {
            return Nimber::ZERO;
        }
        // The long one is a row of elements of the field that the short one is in, each times a power of 2 that stays what it is.
        let factor = short.padded();
        let width = factor.len();
        let mut limbs = long.limbs.clone();
        limbs.resize(long.limbs.len().next_multiple_of(width), 0);
        let mut product = vec![0; limbs.len()];
        let mut room = vec![0; 3 * width];
        for (piece, out) in limbs.chunks(width).zip(product.chunks_mut(width)) {
            mul(&TABLES, piece, &factor, out, &mut room);
        }
        Nimber::new(product)
    }
}

fn by_length<'n>(a: &'n Nimber, b: &'n Nimber) -> (&'n Nimber, &'n Nimber) {
    if a.limbs.len() < b.limbs.len() {
        (b, a)
    } else {
        (a, b)
    }
}

impl fmt::Display for Nimber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_int(), f)
    }
}

impl fmt::Debug for Nimber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// The fields of 2^j limbs. All slices of one call have one length; `h` is their highest bit.

fn add(a: &mut [u64], b: &[u64]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a ^= b;
    }
}

fn sum(a: &[u64], b: &[u64], out: &mut [u64]) {
    out.copy_from_slice(a);
    add(out, b);
}

/// `out` = a ⊗ b; `room` has three times their length.
fn mul(t: &Tables, a: &[u64], b: &[u64], out: &mut [u64], room: &mut [u64]) {
    if let ([a], [b]) = (a, b) {
        out[0] = w64::mul(t, *a, *b);
        return;
    }
    if a.iter().all(|l| *l == 0) || b.iter().all(|l| *l == 0) {
        out.fill(0);
        return;
    }
    let half = a.len() / 2;
    let ((a0, a1), (b0, b1)) = (a.split_at(half), b.split_at(half));
    let (low, high) = out.split_at_mut(half);
    let (x, room) = room.split_at_mut(half);
    let (y, room) = room.split_at_mut(half);
    sum(a0, a1, x);
    sum(b0, b1, y);
    mul(t, x, y, high, room);
    mul(t, a0, b0, low, room);
    add(high, low);
    mul(t, a1, b1, x, room);
    times_h(t, x);
    add(low, x);
}

/// a ⊗ h.
fn times_h(t: &Tables, a: &mut [u64]) {
    if let [a] = a {
        *a = w64::times_h(t, *a);
        return;
    }
    let (low, high) = a.split_at_mut(a.len() / 2);
    add(low, high);
    times_h(t, low);
    times_h(t, high);
    times_h(t, high);
    low.swap_with_slice(high);
}

/// a ⊗ a.
fn square(t: &Tables, a: &mut [u64]) {
    if let [a] = a {
        *a = w64::square(t, *a);
        return;
    }
    let (low, high) = a.split_at_mut(a.len() / 2);
    square(t, low);
    square(t, high);
    let mut x = high.to_vec();
    times_h(t, &mut x);
    add(low, &x);
}

/// √a.
fn sqrt(t: &Tables, a: &mut [u64]) {
    if let [a] = a {
        *a = w64::sqrt(t, *a);
        return;
    }
    let (low, high) = a.split_at_mut(a.len() / 2);
    let mut x = high.to_vec();
    times_h(t, &mut x);
    add(low, &x);
    sqrt(t, low);
    sqrt(t, high);
}

/// 1 / a for an a that is not 0.
fn inverse(t: &Tables, a: &[u64]) -> Vec<u64> {
    if let [a] = a {
        return vec![w64::inverse(t, *a)];
    }
    let half = a.len() / 2;
    let (a0, a1) = a.split_at(half);
    let mut room = vec![0; 3 * half];
    let (mut conjugate, mut norm, mut x) = (vec![0; half], vec![0; half], a1.to_vec());
    sum(a0, a1, &mut conjugate);
    mul(t, a0, &conjugate, &mut norm, &mut room);
    square(t, &mut x);
    times_h(t, &mut x);
    add(&mut norm, &x);
    let norm = inverse(t, &norm);
    let mut out = vec![0; a.len()];
    let (low, high) = out.split_at_mut(half);
    mul(t, &conjugate, &norm, low, &mut room);
    mul(t, a1, &norm, high, &mut room);
    out
}

/// Discrete logarithms in the field of 16 bits.
struct Tables {
    /// Of each number but 0.
    log: Box<[u16; 1 << 16]>,
    /// Twice around, so that a sum of two logarithms needs no reduction.
    exp: Box<[u16; 1 << 17]>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

/// The order of the group of the field of 16 bits.
const ORDER: u32 = (1 << 16) - 1;
/// An element of that order.
const GENERATOR: u32 = 258;

impl Tables {
    fn new() -> Self {
        // A product by the generator is additive: the sum of its products with the two bytes.
        let image: [u32; 16] = std::array::from_fn(|i| bitwise(GENERATOR, 1 << i, 16).0);
        let of_byte = |byte: usize, at: usize| {
            let bits = (0..8).filter(|i| byte >> i & 1 == 1);
            bits.fold(0, |sum, i| sum ^ image[at + i])
        };
        let [low, high] = [0, 8].map(|at| std::array::from_fn::<u32, 256, _>(|b| of_byte(b, at)));
        let mut tables = Tables {
            log: Box::new([0; 1 << 16]),
            exp: Box::new([0; 1 << 17]),
        };
        let mut power = 1;
        for e in 0..ORDER {
            tables.log[power as usize] = e as u16;
            tables.exp[e as usize] = power as u16;
            tables.exp[(e + ORDER) as usize] = power as u16;
            power = low[(power & 255) as usize] ^ high[(power >> 8) as usize];
        }
        tables
    }
}

/// a ⊗ b and a ⊗ h in the field of so many bits, down to single bits.
fn bitwise(a: u32, b: u32, bits: u32) -> (u32, u32) {
    if bits == 1 {
        return (a & b, a);
    }
    let half = bits / 2;
    let low = (1 << half) - 1;
    let (a0, a1, b0, b1) = (a & low, a >> half, b & low, b >> half);
    let times_h = |v| bitwise(v, 0, half).1;
    let product = |a, b| bitwise(a, b, half).0;
    let by_h = times_h(a0 ^ a1) << half | times_h(times_h(a1));
    if b == 0 {
        return (0, by_h);
    }
    let q = product(a0, b0);
    let p = product(a0 ^ a1, b0 ^ b1) ^ q;
    (p << half | q ^ times_h(product(a1, b1)), by_h)
}

mod w16 {
    use super::{ORDER, Tables};

    fn log(t: &Tables, a: u16) -> u32 {
        u32::from(t.log[usize::from(a)])
    }

    #[inline(always)]
    pub fn mul(t: &Tables, a: u16, b: u16) -> u16 {
        if a == 0 || b == 0 {
            return 0;
        }
        t.exp[(log(t, a) + log(t, b)) as usize]
    }

    #[inline(always)]
    pub fn times_h(t: &Tables, a: u16) -> u16 {
        mul(t, a, 1 << 15)
    }

    pub fn square(t: &Tables, a: u16) -> u16 {
        mul(t, a, a)
    }

    pub fn sqrt(t: &Tables, a: u16) -> u16 {
        let log = log(t, a);
        // The order is odd.
        let half = log / 2 + log % 2 * ORDER.div_ceil(2);
        if a == 0 { 0 } else { t.exp[half as usize] }
    }

    /// Of a number that is not 0.
    pub fn inverse(t: &Tables, a: u16) -> u16 {
        t.exp[(ORDER - log(t, a)) as usize]
    }
}

/// The field twice as wide as that of a module, in a machine word.
macro_rules! doubled {
    ($name:ident: $word:ty, from $below:ident: $half:ty) => {
        mod $name {
            use super::{Tables, $below};

            #[inline(always)]
            fn split(a: $word) -> ($half, $half) {
                (a as $half, (a >> <$half>::BITS) as $half)
            }

            #[inline(always)]
            fn join(low: $half, high: $half) -> $word {
                <$word>::from(high) << <$half>::BITS | <$word>::from(low)
            }

            #[inline(always)]
            pub fn mul(t: &Tables, a: $word, b: $word) -> $word {
                let ((a0, a1), (b0, b1)) = (split(a), split(b));
                let q = $below::mul(t, a0, b0);
                let p = $below::mul(t, a0 ^ a1, b0 ^ b1) ^ q;
                join(q ^ $below::times_h(t, $below::mul(t, a1, b1)), p)
            }

            #[inline(always)]
            pub fn times_h(t: &Tables, a: $word) -> $word {
                let (a0, a1) = split(a);
                let low = $below::times_h(t, $below::times_h(t, a1));
                join(low, $below::times_h(t, a0 ^ a1))
            }

            pub fn square(t: &Tables, a: $word) -> $word {
                let (a0, a1) = split(a);
                let p = $below::square(t, a1);
                join($below::square(t, a0) ^ $below::times_h(t, p), p)
            }

            pub fn sqrt(t: &Tables, a: $word) -> $word {
                let (a0, a1) = split(a);
                let low = $below::sqrt(t, a0 ^ $below::times_h(t, a1));
                join(low, $below::sqrt(t, a1))
            }

            /// Of a number that is not 0.
            pub fn inverse(t: &Tables, a: $word) -> $word {
                let (a0, a1) = split(a);
                let p = $below::times_h(t, $below::square(t, a1));
                let norm = $below::inverse(t, $below::mul(t, a0, a0 ^ a1) ^ p);
                join($below::mul(t, a0 ^ a1, norm), $below::mul(t, a1, norm))
            }
        }
    };
}
doubled!(w32: u32, from w16: u16);
doubled!(w64: u64, from w32: u32);

#[cfg(test)]
mod tests;
