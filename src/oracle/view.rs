//! A view as the oracle sees it: items matched with the messages that the host sent.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::rc::Rc;

use crate::contract::{Capability, Contract, Feature};
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
    /// What it adds to the size of a view that the model sees.
    pub(crate) size: usize,
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
    contract: &'t Contract,
    sizes: Vec<usize>,
    by_id: Index<Word<'t>>,
    /// By the call that a result answers.
    by_call: Index<Word<'t>>,
    // What not every history asks for.
    by_token: OnceCell<Index<[u8; TOKEN]>>,
    by_key: OnceCell<Index<u32>>,
    scribe: Scribe,
    /// What every token begins with and ends with.
    ends: (u8, u8),
}

const TOKEN: usize = 8;

/// An id: its length, its last eight bytes as a number, and what stands before them. Ids differ in their ends for the most
/// part, or come in this order, and so few are compared letter by letter.
type Word<'t> = (usize, u64, &'t [u8]);

fn word(id: &str) -> Word<'_> {
    let (rest, end) = id.as_bytes().split_at(id.len().saturating_sub(8));
    (id.len(), end.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)), rest)
}

/// Positions among the externals by something that they have, in order. There are few, and they are looked up often.
#[derive(Debug)]
struct Index<K>(Vec<(K, usize)>);

impl<K: Ord> Index<K> {
    fn new(all: impl Iterator<Item = (K, usize)>) -> Self {
        let mut all: Vec<(K, usize)> = all.collect();
        // Keys come in order for the most part, and so does what is sorted stably.
        all.sort();
        Self(all)
    }

    fn all(&self, key: &K) -> &[(K, usize)] {
        let from = self.0.partition_point(|(other, _)| other < key);
        let len = self.0[from..].iter().take_while(|(other, _)| other == key).count();
        &self.0[from..from + len]
    }

    /// The last one.
    fn last(&self, key: &K) -> Option<usize> {
        self.all(key).last().map(|(_, at)| *at)
    }
}

impl<'t> Externals<'t> {
    pub(crate) fn new(trace: &'t Trace, contract: &'t Contract) -> Self {
        let scribe = Scribe::new(trace.history.seed, contract);
        let drafts = trace.history.drafts().zip(&trace.externals);
        let all: Vec<_> = drafts.map(|((name, draft), (_, _, message))| (name, draft, message)).collect();
        let sizes = all.iter().map(|(_, _, message)| size_of_message(contract, message)).collect();
        let by_id = Index::new(all.iter().map(|(_, _, message)| word(&message.id)).zip(0..));
        let results =
            all.iter().zip(0..).filter_map(|((_, _, message), at)| Some((word(message.call_id.as_deref()?), at)));
        let by_call = Index::new(results);
        let (by_token, by_key) = (OnceCell::new(), OnceCell::new());
        let sample = scribe.letters(0);
        let ends = (sample[0], sample[TOKEN - 1]);
        Self { all, contract, sizes, by_id, by_call, by_token, by_key, scribe, ends }
    }

    /// The host's message at `at` as it was sent.
    pub(super) fn sent(&self, at: usize) -> Item<'t> {
        let message = self.message(at);
        let (origin, size) = (Origin::External(at), self.sizes[at]);
        Item { message, origin, verbatim: true, visible: message.is_visible(), size }
    }

    /// What somebody else has said: the candidate, or its own host.
    pub(super) fn said(&self, message: &'t Message, origin: Origin) -> Item<'t> {
        let size = size_of_message(self.contract, message);
        Item { message, origin, verbatim: origin == Origin::Extra, visible: message.is_visible(), size }
    }

    pub(crate) fn message(&self, at: usize) -> &'t Message {
        self.all[at].2
    }

    pub(crate) fn draft(&self, at: usize) -> &'t Draft {
        self.all[at].1
    }

    pub(crate) fn by_id(&self, id: &str) -> Option<usize> {
        self.by_id.last(&word(id))
    }

    pub(crate) fn by_key(&self, key: u32) -> Option<usize> {
        let by_key = || Index::new(self.all.iter().map(|(_, draft, _)| draft.key).zip(0..));
        self.by_key.get_or_init(by_key).last(&key)
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
        let by_token = || Index::new(self.all.iter().map(|(_, draft, _)| self.scribe.letters(draft.key)).zip(0..));
        let (first, last) = self.ends;
        // A token is ASCII, and so its bytes stand only where it does. What it ends with is rare.
        for (end, _) in text.match_indices(char::from(last)) {
            let window = (end + 1).checked_sub(TOKEN).map(|start| &text.as_bytes()[start..=end]);
            let token = window.filter(|window| window[0] == first).and_then(|w| <[u8; TOKEN]>::try_from(w).ok());
            if let Some(at) = token.and_then(|token| self.by_token.get_or_init(by_token).last(&token))
                && !found.contains(&at)
            {
                found.push(at);
            }
        }
        found
    }

    /// The host's messages that reach the summariser with `input`, in the order in which they were sent.
    pub(super) fn in_input(&self, input: &Input) -> Vec<usize> {
        let mut found = match input {
            Input::Text(text) => self.tokens(text),
            Input::Items(items) => {
                let mut found = Vec::new();
                for item in items {
                    let answered = || item.call_id.as_deref().and_then(|call| self.only_result(call));
                    let known = self.by_id(&item.id).or_else(answered);
                    if let Some(at) = known.filter(|at| self.message(*at).content == item.content) {
                        // As the host has written it, it has no token but its own.
                        found.push(at);
                        continue;
                    }
                    found.extend(known.filter(|at| self.is(*at, item)));
                    found.extend(self.tokens(&item.content));
                }
                found
            }
        };
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether `item` carries the external message at `at`, shortened or not.
    fn is(&self, at: usize, item: &Message) -> bool {
        // Of a result that was trimmed nothing need be left but the mark.
        let marked = item.trimmed && self.contract.claims(Capability::Trim) && self.draft(at).role == Role::Tool;
        !item.content.is_empty() || self.message(at).content.is_empty() || marked
    }

    /// The host's message that answers `call`, where one alone does.
    fn only_result(&self, call: &str) -> Option<usize> {
        match self.by_call.all(&word(call)) {
            [(_, at)] => Some(*at),
            _ => None,
        }
    }

    /// Matches one item: by id, then by the call that it answers, then by its tokens.
    pub(crate) fn item(&self, message: &'t Message, extras: &HashSet<&str>) -> Item<'t> {
        let external = |at: usize| {
            let sent = self.message(at);
            let same = sent.content == message.content && sent.reasoning == message.reasoning;
            let size = if same { self.sizes[at] } else { size_of_message(self.contract, message) };
            Item { message, verbatim: same, size, ..self.sent(at) }
        };
        // No message of the host has an id of an own one.
        if !message.is_own()
            && let Some(at) = self.by_id(&message.id)
        {
            return external(at);
        }
        if !extras.is_empty() && extras.contains(message.id.as_str()) {
            return self.said(message, Origin::Extra);
        }
        let own = self.said(message, Origin::Own);
        if message.is_own() {
            // Under whatever id, the whole content is the message.
            let copied = |at: &usize| {
                let sent = self.message(*at);
                sent.content == message.content && sent.ui_only == message.ui_only && !message.summary
            };
            // All that the host sends stands between two tokens.
            let bytes = message.content.as_bytes();
            if (bytes.first(), bytes.last()) != (Some(&self.ends.0), Some(&self.ends.1)) {
                return own;
            }
            return match self.tokens(&message.content)[..] {
                [at] if copied(&at) => external(at),
                _ => own,
            };
        }
        if let Some(at) = message.call_id.as_deref().and_then(|call| self.only_result(call)) {
            return external(at);
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

/// The size of a message.
pub(crate) fn size_of_message(contract: &Contract, message: &Message) -> usize {
    let unit = contract.size.unit.unit();
    let reasoning = message.reasoning.as_deref().map_or(0, |text| unit.len(text));
    unit.len(&message.content) + reasoning + contract.size.per_message
}

/// The size of a view.
pub(crate) fn size(view: &[Item<'_>]) -> usize {
    view.iter().filter(|item| item.visible).map(|item| item.size).sum()
}

/// Visible external messages that stand in a view.
pub(crate) fn standing(view: &[Item<'_>]) -> u64 {
    view.iter().filter(|item| item.is_visible_external()).count() as u64
}

/// Whether a call stands in a view without its final result.
pub(crate) fn open_call<'t>(externals: &Externals<'t>, view: &[Item<'t>]) -> bool {
    let sent = || view.iter().filter_map(Item::external);
    // By its number and by its id.
    let mut made = sent().flat_map(|at| externals.draft(at).calls.iter().zip(&externals.message(at).calls)).peekable();
    if made.peek().is_none() {
        return false;
    }
    let results = sent().map(|at| externals.draft(at)).filter(|draft| !draft.interim);
    let mut answered: Vec<u32> = results.filter_map(|draft| draft.answers).collect();
    answered.sort_unstable();
    // An own item may stand for a result that was trimmed.
    let stands_in = |call: &String| {
        let own = view.iter().filter(|item| item.is_own() && item.visible && !item.message.interim);
        own.filter_map(|item| item.message.call_id.as_ref()).any(|answered| answered == call)
    };
    made.any(|(number, call)| answered.binary_search(number).is_err() && !stands_in(call))
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
pub(crate) fn maybe_eligible(view: &[Item<'_>]) -> impl Iterator<Item = usize> {
    let (leading, latest) = (leading(view), latest_user(view));
    (leading..view.len()).filter(move |at| {
        let item = &view[*at];
        item.is_visible_external() && Some(*at) != latest && !item.message.pinned
    })
}

/// Positions of what is surely eligible for a summary: nothing that a declared tail or a call group could protect.
pub(crate) fn surely_eligible<'t>(contract: &Contract, externals: &Externals<'t>, view: &[Item<'t>]) -> Vec<usize> {
    let attempt = &contract.attempt;
    let leading = leading_of_the_host(view);
    let mut maybe = Vec::with_capacity(view.len());
    maybe.extend(maybe_eligible(view).filter(|at| *at >= leading));
    if maybe.is_empty() {
        return maybe;
    }
    let mut protected: Vec<bool> = view.iter().map(Item::is_visible_external).collect();
    for at in &maybe {
        protected[*at] = false;
    }
    let tail = || (0..view.len()).rev().filter(|at| view[*at].is_visible_external());
    tail().take(attempt.keep_last.max(1)).for_each(|at| protected[at] = true);
    let keep = match attempt.keep_size {
        fraction if fraction < 1.0 => fraction * size(view) as f64,
        units => contract.at_most(units.ceil() as usize) as f64,
    };
    let mut kept = 0.0;
    for at in tail() {
        if kept >= keep {
            break;
        }
        kept += view[at].size as f64;
        protected[at] = true;
    }
    if maybe.iter().any(|at| !protected[*at]) {
        close_groups(externals, view, &mut protected);
    }
    maybe.retain(|at| !protected[*at]);
    maybe
}

/// Extends what is `protected` to whole call groups.
fn close_groups(externals: &Externals<'_>, view: &[Item<'_>], protected: &mut [bool]) {
    let calls_of = |at: usize| {
        let draft = view[at].external().map(|at| externals.draft(at));
        draft.into_iter().flat_map(|draft| draft.calls.iter().chain(&draft.answers)).copied()
    };
    // The calls of what was protected last: only they can bring in something new.
    let mut calls: Vec<u32> = (0..view.len()).filter(|at| protected[*at]).flat_map(calls_of).collect();
    while !calls.is_empty() {
        calls.sort_unstable();
        let mut more = Vec::new();
        for (at, protected) in protected.iter_mut().enumerate().filter(|(_, protected)| !**protected) {
            if calls_of(at).any(|call| calls.binary_search(&call).is_ok()) {
                *protected = true;
                more.extend(calls_of(at));
            }
        }
        calls = more;
    }
}

/// Positions of the tool results that are surely trimmable.
pub(crate) fn surely_trimmable<'t>(contract: &Contract, externals: &Externals<'t>, view: &[Item<'t>]) -> Vec<usize> {
    let rules = &contract.trim;
    // Without a role of their own results come as system messages. In front nobody can tell them from what leads.
    let front = if contract.has(Feature::ToolRole) { 0 } else { leading_of_the_host(view) };
    let is_tool = |at: usize| externals.draft(at).role == Role::Tool;
    let is_result = |at: &usize| *at >= front && view[*at].external().is_some_and(is_tool);
    if !(0..view.len()).any(|at| is_result(&at)) || open_call(externals, view) {
        return Vec::new();
    }
    let visible = || (0..view.len()).rev().filter(|at| view[*at].is_visible_external());
    let mut protected: Vec<bool> = view.iter().map(|item| item.message.pinned).collect();
    visible().take(rules.keep_last).for_each(|at| protected[at] = true);
    let mut kept = 0;
    for at in visible().filter(is_result) {
        if kept >= contract.at_most(rules.keep_size) {
            break;
        }
        kept += view[at].size;
        protected[at] = true;
    }
    let chars = |at: usize| view[at].message.content.chars().count();
    let may = |at: &usize| {
        let item = &view[*at];
        is_result(at) && item.visible && item.verbatim && !protected[*at] && chars(*at) > rules.min_chars
    };
    let mut found: Vec<usize> = (0..view.len()).filter(may).collect();
    if found.is_empty() {
        return found;
    }
    close_groups(externals, view, &mut protected);
    found.retain(|at| !protected[*at]);
    let saved: usize = found.iter().map(|at| chars(*at) - rules.min_chars).sum();
    let least = match rules.min_saving {
        fraction if fraction < 1.0 => fraction * size(view) as f64,
        units => contract.at_most(units.ceil() as usize) as f64,
    };
    if saved as f64 >= least { found } else { Vec::new() }
}
