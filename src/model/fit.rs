//! The reference trimmer.

use crate::candidate::Trimmer;
use crate::contract::FitRules;
use crate::field::Infeasible;
use crate::fit_rules::{groups, must_stay};
use crate::message::Message;
use crate::unit::Limit;

/// Trims messages as the contract declares it: the oldest go first, a call together with its results.
///
/// ```
/// use plimsoll::{FitRules, Limit, Message, ReferenceTrimmer, Role, Trimmer, Unit};
///
/// let messages = ["be brief", "one", "two", "three"].into_iter().enumerate();
/// let role = |n| if n == 0 { Role::System } else { Role::User };
/// let messages = messages.map(|(n, text)| Message::new(format!("m{n}"), role(n), text)).collect();
/// let left = ReferenceTrimmer::new(FitRules::default()).fit(messages, Limit::new(2, Unit::CodePoints)).unwrap();
/// assert_eq!(left.iter().map(|m| m.id.as_str()).collect::<Vec<_>>(), ["m0", "m3"]);
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReferenceTrimmer {
    rules: FitRules,
}

impl ReferenceTrimmer {
    /// A trimmer for these rules.
    #[must_use]
    pub fn new(rules: FitRules) -> Self {
        Self { rules }
    }
}

impl Trimmer for ReferenceTrimmer {
    fn fit(&self, messages: Vec<Message>, limit: Limit) -> Result<Vec<Message>, Infeasible> {
        let mut size = self.rules.size(&messages);
        if size <= limit.max {
            return Ok(messages);
        }
        let group = groups(&messages);
        let (mut stays, mut weight) = (vec![false; messages.len()], vec![0; messages.len()]);
        for (at, must) in must_stay(&messages).into_iter().enumerate() {
            stays[group[at]] |= must;
            weight[group[at]] += self.rules.size([&messages[at]]);
        }
        let mut gone = vec![false; messages.len()];
        for at in 0..messages.len() {
            if size > limit.max && group[at] == at && !stays[at] {
                gone[at] = true;
                size -= weight[at];
            }
        }
        if size > limit.max {
            return Err(Infeasible);
        }
        let left = messages.into_iter().zip(group).filter(|(_, group)| !gone[*group]);
        Ok(left.map(|(message, _)| message).collect())
    }
}
