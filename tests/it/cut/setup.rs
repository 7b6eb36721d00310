//! Ownership and PINs.

use sedkit::drive::{Authority, Credential};
use sedkit::secret::{PinRule, Secret};

use super::Task;
use super::stage::{NEW, OLD, SERIAL, Stage, secret};

#[test]
fn setup() {
    let task = Task {
        arguments: &["setup", "DEV", "--new-key", "file:old"],
        meanwhile: &|stage| {
            stage.opens_at_the_first_attempt(OLD);
            stage.reverts_with_the_psid();
        },
        afterwards: &|stage| {
            stage.opens(Authority::Sid, OLD);
            stage.opens(Authority::Admin(1), OLD);
            stage.locks_at_power_cycle();
        },
    };
    task.break_everywhere(&without_a_try_to_spare(), 20);
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

/// The same passphrase by another scheme, for one authority after the other.
#[test]
fn passwd_from_one_scheme_to_another() {
    let stage = set_up_with_sedutil();
    let hashed = hashed(&stage, OLD);
    let secrets = ["--key", "file:old", "--new-key", "file:old"];
    let authorities = [
        "passwd",
        "DEV",
        "--as",
        "SID",
        "--also",
        "Admin1=sedutil=raw",
    ];
    let schemes = ["--scheme", "sedutil", "--new-scheme", "firmware"];
    let way_in = |stage: &Stage| {
        for authority in [Authority::Sid, Authority::Admin(1)] {
            let opens = |stage: &Stage, pin: &Secret| {
                let credential = Credential::new(authority, pin.duplicate());
                stage.open().tries(&credential).is_ok()
            };
            let is_open = opens(stage, &secret(OLD)) || opens(stage, &hashed);
            assert!(is_open, "no way in as {authority}");
        }
    };
    let task = Task {
        arguments: &[&authorities[..], &secrets, &schemes].concat(),
        meanwhile: &way_in,
        afterwards: &|stage| {
            stage.opens(Authority::Sid, OLD);
            stage.opens(Authority::Admin(1), OLD);
        },
    };
    task.break_everywhere(&stage, 12);
}

/// Admin1 keeps its hashed PIN, and User1 gets what a firmware's prompt types.
#[test]
fn a_user_for_the_firmware() {
    let stage = set_up_with_sedutil();
    let hashed = hashed(&stage, OLD);
    let user = ["user", "enable", "DEV", "User1", "--firmware-prompt"];
    let secrets = [
        "--key",
        "file:old",
        "--scheme",
        "sedutil",
        "--new-key",
        "file:user",
    ];
    let task = Task {
        arguments: &[&user[..], &secrets].concat(),
        meanwhile: &|stage| {
            let admin = Credential::new(Authority::Admin(1), hashed.duplicate());
            stage.open().tries(&admin).unwrap();
        },
        afterwards: &|stage| {
            let mut drive = stage.virtual_drive();
            drive.power_cycle().unwrap();
            drop(drive);
            let unlock = ["unlock", "DEV", "--as", "User1", "--range", "0"];
            stage.run(&[&unlock[..], &["--key", "file:user"]].concat());
            assert_eq!(stage.open().state().word(), "unlocked");
        },
    };
    task.break_everywhere(&stage, 20);
}

/// A drive that was set up with a PIN that sedutil derives.
fn set_up_with_sedutil() -> Stage {
    let stage = Stage::new();
    let setup = [
        "setup",
        "DEV",
        "--new-key",
        "file:old",
        "--new-scheme",
        "sedutil",
    ];
    stage.run(&setup);
    stage
}

/// What sedutil makes of a passphrase on this drive, and on any copy of it.
fn hashed(stage: &Stage, passphrase: &str) -> Secret {
    let rule: PinRule = "sedutil/serial".parse().unwrap();
    let drive = stage.open();
    rule.pin(&secret(passphrase), &drive.salt_input()).unwrap()
}

#[test]
fn revert_with_the_psid() {
    let task = Task {
        arguments: &["revert", "DEV", "--psid", "file:psid", "--confirm", SERIAL],
        meanwhile: &|stage| {
            stage.opens_at_the_first_attempt(OLD);
            stage.reverts_with_the_psid();
        },
        afterwards: &|stage| {
            assert_eq!(stage.open().state().word(), "factory");
            stage.opens_at_the_first_attempt(OLD);
        },
    };
    task.break_everywhere(&set_up(without_a_try_to_spare()), 4);
}

/// A new drive that locks each authority out at its first wrong PIN.
fn without_a_try_to_spare() -> Stage {
    Stage::with(|options| {
        let tries = &mut options.profile.tries;
        for policy in [&mut tries.sid, &mut tries.psid, &mut tries.locking_sp] {
            (policy.limit, policy.persistent) = (1, true);
        }
    })
}

/// A drive that was set up.
fn ready() -> Stage {
    set_up(Stage::new())
}

fn set_up(stage: Stage) -> Stage {
    stage.run(&["setup", "DEV", "--new-key", "file:old"]);
    stage
}
