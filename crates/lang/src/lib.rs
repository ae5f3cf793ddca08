//! The rule language: text to checked rules, the interpreter that gives them their meaning, and diagnostics. Nothing here
//! searches, and no game is known by its name.

pub mod ast;
pub mod bind;
pub mod check;
pub mod codes;
pub mod diag;
pub mod interp;
pub mod ir;
pub mod lexer;
pub mod linear;
pub mod parser;
pub mod suggest;
pub mod value;
