//! The seam of the gauge: where the size comes from that everything else takes as given.

use super::Error;
use crate::gauge::{GaugeSettings, Measured, Reported};
use crate::message::Message;

/// Something that measures messages and says whether there is pressure.
///
/// Sizes are in the contract's `gauge.unit`, tokens by default; the provider's figures are always tokens. Until it is
/// configured, `gauge.trigger` and `gauge.target` of the contract are in force.
///
/// ```
/// use plimsoll::{Error, Gauge, GaugeSettings, Measured, Message, Pressure, Reported};
///
/// /// Goes by the characters alone. (MEA-1 will object: it never looks at what the provider reports.)
/// struct Characters(GaugeSettings);
///
/// impl Gauge for Characters {
///     fn measure(&mut self, messages: &[Message], _: Option<&Reported>) -> Result<Measured, Error> {
///         let tokens = messages.iter().map(|message| message.content.chars().count() as u64 / 4).sum();
///         let above = i64::try_from(tokens).is_ok_and(|tokens| tokens >= self.0.trigger);
///         Ok(Measured::new(if above { Pressure::Summarize } else { Pressure::None }, Some(tokens)))
///     }
///     fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
///         if settings.limit <= 0 {
///             return Err(Error::raised("limit must be positive"));
///         }
///         if settings.target >= settings.trigger {
///             return Err(Error::raised("target must be below trigger"));
///         }
///         self.0 = settings;
///         Ok(settings)
///     }
/// }
///
/// let contract = plimsoll::Contract::claiming(&[plimsoll::Capability::Gauge]);
/// let make = || Characters(GaugeSettings::new(8_000, 6_000, 10_000));
/// assert_eq!(plimsoll::check_gauge(&contract, make, &plimsoll::LimitBudget::default()).broken(), ["MEA-1"]);
/// ```
pub trait Gauge {
    /// The size of `messages`, and whether there is pressure. `reported` is the provider's last figure, if there was one. Its
    /// tokens may be unknown (none or 0), and its last message may be gone.
    ///
    /// # Errors
    ///
    /// There was no answer: the candidate breaks off in this case, whatever the error.
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error>;

    /// Sets it: what is in force from now on, which need not be what was asked for. Any number can come, 0 and negative
    /// ones too.
    ///
    /// # Errors
    ///
    /// [`Error::raised`] with the name of the member that it refuses, `trigger`, `target` or `limit`; then nothing has
    /// changed. Any other error: the candidate breaks off.
    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error>;
}

impl<G: Gauge + ?Sized> Gauge for Box<G> {
    fn measure(&mut self, messages: &[Message], reported: Option<&Reported>) -> Result<Measured, Error> {
        (**self).measure(messages, reported)
    }
    fn configure(&mut self, settings: GaugeSettings) -> Result<GaugeSettings, Error> {
        (**self).configure(settings)
    }
}
