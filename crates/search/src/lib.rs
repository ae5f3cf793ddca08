//! Values and outcomes of positions by search over the interpreter: the reference that everything faster is tested against.
