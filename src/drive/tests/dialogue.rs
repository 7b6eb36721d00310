//! Lines of dialogues with an Opal 2 drive, a Samsung 970 EVO Plus by its Level 0 Discovery.

use super::super::{Authority, Drive, DriveOptions, EraseConsent, Error, IfCounts, Journal};
use crate::secret::Secret;
use crate::session::testing::{
    COM_ID, HSN, Line, Stage, frame, hex, recv, recv_bytes, send, tokens,
};
use crate::spec::{Hsn, MethodStatus, RangeNumber, SecurityProtocol, Tsn, Uid, method, uid};
use crate::wire::{ComPacket, MethodCall, MethodResponse, Value};

/// The PIN of tcg.md frames 7.11 and 7.12.
pub(super) const NEW: &[u8] = b"password";
/// The PIN of tcg.md frame 7.10.
pub(super) const OLD: &[u8] = b"0123456789abcdef";
/// The default PIN of tcg.md frame 7.8.
pub(super) const MSID: &[u8] = b"MSIDPASSWORD1234567890";

/// Locking descriptor, byte 4: supported, media encryption.
pub(super) const INACTIVE: u8 = 0x09;
/// The same, enabled.
pub(super) const ACTIVE: u8 = 0x0b;
/// The same, enabled and locked.
pub(super) const LOCKED: u8 = 0x0f;
/// MBR enabled, to be added.
pub(super) const MBR_ENABLED: u8 = 0x10;
/// MBR done, to be added.
pub(super) const MBR_DONE: u8 = 0x20;

/// Block SID descriptor, byte 4.
pub(super) const SID_IS_MSID: u8 = 0x00;
pub(super) const SID_DIFFERS: u8 = 0x01;
pub(super) const SID_BLOCKED: u8 = 0x02;
/// Locking SP frozen, to be added.
pub(super) const LOCKING_SP_FROZEN: u8 = 0x08;

const LOCKING_FLAGS: usize = 68;
const BLOCK_SID_CODE: usize = 148;
const BLOCK_SID_FLAGS: usize = 152;

pub(super) fn secret(bytes: &[u8]) -> Secret {
    Secret::from_slice(bytes)
}

/// The response of a Samsung 970 EVO Plus.
pub(super) fn samsung() -> Vec<u8> {
    let path = "/tests/vectors/discovery0/samsung-970-evo-plus.hex";
    let path = format!("{}{path}", env!("CARGO_MANIFEST_DIR"));
    hex(&std::fs::read_to_string(path).unwrap())
}

/// Level 0 Discovery with these flags of the Locking and Block SID descriptors.
pub(super) fn discovery(locking: u8, block_sid: u8) -> Line {
    let mut response = samsung();
    response[LOCKING_FLAGS] = locking;
    response[BLOCK_SID_FLAGS] = block_sid;
    recv_bytes(response)
}

/// Level 0 Discovery of a drive without Block SID.
pub(super) fn discovery_without_block_sid(locking: u8) -> Line {
    let mut response = samsung();
    response[LOCKING_FLAGS] = locking;
    response[BLOCK_SID_CODE] = 0xc0;
    recv_bytes(response)
}

/// StartSession, granted.
pub(super) fn start(sp: Uid, authority: Uid, pin: &[u8]) -> Vec<Line> {
    vec![start_line(sp, authority, pin), recv("7.5")]
}

/// StartSession, refused.
pub(super) fn start_refused(
    sp: Uid,
    authority: Uid,
    pin: &[u8],
    status: MethodStatus,
) -> Vec<Line> {
    let call = MethodCall::new(uid::SESSION_MANAGER, method::SYNC_SESSION)
        .argument(u64::from(HSN.0))
        .argument(0_u64)
        .with_status(status);
    vec![
        start_line(sp, authority, pin),
        recv_bytes(manager(&call.encode())),
    ]
}

fn start_line(sp: Uid, authority: Uid, pin: &[u8]) -> Line {
    let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
        .argument(u64::from(HSN.0))
        .argument(sp)
        .argument(true)
        .optional(0, pin)
        .optional(3, authority);
    Line::Send(SecurityProtocol::TCG, manager(&call.encode()))
}

fn manager(tokens: &[u8]) -> Vec<u8> {
    ComPacket::with_tokens(COM_ID, Tsn(0), Hsn(0), tokens)
        .encode()
        .to_vec()
}

/// A method with its answer.
pub(super) fn method(call: &MethodCall, response: &MethodResponse) -> Vec<Line> {
    vec![
        Line::Send(SecurityProtocol::TCG, tokens(&call.encode())),
        recv_bytes(tokens(&response.encode())),
    ]
}

/// Set of columns, with a status.
pub(super) fn set(object: Uid, columns: Vec<(u64, Value)>, status: MethodStatus) -> Vec<Line> {
    let values = columns
        .into_iter()
        .map(|(column, value)| Value::named(column, value));
    let call = MethodCall::new(object, method::SET).optional(1, Value::list(values));
    method(&call, &MethodResponse::failure(status))
}

/// Get of columns, with what they are.
pub(super) fn get(object: Uid, first: u64, last: u64, columns: Vec<(u64, Value)>) -> Vec<Line> {
    let block = Value::list([Value::named(3_u64, first), Value::named(4_u64, last)]);
    let values = columns
        .into_iter()
        .map(|(column, value)| Value::named(column, value));
    method(
        &MethodCall::new(object, method::GET).argument(block),
        &MethodResponse::success(vec![Value::list(values)]),
    )
}

/// Get that is refused.
pub(super) fn get_refused(object: Uid, first: u64, last: u64) -> Vec<Line> {
    let block = Value::list([Value::named(3_u64, first), Value::named(4_u64, last)]);
    method(
        &MethodCall::new(object, method::GET).argument(block),
        &MethodResponse::failure(MethodStatus::NOT_AUTHORIZED),
    )
}

/// Next on table Locking, with its rows.
pub(super) fn next(ranges: &[u16]) -> Vec<Line> {
    let rows = ranges
        .iter()
        .map(|&range| uid::locking_range(RangeNumber(range)).into());
    method(
        &MethodCall::new(uid::LOCKING, method::NEXT),
        &MethodResponse::success(vec![Value::list(rows)]),
    )
}

/// The session of reading MSID, tcg.md frames 7.4, 7.5, 7.7, 7.8 and 7.9.
pub(super) fn read_msid() -> Vec<Line> {
    let mut lines = vec![send("7.4"), recv("7.5"), send("7.7"), recv("7.8")];
    lines.extend(end());
    lines
}

pub(super) fn end() -> Vec<Line> {
    vec![send("7.9"), recv("7.9")]
}

/// Columns 5 to 9 of a range that is set up and not locked.
pub(super) fn set_up() -> Vec<(u64, Value)> {
    vec![
        (5, true.into()),
        (6, true.into()),
        (7, false.into()),
        (8, false.into()),
        (9, Value::list([Value::Uint(0)])),
    ]
}

/// Columns 3 to 10 of the Global range that is set up and not locked.
pub(super) fn global_shown() -> Vec<(u64, Value)> {
    let mut columns = vec![(3, Value::Uint(0)), (4, Value::Uint(0))];
    columns.extend(set_up());
    columns.push((10, uid::k_aes_256(RangeNumber::GLOBAL).into()));
    columns
}

pub(super) fn stage(lines: &[Vec<Line>]) -> Stage {
    Stage::new(lines.concat())
}

pub(super) fn open(stage: &Stage) -> Drive {
    Drive::with_tper(stage.tper(), 1).unwrap()
}

/// Runs an operation to the last line of its dialogue; its result and its IF commands.
pub(super) fn run<T>(
    lines: impl IntoIterator<Item = Vec<Line>>,
    operation: impl FnOnce(&mut Drive) -> Result<T, Error>,
) -> (Result<T, Error>, u64) {
    run_with(DriveOptions::default(), lines, operation)
}

/// The same, with a budget of attempts and a journal.
pub(super) fn run_with<T>(
    options: DriveOptions,
    lines: impl IntoIterator<Item = Vec<Line>>,
    operation: impl FnOnce(&mut Drive) -> Result<T, Error>,
) -> (Result<T, Error>, u64) {
    let stage = Stage::new(lines.into_iter().flatten());
    let drive = Drive::with_tper(stage.tper(), options.tries).unwrap();
    let mut drive = drive.with_journal(options.journal);
    let result = operation(&mut drive);
    if let Err(error) = &result
        && error.to_string().contains("could not be reached")
    {
        panic!("{:?}", std::error::Error::source(error));
    }
    stage.assert_finished();
    let IfCounts { send, recv } = drive.if_counts();
    (result, send + recv)
}

/// Options with that many attempts.
pub(super) fn tries(tries: u32) -> DriveOptions {
    DriveOptions {
        tries,
        ..DriveOptions::default()
    }
}

/// A folder with a journal, in which these authorities have notes, and options that use it.
pub(super) fn noted(authorities: &[Authority]) -> (tempfile::TempDir, DriveOptions) {
    let folder = tempfile::tempdir().unwrap();
    for authority in authorities {
        let name = format!("SERIAL0001.{authority}");
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let options = DriveOptions {
        journal: Some(Journal::new(folder.path())),
        ..DriveOptions::default()
    };
    (folder, options)
}

/// The notes in a journal.
pub(super) fn notes(folder: &tempfile::TempDir) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries
        .map(|entry| name(entry).into_string().unwrap())
        .filter(|name| !name.ends_with(".tries"))
        .collect();
    names.sort();
    names
}

pub(super) fn consent(drive: &Drive) -> EraseConsent {
    EraseConsent::new("SERIAL0001", drive.identity()).unwrap()
}

#[test]
fn the_lines_are_the_frames_of_the_reference() {
    let expect = |lines: Vec<Line>, section: &str| {
        let Some(Line::Send(_, bytes)) = lines.first().cloned() else {
            panic!("{section}");
        };
        assert_eq!(bytes, frame(section), "{section}");
    };
    expect(start(uid::ADMIN_SP, uid::SID, OLD), "7.10");
    expect(start(uid::LOCKING_SP, uid::ADMIN1, NEW), "7.11");
    let pin = vec![(3, NEW.into())];
    expect(set(uid::C_PIN_SID, pin, MethodStatus::SUCCESS), "7.12");
    expect(
        get(uid::locking_range(RangeNumber(1)), 3, 10, Vec::new()),
        "7.19",
    );
}
