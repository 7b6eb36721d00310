//! What a host may do, and how it is said to a drive.

use sedkit::spec::{MethodStatus, RangeNumber, Uid, method, uid};
use sedkit::wire::{MethodCall, Value};

use super::dice::Dice;
use super::rules::{Model, Sp, Who, Wish};
use crate::support::{ace, any_of, get, get_bytes, numbers, random, set, set_bytes, start_session};

/// One step of a dialogue.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Start {
        sp: Sp,
        write: bool,
        who: Who,
        pin: String,
    },
    End(Sp),
    Transaction(Sp, u8, u8),
    Method(Sp, Method),
    PowerCycle,
    HardwareReset,
    TperReset,
    BlockSid,
    /// A host's WRITE of a block.
    Write(usize),
}

/// What a drive answers to a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Answer {
    Nothing,
    Tokens(Vec<u8>),
    Method(Result<Vec<Value>, MethodStatus>),
    Accepted(bool),
}

/// A method on one of the objects that the model knows.
#[derive(Clone, Debug)]
pub(super) enum Method {
    Authenticate(Who, String),
    Random(u64),
    /// Cells of a range: column and value.
    SetRange(u16, Vec<(u64, Value)>),
    GetRange(u16, u64, u64),
    GenKey(u16),
    SetEnabled(Who, Value),
    GetEnabled(Who),
    SetPin(Who, String),
    GetPin(Who),
    SetAce(AceKind, Vec<Who>),
    GetAce(AceKind),
    SetMbrControl(Vec<(u64, Value)>),
    GetMbrControl,
    SetBytes(Bytes, u64, Vec<u8>),
    GetBytes(Bytes),
    RevertSp(Option<bool>),
    SetTperReset(Value),
    GetTperReset,
    GetMsid,
    Activate(Wish),
    Reactivate(Wish, Option<String>),
    Erase(u16),
    RevertLocking,
    RevertAdmin,
    GetLifeCycle,
}

/// The ACEs whose expression the model lets hosts set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AceKind {
    ReadLocked(u16),
    WriteLocked(u16),
    GetRange(u16),
    GenKey(u16),
    UserPin(u16),
    MbrDone,
    GetDataStore,
    SetDataStore,
    GetAuthority,
    GetAce,
    /// Not settable.
    RangeAdministration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bytes {
    Mbr,
    DataStore,
}

/// The PINs that are used; MSID and PSID come beside them.
const PINS: [&str; 4] = ["", "a", "b", "owner"];

impl Step {
    pub(super) fn random(dice: &mut Dice, model: &Model) -> Self {
        let sp = dice.pick(&[Sp::Admin, Sp::Locking, Sp::Locking]);
        match dice.below(100) {
            0..=19 => Self::start(dice, model, sp),
            20..=25 => Self::End(sp),
            26..=28 => Self::Transaction(sp, 0xfb, 0),
            29..=33 => Self::Transaction(sp, 0xfc, dice.pick(&[0, 0, 1])),
            34 => Self::PowerCycle,
            35 => Self::HardwareReset,
            36 => Self::TperReset,
            37 => Self::BlockSid,
            38..=40 => Self::Write(dice.below(super::rules::PROBES.len())),
            _ => {
                let sp = if dice.chance(95) {
                    model.open_sp(sp)
                } else {
                    sp
                };
                Self::Method(sp, Method::random(dice, model, sp))
            }
        }
    }

    fn start(dice: &mut Dice, model: &Model, sp: Sp) -> Self {
        let who = Who::random(dice, sp);
        Self::Start {
            sp,
            write: dice.chance(85),
            pin: pin_of(dice, model, who),
            who,
        }
    }

    pub(super) fn start_session(&self) -> Option<MethodCall> {
        let Self::Start {
            sp,
            write,
            who,
            pin,
        } = self
        else {
            return None;
        };
        Some(start_session(
            sp.uid(),
            *write,
            Some((who.uid(), pin.as_bytes())),
        ))
    }
}

/// Mostly the right one.
fn pin_of(dice: &mut Dice, model: &Model, who: Who) -> String {
    if dice.chance(85) {
        return model.pin(who).unwrap_or_default();
    }
    dice.pick(&PINS).to_owned()
}

/// The steps that make a drive ready.
pub(super) fn set_up(wish: &Wish) -> Vec<Step> {
    let on = |method| Step::Method(Sp::Locking, method);
    let start = |sp, who, pin: &str| Step::Start {
        sp,
        write: true,
        who,
        pin: pin.to_owned(),
    };
    let msid = std::str::from_utf8(crate::support::MSID).unwrap();
    vec![
        start(Sp::Admin, Who::Sid, msid),
        Step::Method(Sp::Admin, Method::SetPin(Who::Sid, "owner".to_owned())),
        Step::Method(Sp::Admin, Method::Activate(wish.clone())),
        start(Sp::Locking, Who::Admin(1), "owner"),
        on(Method::SetEnabled(Who::User(1), true.into())),
        on(Method::SetPin(Who::User(1), "a".to_owned())),
        on(Method::SetAce(
            AceKind::ReadLocked(1),
            vec![Who::Admins, Who::User(1)],
        )),
        on(Method::SetRange(
            1,
            vec![(3, 1024_u64.into()), (4, 1024_u64.into())],
        )),
    ]
}

impl Who {
    fn random(dice: &mut Dice, sp: Sp) -> Self {
        let admin = [
            Self::Sid,
            Self::Sid,
            Self::Psid,
            Self::AdminSpAdmin1,
            Self::Anybody,
        ];
        let locking = [
            Self::Admin(1),
            Self::Admin(1),
            Self::Admin(2),
            Self::User(1),
            Self::User(1),
            Self::User(2),
            Self::Anybody,
        ];
        let odd = [
            Self::Admins,
            Self::Users,
            Self::User(10),
            Self::Sid,
            Self::User(1),
        ];
        match (dice.chance(5), sp) {
            (true, _) => dice.pick(&odd),
            (false, Sp::Admin) => dice.pick(&admin),
            (false, Sp::Locking) => dice.pick(&locking),
        }
    }

    pub(super) fn uid(self) -> Uid {
        match self {
            Self::Anybody => uid::ANYBODY,
            Self::Sid => uid::SID,
            Self::Psid => uid::PSID,
            Self::AdminSpAdmin1 => uid::ADMIN_SP_ADMIN1,
            Self::Admin(number) => uid::admin(number),
            Self::User(number) => uid::user(number),
            Self::Admins => uid::ADMINS,
            Self::Users => uid::USERS,
        }
    }
}

impl Method {
    fn random(dice: &mut Dice, model: &Model, sp: Sp) -> Self {
        if dice.chance(8) {
            let who = Who::random(dice, sp);
            return Self::Authenticate(who, pin_of(dice, model, who));
        }
        let sp = if dice.chance(97) {
            sp
        } else {
            dice.pick(&[Sp::Admin, Sp::Locking])
        };
        match sp {
            Sp::Admin => Self::random_admin(dice),
            Sp::Locking => Self::random_locking(dice),
        }
    }

    fn random_admin(dice: &mut Dice) -> Self {
        let admin1 = Who::AdminSpAdmin1;
        let pin = dice.pick(&PINS).to_owned();
        match dice.below(14) {
            0 => Self::SetPin(Who::Sid, pin),
            1 => Self::SetPin(admin1, pin),
            2..=3 => Self::SetEnabled(admin1, boolean(dice)),
            4 => Self::GetPin(dice.pick(&[Who::Sid, admin1, Who::Psid])),
            5 => Self::SetTperReset(boolean(dice)),
            6 => Self::GetTperReset,
            7 => Self::GetMsid,
            8..=9 => Self::Activate(wish(dice)),
            10 => Self::RevertLocking,
            11 if dice.chance(40) => Self::RevertAdmin,
            12 => Self::GetEnabled(dice.pick(&[Who::Sid, admin1])),
            _ => Self::GetLifeCycle,
        }
    }

    fn random_locking(dice: &mut Dice) -> Self {
        let range = dice.pick(&[0, 1, 1, 2, 8, 9]);
        let who = dice.pick(&[Who::User(1), Who::User(2), Who::Admin(1), Who::Admin(2)]);
        match dice.below(34) {
            0..=7 => Self::SetRange(range, range_cells(dice)),
            8..=9 => Self::GetRange(
                range,
                dice.pick(&[0, 3, 5]),
                dice.pick(&[2, 8, 10, 0x13, 0x14]),
            ),
            10..=11 => Self::GenKey(range),
            12..=13 => Self::SetEnabled(who, boolean(dice)),
            14 => Self::GetEnabled(who),
            15..=16 => Self::SetPin(who, dice.pick(&PINS).to_owned()),
            17 => Self::GetPin(who),
            18..=20 => {
                let kind = AceKind::random(dice);
                Self::SetAce(kind, expression(dice, kind))
            }
            21 => Self::GetAce(AceKind::random(dice)),
            22..=23 => Self::SetMbrControl(mbr_cells(dice)),
            24 => Self::GetMbrControl,
            25..=26 => {
                let bytes = vec![0x40 + u8::try_from(dice.below(26)).unwrap(); 1 + dice.below(4)];
                Self::SetBytes(bytes_table(dice), dice.pick(&[0, 1, 3, 1 << 40]), bytes)
            }
            27 => Self::GetBytes(bytes_table(dice)),
            28 => Self::Random(dice.pick(&[0, 33])),
            29..=31 => Self::Erase(range),
            32 => {
                let pin = dice.chance(30).then(|| dice.pick(&PINS).to_owned());
                Self::Reactivate(wish(dice), pin)
            }
            _ if dice.chance(30) => Self::RevertSp(dice.pick(&[None, Some(false), Some(true)])),
            _ => Self::GetMbrControl,
        }
    }

    /// The call as it goes to the drive.
    pub(super) fn call(&self) -> MethodCall {
        let on = |object, method| MethodCall::new(object, method);
        match self {
            Self::Authenticate(who, pin) => on(uid::THIS_SP, method::AUTHENTICATE)
                .argument(who.uid())
                .optional(0, pin.as_bytes()),
            Self::Random(count) => random(*count),
            Self::SetRange(range, cells) => set(locking(*range), cells),
            Self::GetRange(range, first, last) => get(locking(*range), *first..=*last),
            Self::GenKey(range) => on(uid::k_aes_256(RangeNumber(*range)), method::GEN_KEY),
            Self::SetEnabled(who, value) => set(who.uid(), &[(5, value.clone())]),
            Self::GetEnabled(who) => get(who.uid(), 5..=5),
            Self::SetPin(who, pin) => set(uid::c_pin(who.uid()), &[(3, pin.as_str().into())]),
            Self::GetPin(who) => get(uid::c_pin(who.uid()), 3..=6),
            Self::SetAce(kind, who) => set(kind.uid(), &[(3, any_of(&uids(who)))]),
            Self::GetAce(kind) => get(kind.uid(), 3..=3),
            Self::SetMbrControl(cells) => set(uid::MBR_CONTROL, cells),
            Self::GetMbrControl => get(uid::MBR_CONTROL, 1..=3),
            Self::SetBytes(table, start, bytes) => set_bytes(table.uid(), *start, bytes),
            Self::GetBytes(table) => get_bytes(table.uid(), 0..=7),
            Self::RevertSp(keep) => match keep {
                Some(keep) => on(uid::THIS_SP, method::REVERT_SP).optional(0x06_0000, *keep),
                None => on(uid::THIS_SP, method::REVERT_SP),
            },
            Self::SetTperReset(value) => set(uid::TPER_INFO, &[(8, value.clone())]),
            Self::GetTperReset => get(uid::TPER_INFO, 8..=8),
            Self::GetMsid => get(uid::C_PIN_MSID, 3..=3),
            Self::Activate(wish) => with(on(uid::LOCKING_SP, method::ACTIVATE), wish),
            Self::Reactivate(wish, pin) => {
                let call = with(on(uid::THIS_SP, method::REACTIVATE), wish);
                match pin {
                    Some(pin) => call.optional(0x06_0002, pin.as_bytes()),
                    None => call,
                }
            }
            Self::Erase(range) => on(locking(*range), method::ERASE),
            Self::RevertLocking => on(uid::LOCKING_SP, method::REVERT),
            Self::RevertAdmin => on(uid::ADMIN_SP, method::REVERT),
            Self::GetLifeCycle => get(uid::LOCKING_SP, 6..=6),
        }
    }
}

/// Adds the parameters of Single User Mode.
fn with(call: MethodCall, wish: &Wish) -> MethodCall {
    match wish {
        Some((ranges, policy)) => {
            let ranges = ranges.iter().map(|range| locking(*range).into());
            call.optional(0x06_0000, Value::list(ranges))
                .optional(0x06_0001, *policy)
        }
        None => call,
    }
}

/// Ranges for Single User Mode, seldom ones that cannot be.
pub(super) fn wish(dice: &mut Dice) -> Wish {
    let lists: [&[u16]; 7] = [&[1], &[0, 1], &[0], &[1, 2, 8], &[], &[1, 1], &[9]];
    let all = (0..=8).collect();
    match dice.below(20) {
        0..=7 => None,
        8..=10 => Some((all, dice.pick(&[0, 1]))),
        11 => Some((vec![1], 2)),
        _ => Some((dice.pick(&lists[..5]).to_vec(), dice.pick(&[0, 1]))),
    }
    .map(|(list, policy)| match dice.chance(3) {
        true => (dice.pick(&lists[5..]).to_vec(), policy),
        false => (list, policy),
    })
}

pub(super) fn uids(who: &[Who]) -> Vec<Uid> {
    who.iter().map(|who| who.uid()).collect()
}

fn locking(range: u16) -> Uid {
    uid::locking_range(RangeNumber(range))
}

fn boolean(dice: &mut Dice) -> Value {
    dice.pick(&[0_u64, 1, 1, 2]).into()
}

fn reset_types(dice: &mut Dice) -> Value {
    numbers(dice.pick(&[&[0][..], &[0, 3], &[0, 1], &[0, 1, 3], &[3], &[]]))
}

fn range_cells(dice: &mut Dice) -> Vec<(u64, Value)> {
    let mut cells = Vec::new();
    for column in [2_u64, 3, 4, 5, 6, 7, 8, 9, 10] {
        let share = if matches!(column, 2 | 10) { 3 } else { 25 };
        if dice.chance(share) {
            cells.push((column, range_cell(dice, column)));
        }
    }
    cells
}

fn range_cell(dice: &mut Dice, column: u64) -> Value {
    match column {
        2 => "name".into(),
        3 => dice.pick(&[0_u64, 1024, 2048, 4096, 131_064, 4]).into(),
        4 => dice.pick(&[0_u64, 8, 1024, 2048, 8192, 131_072, 12]).into(),
        9 => reset_types(dice),
        10 => uid::k_aes_256(RangeNumber(1)).into(),
        _ if dice.chance(95) => dice.chance(50).into(),
        _ => 2_u64.into(),
    }
}

fn mbr_cells(dice: &mut Dice) -> Vec<(u64, Value)> {
    let mut cells = Vec::new();
    for column in [1_u64, 2] {
        if dice.chance(50) {
            cells.push((column, boolean(dice)));
        }
    }
    if dice.chance(20) {
        cells.push((3, reset_types(dice)));
    }
    cells
}

fn bytes_table(dice: &mut Dice) -> Bytes {
    dice.pick(&[Bytes::Mbr, Bytes::DataStore])
}

fn expression(dice: &mut Dice, kind: AceKind) -> Vec<Who> {
    if let AceKind::UserPin(user) = kind {
        let user = Who::User(user);
        return dice.pick(&[vec![Who::Admins], vec![Who::Admins, user], vec![user]]);
    }
    let choices = [
        Who::Admins,
        Who::User(1),
        Who::User(2),
        Who::Users,
        Who::Admin(1),
        Who::Anybody,
    ];
    let mut who = vec![dice.pick(&choices)];
    while dice.chance(40) {
        who.push(dice.pick(&choices));
    }
    if dice.chance(5) {
        who.push(dice.pick(&[Who::User(10), Who::Sid]));
    }
    who
}

impl AceKind {
    fn random(dice: &mut Dice) -> Self {
        let range = dice.pick(&[0, 1, 1, 2, 8]);
        dice.pick(&[
            Self::ReadLocked(range),
            Self::WriteLocked(range),
            Self::GetRange(range),
            Self::GenKey(range),
            Self::UserPin(1),
            Self::UserPin(2),
            Self::MbrDone,
            Self::GetDataStore,
            Self::SetDataStore,
            Self::GetAuthority,
            Self::GetAce,
            Self::RangeAdministration,
        ])
    }

    fn uid(self) -> Uid {
        let low = match self {
            Self::ReadLocked(range) => 0x0003_e000 + u32::from(range),
            Self::WriteLocked(range) => 0x0003_e800 + u32::from(range),
            Self::GetRange(range) => 0x0003_d000 + u32::from(range),
            Self::GenKey(range) => 0x0003_b800 + u32::from(range),
            Self::UserPin(user) => 0x0003_a800 + u32::from(user),
            Self::MbrDone => 0x0003_f801,
            Self::GetDataStore => 0x0003_fc00,
            Self::SetDataStore => 0x0003_fc01,
            Self::GetAuthority => 0x0003_9000,
            Self::GetAce => 0x0003_8000,
            Self::RangeAdministration => 0x0003_f001,
        };
        ace(low)
    }
}

impl Bytes {
    const fn uid(self) -> Uid {
        match self {
            Self::Mbr => uid::MBR,
            Self::DataStore => uid::DATA_STORE,
        }
    }
}
