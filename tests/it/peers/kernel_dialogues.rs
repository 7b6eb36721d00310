//! What becomes of the drive in the kernel's hands.

use sedkit::spec::{MethodStatus, RangeNumber, uid};
use sedkit::vdrive::MediaError;
use sedkit::vdrive::profile::Feature;

use super::kernel::{ADMIN, DATA_STORE, Kernel};
use crate::support::{Bench, MSID, PSID};

/// The administrator's PIN.
const OWNER: &[u8] = b"admin pin of cryptsetup";
/// A volume key as cryptsetup makes them: 32 arbitrary bytes.
const KEY: &[u8] = &[
    0x00, 0xff, 0xf0, 0xfa, 0x80, 0x7f, 0x0a, 0x0d, 0x20, 0x41, 0xd0, 0xe2, 0xf8, 0xf9, 0x01, 0x02,
    0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
];

const NOT_AUTHORIZED: u8 = MethodStatus::NOT_AUTHORIZED.0;
const INVALID_PARAMETER: u8 = MethodStatus::INVALID_PARAMETER.0;

/// Byte 4 of the Locking feature.
mod bit {
    pub(super) const ENABLED: u8 = 0x02;
    pub(super) const LOCKED: u8 = 0x04;
    pub(super) const MBR_ENABLED: u8 = 0x10;
    pub(super) const MBR_DONE: u8 = 0x20;
}

fn owned() -> Kernel {
    let mut kernel = Kernel::new(Bench::new());
    kernel.take_ownership(OWNER).unwrap();
    kernel.activate_lsp(OWNER).unwrap();
    kernel
}

/// What cryptsetup does to format range `lr`, for User `lr + 1`.
fn format(kernel: &mut Kernel, lr: u8, span: (u64, u64)) {
    let user = lr + 1;
    kernel.activate_user(OWNER, user).unwrap();
    kernel.add_user_to_lr(OWNER, user, lr, false).unwrap();
    kernel.add_user_to_lr(OWNER, user, lr, true).unwrap();
    kernel.set_pw((ADMIN, OWNER), user, KEY).unwrap();
    kernel.lr_setup(OWNER, lr, span, 1).unwrap();
    kernel.lock_unlock((user, KEY), lr, (1, 1)).unwrap();
    let status = kernel.lr_status((user, KEY), lr).unwrap();
    assert_eq!(status, [span.0, span.1, 1, 1, 1, 1]);
}

fn is_locked(kernel: &mut Kernel, lba: u64) -> bool {
    let drive = kernel.bench.drive();
    let read = matches!(drive.read(lba, 1), Err(MediaError::DataProtection));
    let write = drive.write(lba, &[1; 512]);
    let write = matches!(write, Err(MediaError::DataProtection));
    assert_eq!(read, write);
    read
}

#[test]
fn get_status_follows_the_life_of_the_drive() {
    // Lab: 0x3 fresh, 0x7 owned and unlocked, 0xf locked; in bits of [Opal] 3.1.1.3.
    let mut kernel = Kernel::new(Bench::new());
    let state = bit::ENABLED | bit::LOCKED | bit::MBR_ENABLED | bit::MBR_DONE;
    assert_eq!(kernel.discovery() & state, 0);
    kernel.take_ownership(OWNER).unwrap();
    assert_eq!(kernel.discovery() & state, 0);
    kernel.activate_lsp(OWNER).unwrap();
    assert_eq!(kernel.discovery() & state, bit::ENABLED);
    format(&mut kernel, 1, (32_768, 4096));
    assert_eq!(kernel.discovery() & state, bit::ENABLED | bit::LOCKED);
    kernel.psid_revert_tper(PSID).unwrap();
    assert_eq!(kernel.discovery() & state, 0);
}

#[test]
fn cryptsetup_formats_opens_closes_and_erases_a_range() {
    // [Opal] 4.3.1.6, 4.3.1.7: a User alone in the ACEs of both locks sets 7 and 8 of its range.
    let mut kernel = owned();
    format(&mut kernel, 1, (32_768, 4096));
    assert!(is_locked(&mut kernel, 32_768) && is_locked(&mut kernel, 36_863));
    assert!(!is_locked(&mut kernel, 32_767) && !is_locked(&mut kernel, 36_864));
    kernel.lock_unlock((2, KEY), 1, (0, 0)).unwrap();
    assert!(!is_locked(&mut kernel, 32_768));
    kernel.bench.drive().write(32_768, &[7; 512]).unwrap();
    kernel.bench.drive().power_cycle().unwrap();
    assert!(is_locked(&mut kernel, 32_768));
    kernel.lock_unlock((2, KEY), 1, (0, 0)).unwrap();
    assert_eq!(kernel.bench.drive().read(32_768, 1).unwrap(), [7; 512]);

    assert_eq!(kernel.erase_lr((ADMIN, OWNER), 1), Err(NOT_AUTHORIZED));
    kernel.secure_erase_lr((ADMIN, OWNER), 1).unwrap();
    assert_ne!(kernel.bench.drive().read(32_768, 1).unwrap(), [7; 512]);
    kernel.lr_setup(OWNER, 1, (0, 0), 0).unwrap();
    let status = kernel.lr_status((2, KEY), 1).unwrap();
    assert_eq!(status[..4], [0, 0, 0, 0]);
    assert_eq!(kernel.discovery() & bit::LOCKED, 0);
}

#[test]
fn ranges_1_to_8_belong_to_users_2_to_9() {
    // The kernel knows nine Users; cryptsetup gives range N to User N + 1.
    let mut kernel = owned();
    for lr in 1..=8 {
        format(&mut kernel, lr, (u64::from(lr) * 8192, 4096));
    }
    for lr in 1..=8 {
        let lba = u64::from(lr) * 8192;
        kernel.lock_unlock((lr + 1, KEY), lr, (0, 0)).unwrap();
        assert!(!is_locked(&mut kernel, lba));
        assert!(lr == 8 || is_locked(&mut kernel, lba + 8192));
    }
    // Nobody else may use the locks of a range.
    let other = kernel.lock_unlock((3, KEY), 1, (1, 1));
    assert_eq!(other, Err(NOT_AUTHORIZED));
    // User1 is the last that the kernel can name.
    kernel.activate_user(OWNER, 1).unwrap();
    kernel.set_pw((ADMIN, OWNER), 1, KEY).unwrap();
    kernel.set_pw((1, KEY), 1, b"own").unwrap();
    kernel.lr_status((ADMIN, OWNER), 8).unwrap();
}

#[test]
fn a_read_lock_alone_is_given_to_a_user() {
    // [Opal] 4.3.1.7: the ACEs of column 7 and column 8 are independent; a Set is atomic.
    let mut kernel = owned();
    kernel.activate_user(OWNER, 1).unwrap();
    kernel.set_pw((ADMIN, OWNER), 1, KEY).unwrap();
    kernel.add_user_twice(OWNER, 1, 3, false).unwrap();
    let both = kernel.lock_unlock((1, KEY), 3, (1, 1));
    assert_eq!(both, Err(NOT_AUTHORIZED));
    kernel.add_user_twice(OWNER, 1, 3, true).unwrap();
    kernel.lock_unlock((1, KEY), 3, (1, 1)).unwrap();
    // Admins were put out of these ACEs, and keep the one for columns 3 to 9.
    kernel.lock_unlock((ADMIN, OWNER), 3, (0, 0)).unwrap();
}

#[test]
fn the_global_range_is_set_up_by_its_flags() {
    let mut kernel = owned();
    kernel.lr_setup(OWNER, 0, (0, 0), 1).unwrap();
    assert!(!is_locked(&mut kernel, 0));
    kernel.lock_unlock((ADMIN, OWNER), 0, (1, 1)).unwrap();
    assert!(is_locked(&mut kernel, 0));
    let status = kernel.lr_status((ADMIN, OWNER), 0).unwrap();
    assert_eq!(status, [0, 0, 1, 1, 1, 1]);
    kernel.lr_setup_in_two(OWNER, 2, (1024, 1024)).unwrap();
    assert!(!is_locked(&mut kernel, 1024) && is_locked(&mut kernel, 2048));
}

#[test]
fn a_range_that_overlaps_or_is_not_aligned_is_refused_whole() {
    // [Opal] 4.3.5.2.1, certification test ETC-16.
    let mut kernel = owned();
    kernel.lr_setup(OWNER, 1, (1024, 1024), 1).unwrap();
    for span in [(2040, 16), (1024, 1024), (4097, 8), (4096, 9)] {
        let refused = kernel.lr_setup(OWNER, 2, span, 1);
        assert_eq!(refused, Err(INVALID_PARAMETER), "{span:?}");
    }
    let status = kernel.lr_status((ADMIN, OWNER), 2).unwrap();
    assert_eq!(status, [0; 6]);
}

#[test]
fn pins_are_changed_one_by_one() {
    let mut kernel = owned();
    kernel.set_sid_pw(OWNER, b"sid").unwrap();
    kernel.set_pw((ADMIN, OWNER), ADMIN, b"admin1").unwrap();
    assert_eq!(kernel.set_sid_pw(OWNER, b"x"), Err(NOT_AUTHORIZED));
    kernel.set_sid_pw(b"sid", OWNER).unwrap();
    kernel
        .set_pw((ADMIN, b"admin1"), ADMIN, &[0xa5; 32])
        .unwrap();
    let long = kernel.set_pw((ADMIN, &[0xa5; 32]), ADMIN, &[0xa5; 33]);
    assert_eq!(long, Err(INVALID_PARAMETER));
    kernel.revert_tper(OWNER).unwrap();
    kernel.take_ownership(OWNER).unwrap();
}

#[test]
fn an_owned_drive_refuses_to_be_taken_over() {
    let mut kernel = owned();
    assert_eq!(kernel.take_ownership(b"thief"), Err(NOT_AUTHORIZED));
    kernel.set_sid_pw(OWNER, OWNER).unwrap();
}

#[test]
fn the_shadow_mbr_is_written_in_odd_chunks_and_enabled() {
    // Reference 5.5.2: chunks of 1950 bytes need a MandatoryWriteGranularity of 1.
    let mut kernel = owned();
    let image: Vec<u8> = (0..10_000_u32).map(|n| n.to_le_bytes()[0] ^ 0x5a).collect();
    kernel.write_shadow_mbr(OWNER, 0, &image).unwrap();
    kernel.write_shadow_mbr(OWNER, 777, b"in between").unwrap();
    kernel.enable_disable_mbr(OWNER, true).unwrap();
    let state = bit::MBR_ENABLED | bit::MBR_DONE;
    assert_eq!(kernel.discovery() & state, state);
    kernel.mbr_done(OWNER, false).unwrap();
    assert_eq!(kernel.discovery() & state, bit::MBR_ENABLED);
    let shadow = kernel.bench.drive().read(0, 2).unwrap();
    assert_eq!(shadow[..777], image[..777]);
    assert_eq!(shadow[777..787], *b"in between");
    assert_eq!(shadow[787..], image[787..1024]);
    kernel.mbr_done(OWNER, true).unwrap();
    assert_ne!(kernel.bench.drive().read(0, 2).unwrap(), shadow);
    kernel.enable_disable_mbr(OWNER, false).unwrap();
    assert_eq!(kernel.discovery() & state, 0);
}

#[test]
fn the_data_store_is_read_in_answers_that_fill_the_buffer() {
    // Reference 1.11: 1982 bytes make an answer of 2048 bytes.
    let mut kernel = owned();
    let data: Vec<u8> = (0..5000_u32).map(|n| n.to_le_bytes()[0]).collect();
    kernel.write_table(OWNER, DATA_STORE, 3, &data).unwrap();
    let found = kernel.read_table(OWNER, DATA_STORE, 3, 5000).unwrap();
    assert_eq!(found, data);
    let end = (10 << 20) - 1982;
    let zeros = kernel.read_table(OWNER, DATA_STORE, end, 1982).unwrap();
    assert_eq!(zeros, [0; 1982]);
}

#[test]
fn revert_lsp_keeps_the_data_of_the_global_range_if_told() {
    // [Opal] 5.1.3.2.
    for keep in [true, false] {
        let mut kernel = owned();
        kernel.bench.drive().write(0, &[9; 512]).unwrap();
        kernel.revert_lsp(OWNER, keep).unwrap();
        let is_kept = kernel.bench.drive().read(0, 1).unwrap() == [9; 512];
        assert_eq!(is_kept, keep);
        assert_eq!(kernel.discovery() & bit::ENABLED, 0);
        kernel.activate_lsp(OWNER).unwrap();
    }
}

#[test]
fn revert_lsp_of_a_locked_global_range_fails_and_the_session_ends_well() {
    // [Opal] 5.1.3.2: FAIL, and no state changes.
    let mut kernel = owned();
    kernel.lr_setup(OWNER, 0, (0, 0), 1).unwrap();
    kernel.lock_unlock((ADMIN, OWNER), 0, (1, 1)).unwrap();
    let fail = Err(MethodStatus::FAIL.0);
    assert_eq!(kernel.revert_lsp(OWNER, true), fail);
    kernel.revert_lsp(OWNER, false).unwrap();
}

#[test]
fn revert_and_psid_revert_give_a_new_drive() {
    // [Opal] 5.1.2.2.2, [PSID] 4: the kernel sends no EndSession after Revert.
    let mut kernel = owned();
    let new = Bench::new().level0();
    kernel.revert_tper(OWNER).unwrap();
    assert_eq!(kernel.bench.level0(), new);
    kernel.take_ownership(OWNER).unwrap();
    kernel.activate_lsp(OWNER).unwrap();
    assert_eq!(kernel.psid_revert_tper(b"no"), Err(NOT_AUTHORIZED));
    kernel.psid_revert_tper(PSID).unwrap();
    assert_eq!(kernel.bench.level0(), new);
    let session = kernel.bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    kernel.bench.end(session);
}

#[test]
fn single_user_mode_that_is_not_there_is_a_method_status() {
    // Reference 5.5.1: columns that the table has not are INVALID_PARAMETER; so are parameters of
    // Activate that the TPer does not know (reference 8.1, number 8).
    let mut kernel = Kernel::new(Bench::with(|options| {
        options.profile.discovery.remove(&Feature::SingleUserMode);
    }));
    kernel.take_ownership(OWNER).unwrap();
    let sum = kernel.activate_sum(OWNER, &[1, 2]);
    assert_eq!(sum, Err(INVALID_PARAMETER));
    kernel.activate_lsp(OWNER).unwrap();
    assert_eq!(kernel.sum_status(), Err(INVALID_PARAMETER));
    assert_eq!(kernel.erase_lr((ADMIN, OWNER), 1), Err(NOT_AUTHORIZED));
    // The session ended each time, so the next one opens.
    kernel.lr_status((ADMIN, OWNER), 1).unwrap();
}

#[test]
fn a_host_that_vanished_blocks_the_sp_until_the_session_times_out() {
    // [Core] 3.3.7.1.1: the kernel has neither a stack reset nor a second way in.
    let mut kernel = owned();
    kernel.vanish(OWNER);
    let busy = Err(MethodStatus::SP_BUSY.0);
    assert_eq!(kernel.lock_unlock((ADMIN, OWNER), 1, (0, 0)), busy);
    kernel.set_sid_pw(OWNER, OWNER).unwrap();
    kernel.bench.wait(30_000);
    kernel.lock_unlock((ADMIN, OWNER), 1, (0, 0)).unwrap();
}

#[test]
fn the_kernel_polls_a_slow_drive_without_a_pause() {
    // Reference 3.7: 0 / 1 / 0 while the response is to come.
    let mut kernel = Kernel::new(Bench::with(|options| {
        options.profile.behaviour.polls_before_response = 7;
    }));
    kernel.take_ownership(OWNER).unwrap();
    kernel.activate_lsp(OWNER).unwrap();
    format(&mut kernel, 1, (1024, 1024));
    kernel.psid_revert_tper(PSID).unwrap();
}

#[test]
fn every_operation_survives_the_file() {
    let mut kernel = Kernel::new(Bench::reopening(|_| {}));
    kernel.take_ownership(OWNER).unwrap();
    kernel.activate_lsp(OWNER).unwrap();
    format(&mut kernel, 1, (32_768, 4096));
    let locked = kernel.bench.drive().info().ranges[1].read_locked;
    assert!(locked);
    kernel.lock_unlock((2, KEY), 1, (0, 0)).unwrap();
    kernel.secure_erase_lr((ADMIN, OWNER), 1).unwrap();
    let session = kernel.bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER);
    let session = session.unwrap();
    let row = uid::locking_range(RangeNumber(1));
    assert_eq!(kernel.bench.number(session, row, 3), 32_768);
}
