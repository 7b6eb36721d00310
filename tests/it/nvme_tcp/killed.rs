//! A server that is killed while its host writes, in fifty seeded moments.
//!
//! The host writes stamped blocks, flushes, and moves a locking range, one NVMe command after the
//! other. Before a command that is drawn by lot is answered, the server is killed. Then the drive's
//! file must open; each block holds what was written last before the last flush that was answered,
//! or what was written later; and the range is where the last Set that was answered put it, or where
//! the one that was under way does.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use sedkit::spec::{ComId, Hsn, RangeNumber, Tsn, Uid, column, method, uid};
use sedkit::vdrive::VirtualDrive;
use sedkit::wire::{ComPacket, MethodCall, MethodResponse};

use super::attached::{Attached, Identity, media};
use super::host::{Answer, Command, Connection, Terms, u32_at};
use crate::cli::served::Served;
use crate::cli::support::{Bench, PASSPHRASE};
use crate::model::dice::Dice;
use crate::support::{BUFFER, HSN, set, start_session};

const MOMENTS: u64 = 50;
/// Blocks that the host writes to.
const BLOCKS: usize = 512;
/// Where the range is moved about, in steps of its length; it holds none of those blocks.
const RANGE: u64 = 8192;
const RANGE_LENGTH: u64 = 8;
const RANGE_PLACES: u64 = 1000;
/// Most commands before the server is killed.
const COMMANDS: usize = 40;
/// Longest time between sending the last command and the kill.
const DELAY: usize = 2000;

#[test]
fn nothing_flushed_is_lost_and_no_set_is_half_done() {
    let bench = Bench::set_up();
    let mut ledger = Ledger::default();
    for moment in 0..MOMENTS {
        let mut dice = Dice::new(moment);
        let mut host = Host::start(&bench, &mut dice);
        while host.step(&mut ledger, &mut dice).is_some() {}
        ledger.check(&bench.path("a"), moment);
    }
    assert!(ledger.sets > 20, "only {} Sets were answered", ledger.sets);
    assert!(ledger.flushes > 50, "only {} flushes", ledger.flushes);
}

/// What the drive must hold, and what it may.
#[derive(Default)]
struct Ledger {
    blocks: BTreeMap<u64, Block>,
    last_stamp: u64,
    /// The number of places that the range was moved, and the one that is under way.
    place: u64,
    next_place: Option<u64>,
    sets: usize,
    flushes: usize,
}

/// Stamps of a block; 0 is what was never written.
#[derive(Default)]
struct Block {
    flushed: u64,
    later: Vec<u64>,
}

impl Ledger {
    /// Takes note of a write that is about to be sent; the data.
    fn write(&mut self, lba: u64, count: u64) -> Vec<u8> {
        self.last_stamp += 1;
        let stamp = self.last_stamp;
        let lbas = lba..lba + count;
        for lba in lbas.clone() {
            self.blocks.entry(lba).or_default().later.push(stamp);
        }
        lbas.flat_map(|lba| stamped(lba, stamp)).collect()
    }

    /// A flush was answered, and so was every write before it.
    fn flushed(&mut self) {
        self.flushes += 1;
        for block in self.blocks.values_mut() {
            block.flushed = block.later.pop().unwrap_or(block.flushed);
            block.later.clear();
        }
    }

    /// A Set is about to be sent; where the range goes.
    fn set(&mut self) -> u64 {
        let place = self.place + 1;
        self.next_place = Some(place);
        start_of(place)
    }

    /// It was answered.
    fn was_set(&mut self) {
        self.sets += 1;
        self.place = self.next_place.take().unwrap_or(self.place);
    }

    /// Compares the file with all of that, and goes on from what it holds.
    fn check(&mut self, path: &Path, moment: u64) {
        let mut drive = VirtualDrive::open(path).unwrap();
        self.check_range(&drive, moment);
        for (lba, block) in &mut self.blocks {
            let data = drive.read(*lba, 1).unwrap();
            let stamp = stamp_of(&data, *lba);
            assert!(
                stamp == block.flushed || block.later.contains(&stamp),
                "moment {moment}: block {lba} holds {stamp}, not {} or one of {:?}",
                block.flushed,
                block.later
            );
            block.flushed = stamp;
            block.later.clear();
        }
        drive.flush().unwrap();
        // The session of the host that is gone ends; no lock asks for this reset.
        drive.hardware_reset().unwrap();
    }

    fn check_range(&mut self, drive: &VirtualDrive, moment: u64) {
        let ranges = drive.info().ranges;
        let range = ranges.iter().find(|range| range.number == RangeNumber(1));
        let start = range.map_or(0, |range| range.start);
        assert_eq!(
            range.map_or(RANGE_LENGTH, |range| range.length),
            RANGE_LENGTH
        );
        let next = self.next_place.take();
        if next.is_some_and(|next| start == start_of(next)) {
            self.place += 1;
        }
        let expected = if self.place == 0 {
            0
        } else {
            start_of(self.place)
        };
        assert_eq!(start, expected, "moment {moment}: the range is elsewhere");
    }
}

fn start_of(place: u64) -> u64 {
    RANGE + place % RANGE_PLACES * RANGE_LENGTH
}

/// A block that says where it belongs and when it was written.
fn stamped(lba: u64, stamp: u64) -> Vec<u8> {
    [lba.to_le_bytes(), stamp.to_le_bytes()].concat().repeat(32)
}

/// When a block was written, which must be whole.
fn stamp_of(data: &[u8], lba: u64) -> u64 {
    if data.iter().all(|byte| *byte == 0) {
        return 0;
    }
    let stamp = u64::from_le_bytes(data[8..16].try_into().unwrap());
    assert_eq!(
        data,
        stamped(lba, stamp),
        "block {lba} is none that was written"
    );
    stamp
}

/// A host whose server is killed after so many commands.
struct Host {
    attached: Attached,
    com_id: ComId,
    left: usize,
    /// Time between the last command and the kill.
    delay: Duration,
    server: Option<Served>,
}

impl Host {
    fn start(bench: &Bench, dice: &mut Dice) -> Self {
        let server = Served::new(&bench.path(""), &["a"]);
        let (address, nqn) = server.place(0);
        let mut attached = Attached::new(address, &Identity::new(&nqn, 1), Terms::default());
        let discovery = attached.security_receive(1, BUFFER).unwrap();
        Self {
            attached,
            com_id: base_com_id(&discovery),
            left: 1 + dice.below(COMMANDS),
            delay: Duration::from_micros(dice.below(DELAY).try_into().unwrap()),
            server: Some(server),
        }
    }

    /// Does one thing; nothing once the server is dead.
    fn step(&mut self, ledger: &mut Ledger, dice: &mut Dice) -> Option<()> {
        match dice.below(10) {
            0 | 1 => {
                self.io(Command::new(0x00, 1), &[])?;
                ledger.flushed();
            }
            2 => self.move_range(ledger)?,
            // More than a capsule holds: by R2T.
            3 => self.write(ledger, dice, 128)?,
            _ => self.write(ledger, dice, 16)?,
        }
        Some(())
    }

    fn write(&mut self, ledger: &mut Ledger, dice: &mut Dice, most: usize) -> Option<()> {
        let count = u16::try_from(1 + dice.below(most)).unwrap();
        let lba = dice.below(BLOCKS - usize::from(count)).try_into().unwrap();
        let data = ledger.write(lba, count.into());
        self.io(media(0x01, lba, count), &data)
    }

    /// Moves range 1 in a session of Admin1.
    fn move_range(&mut self, ledger: &mut Ledger) -> Option<()> {
        let pin = PASSPHRASE.as_bytes();
        let start = start_session(uid::LOCKING_SP, true, Some((uid::ADMIN1, pin)));
        let control = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
        let answer = self.tokens(control, &start.encode())?;
        let answer = MethodCall::decode(&answer).unwrap();
        assert_eq!(answer.method_id, method::SYNC_SESSION);
        let tsn = answer.arguments[1].as_uint().unwrap();
        let session = (Tsn(tsn.try_into().unwrap()), Hsn(HSN));
        let cells = [
            (column::locking::RANGE_START, ledger.set().into()),
            (column::locking::RANGE_LENGTH, RANGE_LENGTH.into()),
        ];
        let row: Uid = uid::locking_range(RangeNumber(1));
        let answer = self.tokens(session, &set(row, &cells).encode())?;
        let answer = MethodResponse::decode(&answer).unwrap();
        assert!(answer.status.is_success(), "{:?}", answer.status);
        ledger.was_set();
        self.tokens(session, &[0xfa]).map(|_| ())
    }

    /// Sends tokens and fetches those of the answer.
    fn tokens(&mut self, (tsn, hsn): (Tsn, Hsn), tokens: &[u8]) -> Option<Vec<u8>> {
        let mut packet = ComPacket::with_tokens(self.com_id, tsn, hsn, tokens).encode();
        let whole = packet.len().next_multiple_of(512);
        packet.resize(whole, 0);
        self.security(0x81, &packet, 0)?;
        let answer = self.security(0x82, &[], BUFFER)?;
        let answer = ComPacket::decode(&answer.data).unwrap();
        Some(answer.packets[0].tokens().to_vec())
    }

    fn security(&mut self, opcode: u8, data: &[u8], room: usize) -> Option<Answer> {
        let length = u32::try_from(data.len().max(room)).unwrap();
        let command = Command::new(opcode, 0)
            .dword(10, 0x0100_0000 | u32::from(self.com_id.0) << 8)
            .dword(11, length)
            .transfer(room);
        let kill = self.is_time();
        self.or_kill(kill, |attached| &mut attached.admin, command, data)
    }

    fn io(&mut self, command: Command, data: &[u8]) -> Option<()> {
        let kill = self.is_time();
        let answer = self.or_kill(kill, |attached| &mut attached.io, command, data)?;
        assert_eq!(answer.status(), 0);
        Some(())
    }

    fn is_time(&mut self) -> bool {
        let is_time = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_time
    }

    /// Sends a command; its answer, unless the server is killed before that.
    fn or_kill(
        &mut self,
        kill: bool,
        queue: impl FnOnce(&mut Attached) -> &mut Connection,
        command: Command,
        data: &[u8],
    ) -> Option<Answer> {
        let queue = queue(&mut self.attached);
        if !kill {
            return Some(queue.call_with(command, data));
        }
        send(queue, command, data);
        let end = Instant::now() + self.delay;
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        let server = self.server.take().unwrap();
        assert_eq!(server.end(Signal::SIGKILL), None);
        None
    }
}

/// Sends a command and its data, and does not wait for the answer.
fn send(queue: &mut Connection, command: Command, data: &[u8]) {
    if data.len() <= queue.terms.capsule {
        queue.submit(command, data);
        return;
    }
    queue.submit(command.transfer(data.len()), &[]);
    let ready = queue.receive().unwrap();
    assert_eq!(ready.kind, 9, "R2T");
    queue.send_all_data(&ready, data);
}

/// The base ComID of the Opal SSC descriptor of Level 0 Discovery (\[Opal\] 3.1.1.5).
fn base_com_id(discovery: &[u8]) -> ComId {
    let end = 4 + usize::try_from(u32_at(discovery, 0).swap_bytes()).unwrap();
    let mut rest = &discovery[48..end];
    while !rest.is_empty() {
        let (descriptor, next) = rest.split_at(4 + usize::from(rest[3]));
        if descriptor.starts_with(&[0x02, 0x03]) {
            return ComId(u16::from_be_bytes([descriptor[4], descriptor[5]]));
        }
        rest = next;
    }
    panic!("no Opal SSC descriptor");
}
