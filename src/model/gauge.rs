//! The gauge: the provider's figure where it is about these messages, a local count where it is not.

use crate::candidate::{Error, Gauge};
use crate::contract::{FitUnit, GaugeRules};
use crate::gauge::{GaugeSettings, Measured, Reported};
use crate::history::Pressure;
use crate::message::Message;

/// The reference gauge: conforms to every requirement of the gauge under any contract.
///
/// ```
/// use plimsoll::{Gauge, GaugeRules, Message, Pressure, ReferenceGauge, Reported, Role};
///
/// let mut gauge = ReferenceGauge::new(GaugeRules::default());
/// let messages = [Message::new("m1", Role::User, "hello")];
/// assert_eq!(gauge.measure(&messages, None).unwrap().tokens, Some(2));
/// let reported = Reported::new(Some(9_000), "m1");
/// assert_eq!(gauge.measure(&messages, Some(&reported)).unwrap().pressure, Pressure::Summarize);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReferenceGauge {
    rules: GaugeRules,
    /// The size from which on there is pressure.
    trigger: u64,
}

impl ReferenceGauge {
    /// A gauge by these rules.
    #[must_use]
    pub fn new(rules: GaugeRules) -> Self {
        Self { trigger: rules.trigger as u64, rules }
    }

    /// The size of the visible ones among `messages`.
    fn size(&self, messages: &[Message], reported: Option<&Reported>) -> u64 {
        let count = |messages: &[Message]| self.rules.counting().size(messages) as u64;
        // 0 tokens are no request: who says so does not know. And a figure is in tokens, whatever else is counted here.
        let figure =
            reported.and_then(|reported| Some((reported.tokens.filter(|tokens| *tokens > 0)?, &reported.upto)));
        match figure.filter(|_| self.rules.unit == FitUnit::Tokens) {
            Some((tokens, upto)) => match messages.iter().position(|message| message.id == *upto) {
                Some(at) => tokens + count(&messages[at + 1..]),
                // A compaction came between: the figure is about other messages.
                None => count(messages),
            },
            None => count(messages),
        }
    }
}

impl Default for ReferenceGauge {
    fn default() -> Self {
        Self::new(GaugeRules::default())
    }
}

impl Gauge for ReferenceGauge {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        let size = self.size(messages, reported);
        let pressure = if size >= self.trigger { Pressure::Summarize } else { Pressure::None };
        Ok(Measured::new(pressure, Some(size)))
    }

    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        let GaugeSettings { trigger, target, limit, .. } = settings;
        if limit <= 0 {
            return Err(Error::raised(format!("limit is {limit}: it must be above 0")));
        }
        if target <= 0 || target >= trigger {
            return Err(Error::raised(format!("target is {target}: it must be above 0 and below trigger, {trigger}")));
        }
        if trigger > limit {
            return Err(Error::raised(format!("trigger is {trigger}: it must not be above limit, {limit}")));
        }
        self.trigger = trigger.unsigned_abs();
        Ok(settings)
    }
}
