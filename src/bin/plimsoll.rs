//! The `plimsoll` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    plimsoll::cli::main()
}
