//! The program on virtual drives, as people and scripts use it.

mod cases;
mod commands;
mod exit_codes;
mod given;
mod output;
mod ranges;
mod raw;
mod resets;
pub(crate) mod schema;
mod secrecy;
pub(crate) mod served;
mod signals;
pub(crate) mod support;
mod table_sizes;
mod tables;
pub(crate) mod terminal;
mod users;
