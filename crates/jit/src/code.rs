//! Compiled rules and the calls of them: the memory of machine code and what it reads and writes.

use std::io;
use std::mem::{offset_of, size_of};

use cranelift_codegen::Context;
use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use grundy_lang::interp::Rules;
use grundy_search::dense::{COUNTERS, Cells, Evaluate, Layout, Mode, Verdict};
use memmap2::{Mmap, MmapMut};

use crate::lower::{self, Compile};

/// Bytes of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// Two bits.
    Quarter,
    One,
    Two,
    Four,
}

impl Width {
    /// Bytes of what a cell is read from.
    pub fn bytes(self) -> i64 {
        match self {
            Width::Quarter | Width::One => 1,
            Width::Two => 2,
            Width::Four => 4,
        }
    }

    /// What stands in a cell that is not known.
    pub fn unknown(self) -> i64 {
        match self {
            Width::Quarter => 3,
            Width::One => u8::MAX.into(),
            Width::Two => u16::MAX.into(),
            Width::Four => u32::MAX.into(),
        }
    }

    /// Values that can be told apart in a row of marks.
    pub fn marks(self) -> usize {
        match self {
            Width::Quarter => 1 << 2,
            Width::One => 1 << 8,
            Width::Two => 1 << 16,
            Width::Four => 1 << 24,
        }
    }
}

/// What machine code reads and writes.
#[repr(C)]
pub(crate) struct Frame {
    /// The counters of the position.
    pub at: [i64; COUNTERS],
    /// The cells.
    pub cells: *const u8,
    /// For each value the epoch of the last position that has an option of that value; one more than values, the last 0.
    pub marks: *mut u32,
    /// This position's.
    pub epoch: u32,
    /// The value.
    pub value: u32,
    /// The option that is missing.
    pub missing: [i64; COUNTERS],
}

pub(crate) const AT: usize = offset_of!(Frame, at);
pub(crate) const CELLS: usize = offset_of!(Frame, cells);
pub(crate) const MARKS: usize = offset_of!(Frame, marks);
pub(crate) const EPOCH: usize = offset_of!(Frame, epoch);
pub(crate) const VALUE: usize = offset_of!(Frame, value);
pub(crate) const MISSING: usize = offset_of!(Frame, missing);
pub(crate) const WORD: usize = size_of::<i64>();

/// What machine code says.
pub(crate) const DONE: i64 = 0;
pub(crate) const LATE: i64 = 1;
pub(crate) const UNABLE: i64 = 2;
pub(crate) const AGAIN: i64 = 3;

type Cell = unsafe extern "C" fn(*mut Frame) -> i64;

/// Machine code for cells of one width.
struct Code {
    width: Width,
    call: Cell,
    marks: Vec<u32>,
    epoch: u32,
    /// What the code reads.
    _lists: Vec<Box<[i64]>>,
    /// Where it lies.
    _memory: Mmap,
}

/// Rules compiled for a table.
pub struct Compiled {
    rules: Rules,
    layout: Layout,
    mode: Mode,
    code: Code,
    /// Whether this sees already which option is missing.
    careful_first: bool,
    /// Code that does; made when the first one is, if it is another.
    careful: Option<Code>,
    /// Whether the last position was left to that.
    careful_last: bool,
}

impl Compiled {
    /// Compiles rules for the cells of a table; the error says what of them is not compiled.
    pub fn new(rules: &Rules, layout: &Layout, mode: Mode) -> Result<Compiled, String> {
        Compiled::made(rules, layout, mode, false)
    }

    /// The same for positions of which most have options that are not known yet: these are looked for before the value is.
    pub fn careful(rules: &Rules, layout: &Layout, mode: Mode) -> Result<Compiled, String> {
        Compiled::made(rules, layout, mode, true)
    }

    fn made(rules: &Rules, layout: &Layout, mode: Mode, careful: bool) -> Result<Compiled, String> {
        // The code reads lists of the layout that it is made for.
        let layout = layout.clone();
        let width = match mode {
            Mode::Values => Width::One,
            Mode::Outcomes => Width::Quarter,
        };
        Ok(Compiled {
            code: compile(rules, &layout, mode, width, careful)?,
            careful_first: careful,
            careful: None,
            careful_last: false,
            rules: rules.clone(),
            layout,
            mode,
        })
    }

    /// Whether rules can be compiled so, for less than to compile them.
    pub fn possible(rules: &Rules, layout: &Layout, mode: Mode) -> bool {
        target().is_ok_and(|isa| {
            let compile = Compile {
                rules,
                layout,
                mode,
                width: Width::One,
                careful: false,
                isa: &*isa,
            };
            lower::lower(compile).is_ok()
        })
    }

    fn run(&mut self, at: &[u64], width: Width, cells: *const u8) -> Verdict {
        let again = |careful| compile(&self.rules, &self.layout, self.mode, width, careful);
        if self.code.width != width {
            // What compiled for one width does for another.
            self.careful = None;
            match again(self.careful_first) {
                Ok(code) => self.code = code,
                Err(_) => return Verdict::Unable,
            }
        }
        let verdict = self.code.run(&self.layout, at, cells);
        self.careful_last = verdict.is_none();
        match verdict {
            Some(verdict) => verdict,
            None => {
                if self.careful.is_none() {
                    self.careful = again(true).ok();
                }
                let careful = self.careful.as_mut();
                let verdict = careful.and_then(|code| code.run(&self.layout, at, cells));
                verdict.unwrap_or(Verdict::Unable)
            }
        }
    }
}

impl Code {
    /// What the code says of a position; `None` if an option is missing and it has not looked which.
    #[inline]
    fn run(&mut self, layout: &Layout, at: &[u64], cells: *const u8) -> Option<Verdict> {
        if self.epoch == u32::MAX {
            self.marks.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
        let mut frame = Frame {
            at: [0; COUNTERS],
            cells,
            marks: self.marks.as_mut_ptr(),
            epoch: self.epoch,
            value: 0,
            missing: [0; COUNTERS],
        };
        for ((to, &from), word) in frame.at.iter_mut().zip(at).zip(layout.words()) {
            if from > word.to {
                return Some(Verdict::Unable);
            }
            // The bounds of a table are words, since its cells can be counted.
            *to = from as i64;
        }
        // SAFETY: the code was made for this layout and width. It reads `cells` at places of the layout only, of which the
        // caller has seen that there are as many; it writes `marks` below their length and the fields of the frame.
        #[expect(unsafe_code, reason = "calls the machine code")]
        let status = unsafe { (self.call)(&mut frame) };
        Some(match status {
            DONE => Verdict::Value(frame.value.into()),
            LATE => Verdict::Missing(frame.missing.map(|word| word as u64)),
            AGAIN => return None,
            _ => Verdict::Unable,
        })
    }
}

impl Evaluate for Compiled {
    fn evaluate(&mut self, at: &[u64], cells: &Cells) -> Verdict {
        assert_eq!(
            cells.len() as u64,
            self.layout.cells(),
            "cells of the table"
        );
        match cells {
            Cells::Pairs(cells, _) => self.run(at, Width::Quarter, cells.as_ptr().cast()),
            // Where there are no moves, none is read.
            Cells::Bits(..) if self.rules.game().moves.is_empty() => {
                self.run(at, self.code.width, [].as_ptr())
            }
            Cells::Bits(..) => Verdict::Unable,
            Cells::U8(cells) => self.run(at, Width::One, cells.as_ptr().cast()),
            Cells::U16(cells) => self.run(at, Width::Two, cells.as_ptr().cast()),
            Cells::U32(cells) => self.run(at, Width::Four, cells.as_ptr().cast()),
        }
    }

    fn seen(&self, value: u64) -> bool {
        let code = self.careful.as_ref().filter(|_| self.careful_last);
        let code = code.unwrap_or(&self.code);
        // The last mark is never set.
        let mark = code.marks.get(value as usize);
        mark.is_some_and(|mark| *mark == code.epoch)
    }
}

/// The processor that the code is for.
fn target() -> Result<OwnedTargetIsa, String> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
        (
            "enable_verifier",
            if cfg!(debug_assertions) {
                "true"
            } else {
                "false"
            },
        ),
    ] {
        flags
            .set(name, value)
            .map_err(|e| format!("no machine code: {e}"))?;
    }
    cranelift_codegen::isa::lookup(target_lexicon::Triple::host())
        .map_err(|e| format!("there is no machine code for this processor: {e}"))?
        .finish(settings::Flags::new(flags))
        .map_err(|e| format!("no machine code: {e}"))
}

fn compile(
    rules: &Rules,
    layout: &Layout,
    mode: Mode,
    width: Width,
    careful: bool,
) -> Result<Code, String> {
    let isa = target()?;
    let (function, lists) = lower::lower(Compile {
        rules,
        layout,
        mode,
        width,
        careful,
        isa: &*isa,
    })?;
    let mut context = Context::for_function(function);
    let made = context
        .compile(&*isa, &mut ControlPlane::default())
        .map_err(|e| format!("no machine code: {:?}", e.inner))?;
    // Calls go by address, so the code can lie anywhere as it is.
    if !made.buffer.relocs().is_empty() {
        return Err("no machine code: it needs a library's function".to_owned());
    }
    let memory = executable(made.code_buffer()).map_err(|e| format!("no machine code: {e}"))?;
    // SAFETY: the memory holds the code of a function of this signature, from its first byte.
    #[expect(unsafe_code, reason = "machine code has an address and no type")]
    let call = unsafe { std::mem::transmute::<*const u8, Cell>(memory.as_ptr()) };
    Ok(Code {
        width,
        call,
        marks: vec![0; width.marks() + 1],
        epoch: 0,
        _lists: lists,
        _memory: memory,
    })
}

/// Memory with this code in it that may be run and no longer be written.
fn executable(code: &[u8]) -> io::Result<Mmap> {
    let mut memory = MmapMut::map_anon(code.len())?;
    memory.copy_from_slice(code);
    let memory = memory.make_exec()?;
    #[cfg(not(target_arch = "x86_64"))]
    {
        use wasmtime_internal_jit_icache_coherence::{clear_cache, pipeline_flush_mt};
        // SAFETY: the memory is all ours, and the pipelines are flushed next.
        #[expect(
            unsafe_code,
            reason = "new code where something else may have been read"
        )]
        unsafe {
            clear_cache(memory.as_ptr().cast(), memory.len())?;
        }
        pipeline_flush_mt()?;
    }
    Ok(memory)
}

pub(crate) extern "C" fn isqrt(v: i64) -> i64 {
    // The code has seen that it is not below zero.
    (v as u64).isqrt() as i64
}

pub(crate) extern "C" fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // 2^63 at most, which the code takes for an overflow.
    a as i64
}
