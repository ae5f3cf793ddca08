//! From an input that shows a fault to a smallest one that still does.
//!
//! Large numbers are first bisected towards 0. Then greedy: records and repeated cases are dropped in halves, quarters
//! and so on down to single ones; then counts are lowered and their lists cut with them, elements and characters
//! dropped, numbers replaced by 0, 1, their half or one less, alone and in pairs. Every change that keeps the fault is
//! kept, until none does. What is tried always satisfies the game's requirements. Cost: the number of tries is
//! bounded; each is one run of whatever shows the fault.

use std::collections::HashSet;

use grundy_core::Int;
use grundy_lang::ir::InputItem;
use grundy_lang::value::Value;

use crate::format::Step;
use crate::inputs::{Field, File, Inputs, Record, count_of};

/// Up to this many numbers, every smaller one up to that is tried.
const FEW: usize = 8;
const MANY: i64 = 64;

/// A change to a file.
#[derive(Clone, Debug)]
enum Change {
    /// Leaves out records, from and how many.
    Records(usize, usize),
    /// Leaves out times of a group.
    Times(usize, usize, usize),
    /// Puts a number in place of another and cuts the lists it counts, at a fraction of their length.
    Number(usize, Int, usize, usize),
    /// Lowers all numbers to one, that of lists' lengths not.
    All(Int),
    /// Takes the same from two numbers.
    Pair(usize, usize, Int),
    /// Leaves out elements of a list that nothing counts.
    Elements(usize, usize, usize),
    /// Leaves out characters of a word.
    Characters(usize, usize, usize),
    /// Makes a character the plainest.
    Plain(usize, usize),
}

/// Lowers a file as far as `fails` holds, which is asked at most `tries` times and must hold for the file given.
pub fn shrink(
    inputs: &mut Inputs<'_>,
    mut file: File,
    tries: usize,
    fails: &mut dyn FnMut(&mut Inputs<'_>, &File) -> bool,
) -> File {
    let mut tried = HashSet::from([inputs.print(&file)]);
    let mut left = tries;
    let mut bisected = false;
    'changed: loop {
        if !bisected && numbers(inputs, &mut file).len() <= FEW {
            bisected = true;
            bisect(inputs, &mut file, &mut left, fails);
        }
        for change in changes(inputs, &file) {
            let Some(smaller) = apply(inputs, &file, &change) else {
                continue;
            };
            // Without a case there is nothing to be wrong about.
            if !inputs.has_cases(&smaller)
                || !tried.insert(inputs.print(&smaller))
                || !inputs.legal(&smaller)
            {
                continue;
            }
            if left == 0 {
                return file;
            }
            left -= 1;
            if fails(inputs, &smaller) {
                file = smaller;
                continue 'changed;
            }
        }
        return file;
    }
}

/// A file with each number, those of lists' lengths not, lowered to a share of it, in units of 2^-32. `None` where no number is so large that this would be worth it.
pub fn scaled(inputs: &Inputs<'_>, file: &File, share: &mut dyn FnMut() -> u64) -> Option<File> {
    let mut file = file.clone();
    let mut all = numbers(inputs, &mut file);
    all.retain(|n| !n.count);
    let few = Int::from(MANY);
    if all.iter().all(|n| n.value.abs() <= few) {
        return None;
    }
    for number in all {
        let part = &*number.value * &Int::from(share());
        *number.value = part.div_floor(&Int::from(1i64 << 32))?;
    }
    Some(file)
}

/// The size of a file: the sum of its numbers.
pub fn size(inputs: &Inputs<'_>, file: &File) -> Int {
    let mut file = file.clone();
    let all = numbers(inputs, &mut file).into_iter();
    all.fold(Int::ZERO, |sum, n| &sum + &n.value.abs())
}

/// Lowers each large number to where its fault begins, if it fails from somewhere on.
fn bisect(
    inputs: &mut Inputs<'_>,
    file: &mut File,
    left: &mut usize,
    fails: &mut dyn FnMut(&mut Inputs<'_>, &File) -> bool,
) {
    for i in 0..numbers(inputs, file).len() {
        let all = numbers(inputs, file);
        if all[i].count || all[i].value.to_i64().is_some_and(|v| v <= MANY) {
            continue;
        }
        let (mut low, mut high) = (-1, all[i].value.to_i64().unwrap_or(-1));
        while low + 1 < high && *left > 0 {
            // 0 first: a number that does not matter costs one try.
            let middle = if low < 0 { 0 } else { low + (high - low) / 2 };
            let change = Change::Number(i, Int::from(middle), 0, 1);
            let smaller =
                apply(inputs, file, &change).filter(|f| inputs.has_cases(f) && inputs.legal(f));
            *left -= usize::from(smaller.is_some());
            match smaller.filter(|f| fails(inputs, f)) {
                Some(smaller) => (*file, high) = (smaller, middle),
                None => low = middle,
            }
        }
    }
}

/// Pieces of a list of n: halves first, single ones last.
fn pieces(n: usize) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut size = n;
    while size > 0 {
        let mut at = 0;
        while at < n {
            out.push((at, size.min(n - at)));
            at += size;
        }
        size /= 2;
    }
    out
}

/// A number in a file and whether it says how long a list is.
pub struct Number<'f> {
    /// The number.
    pub value: &'f mut Int,
    /// Whether it says how long a list is.
    pub count: bool,
}

/// The numbers of a file, in reading order.
pub fn numbers<'f>(inputs: &Inputs<'_>, file: &'f mut File) -> Vec<Number<'f>> {
    let mut out = Vec::new();
    for record in &mut file.records {
        numbers_of(inputs, &inputs.format.steps, record, &mut out);
    }
    out
}

fn numbers_of<'f>(
    inputs: &Inputs<'_>,
    steps: &[Step<'_>],
    record: &'f mut Record,
    out: &mut Vec<Number<'f>>,
) {
    for (step, field) in steps.iter().zip(record) {
        match field {
            Field::One(Value::Int(value)) => {
                let count = matches!(step.item, InputItem::Scalar(slot) if inputs.counts(*slot));
                out.push(Number { value, count });
            }
            Field::One(_) => {}
            Field::List(list) => out.extend(list.iter_mut().filter_map(plain_number)),
            Field::Table(rows) => out.extend(rows.iter_mut().flatten().filter_map(plain_number)),
            Field::Group(times) => {
                for time in times {
                    numbers_of(inputs, &step.body, time, out);
                }
            }
        }
    }
}

fn plain_number(value: &mut Value) -> Option<Number<'_>> {
    match value {
        Value::Int(value) => Some(Number {
            value,
            count: false,
        }),
        _ => None,
    }
}

/// Lists whose length nothing says: those that carry their own, and those that end with their line.
fn free_lists<'f>(steps: &[Step<'_>], record: &'f mut Record, out: &mut Vec<&'f mut Vec<Value>>) {
    for (step, field) in steps.iter().zip(record) {
        match field {
            Field::List(list) if count_of(step.item).is_none() => out.push(list),
            Field::Table(lists) if matches!(step.item, InputItem::Lists(..)) => {
                out.extend(lists.iter_mut())
            }
            Field::Group(times) => {
                for time in times {
                    free_lists(&step.body, time, out);
                }
            }
            _ => {}
        }
    }
}

fn words<'f>(record: &'f mut Record, out: &mut Vec<&'f mut Value>) {
    let word = |v: &&mut Value| matches!(v, Value::Seq(m) if m.iter().all(|c| matches!(c, Value::Char(_))));
    for field in record {
        match field {
            Field::One(value) => out.extend(Some(value).filter(word)),
            Field::List(list) => out.extend(list.iter_mut().filter(word)),
            Field::Table(rows) => out.extend(rows.iter_mut().flatten().filter(word)),
            Field::Group(times) => times.iter_mut().for_each(|t| words(t, out)),
        }
    }
}

/// Applies `f` to the group with this number, groups counted in reading order; the number of groups passed.
fn group(record: &mut Record, number: &mut usize, f: &mut dyn FnMut(&mut Vec<Record>)) -> bool {
    for field in record {
        if let Field::Group(times) = field {
            if *number == 0 {
                f(times);
                return true;
            }
            *number -= 1;
            for time in times {
                if group(time, number, f) {
                    return true;
                }
            }
        }
    }
    false
}

fn group_sizes(record: &Record, out: &mut Vec<usize>) {
    for field in record {
        if let Field::Group(times) = field {
            out.push(times.len());
            times.iter().for_each(|t| group_sizes(t, out));
        }
    }
}

/// Everything that may be tried, the boldest first.
fn changes(inputs: &Inputs<'_>, file: &File) -> Vec<Change> {
    let mut file = file.clone();
    let mut out = Vec::new();
    out.extend(
        pieces(file.records.len())
            .into_iter()
            .map(|(at, n)| Change::Records(at, n)),
    );
    let mut sizes = Vec::new();
    file.records.iter().for_each(|r| group_sizes(r, &mut sizes));
    for (g, size) in sizes.into_iter().enumerate() {
        out.extend(
            pieces(size)
                .into_iter()
                .map(|(at, n)| Change::Times(g, at, n)),
        );
    }
    let steps = inputs.format.steps.clone();
    let all = numbers(inputs, &mut file);
    out.extend([Int::ZERO, Int::ONE].map(Change::All));
    let mut lowered = Vec::new();
    for (i, number) in all.iter().enumerate() {
        let v = &*number.value;
        let half = v.div_floor(&Int::from(2)).unwrap_or_default();
        let less = if v.is_negative() {
            v + &Int::ONE
        } else {
            v - &Int::ONE
        };
        let mut lower = vec![Int::ZERO, Int::ONE, half, less];
        if all.len() <= FEW {
            // All that are smaller, up to a point.
            lower.extend((2..=MANY).map(Int::from));
        }
        for to in lower {
            // Nearer to 0, and not below it if the number was not.
            if to.abs() >= v.abs() || to.is_negative() && !v.is_negative() {
                continue;
            }
            if number.count {
                let of = v.to_usize().unwrap_or(1).clamp(1, 24);
                out.extend((0..of).map(|at| Change::Number(i, to.clone(), at, of)));
            } else {
                lowered.push(Change::Number(i, to, 0, 1));
            }
        }
    }
    let mut lists = Vec::new();
    file.records
        .iter_mut()
        .for_each(|r| free_lists(&steps, r, &mut lists));
    for (i, list) in lists.iter().enumerate() {
        out.extend(
            pieces(list.len())
                .into_iter()
                .map(|(at, n)| Change::Elements(i, at, n)),
        );
    }
    let mut texts = Vec::new();
    file.records.iter_mut().for_each(|r| words(r, &mut texts));
    for (i, word) in texts.iter().enumerate() {
        let letters = word.as_seq().unwrap_or_default();
        out.extend(
            pieces(letters.len())
                .into_iter()
                .map(|(at, n)| Change::Characters(i, at, n)),
        );
        let plainest = inputs.alphabet().first().map(|c| Value::Char(*c));
        let other = letters
            .iter()
            .enumerate()
            .filter(|(_, c)| Some(*c) != plainest.as_ref());
        out.extend(other.map(|(at, _)| Change::Plain(i, at)));
    }
    out.extend(lowered);
    let all = numbers(inputs, &mut file);
    let near = all.len().min(40);
    for i in 0..near {
        for j in i + 1..near.min(i + 8) {
            let least = (&*all[i].value).min(&*all[j].value).clone();
            let half = least.div_floor(&Int::from(2)).unwrap_or_default();
            for by in [least, half, Int::ONE] {
                if by >= Int::ONE {
                    out.push(Change::Pair(i, j, by));
                }
            }
        }
    }
    out
}

fn apply(inputs: &mut Inputs<'_>, file: &File, change: &Change) -> Option<File> {
    let mut file = file.clone();
    let steps = inputs.format.steps.clone();
    match change {
        Change::Records(at, n) => {
            file.records.drain(*at..at + n);
        }
        Change::Times(g, at, n) => {
            let mut number = *g;
            for record in &mut file.records {
                if group(record, &mut number, &mut |times| {
                    times.drain(*at..at + n);
                }) {
                    break;
                }
            }
        }
        Change::Number(i, to, at, of) => {
            let mut all = numbers(inputs, &mut file);
            all.get_mut(*i)?.value.clone_from(to);
            return inputs.fit(file, *at, *of);
        }
        Change::All(to) => {
            let all = numbers(inputs, &mut file).into_iter();
            for number in all.filter(|n| !n.count && *n.value > *to) {
                number.value.clone_from(to);
            }
        }
        Change::Pair(i, j, by) => {
            let mut all = numbers(inputs, &mut file);
            for k in [*i, *j] {
                let number = all.get_mut(k)?;
                *number.value = &*number.value - by;
            }
            return inputs.fit(file, 0, 1);
        }
        Change::Elements(i, at, n) => {
            let mut lists = Vec::new();
            file.records
                .iter_mut()
                .for_each(|r| free_lists(&steps, r, &mut lists));
            lists.get_mut(*i)?.drain(*at..at + n);
        }
        Change::Characters(i, at, n) => {
            let mut texts = Vec::new();
            file.records.iter_mut().for_each(|r| words(r, &mut texts));
            let word = texts.get_mut(*i)?;
            let mut letters = word.as_seq()?.to_vec();
            letters.drain(*at..at + n);
            // An empty word cannot be written.
            if letters.is_empty() {
                return None;
            }
            **word = Value::seq(letters);
            return inputs.fit(file, 0, 1);
        }
        Change::Plain(i, at) => {
            let mut texts = Vec::new();
            file.records.iter_mut().for_each(|r| words(r, &mut texts));
            let word = texts.get_mut(*i)?;
            let mut letters = word.as_seq()?.to_vec();
            letters[*at] = Value::Char(*inputs.alphabet().first()?);
            **word = Value::seq(letters);
        }
    }
    Some(file)
}
