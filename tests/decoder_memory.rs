//! What the protocol decoder holds while it reads the worst lines: no more than it says.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use peak_alloc::PeakAlloc;
use plimsoll::adapter::{Envelope, LINE_MAX, VALUES_MAX};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// A reply whose result is `part`, again and again, until the line has `length` bytes.
fn filled(open: &str, part: &str, close: &str, length: usize) -> Vec<u8> {
    let mut line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{open}"#);
    let room = length.saturating_sub(line.len() + close.len() + 1);
    line.push_str(&part.repeat(room / part.len()));
    line.push_str(close);
    line.push('}');
    line.into_bytes()
}

/// One test, since what another one takes would be counted.
#[test]
fn no_line_takes_more_than_is_said() {
    let surrogates = format!("{}\\ud800", ('\u{e000}'..='\u{f8fe}').collect::<String>());
    // Each shape, and how many values its part has.
    let shapes: [(&str, &str, &str, usize); 10] = [
        ("[", "0,", "0]", 1),
        ("[", "[],", "0]", 2),
        ("[", "[0],", "0]", 2),
        ("[", "{\"\":0},", "0]", 2),
        ("[", "[[[[0]]]],", "0]", 5),
        ("[", "{\"\":{\"\":{\"\":0}}},", "0]", 4),
        ("[", "\"\",", "0]", 1),
        ("\"", "x", "\"", 0),
        ("\"", "\\ud800", "\"", 0),
        ("\"", &surrogates, "\"", 0),
    ];
    for (open, part, close, values) in shapes {
        let most = (part.len() * (VALUES_MAX - 8)).checked_div(values).unwrap_or(LINE_MAX);
        for length in [4_096, most.min(LINE_MAX), LINE_MAX] {
            let line = filled(open, part, close, length);
            assert!(line.len() <= LINE_MAX);
            let count = (line.len() / part.len() * values + 8).min(VALUES_MAX);
            let allowed = 4 * line.len() + 800 * count + (64 << 10);
            HEAP.reset_peak_usage();
            let before = HEAP.current_usage();
            let read = Envelope::decode(&line);
            let taken = HEAP.peak_usage() - before;
            assert!(taken <= allowed, "{open}{part}{close} of {length} bytes: {taken} bytes, {allowed} allowed");
            let refused = length == LINE_MAX && values > 0;
            let held = read.as_ref().map(drop).map_err(ToString::to_string);
            assert_eq!(refused, held.as_ref().is_err_and(|fault| fault.contains("values")), "{part}: {held:?}");
        }
    }
}
