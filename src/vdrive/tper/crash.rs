//! Crashes at every write: the drive is as it was before the command, or as it is after it.
//!
//! Each command of a dialogue is run on a disk that dies at its first operation, at its second, and
//! so on until it gets through; then what is left is opened again.

mod single_user;

use super::state::Session;
use super::tables::SpId;
use super::*;
use crate::spec::{ComId, Hsn, SecurityProtocol, Tsn, method, uid};
use crate::vdrive::CreateOptions;
use crate::vdrive::label::Label;
use crate::vdrive::store::crash::{Fate, Rig};
use crate::vdrive::xts::MediaKey;
use crate::wire::{ComPacket, MethodCall, Value};

pub(super) const COM_ID: ComId = ComId(0x1000);

/// One IF-SEND of the dialogue; an IF-RECV follows it.
type Step = (&'static str, fn(&Tper) -> Vec<u8>);

const DIALOGUE: &[Step] = &[
    ("start as SID", |_| {
        start(uid::ADMIN_SP, uid::SID, &Label::sample().msid)
    }),
    ("PIN of SID", |tper| {
        set(tper, uid::C_PIN_SID, &[(3, "owner".into())])
    }),
    ("Activate", |tper| {
        call(tper, &MethodCall::new(uid::LOCKING_SP, method::ACTIVATE))
    }),
    ("end", |tper| tokens(tper, &[0xfa])),
    ("wrong PIN", |_| {
        start(uid::LOCKING_SP, uid::ADMIN1, "wrong")
    }),
    ("start as Admin1", |_| {
        start(uid::LOCKING_SP, uid::ADMIN1, "owner")
    }),
    ("range", |tper| {
        set(tper, range1(), &[(3, 8_u64.into()), (4, 16_u64.into())])
    }),
    ("MBR", |tper| {
        set_bytes(tper, uid::MBR, 4090, b"boot loader")
    }),
    ("MBR, over it", |tper| {
        set_bytes(tper, uid::MBR, 4095, b"BOOT")
    }),
    ("DataStore", |tper| {
        set_bytes(tper, uid::DATA_STORE, 0, b"data")
    }),
    ("transaction", |tper| tokens(tper, &[0xfb, 0])),
    ("MBR in it", |tper| set_bytes(tper, uid::MBR, 4092, b"--")),
    ("MBR in it, over it", |tper| {
        set_bytes(tper, uid::MBR, 4093, b"++")
    }),
    ("DataStore in it", |tper| {
        set_bytes(tper, uid::DATA_STORE, 2, b"--")
    }),
    ("lock in it", |tper| {
        set(tper, range1(), &[(5, true.into()), (7, true.into())])
    }),
    ("commit", |tper| tokens(tper, &[0xfc, 0])),
    ("another transaction", |tper| tokens(tper, &[0xfb, 0])),
    ("MBR in the other", |tper| {
        set_bytes(tper, uid::MBR, 4090, b"xxxx")
    }),
    ("rollback", |tper| tokens(tper, &[0xfc, 1])),
    ("GenKey", |tper| {
        call(
            tper,
            &MethodCall::new(uid::k_aes_256(RANGE1), method::GEN_KEY),
        )
    }),
    ("RevertSP", |tper| {
        call(tper, &MethodCall::new(uid::THIS_SP, method::REVERT_SP))
    }),
    ("start as PSID", |_| {
        start(uid::ADMIN_SP, uid::PSID, &Label::sample().psid)
    }),
    ("Revert", |tper| {
        call(tper, &MethodCall::new(uid::ADMIN_SP, method::REVERT))
    }),
];

const RANGE1: crate::spec::RangeNumber = crate::spec::RangeNumber(1);

fn range1() -> crate::spec::Uid {
    uid::locking_range(RANGE1)
}

pub(super) fn start(sp: crate::spec::Uid, authority: crate::spec::Uid, pin: &str) -> Vec<u8> {
    let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
        .argument(0x69_u64)
        .argument(sp)
        .argument(true)
        .optional(0, pin)
        .optional(3, authority);
    let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
    frame(tsn, hsn, &call.encode())
}

fn frame(tsn: Tsn, hsn: Hsn, tokens: &[u8]) -> Vec<u8> {
    ComPacket::with_tokens(COM_ID, tsn, hsn, tokens)
        .encode()
        .to_vec()
}

/// Tokens for the session that is open.
pub(super) fn tokens(tper: &Tper, tokens: &[u8]) -> Vec<u8> {
    let session: &Session = tper.power.sessions.first().unwrap();
    frame(Tsn(session.tsn), Hsn(session.hsn), tokens)
}

pub(super) fn call(tper: &Tper, call: &MethodCall) -> Vec<u8> {
    tokens(tper, &call.encode())
}

fn set(tper: &Tper, row: crate::spec::Uid, cells: &[(u64, Value)]) -> Vec<u8> {
    let cells = cells
        .iter()
        .map(|(column, value)| Value::named(*column, value.clone()));
    call(
        tper,
        &MethodCall::new(row, method::SET).optional(1, Value::list(cells)),
    )
}

pub(super) fn set_bytes(tper: &Tper, table: crate::spec::Uid, at: u64, bytes: &[u8]) -> Vec<u8> {
    call(
        tper,
        &MethodCall::new(table, method::SET)
            .optional(0, at)
            .optional(1, bytes),
    )
}

/// A small drive whose label is known.
pub(super) fn new_rig() -> Rig {
    rig_with(|_| {})
}

/// The same with other options.
pub(super) fn rig_with(change: impl FnOnce(&mut CreateOptions)) -> Rig {
    let label = Label::sample();
    let mut options = CreateOptions::new(64 * 512);
    options.serial = Some(label.serial);
    options.msid = Some(label.msid);
    options.psid = Some(label.psid);
    options.profile.locking.mbr_size = 16_384;
    options.profile.locking.data_store_size = 4096;
    change(&mut options);
    let (layout, record) = options.first_record().unwrap();
    Rig::new(&layout, &record)
}

pub(super) fn open(store: Store) -> Tper {
    Tper::open(store, Box::new(|| 1000)).unwrap()
}

/// What a drive remembers, in a form that can be compared.
#[derive(Clone, Debug, PartialEq)]
struct Memory {
    /// Without keys, which are random, and without work that has been done.
    state: String,
    /// Which keys are those of the drive before the command.
    old_keys: Vec<bool>,
    power: String,
    /// The same without transactions.
    rolled_back: String,
    /// The same without sessions.
    ended: String,
    /// The state after a power cycle.
    cycled: String,
    mbr: Vec<u8>,
    data_store: Vec<u8>,
}

impl Memory {
    fn of(tper: &mut Tper, before: &[MediaKey]) -> Self {
        let mut state = tper.state.clone();
        let keys = std::mem::take(&mut state.keys);
        state.pending.clear();
        let bytes = |table| {
            let table = tper.catalogue.sp(SpId::Locking).byte_table(table).unwrap();
            let length = usize::try_from(table.rows.min(4200)).unwrap();
            tper.read_bytes(None, table, 0, length).unwrap()
        };
        Self {
            state: serde_json::to_string(&state).unwrap(),
            old_keys: keys
                .iter()
                .zip(before)
                .map(|(key, old)| key == old)
                .collect(),
            power: power(&tper.power, false),
            rolled_back: power(&tper.power, true),
            ended: without_sessions(&tper.power),
            mbr: bytes(uid::MBR),
            data_store: bytes(uid::DATA_STORE),
            cycled: cycled(tper),
        }
    }

    /// True if what survives a loss of power is the same.
    fn is_durably(&self, other: &Self) -> bool {
        let durable = |memory: &Self| Self {
            power: String::new(),
            rolled_back: String::new(),
            ended: String::new(),
            state: memory.cycled.clone(),
            ..memory.clone()
        };
        durable(self) == durable(other)
    }
}

/// The power state but for the count of writes.
fn power(power: &Power, roll_back: bool) -> String {
    let mut power = power.clone();
    power.sequence = 0;
    for session in &mut power.sessions {
        session.transaction.take_if(|_| roll_back);
    }
    serde_json::to_string(&power).unwrap()
}

fn without_sessions(power: &Power) -> String {
    let mut ended = power.clone();
    ended.sessions.clear();
    self::power(&ended, false)
}

/// The state as it would be after a power cycle.
fn cycled(tper: &mut Tper) -> String {
    let before = (tper.state.clone(), tper.power.clone(), tper.changed);
    tper.reset(Reset::PowerCycle);
    tper.state.keys.clear();
    tper.state.pending.clear();
    let cycled = serde_json::to_string(&tper.state).unwrap();
    (tper.state, tper.power, tper.changed) = before;
    cycled
}

/// IF-SEND of a frame, or IF-RECV.
pub(super) fn run(tper: &mut Tper, frame: Option<&[u8]>) -> Result<(), CommandError> {
    match frame {
        Some(frame) => tper.if_send(SecurityProtocol::TCG, COM_ID, frame),
        None => tper
            .if_recv(SecurityProtocol::TCG, COM_ID, &mut [0; 2048])
            .map(|_| ()),
    }
}

/// Runs a command on disks that fail at each of its operations; returns the drive after it.
fn crash(rig: &Rig, name: &str, frame: Option<&[u8]>) -> Rig {
    let (store, watch) = rig.failing(usize::MAX, Fate::Killed);
    let mut tper = open(store);
    let keys = tper.state.keys.clone();
    let before = Memory::of(&mut tper, &keys);
    run(&mut tper, frame).unwrap();
    let after = Memory::of(&mut tper, &keys);
    for fate in [Fate::Killed, Fate::Full, Fate::SyncFails] {
        let crash = Crash {
            rig,
            name,
            frame,
            before: &before,
            after: &after,
            keys: &keys,
        };
        let operations = (0..).take_while(|left| crash.at(*left, fate)).count();
        assert!(operations < 100, "{name}");
    }
    watch.after_kill()
}

struct Crash<'a> {
    rig: &'a Rig,
    name: &'a str,
    frame: Option<&'a [u8]>,
    before: &'a Memory,
    after: &'a Memory,
    keys: &'a [MediaKey],
}

impl Crash<'_> {
    /// Fails one operation; false if there was none to fail.
    fn at(&self, left: usize, fate: Fate) -> bool {
        let context = format!("{}: {fate:?} at operation {left}", self.name);
        let (store, watch) = self.rig.failing(left, fate);
        let result = Tper::open(store, Box::new(|| 1000)).map(|mut tper| {
            let sent = run(&mut tper, self.frame);
            // A drive that lives on is not between two states.
            if fate != Fate::Killed {
                self.check(&Memory::of(&mut tper, self.keys), sent.is_ok(), &context);
            }
            sent
        });
        let is_done = matches!(result, Ok(Ok(())));
        let mut killed = open(watch.after_kill().store());
        self.check(&Memory::of(&mut killed, self.keys), is_done, &context);
        let cuts = (0..4).map(|seed| watch.after_power_cut(seed));
        for (number, rig) in cuts
            .chain((1..4).map(|seed| watch.after_reordering(seed)))
            .enumerate()
        {
            let memory = Memory::of(&mut open(rig.store()), self.keys);
            let is_old = memory.is_durably(self.before) && !is_done;
            let is_either = is_old || memory.is_durably(self.after);
            assert!(is_either, "{context}, power cut {number}");
        }
        watch.failed()
    }

    fn check(&self, memory: &Memory, is_done: bool, context: &str) {
        // A transaction whose bytes the file failed to take is over.
        let rolled_back = Memory {
            power: self.before.rolled_back.clone(),
            ..self.before.clone()
        };
        let ended = Memory {
            power: self.before.ended.clone(),
            rolled_back: self.before.ended.clone(),
            ..self.before.clone()
        };
        let befores = [self.before, &rolled_back, &ended];
        let is_old = !is_done && befores.contains(&memory);
        assert!(is_old || memory == self.after, "{context}");
    }
}

/// Runs steps and fetches their answers, until one fails.
fn run_all(tper: &mut Tper, steps: &[Step]) -> Result<(), CommandError> {
    for (_, step) in steps {
        let frame = step(tper);
        run(tper, Some(&frame))?;
        run(tper, None)?;
    }
    Ok(())
}

#[test]
fn a_power_cut_leaves_a_transaction_whole_or_undone() {
    let begin = DIALOGUE
        .iter()
        .position(|(name, _)| *name == "transaction")
        .unwrap();
    let end = DIALOGUE
        .iter()
        .position(|(name, _)| *name == "commit")
        .unwrap()
        + 1;
    let (store, watch) = new_rig().failing(usize::MAX, Fate::Killed);
    run_all(&mut open(store), &DIALOGUE[..begin]).unwrap();
    let rig = watch.after_kill();
    let mut tper = open(rig.store());
    let keys = tper.state.keys.clone();
    let before = Memory::of(&mut tper, &keys);
    run_all(&mut tper, &DIALOGUE[begin..end]).unwrap();
    let after = Memory::of(&mut tper, &keys);
    assert!(!before.is_durably(&after));
    for left in 0.. {
        let (store, watch) = rig.failing(left, Fate::Killed);
        let opened = Tper::open(store, Box::new(|| 1000));
        let is_done =
            opened.is_ok_and(|mut tper| run_all(&mut tper, &DIALOGUE[begin..end]).is_ok());
        for seed in 0..64 {
            let memory = Memory::of(&mut open(watch.after_reordering(seed).store()), &keys);
            let is_old = memory.is_durably(&before) && !is_done;
            let is_either = is_old || memory.is_durably(&after);
            assert!(is_either, "operation {left}, power cut {seed}");
        }
        if !watch.failed() {
            break;
        }
    }
}

/// Runs a dialogue and checks after each step that of a key that was replaced nothing is left;
/// returns how many were.
fn eradicated_keys(dialogue: &[Step]) -> usize {
    let mut rig = new_rig();
    let mut eradicated = 0;
    for (name, step) in dialogue {
        let (store, watch) = rig.failing(usize::MAX, Fate::Killed);
        let mut tper = open(store);
        let keys = tper.state.keys.clone();
        let frame = step(&tper);
        run(&mut tper, Some(&frame)).unwrap();
        rig = watch.after_kill();
        for (old, new) in keys.iter().zip(&tper.state.keys) {
            let hex = serde_json::to_string(old).unwrap();
            assert_eq!(rig.holds(hex.as_bytes()), old == new, "{name}");
            eradicated += usize::from(old != new);
        }
        run(&mut tper, None).unwrap();
        rig = watch.after_kill();
    }
    eradicated
}

/// Runs a dialogue with crashes in every command; returns the drive after it.
fn crash_each(dialogue: &[Step]) -> Tper {
    let mut rig = new_rig();
    for (name, step) in dialogue {
        let frame = step(&open(rig.store()));
        rig = crash(&rig, name, Some(&frame));
        rig = crash(&rig, &format!("answer to {name}"), None);
    }
    open(rig.store())
}

#[test]
fn no_key_is_left_that_was_replaced() {
    // [Opal] 5.1.2, 5.1.3: keys are eradicated before the method answers. GenKey of one range, then
    // all nine.
    assert_eq!(eradicated_keys(DIALOGUE), 1 + 9);
}

#[test]
fn a_crash_leaves_the_drive_before_or_after_the_command() {
    let tper = crash_each(DIALOGUE);
    assert!(!tper.state.active && tper.power.sessions.is_empty());
}
