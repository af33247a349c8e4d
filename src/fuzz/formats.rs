//! The formats that are read from outside.

use crate::witness::Witness;

/// Reads a trace file, writes it, and reads that again: nothing may be lost or change.
///
/// # Errors
///
/// What changed. Bytes that are no trace file are none of its business.
///
/// ```
/// assert_eq!(plimsoll::fuzz::trace(b"{\"plimsoll\":\"history\",\"format\":1,\"seed\":1,\"contract\":{\"capabilities\":[]}}"), Ok(()));
/// assert_eq!(plimsoll::fuzz::trace(b"anything"), Ok(()));
/// ```
pub fn trace(bytes: &[u8]) -> Result<(), String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Ok(()) };
    let Ok(read) = Witness::parse(text) else { return Ok(()) };
    let written = read.render(None);
    let again = Witness::parse(&written).map_err(|error| format!("what was written cannot be read: {error}"))?;
    if again != read {
        return Err(format!("what was written reads differently:\n{written}"));
    }
    if again.render(None) != written {
        return Err("what was read again is written differently".to_owned());
    }
    Ok(())
}

/// Gives the bytes to the decoder of the adapter protocol as if a child had written them in reply to each method in turn.
/// It must neither panic nor run away.
#[cfg(feature = "adapter")]
pub fn protocol(bytes: &[u8]) {
    crate::adapter::decode_anything(bytes);
}
