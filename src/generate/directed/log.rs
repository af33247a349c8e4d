//! Who sees what.

use super::super::pen::{A, COOL, FAIL};
use super::{Sketch, flagged, reopen};
use crate::contract::{Capability, Feature};
use crate::history::{Answer, Command, Draft, Pressure, Size};
use crate::message::Role;

pub(super) const SKETCHES: &[(&str, Sketch)] = &[
    ("LOG-1", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
    }),
    ("LOG-1", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok);
    }),
    ("LOG-1", |pen| {
        pen.trimmable(A).step(A, 0.0, Answer::Ok).pressed(A, 0.0, Pressure::Trim);
    }),
    ("LOG-2", |pen| {
        pen.ui_only(A, 1, Size::Small).matter(A).ui_only(A, 1, Size::Small).step(A, 0.0, Answer::Ok);
    }),
    ("LOG-2", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
        reopen(pen, A, 0);
        pen.matter(A).step(A, COOL, Answer::Ok);
    }),
    ("LOG-3", |pen| {
        let hidden = Draft { hidden: true, ..pen.draft(Role::Assistant) };
        pen.append(A, vec![hidden]).matter(A).step(A, 0.0, Answer::Ok);
    }),
    ("LOG-3", |pen| {
        // A call and its results, hidden or not, in the part that is summarised and in the part that is kept.
        if pen.contract.has(Feature::Hidden) && pen.contract.has(Feature::Calls) {
            for at in 0..2 {
                for hidden in [[true, false], [false, true]] {
                    let mut group = pen.result(Size::Small);
                    group.iter_mut().zip(hidden).for_each(|(draft, hidden)| draft.hidden = hidden);
                    pen.append(A, group);
                }
                pen.matter(A).step(A, if at == 0 { 0.0.into() } else { COOL }, Answer::Ok);
            }
        }
    }),
    ("LOG-4", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).step(A, 0.0, Answer::Ok).rewind(A, 0.5).matter(A).step(A, 0.0, FAIL);
    }),
    ("LOG-5", |pen| {
        flagged(pen, A);
        pen.step(A, 0.0, Answer::Ok).restart();
    }),
    ("LOG-5", |pen| {
        flagged(pen, A);
        if pen.contract.claims(Capability::Restart) && pen.contract.has(Feature::UiOnly) {
            pen.push(Command::Restart { without: vec!["ui_only".to_owned()] });
        }
    }),
    ("LOG-6", |pen| {
        pen.matter(A).step(A, 0.0, FAIL);
    }),
    ("LOG-7", |pen| {
        pen.matter(A).rewind(A, 0.5);
    }),
    ("LOG-7", |pen| {
        pen.matter(A).undo_and_redo(A, 0.5);
    }),
    ("LOG-7", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).undo_and_redo(A, 0.25);
    }),
    ("LOG-7", |pen| {
        pen.matter(A).step(A, 0.0, Answer::Ok).matter(A).rewind(A, 0.25).matter(A).rewind(A, 0.9);
    }),
];
