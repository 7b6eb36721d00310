//! The `sedkit` program.

fn main() {}
