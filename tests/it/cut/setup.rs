//! Ownership and PINs.

use sedkit::drive::Authority;

use super::Task;
use super::stage::{NEW, OLD, SERIAL, Stage};

#[test]
fn setup() {
    let task = Task {
        arguments: &["setup", "DEV", "--new-key", "file:old"],
        meanwhile: &|_| {},
        afterwards: &|stage| {
            stage.opens(Authority::Sid, OLD);
            stage.opens(Authority::Admin(1), OLD);
            stage.locks_at_power_cycle();
        },
    };
    task.break_everywhere(&Stage::new(), 20);
}

#[test]
fn setup_of_an_owned_drive() {
    let arguments = ["--sid-key", "file:old", "--new-key", "file:new"];
    let task = Task {
        arguments: &[&["setup", "DEV"][..], &arguments].concat(),
        meanwhile: &|stage| stage.has_way_in(Authority::Sid, &[OLD, NEW]),
        afterwards: &|stage| {
            stage.opens(Authority::Sid, NEW);
            stage.opens(Authority::Admin(1), NEW);
            stage.locks_at_power_cycle();
        },
    };
    let stage = Stage::new();
    stage.own();
    task.break_everywhere(&stage, 15);
}

#[test]
fn passwd() {
    let secrets = ["--key", "file:old", "--new-key", "file:new"];
    let task = Task {
        arguments: &[&["passwd", "DEV", "--as", "Admin1"][..], &secrets].concat(),
        meanwhile: &|stage| stage.has_way_in(Authority::Admin(1), &[OLD, NEW]),
        afterwards: &|stage| {
            stage.opens(Authority::Admin(1), NEW);
            stage.opens(Authority::Sid, OLD);
        },
    };
    task.break_everywhere(&ready(), 6);
}

#[test]
fn passwd_of_two_authorities() {
    let secrets = ["--key", "file:old", "--new-key", "file:new"];
    let authorities = ["passwd", "DEV", "--as", "SID", "--also", "Admin1"];
    let task = Task {
        arguments: &[&authorities[..], &secrets].concat(),
        meanwhile: &|stage| {
            stage.has_way_in(Authority::Sid, &[OLD, NEW]);
            stage.has_way_in(Authority::Admin(1), &[OLD, NEW]);
        },
        afterwards: &|stage| {
            stage.opens(Authority::Sid, NEW);
            stage.opens(Authority::Admin(1), NEW);
        },
    };
    task.break_everywhere(&ready(), 12);
}

#[test]
fn revert_with_the_psid() {
    let task = Task {
        arguments: &["revert", "DEV", "--psid", "file:psid", "--confirm", SERIAL],
        meanwhile: &|_| {},
        afterwards: &|stage| assert_eq!(stage.open().state().word(), "factory"),
    };
    task.break_everywhere(&ready(), 4);
}

/// A drive that was set up.
fn ready() -> Stage {
    let stage = Stage::new();
    stage.run(&["setup", "DEV", "--new-key", "file:old"]);
    stage
}
