//! Test modules in one line. They only forward: what is asserted is a [`LimitReport`](crate::LimitReport).

/// A test module for a reducer: one `#[test]` a requirement, `red_1` to `red_13`, `verdict`, and `regressions`, which plays
/// the cases for this part in the folder `plimsoll-regressions` as [`conformance_tests!`](crate::conformance_tests) does,
/// whatever candidate they name: a part by itself has no name.
///
/// The reducer is anything that is a [`Reducer`](crate::Reducer), a closure too; the contract, if it is left out, claims
/// `field` with every parameter at its default. Requirements that the contract does not claim pass; advice is printed.
///
/// ```
/// plimsoll::reducer_tests!(reference, plimsoll::ReferenceReducer::default());
///
/// fn first(text: &str, max: usize) -> String {
///     text.chars().take(max).collect()
/// }
/// plimsoll::reducer_tests!(
///     prefix,
///     plimsoll::text_reducer(first),
///     plimsoll::Contract::from_json(r#"{"capabilities": ["field"], "field": {"structure": "text", "notice": "none"}}"#).unwrap()
/// );
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! reducer_tests {
    ($name:ident, $reducer:expr) => {
        $crate::reducer_tests!($name, $reducer, $crate::Contract::claiming(&[$crate::Capability::Field]));
    };
    ($name:ident, $reducer:expr, $contract:expr $(,)?) => {
        $crate::limit_tests!($name, check_reducer, reducer, Field, $reducer, $contract, red_1 red_2 red_3 red_4 red_5 red_6 red_7 red_8
            red_9 red_10 red_11 red_12 red_13);
    };
}

/// A test module for a trimmer: one `#[test]` a requirement, `fit_1` to `fit_8`, and `verdict`.
///
/// The trimmer is anything that is a [`Trimmer`](crate::Trimmer), a closure too; the contract, if it is left out, claims
/// `fit` with every parameter at its default: the limit counts messages.
///
/// ```
/// plimsoll::trimmer_tests!(reference, plimsoll::ReferenceTrimmer::default());
/// ```
#[macro_export]
macro_rules! trimmer_tests {
    ($name:ident, $trimmer:expr) => {
        $crate::trimmer_tests!($name, $trimmer, $crate::Contract::claiming(&[$crate::Capability::Fit]));
    };
    ($name:ident, $trimmer:expr, $contract:expr $(,)?) => {
        $crate::limit_tests!($name, check_trimmer, trimmer, Fit, $trimmer, $contract, fit_1 fit_2 fit_3 fit_4 fit_5 fit_6 fit_7 fit_8);
    };
}

/// A test module for an assembler: one `#[test]` a requirement, `asm_1` to `asm_6`, `log_2` and `log_3`, and `verdict`.
///
/// The assembler is anything that is an [`Assembler`](crate::Assembler), a closure too; the contract, if it is left out,
/// claims `request` with every parameter at its default.
///
/// ```
/// plimsoll::assembler_tests!(reference, plimsoll::ReferenceAssembler::default());
/// ```
#[macro_export]
macro_rules! assembler_tests {
    ($name:ident, $assembler:expr) => {
        $crate::assembler_tests!($name, $assembler, $crate::Contract::claiming(&[$crate::Capability::Request]));
    };
    ($name:ident, $assembler:expr, $contract:expr $(,)?) => {
        $crate::limit_tests!($name, check_assembler, assembler, Request, $assembler, $contract, asm_1 asm_2 asm_3 asm_4 asm_5 asm_6 log_2 log_3);
    };
}

/// A test module for a guard by change: one `#[test]` a requirement, `chg_1` to `chg_5`, and `verdict`.
///
/// `$make` is a function or closure that gives a fresh [`ChangeGuard`](crate::ChangeGuard); the contract, if it is left out,
/// claims `change` with every parameter at its default.
///
/// ```
/// plimsoll::change_tests!(reference, plimsoll::ReferenceGuard::default);
/// ```
#[macro_export]
macro_rules! change_tests {
    ($name:ident, $make:expr) => {
        $crate::change_tests!($name, $make, $crate::Contract::claiming(&[$crate::Capability::Change]));
    };
    ($name:ident, $make:expr, $contract:expr $(,)?) => {
        $crate::limit_tests!(@ $name, $crate::check_guard, guard, Change, ($make)(), $contract, $make, chg_1 chg_2 chg_3 chg_4 chg_5);
    };
}

/// A test module for a gauge: one `#[test]` for each requirement that is asked apart from conversations, and `verdict`.
///
/// `$make` is a function or closure that gives a fresh [`Gauge`](crate::Gauge); the contract, if it is left out, claims
/// `gauge` with every parameter at its default.
///
/// ```
/// plimsoll::gauge_tests!(reference, plimsoll::ReferenceGauge::default);
/// ```
#[macro_export]
macro_rules! gauge_tests {
    ($name:ident, $make:expr) => {
        $crate::gauge_tests!($name, $make, $crate::Contract::claiming(&[$crate::Capability::Gauge]));
    };
    ($name:ident, $make:expr, $contract:expr $(,)?) => {
        $crate::limit_tests!(@ $name, $crate::check_gauge, gauge, Gauge, ($make)(), $contract, $make, mea_1 mea_2 mea_4 mea_5);
    };
}

/// The module behind the five.
#[doc(hidden)]
#[macro_export]
macro_rules! limit_tests {
    ($name:ident, $check:ident, $part:ident, $side:ident, $candidate:expr, $contract:expr, $($test:ident)+) => {
        $crate::limit_tests!(@ $name, $crate::$check, $part, $side, $candidate, $contract, &$candidate, $($test)+);
    };
    (@ $name:ident, $check:path, $part:ident, $side:ident, $one:expr, $contract:expr, $candidate:expr, $($test:ident)+) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            static REPORT: ::std::sync::OnceLock<$crate::LimitReport> = ::std::sync::OnceLock::new();
            fn report() -> &'static $crate::LimitReport {
                REPORT.get_or_init(|| $check(&$contract, $candidate, &$crate::LimitBudget::default()))
            }
            $(#[test] fn $test() { report().assert_requirement(stringify!($test)); })+
            #[test] fn verdict() { report().assert_passed(); }
            #[test] fn regressions() {
                let suite = || $crate::Suite::new(|| $crate::Parts::new($contract).$part($one));
                $crate::macros::regressions(suite, env!("CARGO_MANIFEST_DIR"), Some($crate::Capability::$side));
            }
        }
    };
}
