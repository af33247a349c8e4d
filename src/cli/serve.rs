//! `plimsoll serve`.

use std::io::{stdin, stdout};

use super::candidates::built_in;
use super::screen::{Failure, cannot};

pub(super) fn serve(name: &str) -> Result<u8, Failure> {
    let make = built_in(name, None)?;
    crate::adapter::serve(move || make(), stdin().lock(), stdout().lock())
        .map_err(|error| cannot(format!("the other end of the protocol: {error}")))?;
    Ok(0)
}
