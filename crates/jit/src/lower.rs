//! From the checked IR to Cranelift's: the code of one cell.
//!
//! Every expression comes out as a machine word with bounds. Where the bounds of a result leave a word, its overflow is
//! checked; where they do not, it cannot overflow. The order of evaluation is the interpreter's, with one difference that no
//! value shows: divisors are tried in pairs.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    self as code_ir, AbiParam, Block, BlockArg, InstBuilder, MemFlagsData, SigRef, Signature, Type,
    UserFuncName, Value as Val, types,
};
use cranelift_codegen::isa::TargetIsa;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use grundy_lang::interp::Rules;
use grundy_lang::ir::{
    self, BinaryOp, Clause, CompareOp, Domain, Expr, ExprKind, Fold, Function, Parts, Pattern,
    Play, Shape, Slot,
};
use grundy_lang::value::Value;
use grundy_search::dense::{Layout, Mode, Offset};

use crate::WORK;
use crate::code::{self, Width};
use crate::range::{self, Range, Trend};

/// What is to be compiled.
pub(crate) struct Compile<'a> {
    pub rules: &'a Rules,
    pub layout: &'a Layout,
    pub mode: Mode,
    pub width: Width,
    /// Whether each option is asked whether it is known, or only in the end whether all were.
    pub careful: bool,
    pub isa: &'a dyn TargetIsa,
}

/// Orders of members in no order that are tried, one piece of code each.
const ORDERS: usize = 24;
/// Elements of a list that are compared one after the other, without a loop.
const FEW: usize = 8;
/// Elements of lists that get code of their own; each takes some microseconds to compile.
const UNROLLED: usize = 128;
/// Numbers whose divisors are tried in pairs.
const DIVIDED: i128 = 1 << 40;

/// Values of quantifiers that may be tried for a constant.
const PATIENCE: u64 = 1 << 22;

type Result<T> = std::result::Result<T, String>;

/// The function, and the lists that it reads.
pub(crate) fn lower(compile: Compile<'_>) -> Result<(code_ir::Function, Vec<Box<[i64]>>)> {
    let Compile {
        rules,
        layout,
        mode,
        width,
        careful,
        isa,
    } = compile;
    let word = AbiParam::new(types::I64);
    let signature = |n: usize| Signature {
        params: vec![word; n],
        returns: vec![word],
        call_conv: isa.default_call_conv(),
    };
    let mut function =
        code_ir::Function::with_name_signature(UserFuncName::default(), signature(1));
    let of_one = function.import_signature(signature(1));
    let of_two = function.import_signature(signature(2));
    let mut shared = FunctionBuilderContext::new();
    let mut b = FunctionBuilder::new(&mut function, &mut shared);
    let entry = b.create_block();
    b.append_block_params_for_function_params(entry);
    b.switch_to_block(entry);
    let frame = b.block_params(entry)[0];
    let late = b.create_block();
    for _ in layout.words() {
        b.append_block_param(late, types::I64);
    }
    let done = b.create_block();
    b.append_block_param(done, types::I64);
    let (unable, wins) = (b.create_block(), b.create_block());
    for block in [late, unable] {
        b.set_cold_block(block);
    }
    let (work, any) = (b.declare_var(types::I64), b.declare_var(types::I8));
    let mut lower = Lower {
        rules,
        layout,
        mode,
        width,
        careful: careful || mode == Mode::Outcomes || width == Width::Four,
        env: vec![None; rules.game().slots.len()],
        frame,
        cells: frame,
        marks: frame,
        epoch: frame,
        work,
        any,
        late,
        unable,
        wins,
        done,
        of_one,
        of_two,
        lists: Vec::new(),
        unrolled: 0,
        facts: Vec::new(),
        b,
    };
    lower.cell()?;
    let Lower { mut b, lists, .. } = lower;
    b.seal_all_blocks();
    b.finalize(isa.frontend_config());
    Ok((function, lists))
}

/// A number as machine code has it.
#[derive(Clone, Copy)]
struct Num {
    value: Val,
    range: Range,
}

/// What a name stands for.
#[derive(Clone)]
enum Bound {
    Num(Num),
    /// The members of a tuple.
    Words(Vec<Num>),
}

/// A list of constants: where it lies, how many there are, and bounds of them.
#[derive(Clone, Copy)]
struct List {
    start: Val,
    len: Num,
    range: Range,
}

struct Lower<'a, 'f> {
    b: FunctionBuilder<'f>,
    rules: &'a Rules,
    layout: &'a Layout,
    mode: Mode,
    width: Width,
    careful: bool,
    env: Vec<Option<Bound>>,
    frame: Val,
    cells: Val,
    marks: Val,
    epoch: Val,
    /// Values of quantifiers tried.
    work: Variable,
    /// Whether there was an option, where that counts.
    any: Variable,
    late: Block,
    unable: Block,
    wins: Block,
    done: Block,
    /// What calls of a function of one word and of two look like.
    of_one: SigRef,
    of_two: SigRef,
    lists: Vec<Box<[i64]>>,
    /// Elements of lists that have code of their own.
    unrolled: usize,
    /// What holds where the code now is.
    facts: Vec<Fact>,
}

/// A number is at least so much greater than another.
struct Fact {
    less: Expr,
    greater: Expr,
    by: i128,
}

fn flags() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Of an element of what nothing writes while the code runs; not to be moved before what sees that there is one.
fn fixed() -> MemFlagsData {
    MemFlagsData::trusted().with_readonly()
}

/// The innermost quantifier and where its range ends, as long as only guards stand behind it.
type Innermost = Option<(Slot, Block)>;

type Leaf<'l, 'a, 'f> = &'l mut dyn FnMut(&mut Lower<'a, 'f>) -> Result<()>;

impl<'a, 'f> Lower<'a, 'f> {
    /// The whole function.
    fn cell(&mut self) -> Result<()> {
        let rules: &'a Rules = self.rules;
        let game = rules.game();
        self.cells = self.field(types::I64, code::CELLS);
        self.marks = self.field(types::I64, code::MARKS);
        self.epoch = self.field(types::I32, code::EPOCH);
        let zero = self.word(0);
        self.b.def_var(self.work, zero);
        let no = self.b.ins().iconst(types::I8, 0);
        self.b.def_var(self.any, no);
        let mut words = Vec::new();
        for (i, word) in self.layout.words().iter().enumerate() {
            let value = self.field(types::I64, code::AT + i * code::WORD);
            let range = Range::new(0, word.to.into());
            words.push(Num { value, range });
        }
        for end in &game.ends {
            // Who is to move where the other has won has no value but 0; where values are not wanted, a win is one.
            let value = i64::from(!end.win && self.mode == Mode::Outcomes);
            if self.mode == Mode::Values && !end.win {
                return Err("`lose if` where values are wanted".to_owned());
            }
            for matched in self.matches(&end.pattern, &game.shape, &words)? {
                self.bind(matched);
                let (met, on) = (self.b.create_block(), self.b.create_block());
                self.condition(&end.condition, met, on)?;
                self.b.switch_to_block(met);
                let value = self.word(value);
                self.b.ins().jump(self.done, &[BlockArg::Value(value)]);
                self.b.switch_to_block(on);
            }
        }
        for m in &game.moves {
            let clauses = flat(&m.narrowed);
            for matched in self.matches(&m.pattern, &game.shape, &words)? {
                self.bind(matched);
                self.clauses(&clauses, None, &mut |lower| lower.option(&m.parts))?;
            }
        }
        self.value()?;
        self.exits();
        Ok(())
    }

    /// The value, once all options have been looked at.
    fn value(&mut self) -> Result<()> {
        let value = match self.mode {
            Mode::Outcomes if self.rules.game().play == Play::Misere => {
                let any = self.b.use_var(self.any);
                let none = self.b.ins().icmp_imm_s(IntCC::Equal, any, 0);
                self.b.ins().uextend(types::I64, none)
            }
            Mode::Outcomes => self.word(0),
            Mode::Values => {
                if !self.careful {
                    let unknown = self.word(self.width.unknown());
                    let at = self.element(self.marks, unknown, 4);
                    let mark = self.b.ins().load(types::I32, flags(), at, 0);
                    let met = self.b.ins().icmp(IntCC::Equal, mark, self.epoch);
                    let (again, on) = (self.b.create_block(), self.b.create_block());
                    self.b.set_cold_block(again);
                    self.b.ins().brif(met, again, &[], on, &[]);
                    self.b.switch_to_block(again);
                    let again = self.word(code::AGAIN);
                    self.b.ins().return_(&[again]);
                    self.b.switch_to_block(on);
                }
                // The first value without this position's mark; the last place never has one.
                let (head, next, found) = (
                    self.b.create_block(),
                    self.b.create_block(),
                    self.b.create_block(),
                );
                let v = self.b.append_block_param(head, types::I64);
                let zero = self.word(0);
                self.b.ins().jump(head, &[BlockArg::Value(zero)]);
                self.b.switch_to_block(head);
                let at = self.element(self.marks, v, 4);
                let mark = self.b.ins().load(types::I32, flags(), at, 0);
                let met = self.b.ins().icmp(IntCC::Equal, mark, self.epoch);
                self.b.ins().brif(met, next, &[], found, &[]);
                self.b.switch_to_block(next);
                let more = self.b.ins().iadd_imm_s(v, 1);
                self.b.ins().jump(head, &[BlockArg::Value(more)]);
                self.b.switch_to_block(found);
                v
            }
        };
        self.b.ins().jump(self.done, &[BlockArg::Value(value)]);
        Ok(())
    }

    /// The ways out of the function.
    fn exits(&mut self) {
        self.b.switch_to_block(self.wins);
        let one = self.word(1);
        self.b.ins().jump(self.done, &[BlockArg::Value(one)]);
        self.b.switch_to_block(self.done);
        let value = self.b.block_params(self.done)[0];
        let value = self.b.ins().ireduce(types::I32, value);
        self.b
            .ins()
            .store(flags(), value, self.frame, code::VALUE as i32);
        let done = self.word(code::DONE);
        self.b.ins().return_(&[done]);
        self.b.switch_to_block(self.late);
        for i in 0..self.layout.words().len() {
            let word = self.b.block_params(self.late)[i];
            let at = (code::MISSING + i * code::WORD) as i32;
            self.b.ins().store(flags(), word, self.frame, at);
        }
        let late = self.word(code::LATE);
        self.b.ins().return_(&[late]);
        self.b.switch_to_block(self.unable);
        let unable = self.word(code::UNABLE);
        self.b.ins().return_(&[unable]);
    }

    // Options.

    /// Looks up an option and takes note of its value.
    fn option(&mut self, parts: &Parts) -> Result<()> {
        let Parts::Each(exprs) = parts else {
            return Err("a number of parts that depends on the position".to_owned());
        };
        let rules: &'a Rules = self.rules;
        let shape = &rules.game().shape;
        let none = self.b.create_block();
        let mut parts = Vec::new();
        let mut below = self.mode == Mode::Outcomes;
        for expr in exprs {
            let mut words = Vec::new();
            below |= self.words(expr, shape, Some(none), &mut words)?;
            for run in self.layout.unordered() {
                self.sort(&mut words[run.clone()]);
            }
            parts.push(words);
        }
        match self.mode {
            Mode::Values => {
                let mut sum = self.word(0);
                let lone = parts.len() == 1;
                for words in parts {
                    // Of one part alone, what stands for no value is marked as one.
                    let value = self.lookup(&words, self.careful || !lone);
                    sum = self.b.ins().bxor(sum, value);
                }
                if self.width == Width::Four {
                    let marks = self.width.marks() as i64;
                    let large =
                        self.b
                            .ins()
                            .icmp_imm_s(IntCC::SignedGreaterThanOrEqual, sum, marks);
                    self.unable_if(large);
                }
                let at = self.element(self.marks, sum, 4);
                let epoch = self.epoch;
                self.b.ins().store(flags(), epoch, at, 0);
                if below {
                    self.b.ins().jump(none, &[]);
                }
            }
            Mode::Outcomes => {
                let [words] = &parts[..] else {
                    return Err("parts whose outcomes do not add".to_owned());
                };
                let yes = self.b.ins().iconst(types::I8, 1);
                self.b.def_var(self.any, yes);
                let value = self.lookup(words, true);
                self.b.ins().brif(value, none, &[], self.wins, &[]);
            }
        }
        if below {
            self.b.switch_to_block(none);
        }
        Ok(())
    }

    /// The value of a position of the table, or what stands for none where it is not asked whether there is one.
    fn lookup(&mut self, words: &[Num], asked: bool) -> Val {
        let layout: &'a Layout = self.layout;
        let mut place: Option<Val> = None;
        for (num, word) in words.iter().zip(layout.words()) {
            let to = i128::from(word.to);
            // Below zero it has been seen not to be.
            if num.range.hi > to {
                let past =
                    self.b
                        .ins()
                        .icmp_imm_s(IntCC::SignedGreaterThan, num.value, word.to as i64);
                self.unable_if(past);
            }
            let more = match &word.offset {
                Offset::Times(1) => num.value,
                Offset::Times(stride) => self.b.ins().imul_imm_s(num.value, *stride as i64),
                Offset::Listed(list) => {
                    let start = self.word(list.as_ptr() as i64);
                    let at = self.element(start, num.value, 8);
                    self.b.ins().load(types::I64, fixed(), at, 0)
                }
            };
            place = Some(match place {
                None => more,
                Some(place) => self.b.ins().iadd(place, more),
            });
        }
        let place = place.unwrap_or_else(|| self.word(0));
        let index = match self.width {
            Width::Quarter => self.b.ins().ushr_imm_u(place, 2),
            _ => place,
        };
        let at = self.element(self.cells, index, self.width.bytes());
        let value = match self.width {
            Width::Quarter => {
                let byte = self.b.ins().uload8(types::I64, flags(), at, 0);
                let cell = self.b.ins().band_imm_u(place, 3);
                let shift = self.b.ins().ishl_imm_u(cell, 1);
                let rest = self.b.ins().ushr(byte, shift);
                self.b.ins().band_imm_u(rest, 3)
            }
            Width::One => self.b.ins().uload8(types::I64, flags(), at, 0),
            Width::Two => self.b.ins().uload16(types::I64, flags(), at, 0),
            Width::Four => self.b.ins().uload32(flags(), at, 0),
        };
        if !asked {
            return value;
        }
        let unknown = self.width.unknown();
        let unknown = self.b.ins().icmp_imm_s(IntCC::Equal, value, unknown);
        let known = self.b.create_block();
        let words: Vec<BlockArg> = words.iter().map(|w| BlockArg::Value(w.value)).collect();
        self.b.ins().brif(unknown, self.late, &words, known, &[]);
        self.b.switch_to_block(known);
        value
    }

    /// The counters of a position. With `none`, a count below zero leads there, at once where the interpreter looks at once;
    /// whether there may be one.
    fn words(
        &mut self,
        expr: &Expr,
        shape: &Shape,
        none: Option<Block>,
        out: &mut Vec<Num>,
    ) -> Result<bool> {
        let at = out.len();
        let (mut seen, mut below) = (false, false);
        match (shape, &expr.kind) {
            (Shape::Int, _) => out.push(self.int(expr)?),
            (Shape::Tuple(shapes), ExprKind::Tuple(members)) => {
                for (member, shape) in members.iter().zip(shapes) {
                    below |= self.words(member, shape, none, out)?;
                }
                seen = true;
            }
            (Shape::Unordered(_, inner), ExprKind::Tuple(members)) => {
                for member in members {
                    below |= self.words(member, inner, none, out)?;
                }
                seen = true;
            }
            (_, ExprKind::Slot(slot)) => match &self.env[*slot] {
                Some(Bound::Words(words)) => out.extend_from_slice(words),
                _ => return Err("a tuple given as a parameter".to_owned()),
            },
            (_, ExprKind::If(condition, yes, no)) => {
                out.extend(self.either(condition, yes, no, shape)?);
            }
            _ => return Err("a position made by more than a tuple".to_owned()),
        }
        if let (Some(none), false) = (none, seen) {
            for num in &mut out[at..] {
                if num.range.lo < 0 {
                    num.range.lo = 0;
                    below = true;
                    let less = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, num.value, 0);
                    let on = self.b.create_block();
                    self.b.ins().brif(less, none, &[], on, &[]);
                    self.b.switch_to_block(on);
                }
            }
        }
        Ok(below)
    }

    /// The counters of one of two expressions.
    fn either(
        &mut self,
        condition: &Expr,
        yes: &Expr,
        no: &Expr,
        shape: &Shape,
    ) -> Result<Vec<Num>> {
        let after = self.b.create_block();
        for _ in 0..shape.width().unwrap_or(0) {
            self.b.append_block_param(after, types::I64);
        }
        let (on, off) = (self.b.create_block(), self.b.create_block());
        self.condition(condition, on, off)?;
        let mut found: Vec<Vec<Num>> = Vec::new();
        for (block, expr) in [(on, yes), (off, no)] {
            self.b.switch_to_block(block);
            let mut words = Vec::new();
            self.words(expr, shape, None, &mut words)?;
            let args: Vec<_> = words.iter().map(|w| BlockArg::Value(w.value)).collect();
            self.b.ins().jump(after, &args);
            found.push(words);
        }
        self.b.switch_to_block(after);
        let values = self.b.block_params(after).iter();
        let ranges = found[0]
            .iter()
            .zip(&found[1])
            .map(|(a, b)| a.range.or(b.range));
        let all = values.zip(ranges);
        Ok(all.map(|(&value, range)| Num { value, range }).collect())
    }

    /// Puts members in order of size.
    fn sort(&mut self, words: &mut [Num]) {
        // The members as they come out share all bounds that they had, since it is not known which is which.
        let range = words.iter().map(|w| w.range).reduce(Range::or);
        for end in (1..words.len()).rev() {
            for i in 0..end {
                let (a, b) = (words[i].value, words[i + 1].value);
                let less = self.b.ins().icmp(IntCC::SignedLessThan, a, b);
                words[i].value = self.b.ins().select(less, a, b);
                words[i + 1].value = self.b.ins().select(less, b, a);
            }
        }
        for word in words {
            word.range = range.unwrap_or(word.range);
        }
    }

    // Patterns.

    /// What the names of a pattern stand for, once for each order of members that must be tried.
    fn matches(
        &self,
        pattern: &Pattern,
        shape: &Shape,
        words: &[Num],
    ) -> Result<Vec<Vec<(Slot, Bound)>>> {
        let all = match (pattern, shape) {
            (Pattern::Bind(slot), Shape::Int) => vec![vec![(*slot, Bound::Num(words[0]))]],
            (Pattern::Bind(slot), _) => vec![vec![(*slot, Bound::Words(words.to_vec()))]],
            (Pattern::Tuple(members), Shape::Tuple(shapes)) => {
                let pieces = members.iter().zip(shapes);
                self.in_order(&pieces.collect::<Vec<_>>(), words)?
            }
            (
                Pattern::Unordered {
                    members,
                    every_order,
                },
                Shape::Unordered(n, inner),
            ) => {
                let width = inner.width().unwrap_or(0);
                let mut orders: Vec<Vec<usize>> = vec![(0..*n).collect()];
                if *every_order {
                    orders = permutations(*n);
                }
                let pieces: Vec<_> = members.iter().map(|m| (m, &**inner)).collect();
                let mut all = Vec::new();
                for order in orders {
                    let turned: Vec<Num> = order
                        .iter()
                        .flat_map(|&i| words[i * width..][..width].iter().copied())
                        .collect();
                    all.extend(self.in_order(&pieces, &turned)?);
                }
                all
            }
            _ => return Err("members picked out of a multiset".to_owned()),
        };
        if all.len() > ORDERS {
            return Err(format!("more than {ORDERS} orders of members"));
        }
        Ok(all)
    }

    fn in_order(
        &self,
        pieces: &[(&Pattern, &Shape)],
        words: &[Num],
    ) -> Result<Vec<Vec<(Slot, Bound)>>> {
        let mut all = vec![Vec::new()];
        let mut rest = words;
        for (pattern, shape) in pieces {
            let (mine, others) = rest.split_at(shape.width().unwrap_or(0));
            rest = others;
            let ways = self.matches(pattern, shape, mine)?;
            all = all
                .iter()
                .flat_map(|sofar| {
                    ways.iter()
                        .map(move |way| sofar.iter().chain(way).cloned().collect())
                })
                .collect();
        }
        Ok(all)
    }

    fn bind(&mut self, names: Vec<(Slot, Bound)>) {
        for (slot, bound) in names {
            self.env[slot] = Some(bound);
        }
    }

    // Clauses.

    /// The code of `leaf` for each way to satisfy the clauses; goes on behind them.
    fn clauses(
        &mut self,
        clauses: &[Clause],
        innermost: Innermost,
        leaf: Leaf<'_, 'a, 'f>,
    ) -> Result<()> {
        let Some((clause, rest)) = clauses.split_first() else {
            return leaf(self);
        };
        match clause {
            Clause::If(condition) => {
                let (yes, after) = (self.b.create_block(), self.b.create_block());
                let no = match innermost {
                    Some((slot, over)) if self.fails_for_good(condition, slot) => over,
                    _ => after,
                };
                self.condition(condition, yes, no)?;
                self.b.switch_to_block(yes);
                // Behind a guard that may fail to be decided, later values are to be asked for that.
                let innermost = innermost.filter(|(slot, _)| self.decided(condition, *slot));
                let facts = self.facts.len();
                self.learn(condition);
                self.clauses(rest, innermost, leaf)?;
                self.facts.truncate(facts);
                self.b.ins().jump(after, &[]);
                self.b.switch_to_block(after);
                Ok(())
            }
            Clause::For {
                slots,
                domain: Domain::Range(lo, hi),
            } => {
                let slot = slots[0];
                let facts = self.facts.len();
                let quantified = Expr {
                    kind: ExprKind::Slot(slot),
                    ..lo.clone()
                };
                self.learn_order(lo, &quantified, 0);
                self.learn_order(&quantified, hi, 0);
                let (lo, hi) = (self.int(lo)?, self.int(hi)?);
                match rest.split_first() {
                    Some((Clause::If(guard), others))
                        if let Some(number) = self.divided(guard, slot, lo) =>
                    {
                        self.divisors(slot, lo, hi, number, others, leaf)?;
                    }
                    _ => self.range(slot, lo, hi, rest, leaf)?,
                }
                self.facts.truncate(facts);
                Ok(())
            }
            Clause::For {
                slots,
                domain: Domain::Members(list),
            } => {
                let [slot] = slots[..] else {
                    return Err("a list of tuples".to_owned());
                };
                let list = if self.constant(list) {
                    let words = words_of(&self.evaluate(list)?)?;
                    if self.all_at_once(slot, &words, rest) {
                        return self.unrolled(slot, words, rest, leaf);
                    }
                    self.constants(words)
                } else {
                    self.one_of_lists(list)?
                };
                self.members(slot, list, rest, leaf)
            }
        }
    }

    /// A loop over the elements of a list.
    fn members(
        &mut self,
        slot: Slot,
        list: List,
        rest: &[Clause],
        leaf: Leaf<'_, 'a, 'f>,
    ) -> Result<()> {
        let range = list.range;
        self.elements(list, &mut |lower, value| {
            lower.env[slot] = Some(Bound::Num(Num { value, range }));
            lower.clauses(rest, None, leaf)
        })
    }

    /// Whether the elements of a list are few enough for code of their own, and behind them stand only guards that hold for all
    /// of them if they do for the greatest.
    fn all_at_once(&mut self, slot: Slot, words: &[i64], rest: &[Clause]) -> bool {
        if words.is_empty() || words.len() > UNROLLED - self.unrolled {
            return false;
        }
        let value = self.word(0);
        let range = bounds(words);
        self.env[slot] = Some(Bound::Num(Num { value, range }));
        rest.iter().all(|clause| match clause {
            Clause::If(guard) => self.fails_for_good(guard, slot),
            Clause::For { .. } => false,
        })
    }

    /// Code for each element of such a list, without its guards, where they hold for all; a loop where not.
    fn unrolled(
        &mut self,
        slot: Slot,
        words: Vec<i64>,
        rest: &[Clause],
        leaf: Leaf<'_, 'a, 'f>,
    ) -> Result<()> {
        self.unrolled += words.len();
        let guards = rest.iter().filter_map(|clause| match clause {
            Clause::If(guard) => Some(guard),
            Clause::For { .. } => None,
        });
        let (loose, over) = (self.b.create_block(), self.b.create_block());
        let count = self.num(words.len() as i64);
        let one = self.num(1);
        self.enter_range(one, count, over);
        let greatest = self.num(bounds(&words).hi as i64);
        self.env[slot] = Some(Bound::Num(greatest));
        let facts = self.facts.len();
        for guard in guards.clone() {
            let holds = self.b.create_block();
            self.condition(guard, holds, loose)?;
            self.b.switch_to_block(holds);
            self.learn(guard);
        }
        for &word in &words {
            self.env[slot] = Some(Bound::Num(self.num(word)));
            leaf(self)?;
        }
        self.facts.truncate(facts);
        self.b.ins().jump(over, &[]);
        if guards.count() > 0 {
            self.b.switch_to_block(loose);
            let list = self.constants(words);
            self.members(slot, list, rest, leaf)?;
            self.b.ins().jump(over, &[]);
        }
        self.b.switch_to_block(over);
        Ok(())
    }

    /// Takes note of what a guard says where it holds.
    fn learn(&mut self, guard: &Expr) {
        match &guard.kind {
            ExprKind::And(all) => all.iter().for_each(|part| self.learn(part)),
            ExprKind::Compare(op, a, b) => match op {
                CompareOp::Le => self.learn_order(a, b, 0),
                CompareOp::Lt => self.learn_order(a, b, 1),
                CompareOp::Ge => self.learn_order(b, a, 0),
                CompareOp::Gt => self.learn_order(b, a, 1),
                CompareOp::Eq | CompareOp::Ne => {}
            },
            _ => {}
        }
    }

    fn learn_order(&mut self, less: &Expr, greater: &Expr, by: i128) {
        match (&less.kind, &greater.kind) {
            (ExprKind::Call(Function::Max, all), _) if all.len() > 1 => {
                all.iter()
                    .for_each(|one| self.learn_order(one, greater, by));
            }
            (_, ExprKind::Call(Function::Min, all)) if all.len() > 1 => {
                all.iter().for_each(|one| self.learn_order(less, one, by));
            }
            _ => self.facts.push(Fact {
                less: less.clone(),
                greater: greater.clone(),
                by,
            }),
        }
    }

    fn range(
        &mut self,
        slot: Slot,
        lo: Num,
        hi: Num,
        rest: &[Clause],
        leaf: Leaf<'_, 'a, 'f>,
    ) -> Result<()> {
        let range = Range::new(lo.range.lo, hi.range.hi.max(lo.range.lo));
        self.counted(lo, hi, &mut |lower, value, over| {
            lower.env[slot] = Some(Bound::Num(Num { value, range }));
            lower.clauses(rest, Some((slot, over)), leaf)
        })
    }

    /// A loop from one number to another, both included. The body is told the number and where the loop ends.
    fn counted(
        &mut self,
        lo: Num,
        hi: Num,
        body: &mut dyn FnMut(&mut Self, Val, Block) -> Result<()>,
    ) -> Result<()> {
        let over = self.b.create_block();
        self.enter_range(lo, hi, over);
        self.stepped(lo, hi, 1, over, body)
    }

    /// A loop over the elements of a list.
    fn elements(
        &mut self,
        list: List,
        body: &mut dyn FnMut(&mut Self, Val) -> Result<()>,
    ) -> Result<()> {
        let over = self.b.create_block();
        let first = self.num(0);
        let last = Num {
            value: self.b.ins().iadd_imm_s(list.len.value, -1),
            range: list.len.range.minus(Range::one(1)),
        };
        self.enter_range(first, last, over);
        let last = Num {
            value: self.b.ins().ishl_imm_u(last.value, 3),
            range: last.range.times(Range::one(8)),
        };
        self.stepped(first, last, 8, over, &mut |lower, offset, _| {
            let at = lower.b.ins().iadd(list.start, offset);
            let value = lower.b.ins().load(types::I64, fixed(), at, 0);
            body(lower, value)
        })
    }

    /// A loop from a number in steps to one no less, which it reaches exactly, and to `over`.
    fn stepped(
        &mut self,
        lo: Num,
        hi: Num,
        step: i64,
        over: Block,
        body: &mut dyn FnMut(&mut Self, Val, Block) -> Result<()>,
    ) -> Result<()> {
        let head = self.b.create_block();
        let v = self.b.append_block_param(head, types::I64);
        self.b.ins().jump(head, &[BlockArg::Value(lo.value)]);
        self.b.switch_to_block(head);
        body(self, v, over)?;
        let next = self.b.ins().iadd_imm_s(v, step);
        // One jump a turn, and `v` is not needed any more where its next value is.
        let last = if hi.range.hi + i128::from(step) <= Range::WORD.hi {
            self.b.ins().icmp(IntCC::SignedGreaterThan, next, hi.value)
        } else {
            self.b.ins().icmp(IntCC::Equal, v, hi.value)
        };
        self.b
            .ins()
            .brif(last, over, &[], head, &[BlockArg::Value(next)]);
        self.b.switch_to_block(over);
        Ok(())
    }

    /// Goes to `over` where a range is empty; counts its values as work.
    fn enter_range(&mut self, lo: Num, hi: Num, over: Block) {
        let values = self.values(lo, hi, over);
        if hi.range.hi - lo.range.lo < 2 {
            return;
        }
        let work = self.b.use_var(self.work);
        let work = self.b.ins().iadd(work, values);
        self.b.def_var(self.work, work);
        let many = self
            .b
            .ins()
            .icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, work, WORK as i64);
        self.unable_if(many);
    }

    /// Goes to `over` where a range is empty. Else how many values it has, less one: as unsigned numbers differences are right
    /// whatever the signs.
    fn values(&mut self, lo: Num, hi: Num, over: Block) -> Val {
        let some = self.b.create_block();
        let empty = self
            .b
            .ins()
            .icmp(IntCC::SignedGreaterThan, lo.value, hi.value);
        self.b.ins().brif(empty, over, &[], some, &[]);
        self.b.switch_to_block(some);
        let values = self.b.ins().isub(hi.value, lo.value);
        if hi.range.hi - lo.range.lo >= i128::from(WORK) {
            let many =
                self.b
                    .ins()
                    .icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, values, WORK as i64);
            self.unable_if(many);
        }
        values
    }

    /// The number of whose divisors a guard right behind a range lets through no other.
    fn divided<'e>(&self, guard: &'e Expr, slot: Slot, lo: Num) -> Option<&'e Expr> {
        let number = guard.divided_by(slot)?;
        // It can be computed always, too.
        let (range, _) = range::trend(number, slot, &|s| self.known(s))?;
        let small = range.hi < DIVIDED && range.lo > -DIVIDED;
        (small && lo.range.lo >= 1).then_some(number)
    }

    /// A loop over the divisors of a number within a range: each d up to the root, and the number over d.
    fn divisors(
        &mut self,
        slot: Slot,
        lo: Num,
        hi: Num,
        number: &Expr,
        rest: &[Clause],
        leaf: Leaf<'_, 'a, 'f>,
    ) -> Result<()> {
        let over = self.b.create_block();
        // A range that is too long for the interpreter is so here.
        self.values(lo, hi, over);
        let number = self.int(number)?;
        if number.range.lo < 1 {
            // Everything divides 0.
            let below = self
                .b
                .ins()
                .icmp_imm_s(IntCC::SignedLessThan, number.value, 1);
            self.unable_if(below);
        }
        let (head, try_it, divides, body, other, next) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let d = self.b.append_block_param(head, types::I64);
        let k = self.b.append_block_param(body, types::I64);
        let second = self.b.append_block_param(body, types::I8);
        let one = self.word(1);
        self.b.ins().jump(head, &[BlockArg::Value(one)]);
        self.b.switch_to_block(head);
        let square = self.b.ins().imul(d, d);
        let past = self
            .b
            .ins()
            .icmp(IntCC::SignedGreaterThan, square, number.value);
        self.b.ins().brif(past, over, &[], try_it, &[]);
        self.b.switch_to_block(try_it);
        let (quotient, remainder) = self.divide(number.value, d, number.range.hi);
        self.b.ins().brif(remainder, next, &[], divides, &[]);
        self.b.switch_to_block(divides);
        let first = self.b.ins().iconst(types::I8, 0);
        self.b
            .ins()
            .jump(body, &[BlockArg::Value(d), BlockArg::Value(first)]);
        self.b.switch_to_block(body);
        let (inside, below, after) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let small = self.b.ins().icmp(IntCC::SignedLessThan, k, lo.value);
        self.b.ins().brif(small, after, &[], below, &[]);
        self.b.switch_to_block(below);
        let large = self.b.ins().icmp(IntCC::SignedGreaterThan, k, hi.value);
        self.b.ins().brif(large, after, &[], inside, &[]);
        self.b.switch_to_block(inside);
        let range = Range::new(
            lo.range.lo,
            hi.range.hi.min(number.range.hi).max(lo.range.lo),
        );
        self.env[slot] = Some(Bound::Num(Num { value: k, range }));
        self.clauses(rest, None, leaf)?;
        self.b.ins().jump(after, &[]);
        self.b.switch_to_block(after);
        self.b.ins().brif(second, next, &[], other, &[]);
        self.b.switch_to_block(other);
        let same = self.b.ins().icmp(IntCC::Equal, quotient, d);
        let yes = self.b.ins().iconst(types::I8, 1);
        self.b.ins().brif(
            same,
            next,
            &[],
            body,
            &[BlockArg::Value(quotient), BlockArg::Value(yes)],
        );
        self.b.switch_to_block(next);
        let more = self.b.ins().iadd_imm_s(d, 1);
        self.b.ins().jump(head, &[BlockArg::Value(more)]);
        self.b.switch_to_block(over);
        Ok(())
    }

    /// Quotient and remainder of naturals, the divisor not 0.
    fn divide(&mut self, a: Val, by: Val, most: i128) -> (Val, Val) {
        if most <= u32::MAX.into() {
            // Half as wide is faster, and the divisor is used only where it is no larger.
            let narrow = |lower: &mut Self, v| lower.b.ins().ireduce(types::I32, v);
            let (x, y) = (narrow(self, a), narrow(self, by));
            let quotient = self.b.ins().udiv(x, y);
            let product = self.b.ins().imul(quotient, y);
            let remainder = self.b.ins().isub(x, product);
            let wide = |lower: &mut Self, v| lower.b.ins().uextend(types::I64, v);
            return (wide(self, quotient), wide(self, remainder));
        }
        let quotient = self.b.ins().udiv(a, by);
        let product = self.b.ins().imul(quotient, by);
        (quotient, self.b.ins().isub(a, product))
    }

    /// The comparison of a guard, and how its sides go with a quantifier, if both can be computed always.
    fn trends(&self, condition: &Expr, slot: Slot) -> Option<(CompareOp, Trend, Trend)> {
        let ExprKind::Compare(op, a, b) = &condition.kind else {
            return None;
        };
        let of = |e: &Expr| range::trend(e, slot, &|s| self.known(s)).map(|(_, trend)| trend);
        Some((*op, of(a)?, of(b)?))
    }

    /// Whether a guard can be decided for all values of the quantifier.
    fn decided(&self, condition: &Expr, slot: Slot) -> bool {
        self.trends(condition, slot).is_some()
    }

    /// Whether a guard that fails for a value of the quantifier fails for all larger ones.
    fn fails_for_good(&self, condition: &Expr, slot: Slot) -> bool {
        let (rises, falls) = match self.trends(condition, slot) {
            Some((CompareOp::Le | CompareOp::Lt, a, b)) => (a, b),
            Some((CompareOp::Ge | CompareOp::Gt, a, b)) => (b, a),
            _ => return false,
        };
        matches!(rises, Trend::Up | Trend::Flat) && matches!(falls, Trend::Down | Trend::Flat)
    }

    fn known(&self, slot: Slot) -> Option<Range> {
        match self.env.get(slot) {
            Some(Some(Bound::Num(num))) => Some(num.range),
            Some(None) => {
                let value = self.rules.params().get(slot)?.as_int()?.to_i64()?;
                Some(Range::one(value))
            }
            _ => None,
        }
    }

    // Lists.

    /// `adj[v]`: one of several lists of numbers that the parameters give.
    fn one_of_lists(&mut self, expr: &Expr) -> Result<List> {
        if let ExprKind::Index(lists, index) = &expr.kind
            && self.constant(lists)
        {
            let lists = self.evaluate(lists)?;
            let lists = lists.as_seq().unwrap_or_default();
            let mut all = Vec::new();
            let mut starts = Vec::new();
            for list in lists {
                let words = words_of(list)?;
                starts.push((all.len() as i64, words.len() as i64));
                all.extend(words);
            }
            let index = self.int(index)?;
            self.index_within(index, lists.len());
            let (offsets, lens) = starts.into_iter().unzip();
            let all = self.constants(all);
            let (offsets, lens): (Vec<i64>, Vec<i64>) = (offsets, lens);
            let lens_range = bounds(&lens);
            let (offsets, lens) = (self.constants(offsets), self.constants(lens));
            let offset = self.entry(offsets, index.value);
            let len = self.entry(lens, index.value);
            return Ok(List {
                start: self.element(all.start, offset, 8),
                len: Num {
                    value: len,
                    range: lens_range,
                },
                range: all.range,
            });
        }
        Err("a list that the position gives".to_owned())
    }

    fn constants(&mut self, words: Vec<i64>) -> List {
        let range = bounds(&words);
        let words = words.into_boxed_slice();
        let list = List {
            start: self.word(words.as_ptr() as i64),
            len: self.num(words.len() as i64),
            range,
        };
        self.lists.push(words);
        list
    }

    fn entry(&mut self, list: List, index: Val) -> Val {
        let at = self.element(list.start, index, 8);
        self.b.ins().load(types::I64, fixed(), at, 0)
    }

    fn index_within(&mut self, index: Num, len: usize) {
        if index.range.lo < 0 || index.range.hi >= len as i128 {
            let outside =
                self.b
                    .ins()
                    .icmp_imm_u(IntCC::UnsignedGreaterThanOrEqual, index.value, len as i64);
            self.unable_if(outside);
        }
    }

    // Expressions.

    /// Whether the parameters alone give an expression.
    fn constant(&self, expr: &Expr) -> bool {
        let params = self.rules.params().len();
        let mut free = true;
        let mut own = Vec::new();
        expr.walk(&mut |e| {
            if let ExprKind::Fold(_, _, clauses) = &e.kind {
                for clause in clauses {
                    if let Clause::For { slots, .. } = clause {
                        own.extend_from_slice(slots);
                    }
                }
            }
        });
        for slot in expr.slots() {
            free &= slot < params || own.contains(&slot);
        }
        free
    }

    /// The value of what the parameters give.
    fn evaluate(&mut self, expr: &Expr) -> Result<Value> {
        let mut machine = self.rules.machine().with_patience(PATIENCE);
        let value = machine.value(expr);
        value.map_err(|_| "a value that cannot be computed".to_owned())
    }

    fn num(&mut self, v: i64) -> Num {
        Num {
            value: self.word(v),
            range: Range::one(v),
        }
    }

    /// A number. Where it cannot be computed the code has left.
    fn int(&mut self, expr: &Expr) -> Result<Num> {
        if self.constant(expr) {
            return match self.evaluate(expr).ok().and_then(|v| v.as_int()?.to_i64()) {
                Some(v) => Ok(self.num(v)),
                // An error of the rules, or a large number: the interpreter knows.
                None => {
                    self.leave();
                    Ok(self.num(0))
                }
            };
        }
        match &expr.kind {
            ExprKind::Slot(slot) => match &self.env[*slot] {
                Some(Bound::Num(num)) => Ok(*num),
                _ => Err("a name that stands for no number".to_owned()),
            },
            ExprKind::Neg(a) => {
                let (zero, a) = (self.num(0), self.int(a)?);
                Ok(self.arithmetic(BinaryOp::Sub, zero, a))
            }
            ExprKind::Binary(op, a, b) => match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Xor => {
                    let (x, y) = (self.int(a)?, self.int(b)?);
                    let mut num = self.arithmetic(*op, x, y);
                    if *op == BinaryOp::Sub {
                        let facts = self.facts.iter();
                        let facts = facts.filter(|f| f.greater.same(a) && f.less.same(b));
                        let least = facts.map(|fact| fact.by).max();
                        num.range.lo = least.map_or(num.range.lo, |by| by.max(num.range.lo));
                    }
                    Ok(num)
                }
                BinaryOp::Div | BinaryOp::Mod => {
                    let (a, b) = (self.int(a)?, self.int(b)?);
                    Ok(self.division(*op == BinaryOp::Div, a, b))
                }
                BinaryOp::Pow => self.power(a, b),
            },
            ExprKind::If(condition, yes, no) => {
                Ok(self.either(condition, yes, no, &Shape::Int)?[0])
            }
            ExprKind::Index(list, index) => {
                if !self.constant(list) {
                    return Err("an element of a list that the position gives".to_owned());
                }
                let index = self.int(index)?;
                let value = self.evaluate(list)?;
                let words = words_of(&value)?;
                self.index_within(index, words.len());
                let list = self.constants(words);
                let value = self.entry(list, index.value);
                let range = list.range;
                Ok(Num { value, range })
            }
            ExprKind::Call(function, args) => self.call(*function, args),
            ExprKind::Fold(fold, body, clauses) => self.fold(*fold, body, clauses),
            _ => Err("a number made of lists or sets".to_owned()),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, a: Num, b: Num) -> Num {
        let range = match op {
            BinaryOp::Add => a.range.plus(b.range),
            BinaryOp::Sub => a.range.minus(b.range),
            BinaryOp::Mul => a.range.times(b.range),
            _ if a.range.natural() && b.range.natural() => {
                let most = a.range.hi.max(b.range.hi) as u64;
                let bits = 64 - most.leading_zeros();
                Range::new(0, (1i128 << bits) - 1)
            }
            _ => Range::WORD,
        };
        let (x, y) = (a.value, b.value);
        if range.is_word() {
            let value = match op {
                BinaryOp::Add => self.b.ins().iadd(x, y),
                BinaryOp::Sub if b.range == Range::one(b.range.lo as i64) => {
                    self.b.ins().iadd_imm_s(x, -(b.range.lo as i64))
                }
                BinaryOp::Sub => self.b.ins().isub(x, y),
                BinaryOp::Mul => self.b.ins().imul(x, y),
                _ => self.b.ins().bxor(x, y),
            };
            return Num { value, range };
        }
        let (value, overflow) = match op {
            BinaryOp::Add => self.b.ins().sadd_overflow(x, y),
            BinaryOp::Sub => self.b.ins().ssub_overflow(x, y),
            _ => self.b.ins().smul_overflow(x, y),
        };
        self.unable_if(overflow);
        let range = range.word();
        Num { value, range }
    }

    /// The quotient rounded down, or the remainder with the sign of the divisor.
    fn division(&mut self, quotient: bool, a: Num, b: Num) -> Num {
        if b.range.lo <= 0 && b.range.hi >= 0 {
            let zero = self.b.ins().icmp_imm_s(IntCC::Equal, b.value, 0);
            self.unable_if(zero);
        }
        if a.range.natural() && b.range.natural() {
            // The divisor is at least 1 by now.
            let least = b.range.lo.max(1);
            let narrow = a.range.hi.max(b.range.hi) <= u32::MAX.into();
            let most = if narrow { 0 } else { i128::MAX };
            let (q, r) = self.divide(a.value, b.value, most);
            return if quotient {
                let range = Range::new(a.range.lo / b.range.hi.max(1), a.range.hi / least);
                Num { value: q, range }
            } else {
                let range = Range::new(0, a.range.hi.min(b.range.hi - 1).max(0));
                Num { value: r, range }
            };
        }
        if a.range.lo == Range::WORD.lo && b.range.lo <= -1 {
            // The one quotient that does not fit; there is no need to be exact about it.
            let least = self.b.ins().icmp_imm_s(IntCC::Equal, a.value, i64::MIN);
            self.unable_if(least);
        }
        let q = self.b.ins().sdiv(a.value, b.value);
        let product = self.b.ins().imul(q, b.value);
        let r = self.b.ins().isub(a.value, product);
        // Rounded towards 0 so far: where a remainder is left and its sign is not the divisor's, one less.
        let signs = self.b.ins().bxor(r, b.value);
        let differ = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, signs, 0);
        let left = self.b.ins().icmp_imm_s(IntCC::NotEqual, r, 0);
        let wrong = self.b.ins().band(differ, left);
        let value = if quotient {
            let less = self.b.ins().iadd_imm_s(q, -1);
            self.b.ins().select(wrong, less, q)
        } else {
            let more = self.b.ins().iadd(r, b.value);
            self.b.ins().select(wrong, more, r)
        };
        let range = if quotient {
            let most = a.range.lo.abs().max(a.range.hi.abs());
            Range::new(-most, most).word()
        } else {
            Range::new(b.range.lo.min(0), b.range.hi.max(0))
        };
        Num { value, range }
    }

    fn power(&mut self, base: &Expr, exponent: &Expr) -> Result<Num> {
        if let ExprKind::Int(n) = &exponent.kind
            && let Some(n @ 1..=8) = n.to_i64()
        {
            let base = self.int(base)?;
            let mut power = base;
            for _ in 1..n {
                power = self.arithmetic(BinaryOp::Mul, power, base);
            }
            return Ok(power);
        }
        // A constant to a power that varies: all of them that fit, listed.
        if !self.constant(base) {
            return Err("a power whose base and exponent vary".to_owned());
        }
        let base = self.evaluate(base)?;
        let Some(base) = base.as_int().and_then(|v| v.to_i64()).filter(|b| *b >= 2) else {
            return Err("a power of a number below 2".to_owned());
        };
        let exponent = self.int(exponent)?;
        let mut powers = vec![1i64];
        while let Some(next) = powers.last().and_then(|p| p.checked_mul(base)) {
            powers.push(next);
        }
        self.index_within(exponent, powers.len());
        let list = self.constants(powers);
        let value = self.entry(list, exponent.value);
        let range = list.range;
        Ok(Num { value, range })
    }

    fn call(&mut self, function: Function, args: &[Expr]) -> Result<Num> {
        match function {
            Function::Min | Function::Max if args.len() > 1 => {
                let mut best = self.int(&args[0])?;
                for arg in &args[1..] {
                    let next = self.int(arg)?;
                    let (compare, range) = if function == Function::Min {
                        (IntCC::SignedLessThan, best.range.least(next.range))
                    } else {
                        (IntCC::SignedGreaterThan, best.range.greatest(next.range))
                    };
                    let better = self.b.ins().icmp(compare, next.value, best.value);
                    let value = self.b.ins().select(better, next.value, best.value);
                    best = Num { value, range };
                }
                Ok(best)
            }
            Function::Gcd => {
                let (a, b) = (self.int(&args[0])?, self.int(&args[1])?);
                let gcd = code::gcd as extern "C" fn(i64, i64) -> i64;
                let value = self.result_of(self.of_two, gcd as usize, &[a.value, b.value]);
                let most = [a.range.lo, a.range.hi, b.range.lo, b.range.hi];
                let most = most.iter().map(|v| v.abs()).max().unwrap_or(0);
                if most > Range::WORD.hi {
                    let below = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, value, 0);
                    self.unable_if(below);
                }
                let range = Range::new(0, most).word();
                Ok(Num { value, range })
            }
            Function::Abs => {
                let (zero, a) = (self.num(0), self.int(&args[0])?);
                if a.range.natural() {
                    return Ok(a);
                }
                let minus = self.arithmetic(BinaryOp::Sub, zero, a);
                let below = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, a.value, 0);
                let value = self.b.ins().select(below, minus.value, a.value);
                let range = Range::new(0, a.range.lo.abs().max(a.range.hi.abs())).word();
                Ok(Num { value, range })
            }
            Function::Isqrt => {
                let a = self.int(&args[0])?;
                if a.range.lo < 0 {
                    let below = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, a.value, 0);
                    self.unable_if(below);
                }
                let isqrt = code::isqrt as extern "C" fn(i64) -> i64;
                let value = self.result_of(self.of_one, isqrt as usize, &[a.value]);
                let root = |v: i128| i128::from((v.max(0) as u64).isqrt());
                let range = Range::new(root(a.range.lo), root(a.range.hi));
                Ok(Num { value, range })
            }
            _ => Err("a function of lists".to_owned()),
        }
    }

    /// The result of a function of this process.
    fn result_of(&mut self, signature: SigRef, at: usize, args: &[Val]) -> Val {
        let at = self.b.ins().iconst(types::I64, at as i64);
        let call = self.b.ins().call_indirect(signature, at, args);
        self.b.inst_results(call)[0]
    }

    /// A number folded from the values of clauses.
    fn fold(&mut self, fold: Fold, body: &Expr, clauses: &[Clause]) -> Result<Num> {
        let clauses = flat(clauses);
        let result = self.b.declare_var(types::I64);
        let (start, range) = match fold {
            Fold::Sum => (0, Range::WORD),
            Fold::Count => (0, Range::new(0, Range::WORD.hi)),
            Fold::All => (1, Range::new(0, 1)),
            Fold::Any => (0, Range::new(0, 1)),
            Fold::Min => (i64::MAX, Range::WORD),
            Fold::Max => (i64::MIN, Range::WORD),
            Fold::List | Fold::Set => return Err("a list made by a comprehension".to_owned()),
        };
        let start = self.word(start);
        self.b.def_var(result, start);
        let some = self.b.declare_var(types::I8);
        let no = self.b.ins().iconst(types::I8, 0);
        self.b.def_var(some, no);
        let end = self.b.create_block();
        self.clauses(&clauses, None, &mut |lower| {
            match fold {
                Fold::All | Fold::Any => {
                    let (met, on) = (lower.b.create_block(), lower.b.create_block());
                    if fold == Fold::Any {
                        lower.condition(body, met, on)?;
                    } else {
                        lower.condition(body, on, met)?;
                    }
                    lower.b.switch_to_block(met);
                    let found = lower.word((fold == Fold::Any).into());
                    lower.b.def_var(result, found);
                    lower.b.ins().jump(end, &[]);
                    lower.b.switch_to_block(on);
                }
                Fold::Count => {
                    let (met, on) = (lower.b.create_block(), lower.b.create_block());
                    lower.condition(body, met, on)?;
                    lower.b.switch_to_block(met);
                    let count = lower.b.use_var(result);
                    let count = lower.b.ins().iadd_imm_s(count, 1);
                    lower.b.def_var(result, count);
                    lower.b.ins().jump(on, &[]);
                    lower.b.switch_to_block(on);
                }
                _ => {
                    let next = lower.int(body)?;
                    let value = lower.b.use_var(result);
                    let now = Num {
                        value,
                        range: Range::WORD,
                    };
                    let value = match fold {
                        Fold::Sum => lower.arithmetic(BinaryOp::Add, now, next).value,
                        _ => {
                            let compare = if fold == Fold::Min {
                                IntCC::SignedLessThan
                            } else {
                                IntCC::SignedGreaterThan
                            };
                            let better = lower.b.ins().icmp(compare, next.value, value);
                            lower.b.ins().select(better, next.value, value)
                        }
                    };
                    lower.b.def_var(result, value);
                    let yes = lower.b.ins().iconst(types::I8, 1);
                    lower.b.def_var(some, yes);
                }
            }
            Ok(())
        })?;
        self.b.ins().jump(end, &[]);
        self.b.switch_to_block(end);
        if matches!(fold, Fold::Min | Fold::Max) {
            let some = self.b.use_var(some);
            let none = self.b.ins().icmp_imm_s(IntCC::Equal, some, 0);
            self.unable_if(none);
        }
        let value = self.b.use_var(result);
        Ok(Num { value, range })
    }

    /// Goes to `yes` or to `no`. Nothing is put behind it.
    fn condition(&mut self, expr: &Expr, yes: Block, no: Block) -> Result<()> {
        if self.constant(expr) {
            match self.evaluate(expr) {
                Ok(Value::Bool(v)) => {
                    self.b.ins().jump(if v { yes } else { no }, &[]);
                }
                _ => {
                    self.b.ins().jump(self.unable, &[]);
                }
            }
            return Ok(());
        }
        match &expr.kind {
            ExprKind::Compare(op, a, b) => {
                if a.ty != ir::Type::Int {
                    return Err("a comparison of what are no numbers".to_owned());
                }
                let (a, b) = (self.int(a)?, self.int(b)?);
                let compare = match op {
                    CompareOp::Eq => IntCC::Equal,
                    CompareOp::Ne => IntCC::NotEqual,
                    CompareOp::Lt => IntCC::SignedLessThan,
                    CompareOp::Le => IntCC::SignedLessThanOrEqual,
                    CompareOp::Gt => IntCC::SignedGreaterThan,
                    CompareOp::Ge => IntCC::SignedGreaterThanOrEqual,
                };
                let holds = self.b.ins().icmp(compare, a.value, b.value);
                self.b.ins().brif(holds, yes, &[], no, &[]);
                Ok(())
            }
            ExprKind::Not(a) => self.condition(a, no, yes),
            ExprKind::And(all) | ExprKind::Or(all) => {
                let and = matches!(expr.kind, ExprKind::And(_));
                for (i, part) in all.iter().enumerate() {
                    if i + 1 == all.len() {
                        return self.condition(part, yes, no);
                    }
                    let on = self.b.create_block();
                    if and {
                        self.condition(part, on, no)?;
                    } else {
                        self.condition(part, yes, on)?;
                    }
                    self.b.switch_to_block(on);
                }
                self.b.ins().jump(if and { yes } else { no }, &[]);
                Ok(())
            }
            ExprKind::If(condition, a, b) => {
                let (on, off) = (self.b.create_block(), self.b.create_block());
                self.condition(condition, on, off)?;
                self.b.switch_to_block(on);
                self.condition(a, yes, no)?;
                self.b.switch_to_block(off);
                self.condition(b, yes, no)
            }
            ExprKind::In(member, domain) => self.member(member, domain, yes, no),
            ExprKind::Fold(fold @ (Fold::All | Fold::Any), body, clauses) => {
                let num = self.fold(*fold, body, clauses)?;
                self.b.ins().brif(num.value, yes, &[], no, &[]);
                Ok(())
            }
            _ => Err("a condition on lists or sets".to_owned()),
        }
    }

    fn member(&mut self, member: &Expr, domain: &Domain, yes: Block, no: Block) -> Result<()> {
        let v = self.int(member)?;
        match domain {
            Domain::Range(lo, hi) => {
                let lo = self.int(lo)?;
                let on = self.b.create_block();
                let above = self
                    .b
                    .ins()
                    .icmp(IntCC::SignedLessThanOrEqual, lo.value, v.value);
                self.b.ins().brif(above, on, &[], no, &[]);
                self.b.switch_to_block(on);
                let hi = self.int(hi)?;
                let below = self
                    .b
                    .ins()
                    .icmp(IntCC::SignedLessThanOrEqual, v.value, hi.value);
                self.b.ins().brif(below, yes, &[], no, &[]);
            }
            Domain::Members(list) if self.constant(list) => {
                let members = self.evaluate(list)?;
                let words = words_of(&members)?;
                if words.len() > FEW {
                    let list = self.constants(words);
                    self.elements(list, &mut |lower, word| {
                        let same = lower.b.ins().icmp(IntCC::Equal, word, v.value);
                        let on = lower.b.create_block();
                        lower.b.ins().brif(same, yes, &[], on, &[]);
                        lower.b.switch_to_block(on);
                        Ok(())
                    })?;
                } else {
                    for word in words {
                        let same = self.b.ins().icmp_imm_s(IntCC::Equal, v.value, word);
                        let on = self.b.create_block();
                        self.b.ins().brif(same, yes, &[], on, &[]);
                        self.b.switch_to_block(on);
                    }
                }
                self.b.ins().jump(no, &[]);
            }
            Domain::Members(_) => return Err("a list that the position gives".to_owned()),
        }
        Ok(())
    }

    // Pieces.

    fn word(&mut self, v: i64) -> Val {
        self.b.ins().iconst(types::I64, v)
    }

    fn field(&mut self, ty: Type, at: usize) -> Val {
        // Read once: where it could be moved it would be read again by each of many options.
        self.b.ins().load(ty, fixed(), self.frame, at as i32)
    }

    /// The address of an element.
    fn element(&mut self, start: Val, index: Val, bytes: i64) -> Val {
        let offset = match bytes {
            1 => index,
            _ => self
                .b
                .ins()
                .ishl_imm_u(index, i64::from(bytes.trailing_zeros())),
        };
        self.b.ins().iadd(start, offset)
    }

    fn unable_if(&mut self, condition: Val) {
        let on = self.b.create_block();
        self.b.ins().brif(condition, self.unable, &[], on, &[]);
        self.b.switch_to_block(on);
    }

    /// Leaves for good; what follows is never reached.
    fn leave(&mut self) {
        self.b.ins().jump(self.unable, &[]);
        let dead = self.b.create_block();
        self.b.switch_to_block(dead);
    }
}

/// Clauses with guards of several conditions taken apart, which are asked in the same order.
fn flat(clauses: &[Clause]) -> Vec<Clause> {
    let mut out = Vec::new();
    for clause in clauses {
        match clause {
            Clause::If(Expr {
                kind: ExprKind::And(all),
                ..
            }) => out.extend(flat(
                &all.iter().cloned().map(Clause::If).collect::<Vec<_>>(),
            )),
            other => out.push(other.clone()),
        }
    }
    out
}

/// The numbers of a list that fit a word.
fn words_of(list: &Value) -> Result<Vec<i64>> {
    let members = list.as_seq().ok_or("a list that is none")?;
    let word = |v: &Value| v.as_int().and_then(|v| v.to_i64());
    let words: Option<Vec<i64>> = members.iter().map(word).collect();
    words.ok_or_else(|| "a list of what are no machine words".to_owned())
}

fn bounds(words: &[i64]) -> Range {
    let least = words.iter().min().copied().unwrap_or(0);
    let most = words.iter().max().copied().unwrap_or(0);
    Range::new(least.into(), most.into())
}

/// All orders of n things, those first that the interpreter tries first; more than [`ORDERS`] are not all given.
fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for i in 0..n {
        let longer = all.iter().take(ORDERS + 1).flat_map(|order| {
            (0..=i).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, i);
                longer
            })
        });
        all = longer.collect();
    }
    all.sort_unstable();
    all
}
