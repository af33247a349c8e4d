//! Which messages of a view may be summarised or trimmed.

use crate::contract::{Contract, Feature};
use crate::message::{Message, Role};

/// The size of a view: content and reasoning of what the model sees.
pub(crate) fn size(contract: &Contract, view: &[Message]) -> usize {
    view.iter().filter(|message| message.is_visible()).map(|message| size_of(contract, message)).sum()
}

/// The size of one message.
pub(crate) fn size_of(contract: &Contract, message: &Message) -> usize {
    let unit = contract.size.unit.unit();
    let reasoning = message.reasoning.as_deref().map_or(0, |text| unit.len(text));
    unit.len(&message.content) + reasoning + contract.size.per_message
}

/// The number of the host's messages in the view that the model sees.
pub(crate) fn standing(view: &[Message]) -> u64 {
    view.iter().filter(|message| message.is_visible() && !message.is_own()).count() as u64
}

/// Whether a call is open: it stands in the view without its final result.
pub(crate) fn open_call(view: &[Message]) -> bool {
    let mut made = view.iter().flat_map(|message| &message.calls).peekable();
    if made.peek().is_none() {
        return false;
    }
    let final_ones = view.iter().filter(|message| !message.interim);
    let mut answered: Vec<&str> = final_ones.filter_map(|message| message.call_id.as_deref()).collect();
    answered.sort_unstable();
    made.any(|call| answered.binary_search(&call.as_str()).is_err())
}

/// Where the leading system messages end. What the model does not see stands in front of nothing.
pub(crate) fn leading(view: &[Message]) -> usize {
    let leads = |message: &&Message| !message.is_visible() || (message.role == Role::System && !message.is_own());
    view.iter().take_while(leads).count()
}

/// Positions of the last `keep` visible messages.
fn tail(view: &[Message], keep: usize) -> impl Iterator<Item = usize> {
    view.iter().enumerate().rev().filter(|(_, message)| message.is_visible()).map(|(at, _)| at).take(keep)
}

/// Which of `0..len` are among `at`.
pub(crate) fn marks(len: usize, at: impl IntoIterator<Item = usize>) -> Vec<bool> {
    let mut marks = vec![false; len];
    for at in at {
        if let Some(mark) = marks.get_mut(at) {
            *mark = true;
        }
    }
    marks
}

/// Extends what is `protected` to whole call groups: a call message and its results stay or go together.
pub(crate) fn close_groups(view: &[Message], protected: &mut [bool]) {
    let mut calls: Vec<&str> = Vec::new();
    loop {
        calls.clear();
        for (_, message) in view.iter().enumerate().filter(|(at, _)| protected[*at]) {
            calls.extend(message.calls.iter().chain(&message.call_id).map(String::as_str));
        }
        calls.sort_unstable();
        let mut more = false;
        for (at, message) in view.iter().enumerate().filter(|_| !calls.is_empty()) {
            let mut own = message.calls.iter().chain(&message.call_id);
            if !protected[at] && own.any(|call| calls.binary_search(&call.as_str()).is_ok()) {
                (protected[at], more) = (true, true);
            }
        }
        if !more {
            return;
        }
    }
}

/// Positions of the messages that a summary may replace, in order.
pub(crate) fn eligible(contract: &Contract, view: &[Message]) -> Vec<usize> {
    let attempt = &contract.attempt;
    let mut protected = marks(view.len(), 0..leading(view));
    let pinned = (0..view.len()).filter(|at| view[*at].pinned);
    let user = view.iter().rposition(|m| m.role == Role::User && m.is_visible() && !m.is_own());
    pinned.chain(user).chain(tail(view, attempt.keep_last.max(1))).for_each(|at| protected[at] = true);
    let keep =
        if attempt.keep_size < 1.0 { attempt.keep_size * size(contract, view) as f64 } else { attempt.keep_size };
    let mut kept = 0.0;
    for at in tail(view, view.len()) {
        kept += size_of(contract, &view[at]) as f64;
        if kept > keep {
            break;
        }
        protected[at] = true;
    }
    close_groups(view, &mut protected);
    let may = |at: &usize| view[*at].is_visible() && !view[*at].is_own() && !protected[*at];
    (0..view.len()).filter(may).collect()
}

/// Whether `message` is a tool result. Where messages have no role for those, they are system messages after the leading
/// ones.
fn is_result(contract: &Contract, view: &[Message], at: usize) -> bool {
    let message = &view[at];
    message.role == Role::Tool
        || (!contract.has(Feature::ToolRole) && message.role == Role::System && at >= leading(view))
}

/// Positions of the tool results that trimming shortens, in order; none while a call is open.
pub(crate) fn trimmable(contract: &Contract, view: &[Message]) -> Vec<usize> {
    if open_call(view) {
        return Vec::new();
    }
    let rules = &contract.trim;
    let mut protected = marks(view.len(), tail(view, rules.keep_last));
    (0..view.len()).filter(|at| view[*at].pinned).for_each(|at| protected[at] = true);
    let mut kept = 0;
    for at in (0..view.len()).rev().filter(|at| is_result(contract, view, *at)) {
        kept += size_of(contract, &view[at]);
        if kept > rules.keep_size {
            break;
        }
        protected[at] = true;
    }
    close_groups(view, &mut protected);
    let may = |at: &usize| {
        let message = &view[*at];
        is_result(contract, view, *at)
            && message.is_visible()
            && !message.is_own()
            && !message.trimmed
            && !protected[*at]
            && message.content.chars().count() > rules.min_chars
    };
    (0..view.len()).filter(may).collect()
}

/// `sent` in parts that are within `attempt.input_max` each, in order; one part where there is no limit.
pub(crate) fn chunks(contract: &Contract, view: &[Message], sent: &[usize]) -> Vec<Vec<usize>> {
    let Some(max) = contract.attempt.input_max else { return vec![sent.to_vec()] };
    let mut chunks: Vec<Vec<usize>> = vec![Vec::new()];
    let mut filled = 0;
    for at in sent {
        let size = size_of(contract, &clipped(contract, &view[*at]));
        if filled + size > max && filled > 0 {
            chunks.push(Vec::new());
            filled = 0;
        }
        filled += size;
        chunks.last_mut().into_iter().for_each(|chunk| chunk.push(*at));
    }
    chunks
}

/// A message that alone is within `attempt.input_max`: the beginning of it, if it has to be.
pub(crate) fn clipped(contract: &Contract, message: &Message) -> Message {
    let max = contract.attempt.input_max.unwrap_or(usize::MAX);
    let mut clipped = message.clone();
    if size_of(contract, &clipped) > max {
        clipped.reasoning = None;
        let room = max.saturating_sub(contract.size.per_message);
        clipped.content = contract.size.unit.unit().prefix(&message.content, room).to_owned();
    }
    clipped
}

/// `at` without the call groups that are not in it as a whole.
pub(crate) fn whole_groups(view: &[Message], at: &mut Vec<usize>) {
    let mut outside = marks(view.len(), (0..view.len()).filter(|i| !at.contains(i)));
    close_groups(view, &mut outside);
    at.retain(|i| !outside[*i]);
}
