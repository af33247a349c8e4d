//! Whether a contract contradicts itself.

use super::{Calls, Capability, Contract, Cooldown, Feature, FitUnit, Notice, PressureSource, TrimHow};

impl Contract {
    /// Whether the contract is free of contradictions.
    ///
    /// # Errors
    ///
    /// The first contradiction, by the name of the member.
    pub fn check(&self) -> Result<(), String> {
        let fail = |text: &str| Err(text.to_owned());
        let bad = |seconds: f64| !(seconds.is_finite() && (0.0..=1e9).contains(&seconds));
        match &self.throttle.cooldown_s {
            Some(Cooldown::Flat(s)) if bad(*s) => return fail("throttle.cooldown_s must be a number of seconds >= 0"),
            Some(Cooldown::Ladder(list)) if list.is_empty() || list.iter().any(|s| bad(*s)) => {
                return fail("throttle.cooldown_s must be seconds >= 0, or a list of them that is not empty");
            }
            _ => {}
        }
        if let Some(latch) = &self.latch {
            if latch.strikes == 0 {
                return fail("latch.strikes must be at least 1");
            }
            if latch.reopen_growth.is_some_and(|n| n == 0 || n > 100_000) {
                return fail("latch.reopen_growth must be from 1 to 100000, or null for none");
            }
            if latch.reopen_after_s.is_some_and(bad) {
                return fail("latch.reopen_after_s must be a number of seconds >= 0, or null for none");
            }
            if !latch.exempt.is_empty() && self.claims(Capability::Latch) && self.cooldown().is_none() {
                return fail("latch.exempt needs a cooldown: without one an exempt failure is repeated at once");
            }
            if latch.strikes > 1_000 {
                return fail("latch.strikes must be at most 1000");
            }
        }
        if !(0.0..1.0).contains(&self.attempt.min_effect) {
            return fail("attempt.min_effect must be a fraction from 0 to below 1");
        }
        if self.attempt.calls == Calls::AtMost(0) {
            return fail("attempt.calls must be at least 1, or \"chunks\"");
        }
        if self.attempt.calls == Calls::Chunks && self.attempt.input_max.is_none() {
            return fail("attempt.calls = \"chunks\" needs attempt.input_max");
        }
        if !self.attempt.answer.contains("{text}") {
            return fail("attempt.answer must contain {text}");
        }
        if !(self.attempt.keep_size.is_finite() && self.attempt.keep_size >= 0.0) {
            return fail("attempt.keep_size must be a size, or a fraction of the view, and not negative");
        }
        if self.sizes.small < 40 || self.sizes.large < self.sizes.small || self.sizes.large > 1_000_000 {
            return fail("sizes must be 40 <= small <= large <= 1000000 characters");
        }
        if self.fit.unit == FitUnit::Messages && self.fit.per_message != 0 {
            return fail("fit.per_message needs a unit of text in fit.unit: counted in messages, each is one");
        }
        let takes = [self.change.after_success, self.change.after_failure];
        if self.claims(Capability::Change) && takes.iter().any(|n| !(1..=1_000).contains(n)) {
            return fail("change.after_success and change.after_failure must be from 1 to 1000");
        }
        if self.pressure == PressureSource::Own && !self.claims(Capability::Gauge) {
            return fail("pressure = \"own\" needs the capability gauge, whose trigger and target it goes by");
        }
        let shortens = self.claims(Capability::Trim) && self.trim.how == TrimHow::Marker;
        if self.pressure == PressureSource::Own && self.gauge.unit == FitUnit::Messages && shortens {
            return fail(
                "trim.how = \"marker\" frees no message: with pressure = \"own\" in messages it is \"drop\", or no trim",
            );
        }
        if self.gauge.target >= self.gauge.trigger && self.claims(Capability::Gauge) {
            return fail("gauge.target must be below gauge.trigger");
        }
        let marks = self.claims(Capability::Field) || self.claims(Capability::Request);
        if marks && self.field.notice == Notice::Marker && self.field.marker.as_deref().is_none_or(str::is_empty) {
            return fail("field.notice = \"marker\" needs field.marker: the marker is the notice");
        }
        if self.has(Feature::ParallelCalls) && !self.has(Feature::Calls) {
            return fail("messages: parallel_calls needs calls");
        }
        if self.has(Feature::Interim) && !self.has(Feature::Calls) {
            return fail("messages: interim needs calls");
        }
        for (needs, word) in
            [(Capability::Throttle, "throttle"), (Capability::Latch, "latch"), (Capability::Force, "force")]
        {
            if self.claims(needs) && !self.claims(Capability::Summarize) {
                return Err(format!("capabilities: {word} needs summarize"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_floats_are_numbers_like_others() {
        let text = r#"{"capabilities": ["summarize", "latch"], "latch": {"strikes": 2.0, "reopen_growth": 20.0}}"#;
        let whole = r#"{"capabilities": ["summarize", "latch"], "latch": {"strikes": 2, "reopen_growth": 20}}"#;
        assert_eq!(Contract::from_json(text).unwrap(), Contract::from_json(whole).unwrap());
        assert!(Contract::from_json(&text.replace("2.0,", "2.5,")).is_err());
    }

    #[test]
    fn errors_name_the_member() {
        for (text, names) in [
            (r#"{"capabilities": ["field"], "field": {"notice": "marker"}}"#, "field.marker"),
            (r"{}", "capabilities"),
            (r#"{"capabilities": ["sumarize"]}"#, "contract.capabilities"),
            (r#"{"capabilities": [], "latch": {"strikes": 0}}"#, "latch.strikes"),
            (r#"{"capabilities": [], "throttle": {"cooldown_s": "soon"}}"#, "contract.throttle"),
            (r#"{"capabilities": ["throttle"]}"#, "throttle needs summarize"),
        ] {
            let error = Contract::from_json(text).unwrap_err();
            assert!(error.contains(names), "{error}");
        }
    }
}
