//! Images loaded into the shadow MBR: how many IF commands, and what is there after an interruption.

use sedkit::drive::{
    Atomicity, Cause, Contents, Drive, Error, ErrorCode, LoadRequest, MbrChange, Phase, TableName,
    Verification, WriteReport, ZeroPadded,
};
use sedkit::spec::{column, uid};

use super::{Fate, MSID, PIN, Rig, admin1, pin, sid};

/// A table of the smallest size that the standard allows.
const FULL: usize = 128 << 20;
/// What one Set carries at 64 KiB packets: 65,536 bytes without 98 of headers and tokens.
const BLOCK: usize = 65_438;

/// Bytes in which no two blocks are alike and no byte is predictable.
fn noise(length: usize, seed: u64) -> Vec<u8> {
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

/// A drive that is set up, with a shadow MBR of so many bytes.
fn rig(size: usize, granularity: u64) -> Rig {
    let rig = Rig::with(|options| {
        options.profile.locking.mbr_size = u64::try_from(size).unwrap();
        options.profile.locking.write_granularity = granularity;
        options.profile.locking.access_granularity = granularity;
    });
    let mut drive = rig.open().unwrap();
    drive.setup(&Default::default(), &pin(PIN)).unwrap();
    rig
}

fn load_with(
    drive: &mut Drive,
    request: &LoadRequest,
    mut image: &[u8],
) -> Result<WriteReport, Error> {
    drive.load_mbr(request, &mut image, &admin1(PIN), &mut |_| {})
}

/// Loads over whatever is there.
fn load(rig: &Rig, drive: &mut Drive, image: &[u8]) -> Result<WriteReport, Error> {
    let request = LoadRequest {
        consent: Some(rig.consent()),
        ..LoadRequest::default()
    };
    load_with(drive, &request, image)
}

fn table(rig: &Rig) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut take = |piece: sedkit::drive::Piece<'_>| {
        bytes.extend_from_slice(piece.bytes);
        Ok(())
    };
    let mut drive = rig.open().unwrap();
    drive
        .read_table(TableName::Mbr, 0, None, None, &mut take)
        .unwrap();
    bytes
}

/// IF commands, beside Level 0 Discovery, that something takes.
fn count<T>(rig: &Rig, work: impl FnOnce(&mut Drive) -> T) -> (T, u64) {
    let mut drive = rig.open().unwrap();
    let before = rig.commands();
    let result = work(&mut drive);
    (result, rig.commands() - before)
}

#[test]
fn a_load_of_128_mib_keeps_to_its_budget() {
    let rig = rig(FULL, 1);
    let image = noise(FULL, 7);
    let before = rig.commands();
    let mut drive = rig.open().unwrap();
    assert_eq!(drive.survey_mbr(&mut &image[..]).unwrap().occupied, None);
    let mut loading = 0;
    let mut on_progress = |progress: sedkit::drive::TableProgress| {
        if progress.phase == Phase::Write {
            loading = rig.commands() - before;
        }
    };
    let request = LoadRequest::default();
    let report = drive
        .load_mbr(&request, &mut &image[..], &admin1(PIN), &mut on_progress)
        .unwrap();
    let all = rig.commands() - before;
    assert_eq!(report.written, 128 << 20);
    assert!(report.proven);
    assert!(loading <= 4200, "loading took {loading}");
    assert!(all <= 8400, "with the verify pass {all}");
    assert_eq!(drive.if_counts().send + drive.if_counts().recv, all);

    let (report, again) = count(&rig, |drive| load(&rig, drive, &image).unwrap());
    assert_eq!((report.written, report.equal), (0, 128 << 20));
    assert!(again <= 4120, "a second load took {again}");
    assert!(table(&rig) == image);
}
