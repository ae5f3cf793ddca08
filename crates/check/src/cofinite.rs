//! Arithmetic periods of games in which one heap is left and every number past a bound K may be taken.
//!
//! The values of the heaps 1 to n − K − 1, all of which n can become, are an initial segment [0, b) from n = 2K + 2 on. So
//! G(n) − b and the next b depend only on the last K values less b; when that state comes again p heaps later with b
//! greater by s, then G(n + p) = G(n) + s from there on.
//!
//! Cost: K steps a value, 16 bytes a value.

use grundy_core::Code;

use crate::{Fault, Refusal, Result, Run, claim};

pub fn check(run: &mut Run<'_>, state_at: u64) -> Result<()> {
    let c = run.certificate;
    let code = run.game.code.clone();
    let refuse = |message: &str| Err(Refusal::new(Fault::Hypothesis, message));
    if code.tail & 2 == 0 || code.parts() > 1 || code.digits.is_empty() {
        return refuse("every number past a bound must be free to take, and one heap be left");
    }
    let most = code.digits.len().saturating_sub(1);
    let (n0, p, x) = (c.preperiod, c.period, u128::from(state_at));
    let least = (u128::from(n0) + most as u128).max(2 * most as u128 + 2);
    if x < least {
        let message = "the state is taken too early for the theorem";
        return Err(
            Refusal::new(Fault::Hypothesis, message).values(format!("at least {least}"), state_at)
        );
    }
    // There must be a value a period past the first, also where K = 0.
    let count = run.count(x + u128::from(p), 16)?;
    let (x, p) = (state_at as usize, p as usize);
    let (values, starts) = compute(run, &code, count, &[x, x + p])?;
    run.say(format!(
        "values: G(0) to G({}) computed again, each the mex of all its options",
        count - 1
    ));
    let (first, second) = (starts[0], starts[1]);
    if u128::from(first) + u128::from(c.saltus) != u128::from(second) {
        let message = format!("the values that all larger heaps reach grow otherwise in {p} heaps");
        return Err(Refusal::new(Fault::Period, message)
            .at(state_at)
            .values(second.saturating_sub(first), c.saltus));
    }
    claim::verify(run, &values)?;
    run.say(format!(
        "theorem: every number past {most} may be taken; the {most} values before {x} less {first} are those before {} \
         less {second}, and all that follows depends on them alone",
        x + p
    ));
    Ok(())
}

/// The values of the heaps below `count`, and for each n of `asked` the b for which the heaps that n reaches by any number
/// past the digits have the values [0, b).
fn compute(
    run: &mut Run<'_>,
    code: &Code,
    count: usize,
    asked: &[usize],
) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut values: Vec<u32> = Vec::with_capacity(count);
    // Values of heaps that any larger heap reaches, and the last heap for which a value was seen otherwise.
    let mut reached = vec![false; count + 2];
    let mut seen_by = vec![usize::MAX; count + 2];
    let mut start = 0;
    let mut starts = Vec::new();
    for n in 0..=count {
        run.step(n, count)?;
        if let Some(m) = n.checked_sub(code.digits.len())
            && m > 0
        {
            reached[values[m] as usize] = true;
        }
        // 0 is reached at n = t by a move to nothing; past the digits at every n or at none.
        if n >= code.digits.len() && code.tail & 1 == 1 {
            reached[0] = true;
        }
        while reached[start] {
            start += 1;
        }
        if asked.contains(&n) {
            let past = reached[start..].iter().any(|&r| r);
            if past {
                let message = "the values reached are no initial segment";
                return Err(Refusal::new(Fault::Hypothesis, message).at(n as u64));
            }
            starts.push(start as u32);
        }
        if n == count {
            break;
        }
        for t in 1..code.digits.len().min(n + 1) {
            if code.allows(t, 1) && t < n {
                seen_by[values[n - t] as usize] = n;
            }
        }
        if code.allows(n, 0) {
            seen_by[0] = n;
        }
        let value = (start..).find(|&v| !reached[v] && seen_by[v] != n);
        // At most n options, so the value is at most n.
        let value = value.unwrap_or(n) as u32;
        run.listed(n, u64::from(value))?;
        values.push(value);
    }
    Ok((values, starts))
}
