//! A view as the oracle sees it: items matched with the messages that the host sent.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use crate::contract::Contract;
use crate::history::{Draft, Name, Scribe};
use crate::message::{Message, Role};
use crate::trace::{Input, Trace};

/// Where a view item comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The host's message at this position of [`Externals::all`].
    External(usize),
    /// A message that the candidate's own host added.
    Extra,
    /// The candidate.
    Own,
}

/// One item of a view.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item<'t> {
    pub(crate) message: &'t Message,
    pub(crate) origin: Origin,
    /// The host's message, unchanged.
    pub(crate) verbatim: bool,
    /// The model sees it: by the host's word for the host's messages, by the candidate's for its own.
    pub(crate) visible: bool,
}

impl Item<'_> {
    pub(crate) fn is_own(&self) -> bool {
        self.origin == Origin::Own
    }

    pub(crate) fn is_visible_external(&self) -> bool {
        self.visible && !self.is_own()
    }

    pub(crate) fn external(&self) -> Option<usize> {
        match self.origin {
            Origin::External(at) => Some(at),
            Origin::Extra | Origin::Own => None,
        }
    }
}

/// A view; cheap to keep.
pub(crate) type View<'t> = Rc<Vec<Item<'t>>>;

/// What the host sent, and how to find it again.
#[derive(Debug)]
pub(crate) struct Externals<'t> {
    pub(crate) all: Vec<(Name, &'t Draft, &'t Message)>,
    by_id: HashMap<&'t str, usize>,
    by_token: HashMap<String, usize>,
    by_key: HashMap<u32, usize>,
    by_call: HashMap<&'t str, Vec<usize>>,
}

const TOKEN: usize = 8;

impl<'t> Externals<'t> {
    pub(crate) fn new(trace: &'t Trace, contract: &Contract) -> Self {
        let scribe = Scribe::new(trace.history.seed, contract);
        let drafts = trace.history.drafts().zip(&trace.externals);
        let all: Vec<_> = drafts.map(|((name, draft), (_, _, message))| (name, draft, message)).collect();
        let by_id = all.iter().enumerate().map(|(at, (_, _, message))| (message.id.as_str(), at)).collect();
        let by_token = all.iter().enumerate().map(|(at, (_, draft, _))| (scribe.token(draft.key), at)).collect();
        let by_key = all.iter().enumerate().map(|(at, (_, draft, _))| (draft.key, at)).collect();
        let mut by_call: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, (_, _, message)) in all.iter().enumerate() {
            by_call.entry(message.call_id.as_deref().unwrap_or_default()).or_default().push(at);
        }
        Self { all, by_id, by_token, by_key, by_call }
    }

    pub(crate) fn message(&self, at: usize) -> &'t Message {
        self.all[at].2
    }

    pub(crate) fn draft(&self, at: usize) -> &'t Draft {
        self.all[at].1
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    pub(crate) fn by_key(&self, key: u32) -> Option<usize> {
        self.by_key.get(&key).copied()
    }

    /// `text`, each id of a host's message in it behind the number that timelines show: `message 3 (msg-17)`.
    pub(crate) fn numbered(&self, text: &str) -> String {
        let in_id = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        let pieces = text.split_inclusive(|c| !in_id(c)).flat_map(|piece| {
            let word = piece.trim_end_matches(|c| !in_id(c));
            [word, &piece[word.len()..]]
        });
        let told = |word: &str| match self.by_id(word) {
            Some(at) => format!("{} ({word})", self.draft(at).key),
            None => word.to_owned(),
        };
        pieces.map(told).collect()
    }

    /// The host's messages whose tokens stand in `text`, in the order in which they stand, each once.
    pub(crate) fn tokens(&self, text: &str) -> Vec<usize> {
        let mut found = Vec::new();
        let Some(sample) = self.by_token.keys().next() else { return found };
        let (first, last) = (sample.as_bytes()[0], sample.as_bytes()[TOKEN - 1]);
        let bytes = text.as_bytes();
        for start in 0..bytes.len().saturating_sub(TOKEN - 1) {
            if bytes[start] == first
                && bytes[start + TOKEN - 1] == last
                && let Some(at) = text.get(start..start + TOKEN).and_then(|token| self.by_token.get(token))
                && !found.contains(at)
            {
                found.push(*at);
            }
        }
        found
    }

    /// The host's messages that reach the summariser with `input`.
    pub(crate) fn in_input(&self, input: &Input) -> HashSet<usize> {
        match input {
            Input::Text(text) => self.tokens(text).into_iter().collect(),
            Input::Items(items) => {
                let mut found = HashSet::new();
                for item in items {
                    found.extend(self.by_id(&item.id).filter(|at| self.is(*at, item)));
                    found.extend(self.tokens(&item.content));
                }
                found
            }
        }
    }

    /// Whether `item` carries the external message at `at`, shortened or not.
    fn is(&self, at: usize, item: &Message) -> bool {
        !item.content.is_empty() || self.message(at).content.is_empty()
    }

    /// Matches one item: by id, then by the call that it answers, then by its tokens.
    pub(crate) fn item(&self, message: &'t Message, extras: &HashSet<&str>) -> Item<'t> {
        let external = |at: usize| {
            let sent = self.message(at);
            let same = sent.content == message.content && sent.reasoning == message.reasoning;
            Item { message, origin: Origin::External(at), verbatim: same, visible: sent.is_visible() }
        };
        if let Some(at) = self.by_id(&message.id) {
            return external(at);
        }
        let own = Item { message, origin: Origin::Own, verbatim: false, visible: message.is_visible() };
        if extras.contains(message.id.as_str()) {
            return Item { origin: Origin::Extra, verbatim: true, ..own };
        }
        if message.is_own() {
            // Under whatever id, the whole content is the message.
            let copied = |at: &usize| {
                let sent = self.message(*at);
                sent.content == message.content && sent.ui_only == message.ui_only && !message.summary
            };
            return match self.tokens(&message.content)[..] {
                [at] if copied(&at) => external(at),
                _ => own,
            };
        }
        let by_call = message.call_id.as_deref().and_then(|call| self.by_call.get(call)).filter(|at| at.len() == 1);
        if let Some(at) = by_call {
            return external(at[0]);
        }
        match self.tokens(&message.content)[..] {
            [at] if self.message(at).role == message.role
                && message.content.len() <= self.message(at).content.len() =>
            {
                external(at)
            }
            _ => own,
        }
    }
}

/// The size of one item.
pub(crate) fn size_of(contract: &Contract, item: &Item<'_>) -> usize {
    size_of_message(contract, item.message)
}

/// The size of a message.
pub(crate) fn size_of_message(contract: &Contract, message: &Message) -> usize {
    let unit = contract.size.unit.unit();
    let reasoning = message.reasoning.as_deref().map_or(0, |text| unit.len(text));
    unit.len(&message.content) + reasoning + contract.size.per_message
}

/// The size of a view.
pub(crate) fn size(contract: &Contract, view: &[Item<'_>]) -> usize {
    view.iter().filter(|item| item.visible).map(|item| size_of(contract, item)).sum()
}

/// Visible external messages that stand in a view.
pub(crate) fn standing(view: &[Item<'_>]) -> u64 {
    view.iter().filter(|item| item.is_visible_external()).count() as u64
}

/// The calls that stand in a view without their final result.
pub(crate) fn open_calls<'t>(externals: &Externals<'t>, view: &[Item<'t>]) -> HashSet<&'t str> {
    let messages = || view.iter().filter_map(Item::external).map(|at| externals.message(at));
    // An own item may stand for a result that was trimmed.
    let results = messages().chain(view.iter().filter(|item| item.is_own() && item.visible).map(|item| item.message));
    let answered: HashSet<&str> = results.filter(|m| !m.interim).filter_map(|m| m.call_id.as_deref()).collect();
    messages().flat_map(|m| m.calls.iter().map(String::as_str)).filter(|call| !answered.contains(call)).collect()
}

/// Whether a message of the host ends a turn: an assistant's without calls.
pub(crate) fn ends_turn(message: &Message) -> bool {
    message.role == Role::Assistant && message.calls.is_empty()
}

/// Where the leading system messages end. What the model does not see stands in front of nothing.
pub(crate) fn leading(view: &[Item<'_>]) -> usize {
    let leads = |item: &&Item<'_>| !item.visible || (item.external().is_some() && item.message.role == Role::System);
    view.iter().take_while(leads).count()
}

/// The position of the latest visible external user message.
pub(crate) fn latest_user(view: &[Item<'_>]) -> Option<usize> {
    view.iter().rposition(|item| item.is_visible_external() && item.message.role == Role::User)
}

/// Where they end where a compaction may have put something of its own in front of them: they lead all the same.
fn leading_of_the_host(view: &[Item<'_>]) -> usize {
    let leads = |item: &&Item<'_>| {
        !item.visible || item.is_own() || (item.external().is_some() && item.message.role == Role::System)
    };
    view.iter().take_while(leads).count()
}

/// Positions of what may be eligible for a summary.
pub(crate) fn maybe_eligible(view: &[Item<'_>]) -> Vec<usize> {
    let (leading, latest) = (leading(view), latest_user(view));
    let may = |at: &usize| {
        let item = &view[*at];
        item.is_visible_external() && *at >= leading && Some(*at) != latest && !item.message.pinned
    };
    (0..view.len()).filter(may).collect()
}

/// Positions of what is surely eligible for a summary: nothing that a declared tail or a call group could protect.
pub(crate) fn surely_eligible<'t>(contract: &Contract, externals: &Externals<'t>, view: &[Item<'t>]) -> Vec<usize> {
    let attempt = &contract.attempt;
    let mut maybe = maybe_eligible(view);
    let leading = leading_of_the_host(view);
    maybe.retain(|at| *at >= leading);
    let mut protected: HashSet<usize> = (0..view.len()).filter(|at| view[*at].is_visible_external()).collect();
    for at in &maybe {
        protected.remove(at);
    }
    let tail: Vec<usize> = (0..view.len()).rev().filter(|at| view[*at].is_visible_external()).collect();
    protected.extend(tail.iter().take(attempt.keep_last.max(1)));
    let keep = match attempt.keep_size {
        fraction if fraction < 1.0 => fraction * size(contract, view) as f64,
        units => units,
    };
    let mut kept = 0.0;
    for at in tail {
        if kept >= keep {
            break;
        }
        kept += size_of(contract, &view[at]) as f64;
        protected.insert(at);
    }
    close_groups(externals, view, &mut protected);
    maybe.into_iter().filter(|at| !protected.contains(at)).collect()
}

/// Extends `protected` to whole call groups.
fn close_groups<'t>(externals: &Externals<'t>, view: &[Item<'t>], protected: &mut HashSet<usize>) {
    let message = |at: usize| view[at].external().map(|at| externals.message(at));
    loop {
        let before = protected.len();
        let mut calls: HashSet<&str> = HashSet::new();
        for message in (0..view.len()).filter(|at| protected.contains(at)).filter_map(message) {
            calls.extend(message.calls.iter().map(String::as_str));
            calls.extend(message.call_id.as_deref());
        }
        if calls.is_empty() {
            return;
        }
        for at in 0..view.len() {
            let Some(message) = message(at) else { continue };
            let answers = message.call_id.as_deref().is_some_and(|call| calls.contains(call));
            if answers || message.calls.iter().any(|call| calls.contains(call.as_str())) {
                protected.insert(at);
            }
        }
        if protected.len() == before {
            return;
        }
    }
}

/// Positions of the tool results that are surely trimmable.
pub(crate) fn surely_trimmable<'t>(contract: &Contract, externals: &Externals<'t>, view: &[Item<'t>]) -> Vec<usize> {
    let rules = &contract.trim;
    if !open_calls(externals, view).is_empty() {
        return Vec::new();
    }
    let is_result = |at: &usize| view[*at].external().is_some_and(|at| externals.draft(at).role == Role::Tool);
    let visible = || (0..view.len()).rev().filter(|at| view[*at].is_visible_external());
    let mut protected: HashSet<usize> = visible().take(rules.keep_last).collect();
    protected.extend((0..view.len()).filter(|at| view[*at].message.pinned));
    let mut kept = 0;
    for at in visible().filter(is_result) {
        if kept >= rules.keep_size {
            break;
        }
        kept += size_of(contract, &view[at]);
        protected.insert(at);
    }
    close_groups(externals, view, &mut protected);
    let chars = |at: usize| view[at].message.content.chars().count();
    let may = |at: &usize| {
        let item = &view[*at];
        is_result(at) && item.visible && item.verbatim && !protected.contains(at) && chars(*at) > rules.min_chars
    };
    let found: Vec<usize> = (0..view.len()).filter(may).collect();
    let saved: usize = found.iter().map(|at| chars(*at) - rules.min_chars).sum();
    let least = match rules.min_saving {
        fraction if fraction < 1.0 => fraction * size(contract, view) as f64,
        units => units,
    };
    if saved as f64 >= least { found } else { Vec::new() }
}
