//! The decoder, given anything at all: what fuzzing and its tests call.

use std::io;

use serde_json::Value;

use super::body::{self, Body, plain_reply};
use super::limit::read_request;
use super::members::{At, Members};
use super::protocol::Envelope;
use super::results::{Hello, StepResult, SummarizeParams, ViewResult, read_append, read_rewind};
use super::serve::serve;
use crate::model::Reference;

/// Reads the bytes, line by line, as a child's reply to each method and as its question, and as what a harness asks of a
/// candidate. What is read well is written and read again.
///
/// # Panics
///
/// If what was written cannot be read.
pub(crate) fn decode_anything(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok((_, result)) = plain_reply(line.to_vec()) {
            read_the_short_way(&result);
        }
        let Ok(envelope) = Envelope::decode(line) else { continue };
        let written = envelope.encode();
        let again = Envelope::decode(written.as_bytes());
        assert!(again.is_ok(), "what was written cannot be read: {again:?}\n{written}");
        match envelope {
            Envelope::Reply { outcome: Ok(result), .. } => read_as_every_result(&result),
            Envelope::Reply { .. } => {}
            Envelope::Request { params, .. } => drop(SummarizeParams::read(params)),
        }
    }
    // It ends with the input, or with an error that says which line is none.
    let _ = serve(|| Box::new(Reference::default()), bytes, io::sink());
}

fn read_the_short_way(result: &Body) {
    let _ = (body::extra(result), body::step(result), body::rewound(result), body::asked(result), body::case(result));
    let _ = (body::view(result, true), body::view(result, false));
}

fn read_as_every_result(result: &Value) {
    let _ = Hello::read(result.clone());
    let _ = read_append(result.clone());
    let _ = StepResult::read(result.clone());
    let _ = read_rewind(result.clone());
    let _ = ViewResult::read(result.clone(), true);
    let at = At::root("result");
    let _ = Members::of(result.clone(), &at).and_then(|mut members| read_request(&mut members));
}
