//! The `grundy` command: a thin front end over the facade.

fn main() {}
