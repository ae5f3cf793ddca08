//! Values of a take-and-break code, heap by heap, and the criterion that proves a period.
//!
//! Method: the set of nim-sums of two heaps that hold N together is made once for each N, from all pairs; that of r heaps
//! from those of r − 1. The value of n is the mex over the sets of n − t for the digits d_t. Cost: N/2 steps for each N with
//! two heaps, so quadratic in all; for three heaps each N costs N times the number of values. Where a code leaves two heaps at
//! most and the first values prove no period, `grundy_find` goes on, with the kernels and the other criteria.
//!
//! Theorem (Guy and Smith 1956 for k = 2). Let every option of n ≥ B be: take t and leave r non-empty heaps in any way, for
//! (t, r) in a finite set with t = 0 only if r ≥ 2; let k ≥ 1 be no less than the largest r and T the largest t. Let n0 ≥ 1,
//! p ≥ 1 and N ≥ k(n0 + p − 1) + T, N ≥ B + p − 1. If G(n + p) = G(n) whenever n ≥ n0 and n + p ≤ N, then it holds for
//! every n ≥ n0.
//! Proof. Let n > N and let G(m) = G(m − p) for n0 + p ≤ m < n. Both n and n − p are at least B.
//! (1) An option of n has at most k heaps, which hold at least n − T > k(n0 + p − 1) together, so one of them, a, is at least
//! n0 + p. Every heap of an option of n is less than n: T-part positive, or there are two non-empty heaps. With a − p ≥ n0 ≥ 1
//! in place of a it is an option of n − p, for the same (t, r), of the same nim-sum, as G(a − p) = G(a).
//! (2) An option of n − p holds at least n − p − T > k(n0 + p − 1) − p, so its largest heap a is more than
//! n0 + p − 1 − p/k ≥ n0 − 1, hence at least n0. Also a + p < n, since a < n − p. With a + p in place of a it is an option of n
//! of the same nim-sum. (3) Options without heaps: of n only if n = T ≤ N, of n − p only if n − p ≤ T, but
//! n − p > T + k(n0 + p − 1) − p ≥ T + n0 − 1 ≥ T. So n and n − p have options of the same nim-sums, and G(n) = G(n − p). ∎

use grundy_core::{Budget, Code, Int};
use grundy_find::Proof;

/// G(n + period) = G(n) for every n from `start` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    pub start: usize,
    pub period: usize,
}

/// Why a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// No period is proved by the values of the heaps up to this, and to go on would take too long or too much memory.
    Limit(usize),
    /// The user asked for it.
    Interrupted,
    /// So many options cannot be gone through one by one.
    TooMany,
}

/// Steps made in search of a period, at most: a few seconds.
const WORK: u64 = 1 << 32;
/// Values in the table before the kernels take over, and steps of theirs at most: some seconds.
const TABLE: usize = 2048;
const FAR_WORK: u64 = 1 << 34;
/// Options gone through one by one, at most.
const MOST_LISTED: u64 = 1 << 26;

/// The nim-sums of r heaps that hold N together, as bits.
type Row = Vec<u64>;

/// The code with its exceptions at small heaps, and what is known of its values.
pub(super) struct Heaps {
    pub code: Code,
    /// Options of small heaps that are not those of the code, as sorted non-empty heaps; the index is the heap.
    pub small: Vec<Option<Vec<Vec<u64>>>>,
    values: Vec<u32>,
    /// `rows[r - 2][N]` for r ≥ 2.
    rows: Vec<Vec<Row>>,
    most: u32,
    period: Option<Period>,
    /// How the period is proved, if not by the values of this table.
    proof: Option<Proof>,
    next_check: usize,
    work: u64,
    row_words: u64,
    far: Option<Box<grundy_find::Heaps>>,
}

impl Heaps {
    pub fn new(code: Code, small: Vec<Option<Vec<Vec<u64>>>>) -> Self {
        let rows = vec![Vec::new(); code.parts().saturating_sub(1)];
        Heaps {
            code,
            small,
            values: Vec::new(),
            rows,
            most: 0,
            period: None,
            proof: None,
            next_check: 32,
            work: 0,
            row_words: 0,
            far: None,
        }
    }

    /// The period, if it has been proved.
    pub fn period(&self) -> Option<Period> {
        self.period
    }

    /// How it has been, if not by the values up to the theorem's bound.
    pub fn proof(&self) -> Option<&Proof> {
        self.proof.as_ref()
    }

    /// How many heaps, counted from the empty one, have their values in the table.
    pub fn known(&self) -> usize {
        self.values.len()
    }

    /// Whether the heap's options are those of the code.
    fn plain(&self, n: &Int) -> bool {
        n.to_usize()
            .is_none_or(|n| self.small.get(n).is_none_or(|s| s.is_none()))
    }

    /// The Grundy value of a heap.
    pub fn value(&mut self, n: &Int, budget: &Budget) -> Result<u32, Stop> {
        self.reach(n, budget)?;
        Ok(self.get(n))
    }

    /// Of a heap that is in the table or past the proved period.
    fn get(&self, n: &Int) -> u32 {
        if let Some(n) = n.to_usize()
            && let Some(&v) = self.values.get(n)
        {
            return v;
        }
        let period = self
            .period
            .expect("a heap past the table is asked only once the period is known");
        let past = (n - &Int::from(period.start)).mod_floor(&Int::from(period.period));
        self.values[period.start + past.and_then(|p| p.to_usize()).unwrap_or(0)]
    }

    /// Computes up to the heap, or to a proved period.
    pub fn reach(&mut self, n: &Int, budget: &Budget) -> Result<(), Stop> {
        let target = n.to_usize().unwrap_or(usize::MAX);
        let mut asked = 0;
        while self.values.len() <= target && self.period.is_none() {
            if self.values.len() >= TABLE && self.small.is_empty() && self.code.parts() <= 2 {
                return self.reach_far(target, budget);
            }
            let bytes = 8 * self.row_words
                + 4 * self.values.len() as u64
                + 24 * (self.rows.len() * self.values.len()) as u64;
            if self.work > WORK || bytes > budget.memory() {
                return Err(Stop::Limit(self.values.len() - 1));
            }
            if self.work >= asked {
                asked = self.work + (1 << 16);
                if budget.stopped() {
                    return Err(Stop::Interrupted);
                }
            }
            self.next();
            if self.values.len() > self.next_check {
                self.period = self.prove();
                self.next_check = self.values.len() * 3 / 2;
            }
        }
        Ok(())
    }

    /// The same by the kernels.
    fn reach_far(&mut self, target: usize, budget: &Budget) -> Result<(), Stop> {
        let code = &self.code;
        let far = self
            .far
            .get_or_insert_with(|| Box::new(grundy_find::Heaps::new(code)));
        // Four bytes a value in the table, and what the kernels take.
        let room = usize::try_from(budget.memory() / 8).unwrap_or(usize::MAX);
        let goal = target.saturating_add(1).min(room);
        let spent = |far: &grundy_find::Heaps| match far.sequence().work() {
            Some(work) => work.rare_tests.saturating_add(work.exclusion_steps),
            None if code.parts() < 2 => 0,
            None => (far.computed() as u64).saturating_pow(2),
        };
        while far.period().is_none() && far.computed() < goal && spent(far) < FAR_WORK {
            let next = far.computed() + far.computed() / 8 + 4096;
            match far.advance(goal.min(next), &mut |_| budget.stopped()) {
                Ok(()) => {}
                Err(grundy_find::Stop::Interrupted) => return Err(Stop::Interrupted),
                Err(grundy_find::Stop::ValueTooLarge(_)) => break,
            }
        }
        let repeats = far.period().map(|p| Period {
            start: p.preperiod.max(1),
            period: p.period,
        });
        let known = repeats.map_or(far.computed(), |p| p.start + p.period);
        for from in (self.values.len()..known).step_by(1 << 16) {
            let block = far.values(from..known.min(from + (1 << 16)));
            self.values.extend(block.into_iter().map(|v| v as u32));
        }
        if repeats.is_some() {
            self.proof = far.period().map(|p| p.proof.clone());
            self.period = repeats;
            self.far = None;
        } else if self.values.len() <= target {
            return Err(Stop::Limit(self.values.len() - 1));
        }
        Ok(())
    }

    /// The value of the next heap.
    fn next(&mut self) {
        let n = self.values.len();
        let mut seen: Row = vec![
            0;
            (self.most as usize + 1)
                .next_power_of_two()
                .div_ceil(64)
                .max(1)
        ];
        let mark = |seen: &mut Row, v: u32| {
            let word = v as usize / 64;
            if word >= seen.len() {
                seen.resize(word + 1, 0);
            }
            seen[word] |= 1 << (v % 64);
        };
        if let Some(Some(options)) = self.small.get(n) {
            for option in options {
                let sum = option
                    .iter()
                    .fold(0, |sum, &heap| sum ^ self.values[heap as usize]);
                mark(&mut seen, sum);
            }
            self.work += options.len() as u64;
        } else {
            for r in 2..=self.code.parts() {
                self.fill(r, n);
            }
            for (t, &digit) in self.code.digits.iter().enumerate().take(n + 1) {
                if digit & 1 == 1 && t == n {
                    mark(&mut seen, 0);
                }
                if digit >> 1 & 1 == 1 && t < n {
                    mark(&mut seen, self.values[n - t]);
                }
                for r in 2..=self.code.parts() {
                    if digit >> r & 1 == 1 {
                        let row = &self.rows[r - 2][n - t];
                        if row.len() > seen.len() {
                            seen.resize(row.len(), 0);
                        }
                        seen.iter_mut().zip(row).for_each(|(s, w)| *s |= w);
                    }
                }
            }
            self.work += self.code.digits.len() as u64;
        }
        let full = seen.iter().take_while(|&&w| w == u64::MAX).count();
        let value = full * 64 + seen.get(full).map_or(0, |w| w.trailing_ones() as usize);
        self.most = self.most.max(value as u32);
        self.values.push(value as u32);
    }

    /// Makes the rows of r heaps up to N = n; they need the values of smaller heaps only.
    fn fill(&mut self, r: usize, n: usize) {
        let top = r == self.code.parts();
        let used = (0..self.code.digits.len())
            .filter(|&t| self.code.allows(t, r))
            .min();
        for total in self.rows[r - 2].len()..=n {
            // The last level is wanted only as far as a digit leads, the others at every N.
            if top && used.is_none_or(|t| total + t > n) {
                break;
            }
            let row = match r {
                2 => self.pairs(total),
                _ => self.with_one_more(r, total),
            };
            self.row_words += row.len() as u64;
            self.rows[r - 2].push(row);
            if top && let Some(old) = total.checked_sub(self.code.digits.len() + 1) {
                let old = std::mem::take(&mut self.rows[r - 2][old]);
                self.row_words -= old.len() as u64;
            }
        }
    }

    /// The greatest lesser heap of two that hold `total`.
    fn most_lesser(&self, total: usize) -> usize {
        match self.code.unequal {
            true => total.saturating_sub(1) / 2,
            false => total / 2,
        }
    }

    fn pairs(&mut self, total: usize) -> Row {
        let half = self.most_lesser(total);
        self.work += half as u64 + 1;
        if half == 0 {
            return Row::new();
        }
        let low = &self.values[1..=half];
        let high = self.values[total - half..total].iter().rev();
        if self.most < 64 {
            return vec![
                low.iter()
                    .zip(high)
                    .fold(0, |set, (a, b)| set | 1 << (a ^ b)),
            ];
        }
        let mut row = vec![0; (self.most as usize + 1).next_power_of_two() / 64];
        for (a, b) in low.iter().zip(high) {
            let v = (a ^ b) as usize;
            row[v / 64] |= 1 << (v % 64);
        }
        row
    }

    fn with_one_more(&mut self, r: usize, total: usize) -> Row {
        let mut row = vec![0; (self.most as usize + 1).next_power_of_two().div_ceil(64)];
        for heap in 1..total {
            let rest = &self.rows[r - 3][total - heap];
            for (i, &word) in rest.iter().enumerate() {
                let mut word = word;
                while word != 0 {
                    let v = (i * 64 + word.trailing_zeros() as usize) ^ self.values[heap] as usize;
                    if v / 64 >= row.len() {
                        row.resize(v / 64 + 1, 0);
                    }
                    row[v / 64] |= 1 << (v % 64);
                    word &= word - 1;
                    self.work += 1;
                }
            }
        }
        self.work += total as u64;
        row
    }

    /// The least period that the values prove. Of heaps that must differ one may become the other where a period is taken away:
    /// the theorem is not about them.
    fn prove(&self) -> Option<Period> {
        if self.code.unequal {
            return None;
        }
        let last = self.values.len() - 1;
        let (k, reach, below) = (
            self.code.parts().max(1),
            self.code.reach(),
            self.small.len(),
        );
        for p in 1..=last / k {
            if below + p > last + 1 {
                return None;
            }
            // k(start + p − 1) + reach ≤ last
            let latest = (last.checked_sub(reach)? / k + 1)
                .checked_sub(p)
                .filter(|&s| s > 0)?;
            let same = |n: &usize| self.values[*n] == self.values[*n + p];
            if !(latest..=last - p).rev().all(|n| same(&n)) {
                continue;
            }
            let start = (1..latest).rev().take_while(same).last().unwrap_or(latest);
            return Some(Period { start, period: p });
        }
        None
    }

    /// The options of nim-sum v: the first `limit`, as sorted non-empty heaps, and how many there are.
    pub fn options(
        &mut self,
        n: &Int,
        v: u32,
        limit: usize,
        budget: &Budget,
    ) -> Result<(Vec<Vec<Int>>, Int), Stop> {
        let one = n - &Int::ONE;
        if one.is_negative() && self.plain(n) && self.code.digits.first().is_none_or(|d| d & 1 == 0)
        {
            return Ok(Default::default());
        }
        self.reach(&one, budget)?;
        let (mut list, mut total) = (Vec::new(), Int::ZERO);
        if !self.plain(n) {
            let options = n
                .to_usize()
                .and_then(|n| self.small.get(n))
                .cloned()
                .flatten()
                .unwrap_or_default();
            for option in options {
                if option
                    .iter()
                    .fold(0, |sum, &h| sum ^ self.values[h as usize])
                    == v
                {
                    total = &total + &Int::ONE;
                    if list.len() < limit {
                        list.push(option.into_iter().map(Int::from).collect());
                    }
                }
            }
            return Ok((list, total));
        }
        for t in 0..self.code.digits.len() {
            let rest = n - &Int::from(t);
            if rest.is_negative() {
                break;
            }
            for r in 0..=self.code.parts() {
                if self.code.allows(t, r) && rest >= Int::from(r) && (r > 0 || rest.is_zero()) {
                    let count = self.count(r, &rest, v)?;
                    if !count.is_zero() {
                        self.list(r, &rest, v, 1, &mut Vec::new(), limit, &mut list, budget)?;
                    }
                    total = &total + &count;
                }
            }
        }
        Ok((list, total))
    }

    /// How many multisets of r non-empty heaps that hold `rest` have nim-sum v.
    fn count(&self, r: usize, rest: &Int, v: u32) -> Result<Int, Stop> {
        Ok(match r {
            0 => Int::from(i64::from(v == 0)),
            1 => Int::from(i64::from(self.get(rest) == v)),
            2 => self.count_pairs(rest, v)?,
            3 => self.count_triples(rest, v)?,
            _ => self.count_slowly(r, rest, 1, v, &mut 0)?,
        })
    }

    /// Where heaps begin to repeat, and how: past the whole table if no period is known.
    fn cycle(&self) -> (usize, usize) {
        self.period
            .map_or((self.values.len(), 1), |p| (p.start, p.period))
    }

    fn count_pairs(&self, rest: &Int, v: u32) -> Result<Int, Stop> {
        let (start, period) = self.cycle();
        if let Some(total) = rest.to_usize()
            && (total <= self.values.len() || total < 2 * start + 2 * period)
        {
            let pairs =
                (1..=self.most_lesser(total)).filter(|&a| self.at(a) ^ self.at(total - a) == v);
            return Ok(Int::from(pairs.count()));
        }
        // One heap before the period: each by itself. Both in it: ordered pairs by residue, then each pair once.
        let early = (1..start)
            .filter(|&a| self.at(a) ^ self.get(&(rest - &Int::from(a))) == v)
            .count();
        let both = self.ordered_late(rest, v);
        let even = rest.mod_floor(&Int::from(2)).is_some_and(|r| r.is_zero());
        let twice = match (even && v == 0, self.code.unequal) {
            (false, _) => both,
            (true, false) => &both + &Int::ONE,
            (true, true) => &both - &Int::ONE,
        };
        Ok(&Int::from(early) + &half(&twice))
    }

    /// Ordered pairs of heaps, both in the period, of that total and nim-sum.
    fn ordered_late(&self, rest: &Int, v: u32) -> Int {
        let (start, period) = self.cycle();
        let room = rest - &Int::from(2 * start);
        if room.is_negative() {
            return Int::ZERO;
        }
        let p = Int::from(period);
        let (whole, over) = match (
            room.div_floor(&p),
            room.mod_floor(&p).and_then(|m| m.to_usize()),
        ) {
            (Some(q), Some(m)) => (q, m),
            _ => return Int::ZERO,
        };
        // The first heap is start + j + i·period, the second start + (over − j mod period) + …; over decides the rest.
        let (mut all, mut more) = (0usize, 0usize);
        for j in 0..period {
            let k = (over + period - j) % period;
            if self.values[start + j] ^ self.values[start + k] == v {
                all += 1;
                more += usize::from(j <= over);
            }
        }
        &(&whole * &Int::from(all)) + &Int::from(more)
    }

    /// By Burnside's lemma from ordered triples, those with two heaps equal, and those with three.
    fn count_triples(&self, rest: &Int, v: u32) -> Result<Int, Stop> {
        let (start, period) = self.cycle();
        if let Some(total) = rest.to_usize()
            && (total < 1 << 12 || total < 3 * (start + period))
        {
            return self.count_slowly(3, rest, 1, v, &mut 0);
        }
        self.count_late_triples(rest, v)
    }

    /// The same for a total that leaves room for three heaps in the period.
    fn count_late_triples(&self, rest: &Int, v: u32) -> Result<Int, Stop> {
        let (start, period) = self.cycle();
        if self.period.is_none() {
            return Err(Stop::TooMany);
        }
        let square = (start.max(period) as u64).saturating_mul(start.max(period) as u64);
        if square > MOST_LISTED {
            return Err(Stop::TooMany);
        }
        // All three in the period: the first two residues give the third, and the total of the three is one of three.
        let p = Int::from(period);
        let room = rest - &Int::from(3 * start);
        let over = room.mod_floor(&p).and_then(|m| m.to_usize()).unwrap_or(0);
        let mut hits = [0usize; 3];
        for i in 0..period {
            for j in 0..period {
                let k = (over + 2 * period - i - j) % period;
                if self.values[start + i] ^ self.values[start + j] ^ self.values[start + k] == v {
                    hits[(i + j + k - over) / period] += 1;
                }
            }
        }
        let mut ordered = Int::ZERO;
        for (wraps, &hits) in hits.iter().enumerate() {
            let q = (&room - &Int::from(over + wraps * period))
                .div_floor(&p)
                .unwrap_or_default();
            if !q.is_negative() {
                let ways = half(&(&(&q + &Int::ONE) * &(&q + &Int::from(2))));
                ordered = &ordered + &(&ways * &Int::from(hits));
            }
        }
        let three = Int::from(3);
        for a in 1..start {
            ordered =
                &ordered + &(&three * &self.ordered_late(&(rest - &Int::from(a)), v ^ self.at(a)));
            let mut late = 0usize;
            for b in 1..start {
                late += usize::from(
                    self.at(a) ^ self.at(b) ^ self.get(&(rest - &Int::from(a + b))) == v,
                );
            }
            ordered = &ordered + &(&three * &Int::from(late));
        }
        // (a, a, c) with 2a + c = rest has the value of c: count the c of the right parity.
        let parity = rest
            .mod_floor(&Int::from(2))
            .and_then(|m| m.to_usize())
            .unwrap_or(0);
        let most = rest - &Int::from(2);
        let two = (1..start)
            .filter(|c| c % 2 == parity && self.at(*c) == v)
            .count();
        let mut two_late = Int::ZERO;
        let step = Int::from(2 * period);
        for j in 0..2 * period {
            let c = start + j;
            if c % 2 == parity && self.values[start + j % period] == v {
                let room = &most - &Int::from(c);
                if !room.is_negative() {
                    two_late =
                        &two_late + &(&room.div_floor(&step).unwrap_or_default() + &Int::ONE);
                }
            }
        }
        let two = &two_late + &Int::from(two);
        let third = rest.div_floor(&three).unwrap_or_default();
        let equal = &third * &three == *rest && self.get(&third) == v;
        let sum = &(&ordered + &(&three * &two)) + &Int::from(if equal { 2i64 } else { 0 });
        Ok(sum.div_floor(&Int::from(6)).unwrap_or_default())
    }

    /// One by one: the heaps from `least` on.
    fn count_slowly(
        &self,
        r: usize,
        rest: &Int,
        least: usize,
        v: u32,
        steps: &mut u64,
    ) -> Result<Int, Stop> {
        let total = rest
            .to_usize()
            .filter(|&t| (t as u64) < MOST_LISTED)
            .ok_or(Stop::TooMany)?;
        fn go(
            heaps: &Heaps,
            r: usize,
            total: usize,
            least: usize,
            v: u32,
            steps: &mut u64,
        ) -> Result<u64, Stop> {
            *steps += 1;
            if *steps > MOST_LISTED {
                return Err(Stop::TooMany);
            }
            if r == 1 {
                return Ok(u64::from(heaps.at(total) == v));
            }
            let mut count = 0;
            for a in least..=total / r {
                count += go(heaps, r - 1, total - a, a, v ^ heaps.at(a), steps)?;
            }
            Ok(count)
        }
        go(self, r, total, least, v, steps).map(Int::from)
    }

    fn at(&self, n: usize) -> u32 {
        match self.values.get(n) {
            Some(&v) => v,
            None => self.get(&Int::from(n)),
        }
    }

    /// The first multisets of r heaps, each at least `least`, of that total and nim-sum.
    #[allow(
        clippy::too_many_arguments,
        reason = "one step of a recursion over the heaps"
    )]
    fn list(
        &self,
        r: usize,
        rest: &Int,
        v: u32,
        least: usize,
        heaps: &mut Vec<Int>,
        limit: usize,
        out: &mut Vec<Vec<Int>>,
        budget: &Budget,
    ) -> Result<(), Stop> {
        if out.len() >= limit {
            return Ok(());
        }
        if r <= 1 {
            if r == 0 || self.get(rest) == v {
                heaps.extend((r == 1).then(|| rest.clone()));
                out.push(heaps.clone());
                heaps.truncate(heaps.len() - r);
            }
            return Ok(());
        }
        let apart = Int::from(i64::from(self.code.unequal));
        let most = (rest - &apart).div_floor(&Int::from(r)).unwrap_or_default();
        // Past the start a whole period without a hit means that there is none.
        let (start, period) = self.cycle();
        let mut barren = 0;
        let mut a = least;
        while Int::from(a) <= most && out.len() < limit && barren <= period {
            if a.is_multiple_of(4096) && budget.stopped() {
                return Err(Stop::Interrupted);
            }
            let before = out.len();
            heaps.push(Int::from(a));
            self.list(
                r - 1,
                &(rest - &Int::from(a)),
                v ^ self.at(a),
                a,
                heaps,
                limit,
                out,
                budget,
            )?;
            heaps.pop();
            let all_late = self.period.is_some() && a >= start;
            barren = if out.len() > before || !all_late {
                0
            } else {
                barren + 1
            };
            a += 1;
        }
        Ok(())
    }
}

fn half(v: &Int) -> Int {
    v.div_floor(&Int::from(2)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the code's text.
    pub(crate) fn code(text: &str) -> Code {
        let digits = text.chars().filter(|c| *c != '.');
        let digits = digits.map(|c| u64::from(c.to_digit(36).unwrap()));
        Code::finite(digits.collect::<Vec<_>>())
    }

    fn heaps(text: &str) -> Heaps {
        Heaps::new(code(text), Vec::new())
    }

    /// Every option of a heap by the definition of a code.
    fn all_options(code: &Code, n: usize) -> Vec<Vec<usize>> {
        fn ways(
            r: usize,
            total: usize,
            least: usize,
            heaps: &mut Vec<usize>,
            out: &mut Vec<Vec<usize>>,
        ) {
            if r == 0 {
                if total == 0 {
                    out.push(heaps.clone());
                }
                return;
            }
            for a in least..=total {
                heaps.push(a);
                ways(r - 1, total - a, a, heaps, out);
                heaps.pop();
            }
        }
        let mut out = Vec::new();
        for t in 0..code.digits.len().min(n + 1) {
            for r in 0..=code.parts() {
                if code.allows(t, r) {
                    ways(r, n - t, 1, &mut Vec::new(), &mut out);
                }
            }
        }
        out
    }

    fn slow_values(code: &Code, upto: usize) -> Vec<u32> {
        let mut values: Vec<u32> = Vec::new();
        for n in 0..=upto {
            let sums = all_options(code, n);
            let sums = sums
                .iter()
                .map(|o| u64::from(o.iter().fold(0, |s, &h| s ^ values[h])));
            let value = grundy_core::mex(sums);
            values.push(value as u32);
        }
        values
    }

    fn proved(text: &str) -> Option<(usize, usize)> {
        let mut heaps = heaps(text);
        let _ = heaps.reach(&Int::from(25_000), &Budget::default());
        heaps.period().map(|p| (p.start, p.period))
    }

    #[test]
    fn published_periods() {
        assert_eq!(proved("0.77"), Some((71, 12)));
        assert_eq!(proved("0.07"), Some((53, 34)));
        assert_eq!(proved("0.156"), Some((3479, 349)));
        assert_eq!(proved("0.137"), Some((52, 34)));
        assert_eq!(proved("0.165"), Some((5181, 1550)));
        assert_eq!(proved("0.333"), Some((1, 4)));
    }

    #[test]
    fn a_period_is_not_claimed_before_it_is_proved() {
        // At 8000 the values look as if they repeated with 3100 from 3496 on; they do not.
        let mut heaps = heaps("0.165");
        heaps.reach(&Int::from(8000), &Budget::default()).unwrap();
        assert!((3500..=4900).all(|n| heaps.at(n) == heaps.at(n + 3100)));
        assert_eq!(heaps.period(), None);
        assert_eq!(proved("0.16"), None);
    }

    #[test]
    fn periods_past_the_table_are_found() {
        let mut heaps = heaps("0.16");
        let n: Int = "1".repeat(50).parse().unwrap();
        let value = heaps.value(&n, &Budget::default()).unwrap();
        let period = heaps.period().unwrap();
        assert_eq!((period.start, period.period), (105_351, 149_459));
        assert!(matches!(heaps.proof(), Some(Proof::Window(_))));
        let phase = (&n - &Int::from(period.start)).mod_floor(&Int::from(period.period));
        assert_eq!(
            heaps.at(period.start + phase.unwrap().to_usize().unwrap()),
            value
        );
        // The values are those of the quadratic table.
        let mut slow = Heaps::new(heaps.code.clone(), Vec::new());
        (0..6000).for_each(|_| slow.next());
        assert_eq!(heaps.values[..6000], slow.values);
    }

    struct Random(u64);
    impl Random {
        fn below(&mut self, n: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 33) % n
        }
    }

    fn random_code(random: &mut Random, parts: u64) -> Code {
        let first = if random.below(3) == 0 {
            random.below(1 << (parts + 1)) & !3
        } else {
            0
        };
        let rest = 1 + random.below(4);
        let mut digits = vec![first];
        digits.extend((0..rest).map(|_| random.below(1 << (parts + 1))));
        Code::finite(digits)
    }

    #[test]
    fn random_codes_agree_with_the_definition() {
        let mut random = Random(11);
        for round in 0..2000 {
            let (parts, upto) = [(1, 60), (2, 60), (2, 60), (3, 36), (4, 22)][round % 5];
            let code = random_code(&mut random, parts);
            let slow = slow_values(&code, upto);
            let mut heaps = Heaps::new(code.clone(), Vec::new());
            for (n, &v) in slow.iter().enumerate() {
                assert_eq!(
                    heaps.value(&Int::from(n), &Budget::default()),
                    Ok(v),
                    "{code:?} at {n}"
                );
            }
            for n in [0, 1, 2, 5, 9, upto / 2, upto] {
                let options = all_options(&code, n);
                for v in 0..4 {
                    let with = |o: &&Vec<usize>| o.iter().fold(0, |s, &h| s ^ slow[h]) == v;
                    let want: Vec<_> = options.iter().filter(with).collect();
                    let (list, total) = heaps
                        .options(&Int::from(n), v, 10_000, &Budget::default())
                        .unwrap();
                    assert_eq!(
                        total,
                        Int::from(want.len()),
                        "{code:?}: options of {n} with value {v}"
                    );
                    let mut list: Vec<Vec<usize>> = list
                        .iter()
                        .map(|o| o.iter().map(|h| h.to_usize().unwrap()).collect())
                        .collect();
                    let mut want: Vec<Vec<usize>> = want.into_iter().cloned().collect();
                    list.sort();
                    want.sort();
                    assert_eq!(list, want, "{code:?}: options of {n} with value {v}");
                }
            }
        }
    }

    #[test]
    fn counts_over_the_period_agree_with_counting() {
        for (text, n) in [
            ("0.77", 5000),
            ("0.77", 5001),
            ("0.137", 3000),
            ("4.7", 2000),
            ("0.3", 4500),
            ("0.07", 901),
        ] {
            let mut periodic = heaps(text);
            let _ = periodic.reach(&Int::from(20_000), &Budget::default());
            if text != "4.7" {
                assert!(
                    periodic
                        .period()
                        .is_some_and(|p| 2 * (p.start + p.period) < n),
                    "{text}"
                );
            }
            periodic.values.truncate(200.max(periodic.known() / 8));
            for v in 0..9 {
                let (list, total) = periodic
                    .options(&Int::from(n), v, 5, &Budget::default())
                    .unwrap();
                let mut full = heaps(text);
                for n in 0..=n {
                    let _ = n;
                    full.next();
                }
                let mut count = 0;
                for t in 0..full.code.digits.len() {
                    let rest = n - t;
                    count += usize::from(full.code.allows(t, 1) && full.at(rest) == v);
                    if full.code.allows(t, 2) {
                        count += (1..=rest / 2)
                            .filter(|&a| full.at(a) ^ full.at(rest - a) == v)
                            .count();
                    }
                }
                assert_eq!(total, Int::from(count), "{text} {n} {v}");
                assert_eq!(list.len(), count.min(5));
            }
        }
    }

    #[test]
    fn triples_are_counted_over_the_period() {
        // A code with three heaps whose period is short.
        let mut random = Random(3);
        let mut tried = 0;
        while tried < 6 {
            let code = random_code(&mut random, 3);
            if code.parts() != 3 {
                continue;
            }
            let mut heaps = Heaps::new(code.clone(), Vec::new());
            let _ = heaps.reach(&Int::from(400), &Budget::default());
            let Some(period) = heaps.period() else {
                continue;
            };
            let total = 3 * (period.start + period.period) + 1500;
            if total > 2500 {
                continue;
            }
            tried += 1;
            let rest = Int::from(total);
            for v in 0..5 {
                let slow = heaps.count_slowly(3, &rest, 1, v, &mut 0).unwrap();
                assert_eq!(
                    heaps.count_late_triples(&rest, v).unwrap(),
                    slow,
                    "{code:?} {v}"
                );
            }
        }
    }

    #[test]
    fn a_heap_of_a_thousand_digits() {
        let mut kayles = heaps("0.77");
        let n: Int = format!("1{}", "0".repeat(999)).parse().unwrap();
        let v = kayles.value(&n, &Budget::default()).unwrap();
        // 10^999 = 4 mod 12 = 76 mod 12.
        assert_eq!(v, kayles.at(76));
        let (list, total) = kayles.options(&n, 0, 3, &Budget::default()).unwrap();
        assert_eq!(list.len(), 3);
        for option in &list {
            let sum = option.iter().fold(0, |s, h| s ^ kayles.get(h));
            let total = option.iter().fold(Int::ZERO, |s, h| &s + h);
            assert_eq!(sum, 0);
            assert!([1, 2].contains(&(&n - &total).to_i64().unwrap()));
        }
        assert!(total.to_string().len() > 990);
    }

    #[test]
    fn without_a_period_the_limit_is_named() {
        let mut heaps = heaps("0.16");
        let huge: Int = "1".repeat(50).parse().unwrap();
        let tight = Budget::with_memory(40_000);
        let Err(Stop::Limit(last)) = heaps.value(&huge, &tight) else {
            panic!("no limit")
        };
        assert!(last > 1000);
        assert!(heaps.value(&Int::from(last), &tight).is_ok());
        tight.stop();
        assert_eq!(heaps.value(&huge, &tight).unwrap_err(), Stop::Limit(last));
    }
}
