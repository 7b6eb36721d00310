//! Sessions that a killed program left open.

use std::time::Duration;

use sedkit::drive::Authority;

use super::stage::{OLD, Stage};

#[test]
fn a_session_that_was_left_open_is_waited_for_until_the_drive_drops_it() {
    let stage = left_open(Duration::from_millis(1500));
    stage.run(&["unlock", "DEV", "--key", "file:old"]);
    stage.opens(Authority::Admin(1), OLD);
}

#[test]
fn a_session_that_is_never_dropped_is_told_apart_and_cleared_on_demand() {
    let stage = left_open(Duration::ZERO);
    let output = stage.output(&["unlock", "DEV", "--key", "file:old", "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(7));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        complaint.contains("SP_BUSY") && complaint.contains("--stack-reset"),
        "{complaint}"
    );
    stage.run(&["unlock", "DEV", "--key", "file:old", "--stack-reset"]);
    stage.opens(Authority::Admin(1), OLD);
}

/// A locked drive, on which a program was killed after it had logged in as Admin1.
fn left_open(timeout: Duration) -> Stage {
    let stage = Stage::with(|options| options.session_timeout = Some(timeout));
    stage.run(&["setup", "DEV", "--new-key", "file:old"]);
    stage.virtual_drive().power_cycle().unwrap();
    assert!(stage.leave_session_open(3, &["unlock", "DEV", "--key", "file:old"]));
    assert_eq!(stage.virtual_drive().info().open_sessions, 1);
    stage
}
