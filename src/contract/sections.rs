//! The parameters of a contract, section by section, each with its default.

use serde::{Deserialize, Serialize};

use super::json::{list_or_none, none_word};
use super::{
    AfterReopen, Calls, Clock, Cooldown, CountsAs, FailureKind, FitUnit, Growth, LatestUser, Max, Notice, Pending,
    SizeUnit, StatusKind, Structure, TrimHow,
};
use crate::unit::Unit;

macro_rules! section {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $field:ident : $type:ty = $default:expr,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        #[non_exhaustive]
        pub struct $name { $($(#[$doc])* pub $field: $type,)+ }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }

        impl $name {
            pub(super) const MEMBERS: &'static [&'static str] = &[$(stringify!($field)),+];
        }
    };
}

section! {
    /// How often the candidate may pay for a summary.
    Throttle {
        /// Seconds between attempts; none: no cooldown.
        #[serde(deserialize_with = "none_word")]
        cooldown_s: Option<Cooldown> = Some(Cooldown::Flat(60.0)),
        /// What growth inside the cooldown does.
        growth: Growth = Growth::Reopens,
        /// Which clock is read.
        clock: Clock = Clock::Wall,
    }
}

section! {
    /// When failures stop the attempts.
    Latch {
        /// Consecutive failures that latch.
        strikes: u32 = 1,
        /// Visible external messages that reopen; none: growth never does.
        #[serde(deserialize_with = "none_word")]
        reopen_growth: Option<u64> = Some(20),
        /// Seconds that reopen; none: time never does.
        #[serde(deserialize_with = "none_word")]
        reopen_after_s: Option<f64> = None,
        /// Kinds of failure that are no strike.
        exempt: Vec<FailureKind> = Vec::new(),
        /// What the first attempt after reopening is.
        after_reopen: AfterReopen = AfterReopen::HalfOpen,
    }
}

section! {
    /// What an attempt is, and when there is enough to summarise.
    Attempt {
        /// Summariser calls of one step.
        calls: Calls = Calls::AtMost(1),
        /// The fraction of the size by which a success makes the view smaller.
        min_effect: f64 = 0.0,
        /// What an abort counts as.
        abort: CountsAs = CountsAs::Ignored,
        /// What declining for lack of matter counts as.
        noop: CountsAs = CountsAs::Ignored,
        /// Who keeps attempts away from open calls.
        pending: Pending = Pending::Never,
        /// Messages of the tail that are never summarised.
        keep_last: usize = 1,
        /// Size of the tail that is never summarised: units when at least 1, else a fraction of the view.
        keep_size: f64 = 0.0,
        /// Eligible messages from which on an attempt is due.
        eligible_min: usize = 4,
        /// Their size, from which on an attempt is due.
        eligible_min_size: usize = 400,
        /// The greatest summariser input, in size units; none: no limit.
        #[serde(deserialize_with = "none_word")]
        input_max: Option<usize> = None,
        /// The kinds of failure that its summariser can show.
        outcomes: Vec<FailureKind> = FailureKind::ALL.to_vec(),
        /// A usable summary, with `{text}` where the text goes.
        answer: String = "{text}".to_owned(),
    }
}

section! {
    /// What a proven overflow allows.
    Overflow {
        /// Recoveries for each proven overflow without progress.
        recoveries: u32 = 1,
    }
}

section! {
    /// What trimming by rule shortens.
    Trim {
        /// Characters above which a tool result is trimmable.
        min_chars: usize = 1_000,
        /// Visible messages at the end that are never trimmed.
        keep_last: usize = 3,
        /// Size of the newest results that are never trimmed.
        keep_size: usize = 0,
        /// The least that a trim saves: units when at least 1, else a fraction of the view.
        min_saving: f64 = 0.0,
        /// How it shortens.
        how: TrimHow = TrimHow::Marker,
    }
}

section! {
    /// Own messages.
    Status {
        /// Kinds that are visible on purpose.
        #[serde(deserialize_with = "list_or_none")]
        visible: Vec<StatusKind> = Vec::new(),
    }
}

section! {
    /// What an installed view looks like.
    ViewRules {
        /// What becomes of the latest user message between turns.
        latest_user: LatestUser = LatestUser::Verbatim,
        /// Summaries that stand in a view at once.
        summaries: usize = 1,
        /// Whether roles alternate.
        alternation: bool = false,
    }
}

section! {
    /// Conversations served at once.
    ConversationRules {
        /// Live ones that the candidate keeps apart.
        max: usize = 1_000,
    }
}

section! {
    /// Sizes of the messages that the host makes, in characters.
    Sizes {
        /// An ordinary message.
        small: usize = 120,
        /// A massive one.
        large: usize = 1_500,
    }
}

section! {
    /// How the size of a view is counted.
    SizeRules {
        /// The unit of content and reasoning.
        unit: SizeUnit = SizeUnit::CodePoints,
        /// What each message adds.
        per_message: usize = 0,
    }
}

section! {
    /// How blocks become a field.
    Join {
        /// What stands between two parts.
        separator: String = "\n\n".to_owned(),
        /// Whether empty parts are left out.
        skip_empty: bool = true,
        /// Whether white space at the ends of parts and whole is free.
        strip: bool = false,
        /// What stands before the whole.
        before: String = String::new(),
        /// What stands after the whole.
        after: String = String::new(),
    }
}

section! {
    /// How a field is reduced.
    FieldRules {
        /// What the limit counts.
        unit: Unit = Unit::CodePoints,
        /// The limit.
        max: Max = Max::Any,
        /// Blocks or one text.
        structure: Structure = Structure::Blocks,
        /// The marker of a cut, `{n}` a number; none: no marker.
        #[serde(deserialize_with = "none_word")]
        marker: Option<String> = None,
        /// For `text`: units of trailing guidance that survive.
        tail: usize = 0,
        /// How a cut is announced.
        notice: Notice = Notice::Reported,
        /// How blocks become a field.
        join: Join = Join::default(),
    }
}

section! {
    /// The assembled request.
    RequestRules {
        /// Names of the ways a request is built; empty: one way without a name.
        paths: Vec<String> = Vec::new(),
    }
}

section! {
    /// How messages are trimmed to a limit.
    FitRules {
        /// What the limit counts.
        unit: FitUnit = FitUnit::Messages,
        /// What a token is: `chars/4` or `words`.
        counter: String = "chars/4".to_owned(),
        /// The limit.
        max: Max = Max::Any,
        /// What each message adds.
        per_message: usize = 0,
    }
}

section! {
    /// How the candidate measures.
    GaugeRules {
        /// The size from which on it compacts.
        trigger: usize = 8_000,
        /// The size that it compacts to, below the trigger.
        target: usize = 6_000,
        /// What both count.
        unit: FitUnit = FitUnit::Tokens,
        /// What a token is: `chars/4` or `words`.
        counter: String = "chars/4".to_owned(),
    }
}

section! {
    /// Other operations that are guarded by change.
    ChangeRules {
        /// Relevant external changes that reopen after a success.
        after_success: u32 = 1,
        /// Relevant external changes that reopen after a failure.
        after_failure: u32 = 2,
    }
}
