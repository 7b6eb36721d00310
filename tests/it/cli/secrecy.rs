//! No secret is ever taken from the command line, printed or traced.

use crate::cli::support::{Bench, MSID, PASSPHRASE, PSID};

#[test]
fn a_secret_in_the_place_of_its_source_is_refused_and_not_repeated() {
    let bench = Bench::locked();
    for command in [
        ["unlock", "vdrive:a", "--key", "hunter2hunter2"],
        ["setup", "vdrive:a", "--new-key", "hunter2hunter2"],
        ["setup", "vdrive:a", "--sid-key", "hunter2hunter2"],
        ["revert", "vdrive:a", "--psid", "hunter2hunter2"],
    ] {
        let run = bench.run(&command).exits(2);
        assert!(!run.stderr.contains("hunter2"), "{run}");
        run.complains("never given as an argument");
    }
}

/// A drive's whole life, wrong secrets included.
const LIFE: [&str; 17] = [
    "setup vdrive:a --new-key file:right",
    "setup vdrive:a --new-key file:wrong",
    "lock vdrive:a --key file:right",
    "unlock vdrive:a --key file:wrong",
    "unlock vdrive:a --key file:right",
    "range list vdrive:a --key file:right",
    "passwd vdrive:a --as SID --key file:right --new-key file:next",
    "passwd vdrive:a --as SID --key file:next --new-key file:right",
    "raw set vdrive:a C_PIN_User1 PIN=file:next --as Admin1 --key file:right --confirm SEDKITTEST0001",
    "raw set vdrive:a User1 Enabled=true --as Admin1 --key file:right --confirm SEDKITTEST0001",
    "raw call vdrive:a ThisSP Authenticate User1 Proof=secret:file:next --sp locking",
    "raw call vdrive:a ThisSP Authenticate User1 Proof=secret:file:psid --sp locking",
    "raw dump vdrive:a --as Admin1 --key file:right --sp locking",
    "tper-reset vdrive:a --enable --key file:right",
    "revert vdrive:a --as SID --key msid --confirm SEDKITTEST0001",
    "revert vdrive:a --psid file:psid --confirm SEDKITTEST0001",
    "info vdrive:a",
];

/// The whole life of a drive with every trace on: neither passphrase nor PSID nor MSID shows, as
/// text or in hex.
#[test]
fn traces_of_a_full_run_show_no_pin() {
    let bench = Bench::new();
    bench.secret("next", "Battery-Staple-8");
    let mut seen = String::new();
    for command in LIFE {
        for form in [&["-vv"][..], &["-vv", "--json"]] {
            let words = command.split_whitespace().collect::<Vec<_>>();
            let run = bench.run(&[&words, form].concat());
            seen += &run.stdout;
            seen += &run.stderr;
        }
    }
    assert!(seen.contains("StartSession"), "no trace");
    for secret in [PASSPHRASE, "Wrong-Horse-7", "Battery-Staple-8", MSID, PSID] {
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        let spaced: Vec<String> = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        for form in [secret, &hex, &spaced.join(" ")] {
            assert!(!seen.contains(form), "{form} shows");
        }
    }
}
