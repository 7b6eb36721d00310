//! Debug logs of sedutil, as users post them: any text is a log or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sedkit::wire::sedutil_log;

fuzz_target!(|text: &str| {
    let _ = sedutil_log::decode(text);
});
