//! sedutil-cli 1.20: session number 105, Properties first, PINs of 32 bytes in medium atoms, blocks
//! of 512 bytes out and 2048 bytes in, answers read by the place of their tokens.

use sedkit::spec::MethodStatus;
use sedkit::vdrive::MediaError;

use super::{Answer, Control, Request, Token, frame};
use crate::support::{Bench, HSN, MSID, PSID};
use crate::vectors::hex;

const ADMIN_SP: u64 = 0x0000_0205_0000_0001;
const LOCKING_SP: u64 = 0x0000_0205_0000_0002;
const SID: u64 = 0x0000_0009_0000_0006;
const THE_PSID: u64 = 0x0000_0009_0001_ff01;
const ADMIN1: u64 = 0x0000_0009_0001_0001;
const USER1: u64 = 0x0000_0009_0003_0001;
const C_PIN: u64 = 0x0000_000b_0000_0000;
const MBR: u64 = 0x0000_0804_0000_0000;
const MBR_CONTROL: u64 = 0x0000_0803_0000_0001;

/// A password after PBKDF2.
const PASSWORD: &[u8; 32] = b"\x01\xf0\xff32 bytes, as PBKDF2 makes it.";
const NEW: &[u8; 32] = b"another hash of thirty-two bytes";

/// What the authority of a session proves itself with.
type By<'a> = (u64, &'a [u8]);

struct Sedutil {
    bench: Bench,
    session: (u32, u32),
}

impl Sedutil {
    /// Level 0 Discovery and Properties, as every command begins.
    fn new() -> Self {
        let bench = Bench::with(|options| options.profile.communication.base_com_id = 0x1004);
        let mut sedutil = Self {
            bench,
            session: (0, 0),
        };
        sedutil.properties();
        sedutil
    }

    fn properties(&mut self) -> Answer {
        let level0 = self.bench.recv(0x01, 0x0001, 2048).unwrap();
        assert!(level0.len() > 48);
        let mut request = hex("frames/7.1.hex");
        request.resize(request.len().next_multiple_of(512), 0);
        self.session = (0, 0);
        self.bench.send(0x01, 0x1004, &request).unwrap();
        let answer = self.bench.recv(0x01, 0x1004, 2048).unwrap();
        // More tokens than the kernel takes, which never asks.
        let length = u32::from_be_bytes(answer[52..56].try_into().unwrap());
        Answer::tokens(&answer[56..56 + usize::try_from(length).unwrap()])
    }

    fn exchange(&mut self, tokens: &[u8]) -> Answer {
        let length = (56 + tokens.len() + 3).next_multiple_of(512);
        let request = frame(0x1004, self.session, tokens, length);
        self.bench.send(0x01, 0x1004, &request).unwrap();
        let answer = self.bench.recv(0x01, 0x1004, 2048).unwrap();
        Answer::read(&answer, 0x1004, self.session)
    }

    fn call(&mut self, tokens: &[u8]) -> Result<Answer, u8> {
        let answer = self.exchange(tokens);
        match answer.status() {
            0 => Ok(answer),
            status => Err(status),
        }
    }

    fn must(&mut self, tokens: &[u8]) -> Answer {
        self.call(tokens).unwrap()
    }

    fn start(&mut self, sp: u64, by: Option<By<'_>>) -> Result<(), u8> {
        self.session = (0, 0);
        let call = Request::start_session(HSN, sp);
        let call = match by {
            Some((authority, pin)) => call
                .named(0, |request| request.medium(pin))
                .named(3, |request| request.uid(authority)),
            None => call,
        };
        let answer = self.call(&call.finish())?;
        assert_eq!(answer.uint(4), u64::from(HSN));
        self.session = (u32::try_from(answer.uint(5)).unwrap(), HSN);
        Ok(())
    }

    fn end(&mut self) {
        assert_eq!(self.exchange(&[0xfa]).0, [Control(0xfa)]);
        self.session = (0, 0);
    }

    /// One session with these methods, each of which succeeds.
    fn session(&mut self, sp: u64, by: By<'_>, calls: &[Vec<u8>]) {
        self.start(sp, Some(by)).unwrap();
        for tokens in calls {
            self.must(tokens);
        }
        self.end();
    }

    fn admin1(&mut self, calls: &[Vec<u8>]) {
        self.session(LOCKING_SP, (ADMIN1, PASSWORD), calls);
    }

    fn take_ownership(&mut self) {
        self.start(ADMIN_SP, None).unwrap();
        let answer = self.must(&Request::get(C_PIN | 0x8402, 3, 3));
        answer.check_cell(3);
        assert_eq!(answer.bytes(4), MSID);
        self.end();
        let pin = Request::set_pin(C_PIN | 1, |request| request.medium(PASSWORD));
        self.session(ADMIN_SP, (SID, MSID), &[pin]);
    }

    /// The life cycle is read at a place of its own: `F0 F0 F2 06 08 F3`.
    fn activate(&mut self) {
        self.start(ADMIN_SP, Some((SID, PASSWORD))).unwrap();
        let answer = self.must(&Request::get(LOCKING_SP, 6, 6));
        let expected = [0xf0, 0xf0, 0xf2].map(Control);
        assert_eq!(answer.0[..3], expected);
        assert_eq!((answer.uint(3), answer.uint(4)), (6, 8));
        self.must(&Request::call(LOCKING_SP, 0x203).finish());
        self.end();
    }

    /// `--initialSetup`.
    fn initial_setup(&mut self) {
        self.take_ownership();
        self.activate();
        self.admin1(&[Request::set(range(0), &[(5, 0), (6, 0)])]);
        self.admin1(&[Request::set(range(0), &[(7, 0), (8, 0)])]);
        self.admin1(&[Request::set(MBR_CONTROL, &[(2, 1)])]);
        self.admin1(&[Request::set(MBR_CONTROL, &[(1, 1)])]);
    }

    fn is_locked(&mut self, lba: u64) -> bool {
        matches!(
            self.bench.drive().read(lba, 1),
            Err(MediaError::DataProtection)
        )
    }
}

fn range(number: u64) -> u64 {
    match number {
        0 => 0x0000_0802_0000_0001,
        number => 0x0000_0802_0003_0000 + number,
    }
}

#[test]
fn query_shows_the_properties_of_both_sides() {
    // [Core] 5.2.2: the host's six values come back, each at or above the minimum of the SSC.
    let mut sedutil = Sedutil::new();
    let answer = sedutil.properties();
    let value = |name: &str, from: usize| {
        let name = Token::Bytes(name.as_bytes().to_vec());
        let found = answer.0[from..].iter().position(|token| *token == name);
        answer.uint(from + found.unwrap() + 1)
    };
    assert_eq!(value("MaxComPacketSize", 0), 65_536);
    assert_eq!(value("MaxSessions", 0), 2);
    let echo = answer.0.iter().rposition(|token| *token == Control(0xf0));
    let before = answer.0[..echo.unwrap() - 1]
        .iter()
        .rposition(|token| *token == Control(0xf0));
    let echo = before.unwrap();
    let host = [
        ("MaxComPacketSize", 2048),
        ("MaxPacketSize", 2028),
        ("MaxIndTokenSize", 1992),
        ("MaxPackets", 1),
        ("MaxSubpackets", 1),
        ("MaxMethods", 1),
    ];
    for (name, expected) in host {
        assert_eq!(value(name, echo), expected, "{name}");
    }
    assert_eq!(answer.status(), 0);
}

#[test]
fn initial_setup_leaves_an_unlocked_drive_with_a_shadow_that_is_done() {
    let mut sedutil = Sedutil::new();
    sedutil.initial_setup();
    // [Opal] 3.1.1.3: enabled, not locked, MBR enabled and done.
    assert_eq!(sedutil.bench.feature(0x0002)[4] & 0x36, 0x32);
    sedutil.bench.drive().write(0, &[5; 512]).unwrap();
    sedutil.bench.drive().power_cycle().unwrap();
    // DoneOnReset {0}: the shadow MBR is there after a power cycle, zeros before an image is.
    assert_eq!(sedutil.bench.drive().read(0, 1).unwrap(), [0; 512]);
    sedutil.properties();
    sedutil.admin1(&[Request::set(MBR_CONTROL, &[(2, 1)])]);
    assert_eq!(sedutil.bench.drive().read(0, 1).unwrap(), [5; 512]);
}

#[test]
fn the_global_range_locks_and_unlocks() {
    let mut sedutil = Sedutil::new();
    sedutil.initial_setup();
    sedutil.admin1(&[Request::set(range(0), &[(5, 1), (6, 1)])]);
    for locked in [1, 0] {
        sedutil.admin1(&[Request::set(range(0), &[(7, locked), (8, locked)])]);
        assert_eq!(sedutil.is_locked(0), locked == 1);
    }
    sedutil.admin1(&[Request::set(range(0), &[(7, 0), (8, 1)])]);
    assert!(!sedutil.is_locked(0));
    let write = sedutil.bench.drive().write(0, &[1; 512]);
    assert!(matches!(write, Err(MediaError::DataProtection)));
}

#[test]
fn every_range_is_listed() {
    // [Opal] 4.3.5.1: MaxRanges does not count the Global range.
    let mut sedutil = Sedutil::new();
    sedutil.initial_setup();
    sedutil.admin1(&[Request::set(range(1), &[(3, 2048), (4, 4096)])]);
    sedutil.start(LOCKING_SP, Some((ADMIN1, PASSWORD))).unwrap();
    let answer = sedutil.must(&Request::get(0x0000_0801_0000_0001, 4, 4));
    answer.check_cell(4);
    assert_eq!(answer.uint(4), 8);
    for number in 0..=8 {
        let answer = sedutil.must(&Request::get(range(number), 3, 10));
        let found = [4, 8, 12, 16, 20, 24].map(|place| answer.uint(place));
        let place = if number == 1 { [2048, 4096] } else { [0, 0] };
        assert_eq!(found, [place[0], place[1], 0, 0, 0, 0], "{number}");
    }
    sedutil.end();
}

#[test]
fn a_range_is_set_up_and_gets_a_new_key() {
    let mut sedutil = Sedutil::new();
    sedutil.initial_setup();
    sedutil.admin1(&[Request::set(range(2), &[(3, 8192), (4, 1024)])]);
    sedutil.bench.drive().write(8192, &[4; 512]).unwrap();
    // --rekeyLockingRange: the key's UID in the fifth place, then GenKey of it.
    sedutil.start(LOCKING_SP, Some((ADMIN1, PASSWORD))).unwrap();
    let answer = sedutil.must(&Request::get(range(2), 10, 10));
    answer.check_cell(10);
    let key = u64::from_be_bytes(answer.bytes(4).try_into().unwrap());
    sedutil.must(&Request::call(key, 0x10).finish());
    sedutil.end();
    assert_ne!(sedutil.bench.drive().read(8192, 1).unwrap(), [4; 512]);
}

#[test]
fn a_user_is_enabled_and_gets_a_password() {
    let mut sedutil = Sedutil::new();
    sedutil.initial_setup();
    sedutil.admin1(&[Request::set(USER1, &[(5, 1)])]);
    // The empty PIN of a User that was never given one is a medium atom of no bytes.
    sedutil.start(LOCKING_SP, Some((USER1, b""))).unwrap();
    sedutil.end();
    let row = C_PIN | (USER1 & 0xffff_ffff);
    sedutil.admin1(&[Request::set_pin(row, |request| request.medium(NEW))]);
    let own = Request::set_pin(row, |request| request.medium(PASSWORD));
    sedutil.session(LOCKING_SP, (USER1, NEW), &[own]);
    let old = sedutil.start(LOCKING_SP, Some((USER1, NEW)));
    assert_eq!(old, Err(MethodStatus::NOT_AUTHORIZED.0));
    sedutil.start(LOCKING_SP, Some((USER1, PASSWORD))).unwrap();
    sedutil.end();
}

#[test]
fn an_image_is_loaded_in_large_blocks() {
    // [Opal] 4.3.5.4: the granularity of the MBR table decides the block; a long atom carries it.
    let mut sedutil = Sedutil::new();
    sedutil.initial_setup();
    let image: Vec<u8> = (0..120_000_u32).map(|n| n.to_le_bytes()[1] ^ 7).collect();
    sedutil.start(LOCKING_SP, Some((ADMIN1, PASSWORD))).unwrap();
    for (column, expected) in [(7, 128 << 20), (13, 1)] {
        let answer = sedutil.must(&Request::get(0x0000_0001_0000_0804, column, column));
        answer.check_cell(column);
        assert_eq!(answer.uint(4), expected);
    }
    let mut at = 0_u32;
    for chunk in image.chunks(57_344) {
        // The offset always has four bytes.
        let place = |request: Request| {
            let request = request.raw(0x84);
            at.to_be_bytes().into_iter().fold(request, Request::raw)
        };
        let set = Request::call(MBR, 0x17)
            .named(0, place)
            .named(1, |request| request.long(chunk));
        sedutil.must(&set.finish());
        at += u32::try_from(chunk.len()).unwrap();
    }
    sedutil.end();
    sedutil.admin1(&[Request::set(MBR_CONTROL, &[(2, 0)])]);
    let shadow = sedutil.bench.drive().read(0, 234).unwrap();
    assert_eq!(shadow, image[..234 * 512]);
}

#[test]
fn revert_no_erase_keeps_the_data() {
    // [Opal] 5.1.3.2.
    let mut sedutil = Sedutil::new();
    sedutil.initial_setup();
    sedutil.bench.drive().write(100, &[6; 512]).unwrap();
    sedutil.start(LOCKING_SP, Some((ADMIN1, PASSWORD))).unwrap();
    let revert = Request::call(1, 0x11).named(0x06_0000, |request| request.uint(1));
    sedutil.must(&revert.finish());
    assert_eq!(sedutil.bench.drive().read(100, 1).unwrap(), [6; 512]);
    let closed = sedutil.start(LOCKING_SP, Some((ADMIN1, PASSWORD)));
    assert_eq!(closed, Err(MethodStatus::INVALID_PARAMETER.0));
    // The owner stays, and can activate again.
    sedutil.activate();
}

#[test]
fn revert_tper_and_psid_revert_end_in_a_new_drive() {
    // [Opal] 5.1.2.2, [PSID] 4.
    let mut sedutil = Sedutil::new();
    let new = sedutil.bench.level0();
    for by in [(SID, &PASSWORD[..]), (THE_PSID, PSID)] {
        sedutil.initial_setup();
        sedutil.start(ADMIN_SP, Some(by)).unwrap();
        let answer = sedutil.must(&Request::call(ADMIN_SP, 0x202).finish());
        assert_eq!(answer.0[..2], [Control(0xf0), Control(0xf1)]);
        assert_eq!(sedutil.bench.level0(), new);
        sedutil.properties();
    }
}

#[test]
fn a_psid_with_dashes_is_a_wrong_psid() {
    // Reference 5.13: a wrong PIN is NOT_AUTHORIZED, and so is one that is longer than any PIN.
    let mut sedutil = Sedutil::new();
    let dashed = b"PSID-2345-PSID-2345-PSID-2345-PSID-2345";
    let refused = sedutil.start(ADMIN_SP, Some((THE_PSID, dashed)));
    assert_eq!(refused, Err(MethodStatus::NOT_AUTHORIZED.0));
}
