//! Two algorithms that share nothing with the fields above: the definition by mex, and products of powers of two taken apart into
//! Fermat powers 2^(2^k), of which two equal ones make F ⊕ F/2.

use std::collections::{BTreeSet, HashMap};

use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;
use crate::mex;

/// A sum of powers of two, by their exponents.
type Bits = BTreeSet<u64>;

fn toggle(sum: &mut Bits, bits: &Bits) {
    for bit in bits {
        if !sum.remove(bit) {
            sum.insert(*bit);
        }
    }
}

/// Products of powers of two, by the rules for Fermat powers alone.
#[derive(Default)]
struct Slow(HashMap<(u64, u64), Bits>);

impl Slow {
    /// 2^i ⊗ 2^j. The exponent i stands for the product of the Fermat powers 2^(2^k) for the bits k of i.
    fn of_powers(&mut self, i: u64, j: u64) -> Bits {
        let twice = i & j;
        if twice == 0 {
            return Bits::from([i | j]);
        }
        if let Some(known) = self.0.get(&(i, j)) {
            return known.clone();
        }
        // The greatest F that is there twice is F ⊕ F/2, and F/2 is the product of all that are smaller.
        let greatest = 1 << twice.ilog2();
        let others = self.of_powers(i - greatest, j - greatest);
        let mut sum = self.product(&others, &Bits::from([greatest]));
        toggle(
            &mut sum,
            &self.product(&others, &Bits::from([greatest - 1])),
        );
        self.0.insert((i, j), sum.clone());
        sum
    }

    fn product(&mut self, a: &Bits, b: &Bits) -> Bits {
        let mut sum = Bits::new();
        for i in a {
            for j in b {
                toggle(&mut sum, &self.of_powers(*i, *j));
            }
        }
        sum
    }
}

fn of_bits(bits: &Bits) -> Nimber {
    let number: BigInt = bits.iter().map(|b| BigInt::from(1) << *b).sum();
    Nimber::from_int(&number.into()).unwrap()
}

fn number(small: u64) -> Nimber {
    Nimber::from(small)
}

#[test]
fn products_are_those_of_the_definition() {
    const TO: usize = 72;
    let mut table = vec![[0u64; TO]; TO];
    for a in 0..TO {
        for b in 0..TO {
            let smaller = (0..a).flat_map(|c| (0..b).map(move |d| (c, d)));
            table[a][b] = mex(smaller.map(|(c, d)| table[c][b] ^ table[a][d] ^ table[c][d]));
            let product = &number(a as u64) * &number(b as u64);
            assert_eq!(product, number(table[a][b]), "{a} * {b}");
        }
    }
    assert_eq!(
        table[8][1..=16],
        [8, 12, 4, 11, 3, 7, 15, 13, 5, 1, 9, 6, 14, 10, 2, 128]
    );
}

#[test]
fn products_of_powers_of_two_are_those_of_fermat_powers() {
    let mut slow = Slow::default();
    for i in 0..256 {
        for j in 0..=i {
            let product = &of_bits(&Bits::from([i])) * &of_bits(&Bits::from([j]));
            assert_eq!(product, of_bits(&slow.of_powers(i, j)), "2^{i} * 2^{j}");
        }
    }
}

#[test]
fn the_logarithms_are_those_of_a_generator() {
    let seen: BTreeSet<u16> = TABLES.exp[..ORDER as usize].iter().copied().collect();
    assert_eq!((seen.len() as u32, seen.first()), (ORDER, Some(&1)));
    for a in 0..512u16 {
        for b in (0..=u16::MAX).step_by(257) {
            let slow = bitwise(a.into(), b.into(), 16);
            let fast = (w16::mul(&TABLES, a, b), w16::times_h(&TABLES, a));
            assert_eq!((fast.0.into(), fast.1.into()), slow, "{a} * {b}");
        }
    }
}

#[test]
fn every_number_of_16_bits_has_its_square_root_and_inverse() {
    for a in (0..1 << 16).map(number) {
        assert_eq!(a.sqrt().square(), a);
        match a.inverse() {
            Some(inverse) => assert_eq!(&inverse * &a, number(1)),
            None => assert!(a.is_zero()),
        }
    }
}

/// Numbers of every length up to so many limbs, among them sparse ones and the edges of fields.
fn any_number(limbs: usize) -> impl Strategy<Value = Nimber> {
    let random = prop::collection::vec(any::<u64>(), 0..=limbs);
    let sparse = prop::collection::btree_set(0..limbs as u64 * 64, 0..4);
    prop_oneof![
        random.prop_map(Nimber::new),
        sparse.prop_map(|bits| of_bits(&bits)),
        (0..limbs as u64 * 64, 0..2u64).prop_map(|(bit, less)| {
            let edge = (BigInt::from(1) << bit) - less;
            Nimber::from_int(&edge.into()).unwrap()
        }),
        (0..256u64).prop_map(number),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn full_products_are_those_of_fermat_powers(
        a in prop::collection::btree_set(0..64u64, 0..64),
        b in prop::collection::btree_set(0..64u64, 0..64),
    ) {
        let product = Slow::default().product(&a, &b);
        prop_assert_eq!(&of_bits(&a) * &of_bits(&b), of_bits(&product));
    }

    #[test]
    fn nimbers_are_a_field(a in any_number(70), b in any_number(70), c in any_number(70)) {
        prop_assert_eq!(&a * &b, &b * &a);
        prop_assert_eq!(&(&a * &b) * &c, &a * &(&b * &c));
        prop_assert_eq!(&(&a + &b) * &c, &(&a * &c) + &(&b * &c));
        prop_assert_eq!(&a + &a, Nimber::ZERO);
        prop_assert_eq!(&a * &number(1), a.clone());
        prop_assert_eq!(a.square(), &a * &a);
        prop_assert_eq!(a.sqrt().square(), a.clone());
        prop_assert_eq!(a.square().sqrt(), a.clone());
        let product = &a * &b;
        prop_assert!(product.field_bits() <= a.field_bits().max(b.field_bits()));
        prop_assert_eq!(product.is_zero(), a.is_zero() || b.is_zero());
        match a.inverse() {
            Some(inverse) => prop_assert_eq!(&inverse * &a, number(1)),
            None => prop_assert!(a.is_zero()),
        }
    }

    #[test]
    fn powers_follow_their_laws(a in any_number(4), m in -40i64..600, n in any::<u64>(), k in 1..400u64) {
        let go = |a: &Nimber, e: &Int| a.pow(e, || false);
        if a.is_zero() {
            prop_assert_eq!(go(&a, &Int::from(-1)), Err(NoPower::OfZero));
            prop_assert_eq!(go(&a, &Int::ZERO), Ok(number(1)));
            prop_assert_eq!(go(&a, &Int::from(n).pow(&Int::from(k)).unwrap()), Ok(number(u64::from(n == 0))));
            return Ok(());
        }
        let factor = if m < 0 { a.inverse().unwrap() } else { a.clone() };
        let slow = (0..m.abs()).fold(number(1), |power, _| &power * &factor);
        prop_assert_eq!(go(&a, &Int::from(m)), Ok(slow));
        // Past the order of the group: a^(n^k + m) = a^(n^k) a^m.
        let big = Int::from(n).pow(&Int::from(k)).unwrap();
        let apart = &go(&a, &big).unwrap() * &go(&a, &Int::from(m)).unwrap();
        prop_assert_eq!(go(&a, &(&big + &Int::from(m))), Ok(apart));
        // Fermat: a^(2^bits) = a.
        let order = Int::from(2).pow(&Int::from(a.field_bits())).unwrap();
        prop_assert_eq!(go(&a, &order), Ok(a.clone()));
    }

    #[test]
    fn numbers_come_back(a in any_number(9)) {
        let text = a.to_string();
        let back = Nimber::from_int(&text.parse().unwrap());
        prop_assert_eq!(back, Some(a));
    }
}

proptest! {
    // Powers of two of so many bits have products of thousands of them.
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sparse_products_are_those_of_fermat_powers(
        a in prop::collection::btree_set(0..1u64 << 11, 0..4),
        b in prop::collection::btree_set(0..1u64 << 11, 0..4),
    ) {
        let product = Slow::default().product(&a, &b);
        prop_assert_eq!(&of_bits(&a) * &of_bits(&b), of_bits(&product));
    }
}

#[test]
fn a_power_can_be_stopped_and_a_negative_number_is_no_nimber() {
    assert_eq!(number(5).pow(&Int::from(9), || true), Err(NoPower::Stopped));
    assert_eq!(Nimber::from_int(&Int::from(-1)), None);
}
