//! The tests that `conformance_tests!` and its siblings write into a user's crate.

use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::contract::{Capability, Contract};
use crate::oracle::Judgement;
use crate::regressions::{DIR, For, Kept, files};
use crate::report::{Forms, TextReport, escaped, steps, timeline};
use crate::runner::Draw;
use crate::suite::Suite;
use crate::verdict::{Report, Tally, Verdict};
use crate::witness::Witness;

/// Writes a module of tests for a candidate: one `#[test]` for each requirement, `verdict` for the run as a whole, `replay`,
/// which plays the witness that `PLIMSOLL_REPLAY` names, and `regressions`, which plays the witnesses in the folder
/// `plimsoll-regressions` of the crate (or the one that `PLIMSOLL_REGRESSIONS` names) that are for the candidate: put a
/// witness there once its fault is mended. They are those that `plimsoll check` plays first, under the same contract, with
/// two differences: a witness is held to the requirements that it names and to no list of known failures, and a file that
/// cannot be read fails the test.
///
/// The first argument is the name of the module, the second makes a fresh candidate: a path to a function, or a closure.
/// The tests of one process share one run, at effort `smoke` unless `PLIMSOLL_EFFORT` says otherwise; all variables of
/// [`Suite`](crate::Suite) apply. Where the test binary is asked for some of the tests only, the run checks their
/// requirements only.
///
/// A requirement that the contract does not claim passes and says so, and advice passes with a note; both can be read
/// with `cargo test -- --show-output`.
///
/// ```
/// plimsoll::conformance_tests!(my_compactor, plimsoll::Reference::default);
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! conformance_tests {
    ($module:ident, $make:expr $(,)?) => {
        #[cfg(test)]
        mod $module {
            #[allow(unused_imports)]
            use super::*;

            fn suite() -> $crate::Suite {
                $crate::Suite::new($make).effort($crate::Effort::Smoke)
            }
            $crate::__requirement_tests!(suite);
        }
    };
}

/// The tests of the module. A test of this crate holds the names against the registry.
#[doc(hidden)]
#[macro_export]
macro_rules! __requirement_tests {
    ($suite:ident) => {
        $crate::__requirement_tests!($suite, None,
            log_1 log_2 log_3 log_4 log_5 log_6 log_7
            thr_1 thr_2 thr_3 thr_4 thr_5 thr_6 thr_7 thr_8 thr_9 thr_10 thr_11
            lat_1 lat_2 lat_3 lat_4 lat_5 lat_6 lat_7 lat_8 lat_9 lat_10 lat_11 lat_12 lat_13
            out_1 out_2 out_3 out_4 out_5 out_6 out_7 out_8 out_9
            view_1 view_2 view_3 view_4 view_5 view_6 view_7 view_8 view_9 view_10
            iso_1 iso_2 iso_3 iso_4 iso_5 clk_1 clk_2
            frc_1 frc_2 frc_3
            red_1 red_2 red_3 red_4 red_5 red_6 red_7 red_8 red_9 red_10 red_11 red_12 red_13
            fit_1 fit_2 fit_3 fit_4 fit_5 fit_6 fit_7 fit_8
            asm_1 asm_2 asm_3 asm_4 asm_5 asm_6
            mea_1 mea_2 mea_3 mea_4 mea_5 mea_6 mea_7 mea_8 chg_1 chg_2 chg_3 chg_4 chg_5
        );
    };
    ($suite:ident, $part:expr, $($test:ident)+) => {
        pub(super) static SHARED: $crate::macros::Shared =
            $crate::macros::Shared::new(module_path!(), &[$(stringify!($test)),+]);
        $(#[test] fn $test() { SHARED.requirement(stringify!($test), $suite); })+
        #[test] fn verdict() { SHARED.verdict($suite); }
        #[test] fn replay() { SHARED.replay($suite); }
        #[test] fn regressions() { $crate::macros::regressions($suite, env!("CARGO_MANIFEST_DIR"), $part); }
    };
}

/// The contract of one part by itself: that of a candidate, claiming this part and nothing else.
#[doc(hidden)]
#[must_use]
pub fn of_part(mut contract: Contract, part: Capability) -> Contract {
    contract.capabilities = vec![part];
    contract
}

/// Plays the witnesses in the folder `plimsoll-regressions` of the crate at `root`, or in the one that
/// `PLIMSOLL_REGRESSIONS` names, and in the folders in it: cases for one part of a candidate; without a part, those that name
/// the candidate, or none. Each plays under the contract as it is now; one that cannot is left out with a note.
///
/// # Panics
///
/// If one still fails, or cannot be read or played; it is named.
pub fn regressions(suite: impl Fn() -> Suite, root: &str, part: Option<Capability>) {
    let named = std::env::var_os("PLIMSOLL_REGRESSIONS").filter(|path| !path.is_empty()).map(PathBuf::from);
    let dir = named.clone().unwrap_or_else(|| Path::new(root).join(DIR));
    let paths = match files(&dir, named.is_none()) {
        Ok(Some(paths)) => paths,
        Ok(None) => return note(&format!("there is no folder {}: nothing is played", dir.display())),
        Err(error) => panic!("{error}; mend that, or name another folder of witness files with PLIMSOLL_REGRESSIONS"),
    };
    if paths.is_empty() {
        return note(&format!("{} has no witnesses: nothing is played", dir.display()));
    }
    let suite = suite().from_env().unwrap_or_else(|error| panic!("{error}"));
    let (candidate, contract) = suite.introduced().unwrap_or_else(|error| panic!("{error}"));
    // A part by itself has no name of its own.
    let name = part.is_none().then_some(candidate.name.as_str());
    let here = For { name, part, contract: &contract };
    let mut played = 0;
    for path in paths {
        let witness = match here.keep(&path) {
            Kept::Plays(witness) => witness,
            Kept::OfAnother => continue,
            // What passes says nothing: nobody would see a note.
            Kept::Unreadable(error) => panic!("{error}; mend the file, or take it out of the folder"),
            Kept::Unfit(why) => {
                note(&why);
                continue;
            }
        };
        match suite.replay(&witness) {
            Ok(replay) if replay.fails() => panic!("{} fails:\n\n{replay}", path.display()),
            Ok(_) => played += 1,
            Err(error) => panic!("{} cannot be replayed: {error}", path.display()),
        }
    }
    note(&format!("{played} witnesses of {} were played and pass", dir.display()));
}

/// The history, and what every gate stood at in each of its steps.
fn told(contract: &Contract, judgement: &Judgement<'_>, fault: Option<usize>) -> String {
    format!("{}\n{}", timeline(contract, judgement, fault), steps(contract, judgement, fault))
}

/// The run that the tests of one module share.
#[derive(Debug)]
pub struct Shared {
    /// With the crate in front.
    module: &'static str,
    tests: &'static [&'static str],
    /// Where the module was written down.
    place: &'static Location<'static>,
    run: OnceLock<Result<Report, String>>,
}

impl Shared {
    /// The run of the module at `module`, whose tests are `tests`, `verdict`, `replay` and `regressions`.
    /// Of a macro that is the place of its call.
    #[must_use]
    #[track_caller]
    pub const fn new(module: &'static str, tests: &'static [&'static str]) -> Self {
        Self { module, tests, place: Location::caller(), run: OnceLock::new() }
    }

    /// The names of its tests of requirements.
    #[must_use]
    pub fn tests(&self) -> &'static [&'static str] {
        self.tests
    }

    /// Fails if the requirement behind `test` does.
    ///
    /// # Panics
    ///
    /// If it fails, or could not be judged.
    #[track_caller]
    pub fn requirement(&self, test: &str, suite: fn() -> Suite) {
        let report = self.report(suite);
        let id = id(test);
        let Some(row) = report.requirement(&id) else {
            return note(&format!("{id} was not asked for by PLIMSOLL_REQUIREMENT"));
        };
        let text = match row.verdict {
            // The test of the whole says why, once for all of them.
            Verdict::Vacuous => format!("{id} is vacuous: nothing in this run exercised it; `verdict` says why"),
            _ => self.text(report).failure(row),
        };
        let soft = matches!(row.verdict, Verdict::Advice | Verdict::NotReached);
        assert!(row.tally() != Tally::Failed && !(report.strict && soft), "{text}");
        match (row.verdict, &report.aborted) {
            (Verdict::NotClaimed, _) => note(&format!("{id} is not claimed by the contract")),
            (_, Some(aborted)) => panic!("{id} could not be judged: {}", escaped(aborted)),
            (Verdict::Pass, None) => {}
            (_, None) => note(&text),
        }
    }

    /// Fails if the run as a whole does.
    ///
    /// # Panics
    ///
    /// If the run fails.
    #[track_caller]
    pub fn verdict(&self, suite: fn() -> Suite) {
        let report = self.report(suite);
        let text = self.text(report).to_string();
        assert!(report.passed(), "{text}");
        note(&text);
    }

    /// Plays the witness that `PLIMSOLL_REPLAY` names.
    ///
    /// # Panics
    ///
    /// If it still fails, or cannot be played.
    #[track_caller]
    pub fn replay(&self, suite: fn() -> Suite) {
        let Some(path) = std::env::var_os("PLIMSOLL_REPLAY").filter(|path| !path.is_empty()) else {
            return note("PLIMSOLL_REPLAY names no witness: nothing is replayed");
        };
        // With the steps one by one, as `plimsoll explain` has them: no command can play what lives in this crate.
        let draw = Draw { history: told, rows: false, consulted: true };
        let replay = Witness::load(Path::new(&path)).and_then(|witness| suite().from_env()?.show(&witness, draw));
        match replay {
            Ok(replay) if replay.fails() => panic!("the witness fails:\n\n{replay}"),
            Ok(replay) => note(&replay.to_string()),
            Err(error) => panic!("the witness cannot be replayed: {error}"),
        }
    }

    fn report(&self, suite: fn() -> Suite) -> &Report {
        let run = self.run.get_or_init(|| {
            let mut suite = suite();
            for id in self.selected(std::env::args().skip(1)) {
                suite = suite.requirement(id);
            }
            let report = suite.from_env()?.run()?;
            self.write_forms(&report)?;
            Ok(report)
        });
        match run {
            Ok(report) => report,
            Err(error) => panic!("the run could not be made: {error}"),
        }
    }

    fn text<'a>(&self, report: &'a Report) -> TextReport<'a> {
        let (before, after) = self.replaying();
        TextReport::new(report).replay(before, after)
    }

    /// A command that replays a witness is its file between these two.
    fn replaying(&self) -> (String, String) {
        ("PLIMSOLL_REPLAY=".to_owned(), format!(" cargo test {}", self.name("replay")))
    }

    /// Writes the report into the folder that `PLIMSOLL_REPORTS` names, as a page, as Markdown and for code scanning, under
    /// the name of the module. A run of some of the requirements only writes nothing: it would stand for the whole.
    fn write_forms(&self, report: &Report) -> Result<(), String> {
        let Some(dir) = std::env::var_os("PLIMSOLL_REPORTS").filter(|dir| !dir.is_empty()) else { return Ok(()) };
        if !report.filter.is_empty() {
            return Ok(());
        }
        let dir = Path::new(&dir);
        let forms = Forms { report, replay: self.replaying(), profile: None };
        let place = (self.place.file(), self.place.line());
        let name = self.module.replace("::", "-");
        let written = std::fs::create_dir_all(dir).and_then(|()| {
            std::fs::write(dir.join(format!("{name}.html")), forms.page())?;
            std::fs::write(dir.join(format!("{name}.md")), forms.summary())?;
            std::fs::write(dir.join(format!("{name}.sarif")), forms.sarif(place))
        });
        written.map_err(|error| format!("PLIMSOLL_REPORTS: cannot write to {}: {error}", dir.display()))
    }

    /// A test's name as the test binary knows it: without the crate.
    fn name(&self, test: &str) -> String {
        let module = self.module.split_once("::").map_or(self.module, |(_, module)| module);
        format!("{module}::{test}")
    }

    /// The ids that the test binary is asked for; none: all.
    fn selected(&self, args: impl Iterator<Item = String>) -> Vec<String> {
        let filter = Filter::new(args);
        if filter.takes(&self.name("verdict")) {
            return Vec::new();
        }
        let tests = self.tests.iter().filter(|test| filter.takes(&self.name(test)));
        tests.map(|test| id(test)).collect()
    }
}

/// Which tests the arguments of a test binary ask for.
#[derive(Debug, Default)]
struct Filter {
    names: Vec<String>,
    skip: Vec<String>,
    exact: bool,
}

impl Filter {
    fn new(mut args: impl Iterator<Item = String>) -> Self {
        let mut filter = Self::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--exact" => filter.exact = true,
                "--skip" => filter.skip.extend(args.next()),
                "--test-threads" | "--logfile" | "--color" | "--format" | "--shuffle-seed" | "-Z" => {
                    args.next();
                }
                _ => match arg.strip_prefix("--skip=") {
                    Some(name) => filter.skip.push(name.to_owned()),
                    None if arg.starts_with('-') => {}
                    None => filter.names.push(arg),
                },
            }
        }
        filter
    }

    fn takes(&self, name: &str) -> bool {
        let matches = |pattern: &String| if self.exact { name == pattern } else { name.contains(pattern.as_str()) };
        (self.names.is_empty() || self.names.iter().any(matches)) && !self.skip.iter().any(matches)
    }
}

/// `THR-1` for `thr_1`.
fn id(test: &str) -> String {
    test.replace('_', "-").to_ascii_uppercase()
}

/// Something that is worth reading and no failure. The test harness keeps it until it is asked for.
#[expect(clippy::print_stdout, reason = "it is printed by a test")]
fn note(text: &str) {
    println!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    static SHARED: Shared = Shared::new("crate_name::tests::mine", &["thr_1", "thr_10", "lat_2"]);

    fn selected(args: &[&str]) -> Vec<String> {
        SHARED.selected(args.iter().map(|arg| (*arg).to_owned()))
    }

    #[test]
    fn a_test_run_alone_checks_its_id_only() {
        assert_eq!(selected(&["--exact", "tests::mine::thr_1"]), ["THR-1"]);
        assert_eq!(selected(&["mine::thr_1", "--nocapture"]), ["THR-1", "THR-10"]);
        assert_eq!(selected(&["tests::mine", "--skip", "thr", "--skip=verdict"]), ["LAT-2"]);
    }

    #[test]
    fn a_failure_is_shown_at_the_line_of_its_macro() {
        macro_rules! module {
            () => {
                Shared::new("a::b", &[])
            };
        }
        let shared = module!();
        assert_eq!((shared.place.file(), shared.place.line()), (file!(), line!() - 1));
    }

    #[test]
    fn all_are_checked_where_the_verdict_is_wanted() {
        for args in [&[][..], &["mine"], &["mine::verdict"], &["--test-threads", "1"]] {
            assert!(selected(args).is_empty(), "{args:?}");
        }
    }
}
