//! Fuzz targets in one line. They only forward to [`Fuzzer`](crate::fuzz::Fuzzer), and take libFuzzer from the caller's
//! crate: a fuzz crate made by cargo-fuzz has `libfuzzer-sys` among its dependencies.

/// A target that plays histories against a compactor: `$make` gives a fresh one.
///
/// ```ignore
/// #![no_main]
/// plimsoll::fuzz_compactor!(|| my_agent::MyCompactor::default());
/// ```
#[macro_export]
macro_rules! fuzz_compactor {
    ($make:expr $(,)?) => {
        $crate::fuzz_target!($crate::fuzz::Input::History, $make);
    };
}

/// A target that plays field cases against a reducer, a closure too; the contract, if it is left out, claims `field` with
/// every parameter at its default.
///
/// ```ignore
/// #![no_main]
/// plimsoll::fuzz_reducer!(plimsoll::text_reducer(my_agent::shorten));
/// ```
#[macro_export]
macro_rules! fuzz_reducer {
    ($reducer:expr $(,)?) => {
        $crate::fuzz_reducer!($reducer, $crate::Contract::claiming(&[$crate::Capability::Field]));
    };
    ($reducer:expr, $contract:expr $(,)?) => {
        $crate::fuzz_target!($crate::fuzz::Input::Field, || $crate::Parts::new($contract).reducer($reducer));
    };
}

/// A target that plays lists of messages against a trimmer, a closure too; the contract, if it is left out, claims `fit`
/// with every parameter at its default.
///
/// ```ignore
/// #![no_main]
/// plimsoll::fuzz_trimmer!(my_agent::LastMessages::new());
/// ```
#[macro_export]
macro_rules! fuzz_trimmer {
    ($trimmer:expr $(,)?) => {
        $crate::fuzz_trimmer!($trimmer, $crate::Contract::claiming(&[$crate::Capability::Fit]));
    };
    ($trimmer:expr, $contract:expr $(,)?) => {
        $crate::fuzz_target!($crate::fuzz::Input::Fit, || $crate::Parts::new($contract).trimmer($trimmer));
    };
}

/// A target that plays views against an assembler, a closure too; the contract, if it is left out, claims `request` with
/// every parameter at its default.
///
/// ```ignore
/// #![no_main]
/// plimsoll::fuzz_assembler!(my_agent::assemble);
/// ```
#[macro_export]
macro_rules! fuzz_assembler {
    ($assembler:expr $(,)?) => {
        $crate::fuzz_assembler!($assembler, $crate::Contract::claiming(&[$crate::Capability::Request]));
    };
    ($assembler:expr, $contract:expr $(,)?) => {
        $crate::fuzz_target!($crate::fuzz::Input::Request, || $crate::Parts::new($contract).assembler($assembler));
    };
}

/// The target behind the four, and its mutator.
#[doc(hidden)]
#[macro_export]
macro_rules! fuzz_target {
    ($input:expr, $make:expr) => {
        fn plimsoll_fuzzer() -> &'static $crate::fuzz::Fuzzer {
            static FUZZER: ::std::sync::OnceLock<$crate::fuzz::Fuzzer> = ::std::sync::OnceLock::new();
            FUZZER.get_or_init(|| $crate::fuzz::Fuzzer::new($input, $make))
        }

        ::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| plimsoll_fuzzer().fuzz(bytes));

        $crate::fuzz_mutator!(plimsoll_fuzzer());
    };
}

/// Lets libFuzzer change inputs command by command, block by block and message by message, as `$fuzzer` does; every eighth
/// change is libFuzzer's own. The macros for targets have it already: it is for a target written by hand.
///
/// ```ignore
/// plimsoll::fuzz_mutator!(my_fuzzer());
/// ```
#[macro_export]
macro_rules! fuzz_mutator {
    ($fuzzer:expr) => {
        ::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            let own = if seed % 8 == 0 { None } else { $fuzzer.mutate(data, size, max_size, seed) };
            own.unwrap_or_else(|| ::libfuzzer_sys::fuzzer_mutate(data, size, max_size))
        });
    };
}
