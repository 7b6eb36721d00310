//! Images loaded into the shadow MBR: how many IF commands, and what is there after an interruption.

use sedkit::drive::{
    Atomicity, Cause, Drive, Error, ErrorCode, LoadRequest, MbrChange, Phase, Piece, TableError,
    TableName, TableProgress, Verification, WriteReport, ZeroPadded,
};
use sedkit::session::Interrupt;

use super::{Fate, PIN, Rig, admin1, pin};

/// What one Set carries in packets of 2048 bytes: 98 less, of headers, method and status.
const BLOCK: usize = 1950;
/// Blocks of 128 MiB at 64 KiB packets: 134,217,728 / (65,536 - 98), rounded up.
const BLOCKS: usize = 2052;

/// Bytes in which no two blocks are alike.
pub(super) fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let words = std::iter::repeat_with(word).take(length.div_ceil(8));
    let mut bytes: Vec<u8> = words.flatten().collect();
    bytes.truncate(length);
    bytes
}

/// A drive that is set up, with packets of 2048 bytes and a shadow MBR of so many bytes.
fn rig(size: usize, granularity: u64) -> Rig {
    let rig = Rig::with(|options| {
        options.profile.locking.mbr_size = u64::try_from(size).unwrap();
        options.profile.locking.write_granularity = granularity;
        options.profile.locking.access_granularity = granularity;
        options.profile.communication.max_com_packet = 2048;
        options.profile.communication.max_response_com_packet = 2048;
        options.profile.communication.max_packet = 2028;
        options.profile.communication.max_ind_token = 1992;
    });
    let mut drive = rig.open().unwrap();
    drive.setup(&Default::default(), &pin(PIN)).unwrap();
    rig
}

fn load_as(request: &LoadRequest, drive: &mut Drive, image: &[u8]) -> Result<WriteReport, Error> {
    drive.load_mbr(request, &mut &*image, &admin1(PIN), &mut |_| {})
}

fn consented(rig: &Rig) -> LoadRequest {
    LoadRequest {
        consent: Some(rig.consent()),
        ..LoadRequest::default()
    }
}

/// Loads over whatever is there.
fn load(rig: &Rig, image: &[u8]) -> Result<WriteReport, Error> {
    load_as(&consented(rig), &mut rig.open()?, image)
}

/// What is in the table, as anybody reads it.
fn table(rig: &Rig) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut take = |piece: Piece<'_>| {
        bytes.extend_from_slice(piece.bytes);
        Ok(())
    };
    let mut drive = rig.open().unwrap();
    let read = drive.read_table(TableName::Mbr, 0, None, None, &mut take);
    read.unwrap();
    bytes
}

/// IF commands of some work, Level 0 Discovery included.
fn count<T>(rig: &Rig, work: impl FnOnce() -> T) -> (T, u64) {
    let before = rig.commands();
    let result = work();
    (result, rig.commands() - before)
}

/// The cause of an error, which must be there.
fn cause<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    format!("{:?}", result.unwrap_err().cause())
}

#[test]
fn a_load_of_as_many_blocks_as_128_mib_has_keeps_to_its_budget() {
    let size = BLOCKS * BLOCK;
    let rig = rig(size, 1);
    let image = noise(size, 7);
    let before = rig.commands();
    let mut drive = rig.open().unwrap();
    // The program does this first, as anybody. It would exchange properties, too.
    assert_eq!(drive.survey_mbr(&mut &*image).unwrap().occupied, None);
    drive.properties().unwrap();
    let mut loaded = 0;
    let mut on_progress = |progress: TableProgress| {
        if progress.phase == Phase::Write {
            loaded = rig.commands() - before;
        }
    };
    let request = LoadRequest::default();
    let report = drive.load_mbr(&request, &mut &*image, &admin1(PIN), &mut on_progress);
    let report = report.unwrap();
    let all = rig.commands() - before;
    assert!(report.proven && report.equal == 0);
    assert!(loaded <= 4200, "loading took {loaded}");
    assert!(all <= 8400, "with the verify pass {all}");
    assert_eq!(drive.if_counts().send + drive.if_counts().recv, all);
    drop(drive);

    let (report, again) = count(&rig, || load(&rig, &image).unwrap());
    assert_eq!(report.written, 0);
    assert!(report.proven);
    assert!(again <= 4120, "a second load took {again}");
    assert!(table(&rig) == image);
}

#[test]
fn a_load_without_verify_pass_says_so() {
    let rig = rig(20 * BLOCK, 1);
    let request = LoadRequest {
        verification: Verification::Skipped,
        ..LoadRequest::default()
    };
    let image = noise(20 * BLOCK, 3);
    let report = load_as(&request, &mut rig.open().unwrap(), &image).unwrap();
    assert!(!report.proven);
    assert!(table(&rig) == image);
    // What is there already was read.
    let report = load_as(&request, &mut rig.open().unwrap(), &image).unwrap();
    assert!(report.proven);
}

#[test]
fn zeros_of_an_image_are_not_written_to_a_fresh_table() {
    let rig = rig(400 * BLOCK, 1);
    let mut image = noise(50 * BLOCK, 5);
    image.resize(400 * BLOCK, 0);
    let (report, commands) = count(&rig, || {
        let mut drive = rig.open().unwrap();
        load_as(&LoadRequest::default(), &mut drive, &image).unwrap()
    });
    assert!(report.written <= 2 * 50 * 1950, "{report:?}");
    // All blocks once, those that were written three times at most, and the session.
    assert!(commands <= 2 * 400 + 2 * 2 * 100 + 20, "{commands}");
    assert!(table(&rig) == image);
}

#[test]
fn one_different_block_is_the_only_one_that_is_written() {
    let rig = rig(100 * BLOCK, 1);
    let mut image = noise(100 * BLOCK, 9);
    load(&rig, &image).unwrap();
    image[60 * BLOCK + 5] ^= 1;
    let report = load(&rig, &image).unwrap();
    // Offsets in a table of this size take a byte less than in larger ones.
    assert!((1950..=1954).contains(&report.written), "{report:?}");
    assert_eq!(report.equal + report.written, 100 * 1950);
    assert!(table(&rig) == image);
}

/// D80, issue 4 item 3.
#[test]
fn a_load_that_was_cut_at_any_of_twenty_points_is_gone_on_with() {
    let size = 30 * BLOCK + 700;
    let image = noise(size, 11);
    let mut dice = 1_u64;
    for round in 0..20 {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // A whole load takes about 140.
        let cut = 3 + (dice >> 33) % 130;
        let case = format!("round {round}, killed after {cut}");
        let rig = rig(size, 1);
        load(&rig, &noise(size, 12)).unwrap();
        let killed = rig.open_with(Fate::KilledAfter(cut));
        let killed = killed.and_then(|mut drive| load_as(&consented(&rig), &mut drive, &image));
        assert!(killed.is_err(), "{case}");
        if round % 2 == 0 {
            rig.vdrive().power_cycle().unwrap();
        }
        let there = table(&rig);
        let kept = there.iter().zip(&image).take_while(|(a, b)| a == b).count();
        let report = load(&rig, &image).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(table(&rig) == image, "{case}");
        assert!(report.proven, "{case}");
        // Nothing was written again that was there.
        assert!(
            report.equal >= u64::try_from(kept / BLOCK * BLOCK).unwrap(),
            "{case}"
        );
        assert_eq!(load(&rig, &image).unwrap().written, 0, "{case}");
        assert_eq!(rig.take_refused(), 0, "{case}");
    }
}

#[test]
fn a_load_that_is_interrupted_ends_its_session() {
    let rig = rig(60 * BLOCK, 1);
    for at in [5, 30, 31, 150, 200] {
        let image = noise(60 * BLOCK, at + 2);
        let interrupt = Interrupt::new();
        let mut drive = rig.open_with(Fate::InterruptedAt(at, interrupt)).unwrap();
        let error = load_as(&consented(&rig), &mut drive, &image).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Interrupted, "{at}");
        assert_eq!(rig.vdrive().info().open_sessions, 0, "{at}");
        load(&rig, &image).unwrap();
        assert!(table(&rig) == image, "{at}");
    }
}

#[test]
fn an_atomic_load_that_is_cut_leaves_the_old_image() {
    let size = 12 * BLOCK;
    let (old, new) = (noise(size, 20), noise(size, 21));
    for cut in (4..90).step_by(3) {
        let rig = rig(size, 1);
        load(&rig, &old).unwrap();
        let request = LoadRequest {
            atomicity: Atomicity::Whole,
            ..consented(&rig)
        };
        let killed = rig.open_with(Fate::KilledAfter(cut));
        let killed = killed.and_then(|mut drive| load_as(&request, &mut drive, &new));
        rig.vdrive().power_cycle().unwrap();
        let found = table(&rig);
        assert!(found == old || found == new, "cut after {cut}");
        assert!(killed.is_err() || found == new, "cut after {cut}");
        let report = load_as(&request, &mut rig.open().unwrap(), &new).unwrap();
        assert!(report.atomic && report.proven, "cut after {cut}");
        assert!(table(&rig) == new, "cut after {cut}");
    }
}

#[test]
fn an_image_that_is_larger_than_the_table_is_refused_before_the_first_byte() {
    let rig = rig(3 * BLOCK, 1);
    let image = noise(3 * BLOCK + 1, 4);
    let error = load(&rig, &image).unwrap_err();
    assert!(matches!(
        error.cause(),
        Cause::Table(TableError::Beyond { size: 5850, .. })
    ));
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    assert!(table(&rig).iter().all(|byte| *byte == 0));
    let survey = rig.open().unwrap().survey_mbr(&mut &*image);
    assert!(cause(survey).starts_with("Table(Beyond"));
}

#[test]
fn what_is_there_is_not_overwritten_without_consent() {
    let rig = rig(30 * BLOCK, 1);
    let first = noise(30 * BLOCK, 1);
    let mut drive = rig.open().unwrap();
    load_as(&LoadRequest::default(), &mut drive, &first).unwrap();
    // The same image is no other one.
    assert_eq!(drive.survey_mbr(&mut &*first).unwrap().occupied, None);
    let second = noise(30 * BLOCK, 2);
    assert_eq!(drive.survey_mbr(&mut &*second).unwrap().occupied, Some(0));
    let error = load_as(&LoadRequest::default(), &mut drive, &second).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ConsentRequired);
    assert!(table(&rig) == first);
    assert_eq!(rig.vdrive().info().open_sessions, 0);
}

#[test]
fn an_image_that_begins_alike_is_not_overwritten_without_consent() {
    // Gaps of one image may be where the other has something: they are blank, and what follows is not.
    let rig = rig(30 * BLOCK, 1);
    let mut first = noise(30 * BLOCK, 1);
    first[10 * BLOCK..16 * BLOCK].fill(0);
    let mut drive = rig.open().unwrap();
    load_as(&LoadRequest::default(), &mut drive, &first).unwrap();
    let mut second = noise(30 * BLOCK, 2);
    second[..11 * BLOCK].copy_from_slice(&first[..11 * BLOCK]);
    let error = load_as(&LoadRequest::default(), &mut drive, &second).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ConsentRequired);
    assert!(table(&rig) == first);
    load(&rig, &second).unwrap();
    assert!(table(&rig) == second);
}

#[test]
fn tables_with_a_granularity_are_written_in_multiples_of_it() {
    for granularity in [2, 512, 1024] {
        let size = 40 * 1024;
        let rig = rig(size, granularity);
        load(&rig, &vec![0xee; size]).unwrap();
        let image = noise(size - 700, 6);
        let report = load(&rig, &image).unwrap();
        assert_eq!(report.length, u64::try_from(size - 700).unwrap());
        let found = table(&rig);
        assert!(found[..size - 700] == image, "{granularity}");
        assert!(
            found[size - 700..].iter().all(|byte| *byte == 0xee),
            "{granularity}"
        );
        assert_eq!(load(&rig, &image).unwrap().written, 0, "{granularity}");
    }
}

#[test]
fn a_granularity_that_no_packet_carries_is_a_limit() {
    let rig = rig(64 << 10, 8192);
    let error = load(&rig, &[1; 10_000]).unwrap_err();
    assert!(error.to_string().contains("exceeds the limit"), "{error}");
}

#[test]
fn the_rest_of_the_table_is_zeroed_on_demand() {
    let size = 20 * BLOCK;
    let rig = rig(size, 1);
    load(&rig, &noise(size, 30)).unwrap();
    let image = noise(5 * BLOCK + 10, 31);
    let mut padded = ZeroPadded::new(&*image, u64::try_from(size).unwrap());
    let mut drive = rig.open().unwrap();
    let request = consented(&rig);
    let report = drive.load_mbr(&request, &mut padded, &admin1(PIN), &mut |_| {});
    assert_eq!(report.unwrap().length, u64::try_from(size).unwrap());
    let found = table(&rig);
    assert!(found[..image.len()] == image);
    assert!(found[image.len()..].iter().all(|byte| *byte == 0));
}

#[test]
fn a_comparison_names_the_first_byte_that_differs() {
    let rig = rig(10 * BLOCK, 1);
    let mut image = noise(10 * BLOCK, 8);
    load(&rig, &image).unwrap();
    let compare = |image: &[u8]| {
        let mut drive = rig.open().unwrap();
        let found = drive.compare_table(TableName::Mbr, 0, &mut &*image, None, &mut |_| {});
        found.unwrap().first_difference
    };
    assert_eq!(compare(&image), None);
    image[7000] ^= 0x80;
    image[9000] ^= 0x80;
    assert_eq!(compare(&image), Some(7000));
}

#[test]
fn the_control_is_changed_and_read_back() {
    let rig = rig(BLOCK, 1);
    let change = |change: &MbrChange| rig.open().unwrap().change_mbr(change, &admin1(PIN));
    let enable = MbrChange {
        enable: Some(true),
        done: Some(true),
        ..MbrChange::default()
    };
    let (report, commands) = count(&rig, || change(&enable).unwrap());
    assert!(report.changed);
    assert_eq!(commands, 9);
    let (report, commands) = count(&rig, || change(&enable).unwrap());
    assert!(!report.changed);
    assert_eq!(commands, 1);
    let resets = MbrChange {
        done_on_reset: Some(vec![3, 0]),
        ..MbrChange::default()
    };
    let control = change(&resets).unwrap().control.unwrap();
    let mut types = control.done_on_reset.unwrap();
    types.sort_unstable();
    assert_eq!(types, [0, 3]);
    assert!(!change(&resets).unwrap().changed);
    rig.vdrive().power_cycle().unwrap();
    let info = rig.vdrive().info();
    assert!(info.mbr_enabled && !info.mbr_done);
}
