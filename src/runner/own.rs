//! A trial for a candidate that measures for itself: the same history with a larger log.

use crate::contract::{Contract, FitUnit};
use crate::history::{Command, Draft, History, Size};
use crate::message::Role;
use crate::oracle::own::measures;

/// The history up to the step `at`, in which something that was said right before it is many times the trigger. No message
/// more has come, and so what growth does is the same. None where that cannot be.
pub(super) fn larger(contract: &Contract, history: &History, at: usize) -> Option<History> {
    if !measures(contract) || contract.gauge.unit == FitUnit::Messages {
        return None;
    }
    let name = history.commands.get(at)?.conversation()?;
    let mut commands = history.commands.get(..=at)?.to_vec();
    let before = commands[..at].iter_mut().rev().find(|command| command.conversation() == Some(name))?;
    let Command::Append { messages, .. } = before else { return None };
    let plain = |draft: &&mut Draft| {
        let speaks = matches!(draft.role, Role::User | Role::Assistant);
        draft.is_visible() && !draft.pinned && speaks && draft.calls.is_empty()
    };
    let draft = messages.iter_mut().find(plain)?;
    draft.size = Size::Chars((contract.gauge.trigger * 24).clamp(10_000, 1_000_000));
    Some(History::new(history.seed, commands))
}
