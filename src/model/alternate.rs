//! Roles that alternate, where the contract declares it.

use super::select::{close_groups, marks};
use crate::message::{Message, Role};

/// Whether the role of `message` takes part: system messages stand outside the order.
fn speaks(message: &Message) -> bool {
    message.is_visible() && message.role != Role::System
}

/// What a summary will stand for, less what has to stay between two neighbours of one role.
pub(crate) fn alternating(view: &[Message], mut gone: Vec<usize>) -> Vec<usize> {
    loop {
        let first = gone.first().copied();
        let kept: Vec<usize> = (0..view.len()).filter(|at| !gone.contains(at) && speaks(&view[*at])).collect();
        let meets = |pair: &&[usize]| {
            let own = first.is_some_and(|first| pair[0] < first && first < pair[1]);
            let role = view[pair[0]].role;
            !own && role == view[pair[1]].role && role != Role::Tool
        };
        let other = kept.windows(2).filter(meets).find_map(|pair| {
            (pair[0] + 1..pair[1]).find(|at| speaks(&view[*at]) && view[*at].role != view[pair[0]].role)
        });
        let Some(other) = other else { return gone };
        let mut back = marks(view.len(), [other]);
        close_groups(view, &mut back);
        gone.retain(|at| !back[*at]);
    }
}

/// Gives the summary at `at` a role that its neighbours have not, with a line before it where one alone cannot.
pub(crate) fn fit_in(view: &mut Vec<Message>, at: usize) {
    let role = |message: Option<&Message>| message.map(|message| message.role);
    let before = role(view[..at].iter().rfind(|message| speaks(message)));
    let after = role(view[at + 1..].iter().find(|message| speaks(message)));
    let other = |role| if role == Some(Role::Assistant) { Role::User } else { Role::Assistant };
    view[at].role = other(after.or(before));
    if before == Some(view[at].role) {
        view.insert(at, Message::new("", other(before), "What was said before, in short:"));
    }
}
