#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| latweave_fuzz::run("format", bytes));
