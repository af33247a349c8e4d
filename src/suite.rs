//! The engine as a library call.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::candidate::{Compactor, Error};
use crate::contract::Contract;
use crate::generate::{Effort, Share};
use crate::known::KnownFailures;
use crate::requirement::requirement;
use crate::runner::record::{FORMAT, Header, PARTS_MAX, Results, Shard};
use crate::runner::{Draw, Factory, Given, Progress, Replay, Setup, Tick, replay, run};
use crate::verdict::{CandidateInfo, Report, SPEC_EDITION};
use crate::witness::Witness;

/// A run of the suite against one candidate: options first, then [`Suite::run`].
///
/// What a run is told has a builder method, and most of it an environment variable, which [`Suite::from_env`] reads:
///
/// | method | variable | value | default |
/// |---|---|---|---|
/// | [`seed`](Suite::seed) | `PLIMSOLL_SEED` | a number | 0 |
/// | [`effort`](Suite::effort) | `PLIMSOLL_EFFORT` | `smoke`, `default`, `nightly` | `default` |
/// | [`requirement`](Suite::requirement) | `PLIMSOLL_REQUIREMENT` | ids, with commas | all |
/// | [`jobs`](Suite::jobs) | `PLIMSOLL_JOBS` | a number of threads | all cores |
/// | [`timeout`](Suite::timeout) | `PLIMSOLL_TIMEOUT` | seconds that one call may take | 5 |
/// | [`known`](Suite::known) | `PLIMSOLL_KNOWN` | a TOML file | none |
/// | [`strict`](Suite::strict) | `PLIMSOLL_STRICT` | `1`: advice fails | off |
/// | [`json`](Suite::json) | `PLIMSOLL_JSON` | a file for the JSON report | none |
/// | [`witness_dir`](Suite::witness_dir) | `PLIMSOLL_WITNESS_DIR` | a directory | `plimsoll-witnesses` |
/// | none: `conformance_tests!` | `PLIMSOLL_REPORTS` | a folder for the report of each module as a page, as Markdown and as SARIF | none |
/// | [`replay`](Suite::replay) | `PLIMSOLL_REPLAY` | a witness file, played by the test `replay` of [`conformance_tests!`](crate::conformance_tests) | none |
/// | none: the test `regressions` of each test macro | `PLIMSOLL_REGRESSIONS` | a folder of witnesses that play each time | `plimsoll-regressions` |
/// | [`new`](Suite::new), [`fallible`](Suite::fallible) | `PLIMSOLL_CANDIDATE` | a command line, read by `tests/candidate.rs` of this repository alone | the reference |
///
/// ```
/// use plimsoll::{Effort, Reference, Suite};
/// let report = Suite::new(Reference::default).effort(Effort::Smoke).requirement("LAT-1").run().unwrap();
/// assert!(report.passed());
/// ```
#[must_use = "a suite does nothing until it is run"]
pub struct Suite {
    make: Factory,
    source: String,
    contract: Option<Contract>,
    seed: u64,
    effort: Effort,
    only: Vec<String>,
    jobs: usize,
    timeout: Duration,
    own_deadline: bool,
    waited_for: bool,
    known: Option<PathBuf>,
    known_list: Option<KnownFailures>,
    strict: bool,
    until: Vec<String>,
    json: Option<PathBuf>,
    witness_dir: Option<PathBuf>,
    progress: Option<Progress>,
    stop: Arc<AtomicBool>,
    gave_up: Option<Arc<dyn Fn() -> Option<String> + Send + Sync>>,
    given: Option<Given>,
    first: Vec<Witness>,
    shard: Shard,
    results: Option<PathBuf>,
    built_in: Option<String>,
    alone: Option<(Share, usize)>,
}

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suite").field("seed", &self.seed).field("effort", &self.effort).finish_non_exhaustive()
    }
}

impl Suite {
    /// A suite for the candidates that `make` gives, a fresh one for each history and for each case at a limit. A reducer, a
    /// trimmer or an assembler alone is a candidate as [`Parts`](crate::Parts).
    pub fn new<C: Compactor + 'static>(make: impl Fn() -> C + Send + Sync + 'static) -> Self {
        let source = std::any::type_name::<C>();
        Self::fallible(source, move || Ok(Box::new(make())))
    }

    /// A suite for candidates that may fail to start. `source` says where they come from: a type, or a command line.
    pub fn fallible(
        source: impl Into<String>,
        make: impl Fn() -> Result<Box<dyn Compactor>, Error> + Send + Sync + 'static,
    ) -> Self {
        Self {
            make: Arc::new(make),
            source: source.into(),
            contract: None,
            seed: 0,
            effort: Effort::Default,
            only: Vec::new(),
            jobs: std::thread::available_parallelism().map_or(1, usize::from),
            timeout: Duration::from_secs(5),
            own_deadline: false,
            waited_for: false,
            known: None,
            known_list: None,
            strict: false,
            until: Vec::new(),
            json: None,
            witness_dir: Some(PathBuf::from("plimsoll-witnesses")),
            progress: None,
            stop: Arc::default(),
            gave_up: None,
            given: None,
            first: Vec::new(),
            shard: Shard::WHOLE,
            results: None,
            built_in: None,
            alone: None,
        }
    }

    /// Holds the candidate to `contract`, whatever it declares.
    pub fn contract(mut self, contract: Contract) -> Self {
        self.contract = Some(contract);
        self
    }

    /// The seed of everything random.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How much the run may spend.
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = effort;
        self
    }

    /// Checks this requirement alone; again, for more of them.
    pub fn requirement(mut self, id: impl Into<String>) -> Self {
        self.only.push(id.into().trim().to_ascii_uppercase());
        self
    }

    /// Plays this history, or this case at a limit, and nothing else: what it breaks is made smaller, blamed and written down
    /// as in any run. Of `input` only these two count; the contract is the candidate's, or that of
    /// [`contract`](Suite::contract). What the input does not exercise is `not_reached`.
    ///
    /// ```
    /// use plimsoll::{Reference, Suite, Verdict, Witness};
    /// let input = Witness::parse(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/spec/histories/incident.jsonl"))).unwrap();
    /// let report = Suite::new(Reference::default).input(input).run().unwrap();
    /// assert_eq!((report.histories, report.requirement("RED-1").unwrap().verdict), (1, Verdict::NotReached));
    /// ```
    pub fn input(mut self, input: Witness) -> Self {
        self.given = Some(Given::of(input));
        self
    }

    /// Threads that play histories. The report does not depend on it.
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// How long one call into the candidate may take.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The candidate keeps the deadline of each call itself, as a child process does.
    pub fn keeps_deadline(mut self) -> Self {
        self.own_deadline = true;
        self
    }

    /// The candidate is a child process of [`adapter::Launcher`](crate::adapter::Launcher), which is waited for, and which
    /// [keeps the deadline](Self::keeps_deadline) of each call itself: each job is two threads that take turns at it, and
    /// while it is at work for one of them the other judges what it has answered. What it is asked, and in which order, is
    /// the same in every run with one job.
    #[cfg(feature = "adapter")]
    pub fn waits(mut self) -> Self {
        self.waited_for = true;
        self.keeps_deadline()
    }

    /// A TOML file of known failures.
    pub fn known(mut self, path: impl Into<PathBuf>) -> Self {
        self.known = Some(path.into());
        self
    }

    /// The known failures themselves, where they come from no file. A file given by [`known`](Suite::known) goes before.
    pub fn known_failures(mut self, known: KnownFailures) -> Self {
        self.known_list = Some(known);
        self
    }

    /// Advice and requirements that were not reached fail the run.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Ends the run at the first failure of one of these requirements. What was not played until then is not reached.
    pub fn until<I: Into<String>>(mut self, ids: impl IntoIterator<Item = I>) -> Self {
        self.until.extend(ids.into_iter().map(|id| id.into().trim().to_ascii_uppercase()));
        self
    }

    /// Writes the JSON report to this file.
    pub fn json(mut self, path: impl Into<PathBuf>) -> Self {
        self.json = Some(path.into());
        self
    }

    /// Writes witnesses to this directory; none: writes none.
    pub fn witness_dir(mut self, dir: impl Into<Option<PathBuf>>) -> Self {
        self.witness_dir = dir.into();
        self
    }

    /// Calls `progress` after each history.
    pub fn progress(mut self, progress: impl Fn(Tick) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// The run ends, with what it has, when `stop` becomes true.
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// The run ends, with what it has, when `gave_up` says why.
    pub fn gave_up(mut self, gave_up: impl Fn() -> Option<String> + Send + Sync + 'static) -> Self {
        self.gave_up = Some(Arc::new(gave_up));
        self
    }

    /// Plays part `number` of `of`, both from 1: every `of`-th history of the same plan, and as many of the sides at a limit.
    /// What the part does not exercise is `not_reached`.
    ///
    /// # Errors
    ///
    /// If there is no such part, or there are more than 10,000.
    ///
    /// ```
    /// use plimsoll::{Effort, Reference, Suite};
    /// let suite = || Suite::new(Reference::default).effort(Effort::Smoke).requirement("LAT-1");
    /// let parts = [1, 2].map(|number| suite().shard(number, 2).unwrap().run().unwrap());
    /// assert_eq!(parts[0].histories + parts[1].histories, suite().run().unwrap().histories);
    /// assert!(suite().shard(3, 2).is_err());
    /// ```
    pub fn shard(mut self, number: u32, of: u32) -> Result<Self, String> {
        if number == 0 || number > of || of > PARTS_MAX {
            return Err(format!(
                "there is no part {number} of {of}: parts are counted from 1, and {PARTS_MAX} are the most"
            ));
        }
        self.shard = Shard { number, of };
        Ok(self)
    }

    /// Writes what each history showed to this file as soon as it was played, a line each; `plimsoll merge` makes a report
    /// of it.
    pub fn results(mut self, path: impl Into<PathBuf>) -> Self {
        self.results = Some(path.into());
        self
    }

    /// The built-in candidate of this name.
    #[cfg(feature = "cli")]
    pub(crate) fn built_in(mut self, name: &str) -> Self {
        self.built_in = Some(name.to_owned());
        self
    }

    /// Plays this share of the search alone, within so many steps, and as many cases at a limit.
    #[cfg(feature = "cli")]
    pub(crate) fn alone(mut self, share: Share, steps: usize) -> Self {
        self.alone = Some((share, steps));
        self
    }

    /// Plays these before the search.
    #[cfg(feature = "cli")]
    pub(crate) fn first(mut self, witnesses: Vec<Witness>) -> Self {
        self.first = witnesses;
        self
    }

    /// The candidate as it names itself, and the contract that it is held to.
    pub(crate) fn introduced(&self) -> Result<(CandidateInfo, Contract), String> {
        let probe = (self.make)().map_err(|error| error.to_string())?;
        let contract = self.contract.clone().unwrap_or_else(|| probe.contract());
        Ok((CandidateInfo { name: probe.name(), version: probe.version() }, contract))
    }

    /// Reads the options that environment variables set.
    ///
    /// # Errors
    ///
    /// The variable whose value is not one, and what it may be.
    pub fn from_env(mut self) -> Result<Self, String> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let number =
            |name: &str, value: &str| value.parse::<u64>().map_err(|_| format!("{name}={value}: expected a number"));
        if let Some(value) = read("PLIMSOLL_SEED") {
            self.seed = number("PLIMSOLL_SEED", &value)?;
        }
        if let Some(value) = read("PLIMSOLL_EFFORT") {
            let effort = Effort::ALL.iter().find(|effort| effort.name() == value);
            self.effort = *effort.ok_or(format!("PLIMSOLL_EFFORT={value}: expected smoke, default or nightly"))?;
        }
        if let Some(value) = read("PLIMSOLL_REQUIREMENT") {
            self.only = value.split(',').map(|id| id.trim().to_ascii_uppercase()).filter(|id| !id.is_empty()).collect();
        }
        if let Some(value) = read("PLIMSOLL_JOBS") {
            self.jobs = number("PLIMSOLL_JOBS", &value)?.max(1) as usize;
        }
        if let Some(value) = read("PLIMSOLL_TIMEOUT") {
            let seconds: f64 = value.parse().map_err(|_| format!("PLIMSOLL_TIMEOUT={value}: expected seconds"))?;
            self.timeout =
                Duration::try_from_secs_f64(seconds).map_err(|e| format!("PLIMSOLL_TIMEOUT={value}: {e}"))?;
        }
        if let Some(value) = read("PLIMSOLL_KNOWN") {
            self.known = Some(value.into());
        }
        if let Some(value) = read("PLIMSOLL_STRICT") {
            self.strict = value != "0";
        }
        if let Some(value) = read("PLIMSOLL_JSON") {
            self.json = Some(value.into());
        }
        if let Some(value) = read("PLIMSOLL_WITNESS_DIR") {
            self.witness_dir = Some(value.into());
        }
        Ok(self)
    }

    /// Runs the suite.
    ///
    /// # Errors
    ///
    /// If it cannot run at all: an unknown requirement, a contract that contradicts itself, a list of known failures that
    /// cannot be read, a candidate that does not start, a report or results that cannot be written. What goes wrong during the run is
    /// in the report.
    pub fn run(self) -> Result<Report, String> {
        for id in self.only.iter().chain(&self.until) {
            if requirement(id).is_none() {
                return Err(format!("{id}: no requirement has this id; `plimsoll list` shows all"));
            }
        }
        let known = self.known.as_deref().map(KnownFailures::load).transpose()?.or(self.known_list);
        let probe = (self.make)().map_err(|e| e.to_string())?;
        let candidate = CandidateInfo { name: probe.name(), version: probe.version() };
        let contract = self.contract.unwrap_or_else(|| probe.contract());
        drop(probe);
        contract.check().map_err(|e| format!("the contract of {} contradicts itself: {e}", candidate.name))?;
        if let Some(dir) = &self.witness_dir {
            can_hold_witnesses(dir)?;
        }
        let header = Header {
            plimsoll: "results".to_owned(),
            format: FORMAT,
            suite: env!("CARGO_PKG_VERSION").to_owned(),
            spec: SPEC_EDITION.to_owned(),
            candidate: candidate.clone(),
            source: self.source.clone(),
            built_in: self.built_in,
            contract: serde_json::to_value(&contract).unwrap_or_default(),
            seed: self.seed,
            effort: self.effort.name().to_owned(),
            filter: self.only.clone(),
            strict: self.strict,
            shard: self.shard,
            known: known.as_ref().map(KnownFailures::values).unwrap_or_default(),
            first: self.first.iter().map(|witness| witness.render(None)).collect(),
        };
        let results = self.results.as_deref().map(|path| begin(path, &header)).transpose()?;
        let setup = Setup {
            candidate,
            contract,
            make: self.make,
            seed: self.seed,
            effort: self.effort,
            jobs: self.jobs,
            pairs: self.waited_for,
            only: self.only,
            strict: self.strict,
            deadline: (!self.own_deadline).then_some(self.timeout),
            witness_dir: self.witness_dir,
            source: self.source,
            known,
            progress: self.progress,
            stop: self.stop,
            gave_up: self.gave_up,
            until: self.until,
            given: self.given,
            found_before: self.first.iter().flat_map(|witness| witness.requirements.clone()).collect(),
            first: self.first.into_iter().map(Given::of).collect(),
            shard: self.shard,
            alone: self.alone,
            results,
            recorded: None,
        };
        let report = run(&setup);
        if let (Some(path), Some(results)) = (&self.results, &setup.results) {
            written(path, results)?;
        }
        if let Some(path) = &self.json {
            std::fs::write(path, format!("{}\n", report.to_json()))
                .map_err(|e| format!("cannot write the report {}: {e}", path.display()))?;
        }
        Ok(report)
    }

    /// Plays a witness again, under the contract that stands in it. Of the options only the timeout counts.
    ///
    /// # Errors
    ///
    /// If it cannot be played at all: it names an unknown requirement, or the candidate does not return.
    pub fn replay(&self, witness: &Witness) -> Result<Replay, String> {
        self.show(witness, Draw::default())
    }

    /// The same, drawn in another way.
    pub(crate) fn show(&self, witness: &Witness, draw: Draw) -> Result<Replay, String> {
        replay(&self.make, witness, (!self.own_deadline).then_some(self.timeout), draw)
    }

    /// The contract that the candidate is held to.
    pub(crate) fn declared(&self) -> Result<Contract, String> {
        match &self.contract {
            Some(contract) => Ok(contract.clone()),
            None => (self.make)().map(|candidate| candidate.contract()).map_err(|error| error.to_string()),
        }
    }
}

/// A file of results with its first line.
fn begin(path: &std::path::Path, header: &Header) -> Result<Arc<Results>, String> {
    let file = std::fs::File::create(path).map_err(|e| format!("cannot write results to {}: {e}", path.display()))?;
    let results = Results::new(file);
    results.begin(header);
    written(path, &results)?;
    Ok(Arc::new(results))
}

/// A file with a hole is no file of results.
fn written(path: &std::path::Path, results: &Results) -> Result<(), String> {
    results.error().map_or(Ok(()), |error| Err(format!("cannot write results to {}: {error}", path.display())))
}

/// Whether witnesses can be written to `dir`: asked before the run, so that none is lost after it.
fn can_hold_witnesses(dir: &std::path::Path) -> Result<(), String> {
    let new = !dir.exists();
    let probe = dir.join(format!(".plimsoll-{}", std::process::id()));
    let tried = std::fs::create_dir_all(dir).and_then(|()| std::fs::write(&probe, ""));
    // What was only a question leaves nothing behind.
    let _ = std::fs::remove_file(&probe);
    if new {
        let _ = std::fs::remove_dir(dir);
    }
    tried
        .map_err(|e| format!("cannot write witnesses to {}: {e}; name another place with --witness-dir", dir.display()))
}
