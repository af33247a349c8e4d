//! The words of a contract: closed sets, each with its spelling in JSON and on the wire.

use crate::unit::Unit;

macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident => $word:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, ::serde::Serialize, ::serde::Deserialize)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// All values, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that stands for it in contracts and on the wire.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }
    };
}
pub(crate) use words;

words! {
    /// A part of the contract that a candidate can claim as a whole.
    Capability {
        /// It pays a model to summarise.
        Summarize => "summarize",
        /// It limits how often it does so.
        Throttle => "throttle",
        /// It stops after failures.
        Latch => "latch",
        /// It shortens by rule.
        Trim => "trim",
        /// A person can ask for a compaction.
        Force => "force",
        /// It recovers when the provider has proved that a request does not fit.
        Overflow => "overflow",
        /// It serves several conversations at once.
        Conversations => "conversations",
        /// It survives a restart of its process.
        Restart => "restart",
        /// Its conversations can be rewound.
        Rewind => "rewind",
        /// It can show its stored log.
        Log => "log",
        /// It can show its view.
        View => "view",
        /// It takes the usage that a provider reports.
        Usage => "usage",
        /// Messages can arrive while a summary is made.
        Arrivals => "arrivals",
        /// Automatic compaction can be switched off.
        Auto => "auto",
        /// It reduces a field to a limit.
        Field => "field",
        /// It assembles the request.
        Request => "request",
        /// It trims messages to a limit.
        Fit => "fit",
        /// It measures sizes.
        Gauge => "gauge",
        /// It guards other operations by change.
        Change => "change",
    }
}

words! {
    /// A feature that a candidate's messages have. The host sends only these.
    Feature {
        /// Messages for the person only.
        UiOnly => "ui_only",
        /// Messages for the model only.
        Hidden => "hidden",
        /// Messages that must survive.
        Pinned => "pinned",
        /// Tool calls with ids.
        Calls => "calls",
        /// Several calls in one message.
        ParallelCalls => "parallel_calls",
        /// Reasoning blocks.
        Reasoning => "reasoning",
        /// A leading system message.
        System => "system",
        /// More system messages than the leading one.
        ManySystem => "many_system",
        /// A role for tool results.
        ToolRole => "tool_role",
        /// Results that a final one follows.
        Interim => "interim",
    }
}

words! {
    /// How an attempt that did not succeed ended.
    FailureKind {
        /// The provider refused the request.
        Rejected => "rejected",
        /// The summariser's input was too long.
        Overflow => "overflow",
        /// No answer in time.
        Timeout => "timeout",
        /// No connection.
        Transport => "transport",
        /// The summary was empty.
        Empty => "empty",
        /// The summary was white space.
        Blank => "blank",
        /// The summary was cut at the output cap.
        Length => "length",
        /// The model refused.
        Refusal => "refusal",
        /// The summary made the view larger.
        Inflated => "inflated",
        /// The summary made the view neither larger nor smaller.
        Equal => "equal",
        /// The view became smaller by less than the declared effect.
        Ineffective => "ineffective",
        /// The step itself raised an error.
        Raised => "raised",
        /// The answer was usable, and no view was installed.
        NoView => "no_view",
    }
}

words! {
    /// What growth inside the cooldown does to it.
    Growth {
        /// It lifts the cooldown.
        Reopens => "reopens",
        /// It does not.
        Ignored => "ignored",
        /// The candidate says nothing about it.
        Unspecified => "unspecified",
    }
}

words! {
    /// Which clock the throttle reads.
    Clock {
        /// Seconds since an epoch; a person can set it back.
        Wall => "wall",
        /// Seconds since the process started; begins anew with it.
        Monotonic => "monotonic",
    }
}

words! {
    /// What the first attempt after reopening is.
    AfterReopen {
        /// A probe: one failure latches again.
        HalfOpen => "half_open",
        /// A fresh start: the strikes count from zero.
        Fresh => "fresh",
    }
}

words! {
    /// What an event that is neither success nor plain failure counts as.
    CountsAs {
        /// Nothing.
        Ignored => "ignored",
        /// A failure.
        Failure => "failure",
    }
}

words! {
    /// Who sees to it that nothing is compacted while a call is open.
    Pending {
        /// The candidate never attempts then.
        Never => "never",
        /// The host never steps then.
        Host => "host",
    }
}

words! {
    /// How trimming shortens.
    TrimHow {
        /// The content is cut and marked.
        Marker => "marker",
        /// Whole groups leave, oldest first.
        Drop => "drop",
    }
}

words! {
    /// Kinds of own message that are visible on purpose.
    StatusKind {
        /// The prompt and answer of an attempt played through the normal turn.
        Checkpoint => "checkpoint",
        /// A reminder to the model.
        Reminder => "reminder",
    }
}

words! {
    /// What becomes of the latest user message between turns.
    LatestUser {
        /// It stays as it is.
        Verbatim => "verbatim",
        /// A summary may cover it.
        Covered => "covered",
    }
}

words! {
    /// What a restart leaves of some state.
    Durability {
        /// All of it.
        Persistent => "persistent",
        /// Nothing.
        Volatile => "volatile",
    }
}

words! {
    /// Who decides that a view is too large.
    PressureSource {
        /// The host's verdict does.
        Given => "given",
        /// The candidate measures for itself.
        Own => "own",
    }
}

words! {
    /// How a field is structured.
    Structure {
        /// Blocks, each required or removable.
        Blocks => "blocks",
        /// One text.
        Text => "text",
    }
}

words! {
    /// How a reducer says that it cut something.
    Notice {
        /// As a value beside the text.
        Reported => "reported",
        /// By the marker in the text.
        Marker => "marker",
        /// Not at all.
        None => "none",
    }
}

words! {
    /// What a trimmer's limit counts.
    FitUnit {
        /// Messages.
        Messages => "messages",
        /// Tokens, as `fit.counter` says.
        Tokens => "tokens",
        /// Code points.
        CodePoints => "code_points",
        /// UTF-8 bytes.
        Utf8Bytes => "utf8_bytes",
        /// UTF-16 units.
        Utf16Units => "utf16_units",
    }
}

words! {
    /// How large a run's budget is.
    Weight {
        /// A candidate that takes microseconds a step.
        Light => "light",
        /// One that takes tens of milliseconds.
        Heavy => "heavy",
    }
}

words! {
    /// When the candidate's host steps it.
    Drive {
        /// After every message.
        Step => "step",
        /// Only after a user message.
        Turn => "turn",
    }
}

words! {
    /// The unit of a view's size.
    SizeUnit {
        /// Code points.
        CodePoints => "code_points",
        /// UTF-8 bytes.
        Utf8Bytes => "utf8_bytes",
        /// UTF-16 units.
        Utf16Units => "utf16_units",
        /// Tokens: only gross inflation can be judged.
        Tokens => "tokens",
    }
}

impl SizeUnit {
    /// The text unit that stands for it: tokens are estimated from code points.
    #[must_use]
    pub fn unit(self) -> Unit {
        match self {
            Self::Utf8Bytes => Unit::Utf8Bytes,
            Self::Utf16Units => Unit::Utf16Units,
            Self::CodePoints | Self::Tokens => Unit::CodePoints,
        }
    }
}
