//! From the syntax tree to checked rules: names, types, shapes. Everything wrong is reported, not only the first.
//!
//! Types are found by unification. Cost: near linear in the text.

mod expr;
mod finish;
mod narrow;
mod symmetry;
mod types;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ast::{self, Ident, Span, StatementKind};
use crate::diag::{Code, Diagnostic, Severity, Source};
use crate::ir::{
    Check, End, Expect, Expr, ExprKind, Game, Input, InputItem, Move, Output, OutputSlots, Parts,
    Pattern, Play, Slot, SlotInfo, Start, Type, Var,
};
use crate::suggest::nearest;
pub use types::describe;
use types::{Types, form};

/// Slots of names that are not parameters, while the number of parameters is not known yet.
const LOCAL: Slot = 1 << 24;

/// Reads and checks a game. Warnings come with the game, errors instead of it.
///
/// ```
/// use grundy_lang::{check, diag::Source};
/// let (game, _) = check::load(&Source::new("<rule>", "n -> n - k for k in 1..3")).unwrap();
/// assert_eq!(game.vars[0].name, "n");
/// let errors = check::load(&Source::new("<rule>", "n -> n - k for k in 1..")).unwrap_err();
/// assert_eq!(errors[0].code.as_str(), "G0401");
/// ```
pub fn load(source: &Arc<Source>) -> Result<(Game, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (ast, diagnostics) = crate::parser::parse(source);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(diagnostics);
    }
    check(&ast, source, diagnostics)
}

/// Checks a syntax tree that parsed without errors; `diagnostics` are warnings so far.
fn check(
    ast: &ast::GameAst,
    source: &Arc<Source>,
    diagnostics: Vec<Diagnostic>,
) -> Result<(Game, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut checker = Checker::new(ast, source, diagnostics);
    let game = checker.game(ast);
    let mut diagnostics = checker.diagnostics;
    match game {
        Some(game) if diagnostics.iter().all(|d| d.severity != Severity::Error) => {
            Ok((game, diagnostics))
        }
        _ => {
            let mut seen = HashSet::new();
            diagnostics.retain(|d| {
                seen.insert((d.code, d.labels.first().map(|l| l.0), d.message.clone()))
            });
            Err(diagnostics)
        }
    }
}

/// Where an expression stands, for what its free names mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    /// A move or an end condition: a free name is a parameter of the rules.
    Rules,
    /// The start: a free name is given by the user, one value a part under `sum`.
    Start,
    /// `require` and `limit`.
    Check,
    /// Lengths and sentinels: part variables are lists.
    Input,
    /// The text printed.
    Output,
}

struct Checker<'a> {
    source: &'a Arc<Source>,
    diagnostics: Vec<Diagnostic>,
    types: Types,
    vars: Vec<Var>,
    /// Names that `param` declares: the only ones that nothing may shadow.
    declared: HashSet<String>,
    /// Names in `start` and `input`, which define them wherever they stand.
    given: HashSet<String>,
    /// Names in `start`: a pattern may use them again for the same thing later in play.
    started: HashSet<String>,
    /// Whether a name that nothing defines is an error: there is a `param` or an `input`.
    strict: bool,
    locals: Vec<SlotInfo>,
    scope: Vec<(String, Slot)>,
    /// The slot of the members that a pattern's `...` stands for.
    rest: Option<Slot>,
    place: Place,
    sum: bool,
    /// Names of which `input` reads any number of values.
    listed: HashSet<Slot>,
    each_part: bool,
    position: Type,
    /// Where a name's use, or a pattern, first told its type, and the code of an error about it.
    told: HashMap<Slot, (Span, Code)>,
    /// The first pattern, which tells the shape of all.
    first_pattern: Option<Span>,
    /// Names whose uses do not agree, which is said once.
    torn: HashSet<Slot>,
}

impl<'a> Checker<'a> {
    fn new(ast: &ast::GameAst, source: &'a Arc<Source>, diagnostics: Vec<Diagnostic>) -> Self {
        let (mut given, mut started) = (HashSet::new(), HashSet::new());
        let mut strict = false;
        for statement in &ast.statements {
            match &statement.kind {
                StatementKind::Start { expr, .. } => expr::free_names(expr, &mut started),
                StatementKind::Input { items, .. } => {
                    strict = true;
                    input_names(items, &mut given);
                }
                StatementKind::Param(_) => strict = true,
                _ => {}
            }
        }
        given.extend(started.iter().cloned());
        let mut types = Types::default();
        let position = types.fresh(form::ANY & !form::BOOL & !form::CHAR);
        Checker {
            source,
            diagnostics,
            types,
            vars: Vec::new(),
            declared: HashSet::new(),
            given,
            started,
            strict,
            locals: Vec::new(),
            scope: Vec::new(),
            rest: None,
            place: Place::Rules,
            sum: false,
            listed: HashSet::new(),
            each_part: false,
            position,
            told: HashMap::new(),
            first_pattern: None,
            torn: HashSet::new(),
        }
    }

    fn error(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> &mut Diagnostic {
        self.diagnostics
            .push(Diagnostic::error(code, self.source, message).at(span, label));
        self.diagnostics.last_mut().expect("just pushed")
    }

    fn help(&mut self, text: impl Into<String>) {
        if let Some(last) = self.diagnostics.last_mut() {
            last.help = Some(text.into());
        }
    }

    fn game(&mut self, ast: &ast::GameAst) -> Option<Game> {
        self.once(ast);
        for statement in &ast.statements {
            if let StatementKind::Param(decls) = &statement.kind {
                self.params(decls);
            }
        }
        let move_asts: Vec<(&ast::MoveAst, Span)> = ast
            .statements
            .iter()
            .filter_map(|s| {
                if let StatementKind::Move(m) = &s.kind {
                    Some((m, s.span))
                } else {
                    None
                }
            })
            .collect();
        let Some((first, first_span)) = move_asts.first() else {
            let end = Span::new(self.source.text.len(), self.source.text.len());
            self.error(
                Code::Missing,
                end,
                "a game without a move",
                "no `PATTERN -> RESULT` up to here",
            );
            self.help("state at least one move, for example `n -> n - k for k in 1..3`");
            return None;
        };

        // Patterns of all moves before any result: together they give the shape.
        let mut bound = Vec::new();
        for (m, span) in &move_asts {
            bound.push(self.pattern_of(&m.pattern, *span));
        }
        let mut moves = Vec::new();
        for ((m, span), (pattern, scope, rest)) in move_asts.iter().zip(bound) {
            self.scope = scope;
            self.rest = rest;
            moves.push(self.one_move(m, pattern, *span));
        }
        let mut ends = Vec::new();
        for statement in &ast.statements {
            if let StatementKind::End {
                win,
                pattern,
                condition,
            } = &statement.kind
            {
                let (pattern, scope, rest) =
                    self.pattern_of(pattern.as_ref().unwrap_or(&first.pattern), statement.span);
                (self.scope, self.rest, self.place) = (scope, rest, Place::Rules);
                let condition = self.condition(condition);
                ends.push(End {
                    win: *win,
                    pattern,
                    condition,
                    span: statement.span,
                });
            }
        }
        self.scope.clear();
        self.rest = None;

        let misere = ast
            .statements
            .iter()
            .any(|s| matches!(s.kind, StatementKind::Play { misere: true }));
        let start = self.start(ast, first, misere, !ends.is_empty());
        let input = self.input(ast);
        let output = self.output(ast);
        let (requires, limits) = self.checks(ast);

        let mut game = Game {
            name: ast
                .name
                .as_ref()
                .map_or_else(|| self.source.text.trim().to_owned(), |n| n.name.clone()),
            title: String::new(),
            source: self.source.clone(),
            vars: std::mem::take(&mut self.vars),
            slots: Vec::new(),
            shape: crate::ir::Shape::Int,
            start,
            moves,
            ends,
            play: if misere { Play::Misere } else { Play::Normal },
            requires,
            limits,
            input,
            output,
            expects: Vec::new(),
            samples: Vec::new(),
            aliases: Vec::new(),
            about: None,
            references: Vec::new(),
        };
        game.title = ast
            .title
            .as_ref()
            .map_or_else(|| game.name.clone(), |t| t.text.clone());
        for statement in &ast.statements {
            match &statement.kind {
                StatementKind::Expect { args, answer } => game.expects.push(Expect {
                    args: args
                        .iter()
                        .map(|a| match a {
                            ast::ExpectArg::Named(name, v) => (Some(name.name.clone()), v.clone()),
                            ast::ExpectArg::Positional(v) => (None, v.clone()),
                        })
                        .collect(),
                    answer: answer.clone(),
                    span: statement.span,
                }),
                StatementKind::Sample { input, output } => {
                    game.samples.push((input.text.clone(), output.text.clone()))
                }
                StatementKind::Alias(names) => {
                    game.aliases.extend(names.iter().map(|n| n.name.clone()))
                }
                StatementKind::About(text) => game.about = Some(text.text.clone()),
                StatementKind::Source(text) => game.references.push(text.text.clone()),
                _ => {}
            }
        }
        if self
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
        {
            return None;
        }
        self.finish(&mut game, *first_span);
        symmetry::drop_orders(&mut game);
        Some(game)
    }

    /// Statements that may stand only once, and those of layers to come.
    fn once(&mut self, ast: &ast::GameAst) {
        let mut seen: Vec<(&str, Span)> = Vec::new();
        for statement in &ast.statements {
            let what = match &statement.kind {
                StatementKind::Start { .. } => "start",
                StatementKind::Play { .. } => "play",
                StatementKind::Input { .. } => "input",
                StatementKind::About(_) => "about",
                _ => continue,
            };
            if let Some((_, first)) = seen.iter().find(|(w, _)| *w == what) {
                let first = *first;
                self.error(
                    Code::Repeated,
                    statement.span,
                    format!("a second `{what}`"),
                    "this one",
                )
                .labels
                .push((first, "the first is here".to_owned()));
                self.help("keep one of them");
            } else {
                seen.push((what, statement.span));
            }
        }
    }

    fn params(&mut self, decls: &[ast::ParamDecl]) {
        for decl in decls {
            if let Some(other) = self.vars.iter().find(|v| v.name == decl.name.name) {
                let first = other.span;
                self.error(
                    Code::Repeated,
                    decl.name.span,
                    format!("the parameter `{}` is declared twice", decl.name.name),
                    "again here",
                )
                .labels
                .push((first, "first here".to_owned()));
                continue;
            }
            let mut ty = if decl.dims.is_empty() {
                self.types.fresh(form::ANY)
            } else {
                Type::Int
            };
            if !decl.dims.is_empty() {
                ty = self.types.fresh(form::ANY);
                for _ in &decl.dims {
                    ty = Type::List(Box::new(ty));
                }
            }
            self.declared.insert(decl.name.name.clone());
            self.vars.push(Var {
                name: decl.name.name.clone(),
                ty,
                dims: Vec::new(),
                part: false,
                in_rules: false,
                in_start: false,
                span: decl.name.span,
            });
            self.place = Place::Input;
            let dims = decl
                .dims
                .iter()
                .map(|d| d.as_ref().map(|e| self.number(e)))
                .collect();
            self.vars.last_mut().expect("just pushed").dims = dims;
        }
    }

    /// A pattern and the names it binds.
    fn pattern_of(
        &mut self,
        pattern: &ast::Pattern,
        span: Span,
    ) -> (Pattern, Vec<(String, Slot)>, Option<Slot>) {
        self.scope.clear();
        self.rest = None;
        let here = pattern_expr(pattern).span;
        let first = *self.first_pattern.get_or_insert(here);
        let (pattern, ty) = self.pattern(pattern);
        let position = self.position.clone();
        if self.types.unify(&position, &ty).is_err() {
            let (want, got) = (self.types.describe(&position), self.types.describe(&ty));
            self.error(
                Code::Shape,
                span,
                "patterns of different shapes",
                format!("the position here is {got}"),
            );
            self.help(format!(
                "an earlier move says that the position is {want}; write all patterns in one shape"
            ));
        }
        if let Pattern::Bind(slot) = pattern
            && first != here
            && self.types.is_told(&position)
        {
            self.told.entry(slot).or_insert((first, Code::Shape));
        }
        (pattern, std::mem::take(&mut self.scope), self.rest.take())
    }

    fn pattern(&mut self, pattern: &ast::Pattern) -> (Pattern, Type) {
        match pattern {
            ast::Pattern::Name(name) => {
                let ty = self.types.fresh(form::ANY & !form::BOOL);
                (Pattern::Bind(self.bind_position(name, ty.clone())), ty)
            }
            ast::Pattern::Array(name) => {
                let ty = Type::List(Box::new(self.types.fresh(form::ANY & !form::BOOL)));
                (Pattern::Bind(self.bind_position(name, ty.clone())), ty)
            }
            ast::Pattern::Set(name) => {
                let ty = Type::Set(Box::new(self.types.fresh(form::ANY & !form::BOOL)));
                (Pattern::Bind(self.bind_position(name, ty.clone())), ty)
            }
            ast::Pattern::Tuple(members, _) => {
                let (patterns, types) = members.iter().map(|m| self.pattern(m)).unzip();
                (Pattern::Tuple(patterns), Type::Tuple(types))
            }
            ast::Pattern::Brace {
                members,
                rest,
                span,
            } => {
                let element = self.types.fresh(form::ANY & !form::BOOL);
                let mut patterns = Vec::new();
                for member in members {
                    let (pattern, ty) = self.pattern(member);
                    if self.types.unify(&element, &ty).is_err() {
                        self.error(
                            Code::Shape,
                            *span,
                            "members of `{…}` must have one shape",
                            "these differ",
                        );
                        self.help("write `( … )` for members that play different parts");
                    }
                    patterns.push(pattern);
                }
                if *rest {
                    let slot = self.local("...", Type::List(Box::new(element.clone())));
                    self.rest = Some(slot);
                    (
                        Pattern::Pick {
                            members: patterns,
                            rest: slot,
                        },
                        Type::Multiset(Box::new(element)),
                    )
                } else {
                    let n = patterns.len();
                    (
                        Pattern::Unordered {
                            members: patterns,
                            every_order: true,
                        },
                        Type::Unordered(n, Box::new(element)),
                    )
                }
            }
        }
    }

    fn local(&mut self, name: &str, ty: Type) -> Slot {
        self.locals.push(SlotInfo {
            name: name.to_owned(),
            ty,
        });
        LOCAL + self.locals.len() - 1
    }

    /// Binds a pattern's name: `start n` and then `n -> …` speak of the same counter.
    fn bind_position(&mut self, name: &Ident, ty: Type) -> Slot {
        if self.started.contains(&name.name) && self.scope.iter().all(|(n, _)| *n != name.name) {
            return self.enter(name, ty);
        }
        self.bind(name, ty)
    }

    /// Binds a name in the scope; it must be new there.
    fn bind(&mut self, name: &Ident, ty: Type) -> Slot {
        if self.scope.iter().any(|(n, _)| *n == name.name) {
            self.error(
                Code::Shadowed,
                name.span,
                format!("the name `{}` is already in use in this move", name.name),
                "bound again here",
            );
            self.help("use another name");
        } else if self.declared.contains(&name.name) {
            let first = self
                .vars
                .iter()
                .find(|v| v.name == name.name)
                .map(|v| v.span);
            let error = self.error(
                Code::Shadowed,
                name.span,
                format!(
                    "the name `{}` hides the parameter `{}`",
                    name.name, name.name
                ),
                "bound here",
            );
            error
                .labels
                .extend(first.map(|s| (s, "the parameter".to_owned())));
            self.help("use another name");
        }
        self.enter(name, ty)
    }

    /// A new name in the scope.
    fn enter(&mut self, name: &Ident, ty: Type) -> Slot {
        if self.types.is_told(&ty) {
            self.told
                .insert(LOCAL + self.locals.len(), (name.span, Code::Type));
        }
        let slot = self.local(&name.name, ty);
        self.scope.push((name.name.clone(), slot));
        slot
    }

    fn one_move(&mut self, m: &ast::MoveAst, pattern: Pattern, span: Span) -> Move {
        self.place = Place::Rules;
        let clauses = self.clauses(&m.clauses);
        let parts = match &m.result {
            ast::MoveResult::One(e) => Parts::Each(vec![self.position_expr(e)]),
            ast::MoveResult::Sum(parts) => {
                Parts::Each(parts.iter().map(|e| self.position_expr(e)).collect())
            }
            ast::MoveResult::SumOver(e, clauses) => {
                let mark = self.scope.len();
                let clauses = self.clauses(clauses);
                let part = self.position_expr(e);
                self.scope.truncate(mark);
                Parts::Over(part, clauses)
            }
        };
        Move {
            pattern,
            clauses: finish::hoist(clauses),
            narrowed: Vec::new(),
            parts,
            span,
        }
    }

    /// An expression of the position's shape; a list stands for a set, multiset or unordered tuple.
    fn position_expr(&mut self, e: &ast::Expr) -> Expr {
        let before = self.diagnostics.len();
        let expr = self.expr(e);
        // What is wrong inside has been said; that it does not fit may follow from that alone.
        if self.diagnostics.len() > before {
            return expr;
        }
        let position = self.position.clone();
        let (want, got) = (self.types.head(&position), self.types.head(&expr.ty));
        if let (Type::Set(t) | Type::Multiset(t), Type::List(u) | Type::Set(u)) = (&want, &got)
            && want != got
            && self.types.unify(t, u).is_ok()
        {
            let span = expr.span;
            return Expr {
                kind: ExprKind::Convert(Box::new(expr)),
                ty: want,
                span,
            };
        }
        if self.types.unify(&position, &expr.ty).is_err() {
            let (want, got) = (
                self.types.describe(&position),
                self.types.describe(&expr.ty),
            );
            self.error(
                Code::Shape,
                e.span,
                "this does not fit the position",
                format!("this is {got}"),
            );
            self.help(match self.types.head(&position) {
                Type::List(_) => format!(
                    "a position of this game is {want}; a list that is meant as one position stands in round brackets, \
                     `([…])`, since `[…]` alone is a sum of positions"
                ),
                _ => format!("a position of this game is {want}"),
            });
        }
        expr
    }

    fn start(
        &mut self,
        ast: &ast::GameAst,
        first: &ast::MoveAst,
        misere: bool,
        ends: bool,
    ) -> Start {
        self.place = Place::Start;
        for statement in &ast.statements {
            if let StatementKind::Start { sum, expr } = &statement.kind {
                self.sum = *sum;
                let expr = self.position_expr(expr);
                return Start { sum: *sum, expr };
            }
        }
        let counters = counters_only(&first.pattern);
        let counter = matches!(first.pattern, ast::Pattern::Name(_));
        self.sum = counters && !ends && (!misere || counter);
        let expr = pattern_expr(&first.pattern);
        Start {
            sum: self.sum,
            expr: self.position_expr(&expr),
        }
    }

    fn input(&mut self, ast: &ast::GameAst) -> Option<Input> {
        let (items, until) = ast.statements.iter().find_map(|s| match &s.kind {
            StatementKind::Input { items, until } => Some((items, until)),
            _ => None,
        })?;
        self.place = Place::Input;
        let items = self.input_items(items);
        let until = until.as_ref().map(|e| self.condition(e));
        Some(Input { items, until })
    }

    fn input_items(&mut self, items: &[ast::InputItem]) -> Vec<InputItem> {
        items
            .iter()
            .map(|item| match item {
                ast::InputItem::Scalar(name) => InputItem::Scalar(self.input_name(name, 0)),
                ast::InputItem::Array(name, len) => {
                    let slot = self.input_name(name, 1);
                    self.listed.insert(slot);
                    InputItem::Array(slot, len.as_ref().map(|e| self.number(e)))
                }
                ast::InputItem::Lists(name, len) => {
                    let slot = self.input_name(name, 2);
                    self.listed.insert(slot);
                    InputItem::Lists(slot, self.number(len))
                }
                ast::InputItem::Rows(names, len) => {
                    let slots: Vec<Slot> = names.iter().map(|n| self.input_name(n, 1)).collect();
                    self.listed.extend(&slots);
                    InputItem::Rows(slots, self.number(len))
                }
                ast::InputItem::Repeat(count, items) => {
                    let slot = self.input_name(count, 0);
                    InputItem::Repeat(slot, self.input_items(items))
                }
            })
            .collect()
    }

    /// The variable of a name in `input`, read `depth` lists deep.
    fn input_name(&mut self, name: &Ident, depth: usize) -> Slot {
        let slot = self.var_or_new(name);
        let var = &self.vars[slot];
        let (ty, depth) = (
            var.ty.clone(),
            if var.part {
                depth.saturating_sub(1)
            } else {
                depth
            },
        );
        let mut want = self.types.fresh(form::INT | form::LIST);
        for _ in 0..depth {
            want = Type::List(Box::new(want));
        }
        if self.types.unify(&ty, &want).is_err() {
            let got = self.types.describe(&ty);
            self.error(
                Code::Type,
                name.span,
                format!("`{}` is not read as it is used", name.name),
                format!("the rules use it as {got}"),
            );
            self.help("`x` reads one value, `x[N]` a list of N, `x[N][]` N lists");
        }
        slot
    }

    fn var_or_new(&mut self, name: &Ident) -> Slot {
        if let Some(i) = self.vars.iter().position(|v| v.name == name.name) {
            return i;
        }
        let ty = self.types.fresh(form::ANY & !form::BOOL);
        self.new_var(&name.name, name.span, ty)
    }

    fn new_var(&mut self, name: &str, span: Span, ty: Type) -> Slot {
        self.vars.push(Var {
            name: name.to_owned(),
            ty,
            dims: Vec::new(),
            part: false,
            in_rules: false,
            in_start: false,
            span,
        });
        self.vars.len() - 1
    }

    fn output(&mut self, ast: &ast::GameAst) -> Vec<Output> {
        self.place = Place::Output;
        let slots = OutputSlots {
            win: self.local("win", Type::Bool),
            value: self.local("value", Type::Int),
            moves: self.local("moves", Type::Int),
            case: self.local("case", Type::Int),
        };
        let names = [
            ("win", slots.win),
            ("value", slots.value),
            ("moves", slots.moves),
            ("case", slots.case),
        ];
        self.scope = names.map(|(n, s)| (n.to_owned(), s)).to_vec();
        let mut lines = Vec::new();
        for statement in &ast.statements {
            if let StatementKind::Output { row, expr } = &statement.kind {
                lines.push(Output {
                    row: *row,
                    expr: self.expr(expr),
                    slots,
                });
            }
        }
        self.scope.clear();
        lines
    }

    fn checks(&mut self, ast: &ast::GameAst) -> (Vec<Check>, Vec<Check>) {
        self.place = Place::Check;
        let (mut requires, mut limits) = (Vec::new(), Vec::new());
        for statement in &ast.statements {
            match &statement.kind {
                StatementKind::Require { condition, message } => {
                    let message = message.as_ref().map(|m| m.text.clone());
                    requires.push(self.check_line(condition, message));
                }
                StatementKind::Limit(conditions) => {
                    limits.extend(conditions.iter().map(|c| self.check_line(c, None)));
                }
                _ => {}
            }
        }
        (requires, limits)
    }

    fn check_line(&mut self, condition: &ast::Expr, message: Option<String>) -> Check {
        self.each_part = false;
        let span = condition.span;
        let condition = self.condition(condition);
        Check {
            condition,
            message,
            each_part: self.each_part,
            span,
        }
    }

    /// The slot and type that a name means here.
    fn name(&mut self, name: &str, span: Span) -> (Slot, Type) {
        if let Some((_, slot)) = self.scope.iter().rev().find(|(n, _)| n == name) {
            return (*slot, self.locals[*slot - LOCAL].ty.clone());
        }
        let known = self.vars.iter().position(|v| v.name == name);
        let slot = match (known, self.place) {
            (Some(slot), _) => slot,
            (None, Place::Start) => {
                let ty = self.types.fresh(form::ANY);
                let slot = self.new_var(name, span, ty);
                self.vars[slot].part = self.sum;
                slot
            }
            (None, Place::Rules | Place::Input) if self.given.contains(name) => {
                let ty = self.types.fresh(form::ANY);
                self.new_var(name, span, ty)
            }
            (None, Place::Rules) if !self.strict && !self.partizan(name) => {
                let ty = self.types.fresh(form::ANY);
                self.new_var(name, span, ty)
            }
            (None, _) => {
                self.unknown(name, span);
                let ty = self.types.fresh(form::ANY);
                return (self.local(name, ty.clone()), ty);
            }
        };
        let place = self.place;
        let var = &mut self.vars[slot];
        match place {
            Place::Rules => var.in_rules = true,
            Place::Start => var.in_start = true,
            Place::Check => self.each_part |= var.part,
            Place::Input => {
                if var.part {
                    return (slot, Type::List(Box::new(var.ty.clone())));
                }
            }
            Place::Output => {
                if var.part && self.listed.contains(&slot) {
                    self.many_parts(slot, name, span);
                }
            }
        }
        let var = &self.vars[slot];
        (slot, var.ty.clone())
    }

    /// An output reads a name that has a value for each part.
    fn many_parts(&mut self, slot: Slot, name: &str, span: Span) {
        let start = self.vars[slot].span;
        let message =
            format!("`{name}` has a value for each part, and an output is printed once a case");
        let shown = format!("which `{name}`?");
        self.error(Code::Type, span, message, shown)
            .labels
            .push((start, format!("a sum: a `{name}` for each of its parts")));
        self.help(
            "print what is said of the whole case: `win`, `value`, `moves`, `case` or a parameter of all parts; or read one part a case",
        );
    }

    /// Whether a free name speaks of whose turn it is.
    fn partizan(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        [
            "turn", "player", "left", "right", "alice", "bob", "white", "black", "me", "you",
            "mine", "yours", "opponent",
        ]
        .contains(&name.as_str())
    }

    fn unknown(&mut self, name: &str, span: Span) {
        if self.place == Place::Rules && self.partizan(name) {
            self.error(
                Code::Partizan,
                span,
                "these moves seem to depend on whose turn it is",
                format!("`{name}` is not part of the position"),
            );
            self.help(
                "in an impartial game both players have the same moves; if a seat or a phase matters, make it part of \
                 the position, as in `(s, seat) -> (s - k, (seat + 1) % 4)`",
            );
            return;
        }
        let names: Vec<&str> = self
            .vars
            .iter()
            .map(|v| v.name.as_str())
            .chain(self.scope.iter().map(|(n, _)| n.as_str()))
            .collect();
        let near = nearest(name, names.iter().copied()).map(str::to_owned);
        let has = names.join("`, `");
        self.error(
            Code::UnknownName,
            span,
            format!("unknown name `{name}`"),
            "nothing defines this",
        );
        match near {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None if has.is_empty() => self.help(format!("declare it: `param {name}`")),
            None => self.help(format!(
                "declare it with `param {name}`; the names known here are `{has}`"
            )),
        }
    }
}

fn input_names(items: &[ast::InputItem], out: &mut HashSet<String>) {
    for item in items {
        match item {
            ast::InputItem::Scalar(n)
            | ast::InputItem::Array(n, _)
            | ast::InputItem::Lists(n, _) => {
                out.insert(n.name.clone());
            }
            ast::InputItem::Rows(names, _) => out.extend(names.iter().map(|n| n.name.clone())),
            ast::InputItem::Repeat(n, items) => {
                out.insert(n.name.clone());
                input_names(items, out);
            }
        }
    }
}

fn counters_only(pattern: &ast::Pattern) -> bool {
    match pattern {
        ast::Pattern::Name(_) => true,
        ast::Pattern::Tuple(members, _)
        | ast::Pattern::Brace {
            members,
            rest: false,
            ..
        } => members.iter().all(counters_only),
        _ => false,
    }
}

/// The pattern as the expression that it matches.
fn pattern_expr(pattern: &ast::Pattern) -> ast::Expr {
    let name = |n: &Ident| ast::Expr {
        kind: ast::ExprKind::Name(n.name.clone()),
        span: n.span,
    };
    match pattern {
        ast::Pattern::Name(n) | ast::Pattern::Array(n) | ast::Pattern::Set(n) => name(n),
        ast::Pattern::Tuple(members, span) => ast::Expr {
            kind: ast::ExprKind::Tuple(members.iter().map(pattern_expr).collect()),
            span: *span,
        },
        ast::Pattern::Brace {
            rest: true, span, ..
        } => {
            let heaps = ast::Expr {
                kind: ast::ExprKind::Name("heaps".to_owned()),
                span: *span,
            };
            ast::Expr {
                kind: ast::ExprKind::Brace(vec![ast::BraceItem::Spread(heaps)]),
                span: *span,
            }
        }
        ast::Pattern::Brace { members, span, .. } => ast::Expr {
            kind: ast::ExprKind::Brace(
                members
                    .iter()
                    .map(|m| ast::BraceItem::Member(pattern_expr(m)))
                    .collect(),
            ),
            span: *span,
        },
    }
}
