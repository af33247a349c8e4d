//! One candidate under a fuzzer.

use std::panic;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError};

use super::{guard, mutate, readable};
use crate::candidate::Compactor;
use crate::contract::{Contract, words};
use crate::generate::{bytes, decode};
use crate::known::KnownFailures;
use crate::limit_case::LimitCase;
use crate::limit_check;
use crate::report::TextReport;
use crate::requirement::{Requirement, requirements};
use crate::suite::Suite;
use crate::verdict::{Report, Tally, Verdict};
use crate::witness::Witness;

words! {
    /// What an input of a fuzzer stands for.
    Input {
        /// A history, for a whole compactor.
        History => "history",
        /// A field to reduce.
        Field => "field",
        /// Messages to trim.
        Fit => "fit",
        /// A view to assemble a request from.
        Request => "request",
    }
}

type Hook = Box<dyn Fn(&panic::PanicHookInfo<'_>) + Send + Sync>;

/// Plays the inputs of a fuzzer against fresh candidates. What an input breaks is made smaller in this process, and its
/// witness is on disk before anything panics.
///
/// Three environment variables are read: `PLIMSOLL_WITNESS_DIR`, where witnesses go (else `plimsoll-witnesses/`);
/// `PLIMSOLL_KNOWN`, a list of known failures, whose ids the fuzzer passes over; and `PLIMSOLL_MUTATOR`, which is `own`, as
/// it is without, or `plain`: [`mutate`](Self::mutate) then leaves every change to libFuzzer, to measure what it is worth.
///
/// ```
/// use plimsoll::fuzz::{Fuzzer, Input};
/// use plimsoll::{Capability, Contract, Parts, text_reducer};
///
/// let prefix = || {
///     let contract = Contract::claiming(&[Capability::Field]);
///     Parts::new(contract).reducer(text_reducer(|text, max| text.chars().take(max).collect()))
/// };
/// let fuzzer = Fuzzer::new(Input::Field, prefix).without_witnesses();
/// let case = r#"{"plimsoll":"witness","format":1,"seed":0,"contract":{"capabilities":[]}}
/// {"reduce":{"blocks":[{"text":"xxxx"},{"text":"a","required":true}],"max":5}}"#;
/// let report = fuzzer.run(case.as_bytes()).unwrap_err();
/// assert_eq!(report.first.as_deref(), Some("RED-4"));
/// ```
pub struct Fuzzer {
    input: Input,
    contract: Contract,
    make: Arc<dyn Fn() -> Box<dyn Compactor> + Send + Sync>,
    source: &'static str,
    witness_dir: Option<PathBuf>,
    accepted: Vec<String>,
    binding: Vec<String>,
    /// The same for a whole compactor, those that are accepted among them.
    rules: Vec<&'static Requirement>,
    plain: bool,
    quiet: Once,
    hook: Mutex<Option<Hook>>,
}

impl std::fmt::Debug for Fuzzer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fuzzer").field("input", &self.input).field("source", &self.source).finish_non_exhaustive()
    }
}

impl Fuzzer {
    /// A fuzzer of the candidates that `make` gives, held to the contract that they declare.
    ///
    /// # Panics
    ///
    /// If the contract contradicts itself, if `PLIMSOLL_KNOWN` names a list that cannot be read, or if `PLIMSOLL_MUTATOR`
    /// is neither `own` nor `plain`.
    pub fn new<C: Compactor + 'static>(input: Input, make: impl Fn() -> C + Send + Sync + 'static) -> Self {
        let contract = make().contract();
        if let Err(error) = contract.check() {
            panic!("the contract of the candidate contradicts itself: {error}");
        }
        let read = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let accepted = read("PLIMSOLL_KNOWN").map_or(Vec::new(), |path| match KnownFailures::load(&path) {
            Ok(known) => known.ids().map(str::to_owned).collect(),
            Err(error) => panic!("{error}"),
        });
        let rules = guard::binding(&contract);
        let binding = rules.iter().map(|rule| rule.id().to_owned()).filter(|id| !accepted.contains(id)).collect();
        let plain = match read("PLIMSOLL_MUTATOR").as_deref().map(Path::to_str) {
            None | Some(Some("own")) => false,
            Some(Some("plain")) => true,
            Some(_) => panic!("PLIMSOLL_MUTATOR is `own` or `plain`"),
        };
        Self {
            input,
            contract,
            make: Arc::new(move || Box::new(make())),
            source: std::any::type_name::<C>(),
            witness_dir: Some(read("PLIMSOLL_WITNESS_DIR").unwrap_or_else(|| PathBuf::from("plimsoll-witnesses"))),
            accepted,
            binding,
            rules,
            plain,
            quiet: Once::new(),
            hook: Mutex::new(None),
        }
    }

    /// Writes no witness files: what is broken is in the report alone.
    #[must_use]
    pub fn without_witnesses(mut self) -> Self {
        self.witness_dir = None;
        self
    }

    /// What the bytes stand for: every byte string stands for something.
    ///
    /// ```
    /// use plimsoll::Reference;
    /// use plimsoll::fuzz::{Fuzzer, Input};
    /// let fuzzer = Fuzzer::new(Input::Fit, Reference::default);
    /// let witness = fuzzer.witness(&[3, 9, 5]);
    /// assert_eq!(fuzzer.witness(witness.render(None).as_bytes()).case, witness.case);
    /// ```
    #[must_use]
    pub fn witness(&self, bytes: &[u8]) -> Witness {
        witness_of(self.input, &self.contract, bytes)
    }

    /// Plays what the bytes stand for.
    ///
    /// # Errors
    ///
    /// The report on what it breaks: made smaller, blamed, its witnesses written.
    #[expect(clippy::result_large_err, reason = "it is made once, when all is over")]
    pub fn run(&self, bytes: &[u8]) -> Result<(), Report> {
        let witness = self.witness(bytes);
        if !self.breaks(&witness) {
            return Ok(());
        }
        let accepted = |id: &str| self.accepted.iter().any(|other| other == id);
        let make = Arc::clone(&self.make);
        let mut suite = Suite::fallible(self.source, move || Ok(make()))
            .contract(self.contract.clone())
            .input(witness)
            .witness_dir(self.witness_dir.clone());
        if !self.accepted.is_empty() {
            for requirement in requirements().filter(|requirement| !accepted(requirement.id())) {
                suite = suite.requirement(requirement.id());
            }
        }
        match suite.run() {
            Ok(report) if fails(&report) => Err(report),
            Ok(_) => Ok(()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Plays what the bytes stand for, for a fuzzer that takes a panic for a finding.
    ///
    /// A panic of the candidate is a verdict like others, so the panic hook is silent while it plays; it is put back before
    /// this one panics.
    ///
    /// # Panics
    ///
    /// With the report, when something is broken. The witness is on disk by then.
    pub fn fuzz(&self, bytes: &[u8]) {
        self.quiet.call_once(|| {
            *self.hook.lock().unwrap_or_else(PoisonError::into_inner) = Some(panic::take_hook());
            panic::set_hook(Box::new(|_| {}));
        });
        let Err(report) = self.run(bytes) else { return };
        if let Some(hook) = self.hook.lock().unwrap_or_else(PoisonError::into_inner).take() {
            panic::set_hook(hook);
        }
        panic!("{}", TextReport::new(&report).replay("cp ", " plimsoll-regressions/ && cargo test regressions"));
    }

    /// Changes an input in place by one command, block or message; `data` has room for `max` bytes, of which `size` are the
    /// input. The new size; none where the change would not fit, or where changes are left to libFuzzer.
    pub fn mutate(&self, data: &mut [u8], size: usize, max: usize, seed: u32) -> Option<usize> {
        if self.plain {
            return None;
        }
        let witness = self.witness(&data[..size.min(data.len())]);
        let text = mutate::mutate(self.input, &self.contract, witness, u64::from(seed));
        let room = data.get_mut(..max)?.get_mut(..text.len())?;
        room.copy_from_slice(text.as_bytes());
        Some(text.len())
    }

    /// Whether it breaks something, told as cheaply as can be.
    fn breaks(&self, witness: &Witness) -> bool {
        match &witness.case {
            Some(case) => limit_check::breaks(&self.contract, &|| Ok((self.make)()), case, &self.binding),
            None => guard::breaks(&self.contract, &self.rules, &|| Ok((self.make)()), &witness.history),
        }
    }
}

/// What the bytes stand for under this contract.
pub(crate) fn witness_of(input: Input, contract: &Contract, bytes: &[u8]) -> Witness {
    let readable = readable(bytes).filter(|witness| {
        matches!(
            (&witness.case, input),
            (None, Input::History)
                | (Some(LimitCase::Reduce(_)), Input::Field)
                | (Some(LimitCase::Fit(_)), Input::Fit)
                | (Some(LimitCase::Assemble(_)), Input::Request)
        )
    });
    if let Some(witness) = readable {
        return Witness { contract: contract.clone(), ..witness };
    }
    drawn(input, contract, bytes)
}

/// What the bytes draw from the grammar.
pub(super) fn drawn(input: Input, contract: &Contract, bytes: &[u8]) -> Witness {
    let case = match input {
        Input::History => return Witness::new(contract.clone(), decode(contract, bytes)),
        Input::Field => LimitCase::Reduce(bytes::reduce_case(&contract.field, bytes)),
        Input::Fit => LimitCase::Fit(bytes::fit_case(contract, bytes)),
        Input::Request => LimitCase::Assemble(bytes::assemble_case(contract, bytes)),
    };
    Witness::of_case(contract.clone(), case)
}

/// Whether something that binds is broken. What the input did not exercise says nothing.
fn fails(report: &Report) -> bool {
    let failed = |verdict: Verdict| !matches!(verdict, Verdict::Vacuous | Verdict::NotReached);
    report.requirements.iter().any(|row| row.tally() == Tally::Failed && failed(row.verdict))
        || !report.broken.is_empty()
        || report.aborted.is_some()
}
