//! The candidate that measures for itself.

use super::super::own::{Edge, measures};
use super::super::pen::{A, COOL, FAIL, Pen};
use super::Sketch;
use crate::contract::{Contract, Feature, FitUnit};
use crate::history::{Answer, Size};

/// Sketches that say nothing to a candidate that is told the pressure.
pub(super) const SKETCHES: &[(&str, Sketch)] = &[
    ("MEA-3", |pen| {
        when(pen, |pen| {
            pen.trimmables(A, true).step(A, 0.0, Answer::Ok).step(A, COOL, Answer::Ok);
        });
    }),
    ("MEA-3", |pen| {
        when(pen, |pen| {
            pen.trimmable(A).step(A, 0.0, Answer::Ok).trimmables(A, true).step(A, COOL, Answer::Ok);
        });
    }),
    ("MEA-3", |pen| {
        // Nobody may summarise, and so whatever can be trimmed is.
        when(pen, |pen| {
            pen.matter(A).latch(A).late_result(A).late_result(A).step(A, 0.0, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        when(pen, |pen| {
            pen.talk(A).step(A, 0.0, Answer::Ok).grow(A, 2).step(A, COOL, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        when(pen, |pen| {
            pen.reach(A, Edge::Under).step(A, 0.0, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        when(pen, |pen| {
            pen.talk(A).reach(A, Edge::Under).step(A, 0.0, Answer::Ok).matter(A).step(A, 0.0, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        when(pen, |pen| {
            pen.talk(A).reach(A, Edge::Over).grow(A, 2).step(A, 0.0, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        // The log is too large again and again; what has been summarised is no part of it.
        when(pen, |pen| {
            for _ in 0..3 {
                pen.matter(A).step(A, COOL, Answer::Ok).grow(A, 3).step(A, COOL, Answer::Ok);
            }
        });
    }),
    ("MEA-6", |pen| {
        when(pen, |pen| {
            pen.talk(A).trimmables(A, true).step(A, 0.0, Answer::Ok).step(A, COOL, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        when(pen, |pen| {
            pen.talk(A).trimmable(A).step(A, 0.0, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        // Results that are hardly worth a trim, of a log that is too large.
        when(pen, |pen| {
            for more in [1, 2, 5, 20] {
                let drafts = pen.result(Size::Chars(pen.contract.trim.min_chars + more));
                pen.append(A, drafts);
            }
            pen.matter(A).latch(A).step(A, 0.0, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        when(pen, |pen| {
            for more in [1, 2, 5, 20] {
                let drafts = pen.result(Size::Chars(pen.contract.trim.min_chars + more));
                pen.append(A, drafts);
            }
            pen.fill(A).grow(A, 2).turn(A).step(A, 0.0, Answer::Ok);
        });
    }),
    ("MEA-6", |pen| {
        // The figure of the provider, and a compaction after it.
        when(pen, |pen| {
            pen.matter(A).usage(A).step(A, 0.0, Answer::Ok);
            let room = pen.contract.gauge.trigger - pen.between(0.0);
            let more = pen.filler(room);
            pen.append(A, more).talk(A).step(A, COOL, Answer::Ok);
        });
    }),
    ("MEA-7", |pen| {
        when(pen, |pen| {
            let (most, room) = (pen.between(0.4), pen.contract.gauge.trigger - pen.between(0.0));
            if pen.fixed(A, most) {
                let more = pen.filler(room);
                pen.append(A, more).talk(A).step(A, 0.0, Answer::Ok);
                let more = pen.filler(room * 3 / 5);
                pen.append(A, more).talk(A).step(A, COOL, Answer::Ok);
            }
        });
    }),
    ("MEA-7", |pen| {
        when(pen, |pen| {
            pen.matter(A).step(A, 0.0, Answer::Ok).talk(A).step(A, COOL, Answer::Ok).matter(A).step(
                A,
                COOL,
                Answer::Ok,
            );
        });
    }),
    ("MEA-8", |pen| under_a_floor(pen, false)),
    ("MEA-8", |pen| under_a_floor(pen, true)),
    ("THR-8", |pen| {
        when(pen, |pen| {
            let huge = huge(pen.contract);
            pen.talk(A).ui_only(A, 2, huge).grow(A, 2).step(A, 0.0, Answer::Ok);
        });
    }),
    ("THR-8", |pen| {
        when(pen, |pen| {
            let huge = huge(pen.contract);
            pen.ui_only(A, 1, huge).trimmables(A, true).ui_only(A, 1, huge).turn(A).step(A, 0.0, Answer::Ok);
            pen.ui_only(A, 1, huge).turn(A).step(A, COOL, Answer::Ok);
        });
    }),
    ("THR-8", |pen| {
        when(pen, |pen| {
            let huge = huge(pen.contract);
            pen.matter(A).ui_only(A, 12, Size::Small).turn(A).step(A, 0.0, Answer::Ok);
            pen.talk(A).ui_only(A, 1, huge).turn(A).step(A, COOL, Answer::Ok);
        });
    }),
    ("THR-10", |pen| {
        when(pen, |pen| {
            pen.fill(A).trimmable(A).step(A, 0.0, FAIL).step(A, 0.0, Answer::Ok);
        });
    }),
    ("LAT-8", |pen| {
        when(pen, |pen| {
            pen.fill(A).trimmable(A).latch(A).step(A, COOL, Answer::Ok).step(A, 0.0, Answer::Ok);
            super::reopen(pen, A, 0);
            pen.step(A, COOL, Answer::Ok);
        });
    }),
    ("LAT-12", |pen| {
        // Too large, and too little to summarise.
        when(pen, |pen| {
            if pen.contract.gauge.unit != FitUnit::Messages {
                pen.grow(A, 1).lump(A).turn(A);
                for _ in 0..=pen.strikes() {
                    pen.step(A, COOL, Answer::Ok);
                }
                pen.matter(A).step(A, COOL, FAIL).step(A, COOL, Answer::Ok);
            }
        });
    }),
];

/// Whether the sketch for `id` begins with what is fixed, a leading system message perhaps.
pub(super) fn begins(contract: &Contract, id: &str) -> bool {
    measures(contract) && !contract.has(Feature::Pinned) && matches!(id, "MEA-7" | "MEA-8")
}

/// Conversations at once that are not too much to say: each is made too large.
pub(super) fn crowd(contract: &Contract) -> usize {
    if !measures(contract) {
        return usize::MAX;
    }
    let each = match contract.gauge.unit {
        FitUnit::Messages => contract.gauge.trigger * contract.sizes.small,
        _ => contract.gauge.trigger * 5,
    };
    (20_000_000 / each.max(1)).max(60)
}

/// A length beside which the trigger is nothing.
fn huge(contract: &Contract) -> Size {
    match contract.gauge.unit {
        FitUnit::Messages => Size::Large,
        _ => Size::Chars((contract.gauge.trigger * 12).clamp(1_000, 4_000_000)),
    }
}

fn when(pen: &mut Pen<'_>, sketch: fn(&mut Pen<'_>)) {
    if measures(pen.contract) {
        sketch(pen);
    }
}

/// What is fixed is too large by itself; and then much is said, in few messages.
fn under_a_floor(pen: &mut Pen<'_>, fails: bool) {
    let most = pen.contract.gauge.trigger + pen.contract.gauge.trigger / 4 + 1;
    if pen.fixed(A, most) {
        pen.matter(A);
        if fails {
            pen.step(A, 0.0, FAIL);
        } else {
            pen.step(A, 0.0, Answer::Ok);
        }
        for _ in 0..2 {
            pen.matter(A).step(A, COOL, Answer::Ok);
        }
        let n = pen.contract.latch().and_then(|latch| latch.reopen_growth).unwrap_or(20);
        pen.grow(A, n).turn(A).step(A, COOL, Answer::Ok);
    }
}
