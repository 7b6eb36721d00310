//! The `sedkit` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    sedkit::cli::run(std::env::args_os())
}
