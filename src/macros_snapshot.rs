//! The test that `snapshot_tests!` writes into a user's crate.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::candidate::Compactor;
use crate::snapshot::{NamedHistory, Timeline, named_histories};
use crate::suite::Suite;

/// Writes a module with one test, `timelines`: what the candidate does in each named history, each under a snapshot of
/// [insta](https://insta.rs), so that a pull request shows in a few rows when it pays for a summary and what survives.
///
/// The first argument is the name of the module, the second makes a fresh candidate: a path to a function, or a closure. A
/// third is for histories of your own besides: anything that gives [`NamedHistory`]s. The
/// crate needs `insta` among its own dev-dependencies, any 1.x: `cargo insta review`, `INSTA_UPDATE` and settings that are
/// bound around work as in any test of insta. The files are `snapshots/CRATE__MODULE__NAME.snap` beside the source file,
/// `contract` among them: what the candidate declares, and which histories it does not play.
///
/// All that differ are named, not only the first. What a candidate *ought* to do is not asked here:
/// [`conformance_tests!`](crate::conformance_tests) does.
///
/// ```
/// plimsoll::snapshot_tests!(my_timelines, plimsoll::Reference::default);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! snapshot_tests {
    ($module:ident, $make:expr $(,)?) => {
        $crate::snapshot_tests!($module, $make, ::std::iter::empty());
    };
    ($module:ident, $make:expr, $histories:expr $(,)?) => {
        #[cfg(test)]
        mod $module {
            #[allow(unused_imports)]
            use super::*;

            #[test]
            fn timelines() {
                $crate::macros_snapshot::each($make, $histories, |timeline| {
                    ::insta::with_settings!({
                        description => timeline.description.as_str(),
                        omit_expression => true,
                    }, {
                        ::insta::assert_snapshot!(timeline.name.as_str(), timeline.text.as_str());
                    });
                });
            }
        }
    };
}

/// Plays the named histories, and `histories` besides, and calls `compare` with each timeline.
///
/// # Panics
///
/// If the candidate cannot be played, or `compare` panicked: those that it did at are named.
pub fn each<C: Compactor + 'static>(
    make: impl Fn() -> C + Send + Sync + 'static,
    histories: impl IntoIterator<Item = NamedHistory>,
    compare: impl Fn(&Timeline),
) {
    let mut named = named_histories();
    named.extend(histories);
    let timelines = Suite::new(make).timelines(&named).unwrap_or_else(|error| panic!("{error}"));
    compared(&timelines, compare);
}

/// Calls `compare` with each of `timelines`.
///
/// # Panics
///
/// If `compare` panicked: all those that it did at are named, not only the first.
pub fn compared(timelines: &[Timeline], compare: impl Fn(&Timeline)) {
    let differs = |timeline: &&Timeline| catch_unwind(AssertUnwindSafe(|| compare(timeline))).is_err();
    let changed: Vec<&str> = timelines.iter().filter(differs).map(|timeline| timeline.name.as_str()).collect();
    assert!(changed.is_empty(), "{} timelines differ from their snapshots: {}", changed.len(), changed.join(", "));
}
