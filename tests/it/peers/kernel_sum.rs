//! Single User Mode in the hands of the kernel and of cryptsetup, step by step (reference 5.9.5).

use sedkit::spec::MethodStatus;
use sedkit::vdrive::MediaError;
use sedkit::vdrive::profile::SingleUserPolicy;

use super::kernel::{ADMIN, Kernel, SumStatus};
use crate::support::{Bench, PSID};

const OWNER: &[u8] = b"admin pin of cryptsetup";
/// A volume key: arbitrary bytes.
const KEY: &[u8] = &[0xfa, 0x00, 0xf0, 0xff, 0x80, 0xd0, 0x20, 0x0a];
const ALL: &[u8] = &[1, 2, 3, 4, 5, 6, 7, 8];
const SPAN: (u64, u64) = (32_768, 4096);

const NOT_AUTHORIZED: u8 = MethodStatus::NOT_AUTHORIZED.0;
const INVALID_PARAMETER: u8 = MethodStatus::INVALID_PARAMETER.0;
const FAIL: u8 = MethodStatus::FAIL.0;

/// Policies.
const USER: u64 = 0;
const ADMINS: u64 = 1;

fn status(ranges: &[u8], policy: u64) -> SumStatus {
    SumStatus {
        ranges: Some(ranges.to_vec()),
        policy,
    }
}

fn owned(bench: Bench) -> Kernel {
    let mut kernel = Kernel::new(bench);
    kernel.take_ownership(OWNER).unwrap();
    kernel.activate_lsp(OWNER).unwrap();
    kernel
}

/// Steps 1 to 3: reads, reactivates, reads again, and takes less if it does not get what it asked
/// for. Returns the policy that it got.
fn enter(kernel: &mut Kernel) -> u64 {
    assert_eq!(kernel.sum_status().unwrap(), status(&[], 0));
    for policy in [Some(ADMINS), Some(USER), None] {
        let asked = kernel.reactivate_lsp(OWNER, ALL, policy, None);
        assert!(asked.is_ok() || asked == Err(INVALID_PARAMETER));
        let wanted = status(ALL, policy.unwrap_or(USER));
        if kernel.sum_status().unwrap() == wanted {
            return wanted.policy;
        }
    }
    panic!("no Single User Mode");
}

/// Steps 4 to 6: the User takes its range, and sets it up under the policy.
fn format(kernel: &mut Kernel, lr: u8, policy: u64) {
    let user = lr + 1;
    kernel.set_pw((user, b""), user, KEY).unwrap();
    if policy == ADMINS {
        let refused = kernel.lr_set_start_len((user, KEY), lr, SPAN);
        assert_eq!(refused, Err(NOT_AUTHORIZED));
        kernel.lr_set_start_len((ADMIN, OWNER), lr, SPAN).unwrap();
        kernel.lr_setup_sum((user, KEY), lr, None).unwrap();
    } else {
        let refused = kernel.lr_set_start_len((ADMIN, OWNER), lr, SPAN);
        assert_eq!(refused, Err(NOT_AUTHORIZED));
        kernel.lr_setup_sum((user, KEY), lr, Some(SPAN)).unwrap();
    }
    kernel.lock_unlock_sum((user, KEY), lr, (1, 1)).unwrap();
    let found = kernel.lr_status((user, KEY), lr).unwrap();
    assert_eq!(found, [SPAN.0, SPAN.1, 1, 1, 1, 1]);
}

fn is_locked(kernel: &mut Kernel) -> bool {
    let read = kernel.bench.drive().read(SPAN.0, 1);
    matches!(read, Err(MediaError::DataProtection))
}

/// Opens, writes, closes; survives a power cycle; Admin1 cannot get in.
fn live(kernel: &mut Kernel, lr: u8) {
    let user = lr + 1;
    assert!(is_locked(kernel));
    kernel.lock_unlock((user, KEY), lr, (0, 0)).unwrap();
    kernel.bench.drive().write(SPAN.0, &[7; 512]).unwrap();
    kernel.bench.drive().power_cycle().unwrap();
    assert!(is_locked(kernel));
    for refused in [
        kernel.lock_unlock((ADMIN, OWNER), lr, (0, 0)),
        kernel.lock_unlock_sum((ADMIN, OWNER), lr, (0, 0)),
        kernel.set_pw((ADMIN, OWNER), user, b"thief"),
        kernel.add_user_to_lr(OWNER, 9, lr, false),
        kernel.secure_erase_lr((ADMIN, OWNER), lr),
    ] {
        assert_eq!(refused, Err(NOT_AUTHORIZED));
    }
    kernel.lock_unlock_sum((user, KEY), lr, (0, 0)).unwrap();
    assert_eq!(kernel.bench.drive().read(SPAN.0, 1).unwrap(), [7; 512]);
    kernel.lock_unlock((user, KEY), lr, (1, 1)).unwrap();
}

/// Step 7: Erase as Admin1, whatever the lock; the User begins anew with the empty PIN.
fn wipe(kernel: &mut Kernel, lr: u8) {
    let user = lr + 1;
    let busy = kernel.reactivate_lsp(OWNER, &[], None, None);
    assert_eq!(busy, Err(FAIL), "a lock is enabled");
    kernel.erase_lr((ADMIN, OWNER), lr).unwrap();
    assert!(!is_locked(kernel));
    assert_ne!(kernel.bench.drive().read(SPAN.0, 1).unwrap(), [7; 512]);
    let old = kernel.lr_status((user, KEY), lr);
    assert_eq!(old, Err(NOT_AUTHORIZED));
    let found = kernel.lr_status((user, b""), lr).unwrap();
    assert_eq!(found, [SPAN.0, SPAN.1, 0, 0, 0, 0]);
}

#[test]
fn a_range_lives_and_is_wiped_under_the_policy_of_admins() {
    let mut kernel = owned(Bench::reopening(|_| {}));
    let policy = enter(&mut kernel);
    assert_eq!(policy, ADMINS);
    for lr in [1, 8] {
        format(&mut kernel, lr, policy);
        live(&mut kernel, lr);
        wipe(&mut kernel, lr);
        kernel.lr_set_start_len((ADMIN, OWNER), lr, (0, 0)).unwrap();
    }
    kernel.reactivate_lsp(OWNER, &[], None, None).unwrap();
    assert_eq!(kernel.sum_status().unwrap(), status(&[], 0));
}

#[test]
fn a_drive_that_does_not_honour_the_policy_gives_it_to_the_user() {
    // Reference 8.2: cryptsetup reads back, and asks again for less.
    for quirk in [SingleUserPolicy::Ignored, SingleUserPolicy::Refused] {
        let mut kernel = owned(Bench::with(|options| {
            options.profile.behaviour.single_user_policy = quirk;
        }));
        let policy = enter(&mut kernel);
        assert_eq!(policy, USER);
        format(&mut kernel, 1, policy);
        live(&mut kernel, 1);
        wipe(&mut kernel, 1);
    }
}

#[test]
fn activation_takes_a_list_and_reactivation_a_new_pin() {
    let mut kernel = Kernel::new(Bench::new());
    kernel.take_ownership(OWNER).unwrap();
    kernel.activate_sum(OWNER, &[1, 2]).unwrap();
    assert_eq!(kernel.sum_status().unwrap(), status(&[1, 2], USER));
    let user3 = kernel.set_pw((3, b""), 3, KEY);
    assert_eq!(user3, Ok(()));
    let new = Some(&b"new pin"[..]);
    kernel.reactivate_lsp(OWNER, &[2], Some(USER), new).unwrap();
    assert_eq!(kernel.sum_status().unwrap(), status(&[2], USER));
    // Users are as new, and Range1 is Admins' again, under the new PIN.
    assert_eq!(kernel.set_pw((3, KEY), 3, KEY), Err(NOT_AUTHORIZED));
    kernel.set_pw((3, b""), 3, KEY).unwrap();
    assert_eq!(kernel.lr_setup(OWNER, 1, SPAN, 1), Err(NOT_AUTHORIZED));
    kernel.lr_setup(b"new pin", 1, SPAN, 1).unwrap();
    kernel.psid_revert_tper(PSID).unwrap();
    assert_eq!(kernel.bench.level0(), Bench::new().level0());
}
