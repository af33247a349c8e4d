//! Test modules for the parts of a candidate, in one line. They are those of `conformance_tests!`, over a
//! [`Parts`](crate::Parts) of one part.

/// A test module for a reducer: one `#[test]` a requirement, `red_1` to `red_13`, and `verdict`, `replay` and `regressions` of
/// [`conformance_tests!`](crate::conformance_tests), with all its variables, but for two things: the effort is `default`
/// where `PLIMSOLL_EFFORT` names none, and every case for this part in the folder of regressions plays, whatever candidate
/// it names: a part by itself goes by the module's name.
///
/// The reducer is anything that is a [`Reducer`](crate::Reducer), a closure too; each case gets a fresh one. The contract, if
/// it is left out, claims `field` with every parameter at its default; of one that claims more, only this part is asked.
/// Requirements that the contract does not claim pass; advice is printed.
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
        $crate::__part_tests!($name, reducer, Field, $reducer, $contract, red_1 red_2 red_3 red_4 red_5 red_6 red_7 red_8
            red_9 red_10 red_11 red_12 red_13);
    };
}

/// A test module for a trimmer, as [`reducer_tests!`](crate::reducer_tests) makes one: `fit_1` to `fit_8`.
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
        $crate::__part_tests!($name, trimmer, Fit, $trimmer, $contract, fit_1 fit_2 fit_3 fit_4 fit_5 fit_6 fit_7 fit_8);
    };
}

/// A test module for an assembler, as [`reducer_tests!`](crate::reducer_tests) makes one: `asm_1` to `asm_6`, `log_2` and
/// `log_3`.
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
        $crate::__part_tests!($name, assembler, Request, $assembler, $contract, asm_1 asm_2 asm_3 asm_4 asm_5 asm_6 log_2 log_3);
    };
}

/// A test module for a guard by change, as [`reducer_tests!`](crate::reducer_tests) makes one: `chg_1` to `chg_5`.
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
        $crate::__part_tests!($name, guard, Change, ($make)(), $contract, chg_1 chg_2 chg_3 chg_4 chg_5);
    };
}

/// A test module for a gauge, as [`reducer_tests!`](crate::reducer_tests) makes one: a `#[test]` for each requirement that is
/// asked apart from conversations.
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
        $crate::__part_tests!($name, gauge, Gauge, ($make)(), $contract, mea_1 mea_2 mea_4 mea_5);
    };
}

/// The module behind the five.
#[doc(hidden)]
#[macro_export]
macro_rules! __part_tests {
    ($name:ident, $with:ident, $claim:ident, $part:expr, $contract:expr, $($test:ident)+) => {
        #[cfg(test)]
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            fn suite() -> $crate::Suite {
                $crate::Suite::new(|| {
                    let contract = $crate::macros::of_part($contract, $crate::Capability::$claim);
                    $crate::Parts::new(contract).named(stringify!($name)).$with($part)
                })
            }
            $crate::__requirement_tests!(suite, Some($crate::Capability::$claim), $($test)+);
        }
    };
}
