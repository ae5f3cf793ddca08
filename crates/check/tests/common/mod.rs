//! A plain and slow maker of certificates: naive mex over the options of a code, periods by looking.

#![allow(dead_code, reason = "each test uses a part")]

use std::collections::BTreeSet;

use grundy_cert::{Certificate, Code, GameText, Proof, Values, Window};
use grundy_check::{Refusal, Report};
use grundy_core::Budget;

/// A code of digits.
pub fn code(text: &str) -> Code {
    let digits = text.chars().filter_map(|c| c.to_digit(36)).map(u64::from);
    Code::finite(digits.collect::<Vec<_>>())
}

pub fn check(certificate: &Certificate) -> Result<Report, Refusal> {
    grundy_check::check(certificate, &Budget::default(), &mut |_, _| ())
}

/// G(0), …, G(count − 1), for codes with at most three parts.
pub fn values(code: &Code, count: usize) -> Vec<u64> {
    let mut g: Vec<u64> = Vec::new();
    for n in 0..count {
        let mut seen = vec![false; 64];
        let mut mark = |v: u64| {
            if v as usize >= seen.len() {
                seen.resize(2 * v as usize, false);
            }
            seen[v as usize] = true;
        };
        for t in 0..=n {
            let rest = n - t;
            if code.digit(t) == 0 {
                continue;
            }
            if code.allows(t, 0) && rest == 0 {
                mark(0);
            }
            if code.allows(t, 1) && rest > 0 {
                mark(g[rest]);
            }
            let apart = usize::from(code.unequal);
            if code.allows(t, 2) {
                for a in 1..=rest.saturating_sub(apart) / 2 {
                    mark(g[a] ^ g[rest - a]);
                }
            }
            if code.allows(t, 3) {
                assert!(!code.unequal);
                for a in 1..=rest / 3 {
                    for b in a..=(rest - a) / 2 {
                        mark(g[a] ^ g[b] ^ g[rest - a - b]);
                    }
                }
            }
        }
        g.push(seen.iter().position(|s| !s).unwrap_or(seen.len()) as u64);
    }
    g
}

/// The least period and preperiod of values up to a bound that both may take.
pub fn period(g: &[u64], saltus: bool) -> Option<(usize, usize, u64)> {
    for p in 1..g.len() / 2 {
        let last = g.len() - 1;
        let Some(s) = g[last].checked_sub(g[last - p]) else {
            continue;
        };
        if s > 0 && !saltus {
            continue;
        }
        let same = (0..g.len() - p).rev().take_while(|&n| g[n] + s == g[n + p]);
        let same = same.count();
        // Far enough that it is no accident; what is claimed is proved later.
        if same >= (g.len() - p) / 2 {
            return Some((g.len() - p - same, p, s));
        }
    }
    None
}

fn certificate(text: &str, code: &Code, values: Vec<u64>, proof: Proof) -> Certificate {
    Certificate {
        game: GameText {
            text: text.to_owned(),
            arguments: Vec::new(),
        },
        code: code.clone(),
        period: 0,
        preperiod: 0,
        saltus: 0,
        max: values.iter().max().copied(),
        values: Values::listed(values),
        proof,
    }
}

/// A long certificate by a known period.
pub fn long(text: &str, code: &Code, n0: usize, p: usize) -> Certificate {
    let k = code.parts().max(1);
    let n = n0.max(1);
    let checked_to = match code.unequal {
        true => 2 * n + 3 * p - 1 + code.reach(),
        false => (k * (n + p - 1) + code.reach()).max(n + p),
    };
    let proof = Proof::Long {
        checked_to: checked_to as u64,
    };
    Certificate {
        period: p as u64,
        preperiod: n0 as u64,
        ..certificate(text, code, values(code, checked_to + 1), proof)
    }
}

/// A cofinite certificate by a known period, the values long enough.
pub fn cofinite(text: &str, code: &Code, n0: usize, p: usize, s: u64) -> Certificate {
    let most = code.digits.len() - 1;
    let g = values(code, 3 * (n0 + p + 2 * most + 2));
    let base = |x: usize| g[1..x - most].iter().max().copied().unwrap_or(0);
    let x = (n0 + most).max(2 * most + 2);
    let x = (x..).find(|&x| base(x + p) == base(x) + s).unwrap();
    let proof = Proof::Cofinite { state_at: x as u64 };
    Certificate {
        period: p as u64,
        preperiod: n0 as u64,
        saltus: s,
        max: None,
        ..certificate(text, code, g[..x + p].to_vec(), proof)
    }
}

/// Whether a value is common at a heap.
fn common(w: &Window, t0: usize, n: usize, v: u64) -> bool {
    let position = w.position_bit && (n + t0) % 2 == 1;
    ((v & w.mask).count_ones() + u32::from(position)) % 2 == 1
}

/// A window certificate by a known period, with the mask that leaves the fewest rare heaps; `None` if there is none within
/// the bound on heaps.
pub fn window(text: &str, code: &Code, n0: usize, p: usize, most: usize) -> Option<Certificate> {
    let splits: Vec<usize> = (0..=code.reach()).filter(|&t| code.allows(t, 2)).collect();
    let t0 = *splits.first()?;
    let g = values(code, most);
    let max = g.iter().max().copied()?;
    let parities: &[bool] = match p.is_multiple_of(2) && splits.iter().all(|t| t % 2 == t0 % 2) {
        true => &[false, true],
        false => &[false],
    };
    let masks = 0..(max + 1).next_power_of_two();
    let all = masks.flat_map(|mask| {
        parities.iter().map(move |&position_bit| Window {
            mask,
            position_bit,
            ..Window::default()
        })
    });
    let last_rare = |w: &Window| {
        (1..most)
            .rev()
            .find(|&n| !common(w, t0, n, g[n]))
            .unwrap_or(0)
    };
    let mut w = all.min_by_key(last_rare)?;
    let r = last_rare(&w);
    w.rares_to = r as u64;
    let mut k = 0;
    loop {
        let far = r.max(k) + code.reach();
        let n1 = (n0 + far).max(2 * far + 1);
        if n1 + p > most {
            return None;
        }
        let needed = (n1..n1 + p).map(|n| witness(code, &g, &w, t0, n)).max()?;
        if needed <= k {
            w.witnesses_to = k as u64;
            w.settled_from = n1 as u64;
            return Some(Certificate {
                period: p as u64,
                preperiod: n0 as u64,
                ..certificate(text, code, g[..n1 + p].to_vec(), Proof::Window(w))
            });
        }
        k = needed;
    }
}

/// The least K for which every rare value below that of n has a witness.
fn witness(code: &Code, g: &[u64], w: &Window, t0: usize, n: usize) -> usize {
    let mut sought: BTreeSet<u64> = (0..g[n]).filter(|&v| !common(w, t0, n, v)).collect();
    for t in 0..=code.reach().min(n) {
        if code.allows(t, 1) && t < n {
            sought.remove(&g[n - t]);
        }
        if code.allows(t, 0) && t == n {
            sought.remove(&0);
        }
    }
    let mut a = 0;
    while !sought.is_empty() {
        a += 1;
        for t in (0..=code.reach()).filter(|&t| code.allows(t, 2)) {
            if n - t > a && !(code.unequal && n - t == 2 * a) {
                sought.remove(&(g[a] ^ g[n - t - a]));
            }
        }
    }
    a
}
