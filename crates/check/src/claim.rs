//! What a certificate claims, tested on values that were computed here: the period from the preperiod on, that neither can
//! be smaller, the greatest value, and the hash. Cost: linear in the values.

use grundy_cert::{Certificate, Hasher, Proof};

use crate::{Fault, Refusal, Result, Run};

/// What can be said of the numbers before anything is computed.
pub fn shape(c: &Certificate) -> Result<()> {
    let refuse = |message: &str| Err(Refusal::new(Fault::Hypothesis, message));
    if c.period == 0 {
        return refuse("a period is at least 1");
    }
    let arithmetic = matches!(
        c.proof,
        Proof::Cofinite { .. } | Proof::Arithmetic { .. } | Proof::Rows(_)
    );
    if c.saltus != 0 && !arithmetic {
        return refuse("values that are bounded have no saltus");
    }
    if c.max.is_some() == (c.saltus != 0) {
        return refuse("there is a greatest value if and only if the saltus is 0");
    }
    if let Some(list) = &c.values.list
        && list.len() as u64 != c.values.count
    {
        let refusal = Refusal::new(Fault::Value, "the list has another number of values");
        return Err(refusal.values(c.values.count, list.len()));
    }
    Ok(())
}

/// The claim as a person reads it.
pub fn sentence(c: &Certificate) -> String {
    let (p, n0, s) = (c.period, c.preperiod, c.saltus);
    let row = match &c.proof {
        Proof::Rows(rows) => {
            let which = if rows.fixed == 0 { "first" } else { "second" };
            let at = rows.rows.len().saturating_sub(1);
            format!("the {which} counter being {at}, ")
        }
        _ => String::new(),
    };
    let plus = if s == 0 {
        String::new()
    } else {
        format!(" + {s}")
    };
    let mut out = format!("{row}G(n + {p}) = G(n){plus} for every n ≥ {n0}");
    if n0 > 0 {
        out += &format!(", not for n = {}", n0 - 1);
    }
    out += &format!("; no smaller period than {p}");
    if let Some(max) = c.max {
        out += &format!("; no value past {max}");
    }
    out
}

/// That values grow by s in p heaps from n0 on, which carries over to all that follow, and that neither p nor n0 can be less.
/// There are more than n0 + p values, or as many.
pub fn repeats<T: Copy + Into<u64>>(values: &[T], p: usize, n0: usize, s: u64) -> Result<()> {
    let at = |n: usize| -> u64 { values[n].into() };
    let moved = |n: usize| at(n).saturating_add(s);
    let repeats = |n: usize| moved(n) == at(n + p);
    if let Some(n) = (n0..values.len() - p).find(|&n| !repeats(n)) {
        let message = format!("the value {p} further on is another");
        return Err(Refusal::new(Fault::Period, message)
            .at(n as u64)
            .values(at(n + p), moved(n)));
    }
    if n0 > 0 && repeats(n0 - 1) {
        let message = "the period begins earlier than is said";
        return Err(Refusal::new(Fault::Preperiod, message).at(n0 as u64 - 1));
    }
    // By the claim itself, past the values.
    let later = |n: usize| match n.checked_sub(n0 + p) {
        Some(over) => at(n0 + over % p) + s * (1 + (over / p) as u64),
        None => at(n),
    };
    for q in prime_divisors(p) {
        let (part, less) = (p / q, s / q as u64);
        let whole = s.is_multiple_of(q as u64);
        if whole && (n0..n0 + p).all(|n| later(n + part) == at(n) + less) {
            let message = format!("the period is not the least: {part} is one");
            return Err(Refusal::new(Fault::Least, message).values(part, p));
        }
    }
    Ok(())
}

/// The claim on the values of the heaps 0, 1, …; the theorem carries it to all others. There are more than
/// preperiod + period values.
pub fn verify<T: Copy + Into<u64>>(run: &mut Run<'_>, values: &[T]) -> Result<()> {
    let c = run.certificate;
    let (p, n0) = (c.period as usize, c.preperiod as usize);
    repeats(values, p, n0, c.saltus)?;
    let place = match c.proof {
        Proof::Rows(_) => "column",
        _ => "heap",
    };
    run.say(format!(
        "period: the values {p} apart were compared from {place} {n0} on"
    ));
    run.say("least: no smaller period, no smaller preperiod");
    let max = values.iter().map(|&v| v.into()).max().unwrap_or(0);
    if let Some(claimed) = c.max {
        if claimed != max {
            return Err(
                Refusal::new(Fault::Max, "the greatest value is another").values(max, claimed)
            );
        }
        run.say(format!("greatest value: {max}"));
    }
    let mut hasher = Hasher::new(max);
    values.iter().for_each(|&v| hasher.push(v.into()));
    let sha256 = hasher.finish();
    if sha256 != c.values.sha256 {
        let message = "the hash of the values is another";
        return Err(Refusal::new(Fault::Hash, message).values(sha256, &c.values.sha256));
    }
    run.say(format!(
        "values: the SHA-256 of {} values agrees",
        values.len()
    ));
    Ok(())
}

fn prime_divisors(mut n: usize) -> Vec<usize> {
    let mut out = Vec::new();
    let mut q = 2;
    while q * q <= n {
        if n.is_multiple_of(q) {
            out.push(q);
            while n.is_multiple_of(q) {
                n /= q;
            }
        }
        q += 1;
    }
    out.extend((n > 1).then_some(n));
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn prime_divisors() {
        assert!(super::prime_divisors(1).is_empty());
        assert_eq!(super::prime_divisors(349), [349]);
        assert_eq!(super::prime_divisors(11_770_282), [2, 5_885_141]);
        assert_eq!(super::prime_divisors(360), [2, 3, 5]);
    }
}
