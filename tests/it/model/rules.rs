//! The rules: what a drive must answer, from sections 5.1 to 5.6 of the protocol reference.

mod single_user;

use std::collections::{BTreeMap, BTreeSet};

use sedkit::spec::{MethodStatus, RangeNumber, Uid, uid};
use sedkit::wire::Value;

use super::cells;
use super::step::{AceKind, Answer, Bytes, Method, Step, uids};
use crate::support::{MSID, PSID, any_of, numbers};

pub(super) use single_user::Wish;

type Result = std::result::Result<Vec<Value>, MethodStatus>;

const NOT_AUTHORIZED: Result = Err(MethodStatus::NOT_AUTHORIZED);
const INVALID: Result = Err(MethodStatus::INVALID_PARAMETER);
const FAIL: Result = Err(MethodStatus::FAIL);
const DONE: Result = Ok(Vec::new());

/// Blocks that hold known data, and the byte that fills them.
pub(super) const PROBES: [(u64, u8); 4] = [(0, 0x11), (1030, 0x22), (2050, 0x33), (100_000, 0x44)];
const BLOCKS: u64 = 131_072;
const RANGES: usize = 9;
const TRY_LIMIT: u32 = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sp {
    Admin,
    Locking,
}

impl Sp {
    pub(super) const fn uid(self) -> Uid {
        match self {
            Self::Admin => uid::ADMIN_SP,
            Self::Locking => uid::LOCKING_SP,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    Anybody,
    Sid,
    Psid,
    AdminSpAdmin1,
    Admin(u16),
    User(u16),
    Admins,
    Users,
}

/// What a host sees of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// Data Protection Error.
    Protected,
    /// What was written.
    Data,
    /// Something else.
    Other,
}

#[derive(Clone, Debug)]
struct Account {
    enabled: bool,
    pin: String,
}

#[derive(Clone, Debug)]
struct Range {
    name: String,
    start: u64,
    length: u64,
    /// ReadLockEnabled, WriteLockEnabled, ReadLocked, WriteLocked.
    flags: [bool; 4],
    lock_on_reset: Vec<u64>,
}

/// What can be set in the Admin SP.
#[derive(Clone, Debug)]
struct Admin {
    sid: String,
    admin1: Account,
    tper_reset: bool,
}

/// What can be set in the Locking SP.
#[derive(Clone, Debug)]
struct Locking {
    accounts: BTreeMap<Who, Account>,
    ranges: Vec<Range>,
    expressions: BTreeMap<AceKind, Vec<Who>>,
    enable: bool,
    done: bool,
    done_on_reset: Vec<u64>,
    mbr: Vec<u8>,
    data_store: Vec<u8>,
    single: single_user::SingleUser,
}

#[derive(Clone, Debug)]
struct Session {
    write: bool,
    who: Vec<Who>,
    /// What it has changed in its transaction.
    transaction: Option<(Admin, Locking, Vec<Who>)>,
}

/// The whole drive.
#[derive(Clone, Debug)]
pub(super) struct Model {
    active: bool,
    blocked: bool,
    admin: Admin,
    locking: Locking,
    tries: BTreeMap<Who, u32>,
    /// How many keys each range has had.
    keys: [u32; RANGES],
    /// Under which range and key each probe was written.
    written: [Option<(usize, u32)>; PROBES.len()],
    sessions: [Option<Session>; 2],
    /// Read-only sessions that are open while the dialogue goes on in a younger one.
    forgotten: [usize; 2],
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

impl Admin {
    fn new() -> Self {
        Self {
            sid: text(MSID),
            admin1: Account {
                enabled: false,
                pin: String::new(),
            },
            tper_reset: false,
        }
    }
}

impl Locking {
    fn new() -> Self {
        let account = |who| {
            let enabled = who == Who::Admin(1);
            let pin = String::new();
            (who, Account { enabled, pin })
        };
        let range = Range {
            name: String::new(),
            start: 0,
            length: 0,
            flags: [false; 4],
            lock_on_reset: vec![0],
        };
        let everybody = (1..=4).map(Who::Admin).chain((1..=9).map(Who::User));
        Self {
            accounts: everybody.map(account).collect(),
            ranges: vec![range; RANGES],
            expressions: BTreeMap::new(),
            enable: false,
            done: false,
            done_on_reset: vec![0],
            mbr: vec![0; 8],
            data_store: vec![0; 8],
            single: single_user::SingleUser::default(),
        }
    }

    fn expression(&self, kind: AceKind) -> Vec<Who> {
        let default = match kind {
            AceKind::UserPin(user) => vec![Who::Admins, Who::User(user)],
            _ => vec![Who::Admins],
        };
        self.fixed_expression(kind)
            .or_else(|| self.expressions.get(&kind).cloned())
            .unwrap_or(default)
    }

    /// The range that holds a block.
    fn owner(&self, lba: u64) -> usize {
        let holds = |range: &Range| (range.start..range.start + range.length).contains(&lba);
        (1..RANGES)
            .find(|index| holds(&self.ranges[*index]))
            .unwrap_or(0)
    }

    fn is_locked(&self, range: usize) -> (bool, bool) {
        let [rle, wle, rl, wl] = self.ranges[range].flags;
        (rle && rl, wle && wl)
    }
}

impl Session {
    fn is(&self, who: Who) -> bool {
        let member = |class: fn(&Who) -> bool| self.who.iter().any(class);
        match who {
            Who::Anybody => true,
            Who::Admins => member(|who| matches!(who, Who::Admin(_) | Who::AdminSpAdmin1)),
            Who::Users => member(|who| matches!(who, Who::User(_))),
            who => self.who.contains(&who),
        }
    }

    fn is_any(&self, who: &[Who]) -> bool {
        who.iter().any(|who| self.is(*who))
    }
}

impl Model {
    pub(super) fn new() -> Self {
        Self {
            active: false,
            blocked: false,
            admin: Admin::new(),
            locking: Locking::new(),
            tries: BTreeMap::new(),
            keys: [0; RANGES],
            written: [None; PROBES.len()],
            sessions: [None, None],
            forgotten: [0; 2],
        }
    }

    /// An SP that has a session open, this one if it has.
    pub(super) fn open_sp(&self, sp: Sp) -> Sp {
        let other = match sp {
            Sp::Admin => Sp::Locking,
            Sp::Locking => Sp::Admin,
        };
        let is_open = |sp: Sp| self.sessions[sp as usize].is_some();
        if !is_open(sp) && is_open(other) {
            other
        } else {
            sp
        }
    }

    /// The PIN with which somebody gets in.
    pub(super) fn pin(&self, who: Who) -> Option<String> {
        match who {
            Who::Sid => Some(self.admin.sid.clone()),
            Who::Psid => Some(text(PSID)),
            Who::AdminSpAdmin1 => Some(self.admin.admin1.pin.clone()),
            who => self
                .locking
                .accounts
                .get(&who)
                .map(|account| account.pin.clone()),
        }
    }

    /// Byte 4 of the Locking feature.
    pub(super) fn locking_bits(&self) -> u8 {
        let is_locked = (0..RANGES)
            .map(|range| self.locking.is_locked(range))
            .any(|(r, w)| r || w);
        let bit = |set: bool, bit: u8| if set { 1 << bit } else { 0 };
        0x89 | bit(self.active, 1)
            | bit(is_locked, 2)
            | bit(self.locking.enable, 4)
            | bit(self.locking.done, 5)
    }

    /// Byte 4 of the Block SID feature.
    pub(super) fn block_bits(&self) -> u8 {
        let differs = u8::from(self.admin.sid.as_bytes() != MSID);
        0x04 | differs | u8::from(self.blocked) << 1
    }

    /// What a host reads of a block. The drive is smaller than its shadow MBR.
    pub(super) fn sight(&self, probe: usize) -> Sight {
        if self.locking.enable && !self.locking.done {
            return Sight::Other;
        }
        let owner = self.locking.owner(PROBES[probe].0);
        match self.locking.is_locked(owner) {
            (true, _) => Sight::Protected,
            _ if self.written[probe] == Some((owner, self.keys[owner])) => Sight::Data,
            _ => Sight::Other,
        }
    }

    /// What the drive must answer; the model changes as the drive does.
    pub(super) fn answer(&mut self, step: &Step) -> Answer {
        match step {
            Step::Start {
                sp,
                write,
                who,
                pin,
            } => Answer::Method(self.start(*sp, *write, *who, pin).map(|()| Vec::new())),
            Step::End(sp) => match self.sessions[*sp as usize].take() {
                Some(_) => Answer::Tokens(vec![0xfa]),
                None => Answer::Nothing,
            },
            Step::Transaction(sp, token, status) => self.transaction(*sp, *token, *status),
            Step::PowerCycle => {
                (self.tries, self.blocked) = (BTreeMap::new(), false);
                self.reset(0);
                Answer::Nothing
            }
            Step::HardwareReset => {
                self.reset(1);
                Answer::Nothing
            }
            Step::TperReset if !self.admin.tper_reset => Answer::Accepted(false),
            Step::TperReset => {
                self.reset(3);
                Answer::Accepted(true)
            }
            Step::BlockSid => {
                let accepted = !self.blocked;
                self.blocked |= self.admin.sid.as_bytes() == MSID;
                Answer::Accepted(accepted)
            }
            Step::Write(probe) => Answer::Accepted(self.write(*probe)),
            Step::Method(sp, method) => match self.sessions[*sp as usize].take() {
                Some(session) => self.in_session(*sp, session, method),
                None => Answer::Nothing,
            },
        }
    }

    fn reset(&mut self, number: u64) {
        (self.sessions, self.forgotten) = ([None, None], [0; 2]);
        if !self.active {
            return;
        }
        for range in &mut self.locking.ranges {
            if range.lock_on_reset.contains(&number) {
                [_, _, range.flags[2], range.flags[3]] = [true; 4];
            }
        }
        self.locking.done &= !self.locking.done_on_reset.contains(&number);
    }

    fn write(&mut self, probe: usize) -> bool {
        let owner = self.locking.owner(PROBES[probe].0);
        let is_hidden = self.locking.enable && !self.locking.done;
        if is_hidden || self.locking.is_locked(owner).1 {
            return false;
        }
        self.written[probe] = Some((owner, self.keys[owner]));
        true
    }

    /// Reference 3.3.
    fn start(
        &mut self,
        sp: Sp,
        write: bool,
        who: Who,
        pin: &str,
    ) -> std::result::Result<(), MethodStatus> {
        if sp == Sp::Locking && !self.active {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        let open = self.sessions[sp as usize].as_ref();
        let reads = self.forgotten[sp as usize] > 0;
        if open.is_some_and(|open| open.write || write) || (reads && write) {
            return Err(MethodStatus::SP_BUSY);
        }
        let forgotten: usize = self.forgotten.iter().sum();
        if self.sessions.iter().flatten().count() + forgotten == 2 {
            return Err(MethodStatus::NO_SESSIONS_AVAILABLE);
        }
        if !self.authenticate(sp, who, pin)? {
            return Err(MethodStatus::NOT_AUTHORIZED);
        }
        let session = Session {
            write,
            who: vec![who],
            transaction: None,
        };
        if self.sessions[sp as usize].replace(session).is_some() {
            self.forgotten[sp as usize] += 1;
        }
        Ok(())
    }

    /// Reference 5.5.4, 5.5.5. The PINs are those that the session sees.
    fn authenticate(
        &mut self,
        sp: Sp,
        who: Who,
        pin: &str,
    ) -> std::result::Result<bool, MethodStatus> {
        // What a transaction has changed does not count before its commit.
        let (admin, locking) = (&self.admin, &self.locking);
        let account = match (sp, who) {
            (_, Who::Anybody) => return Ok(true),
            (Sp::Admin, Who::Sid) => Some((!self.blocked, admin.sid.clone())),
            (Sp::Admin, Who::Psid) => Some((true, text(PSID))),
            (Sp::Admin, Who::AdminSpAdmin1) => {
                Some((admin.admin1.enabled, admin.admin1.pin.clone()))
            }
            (Sp::Locking, who) => {
                let account = locking.accounts.get(&who);
                account.map(|account| (account.enabled, account.pin.clone()))
            }
            _ => None,
        };
        let (enabled, right) = account.ok_or(MethodStatus::INVALID_PARAMETER)?;
        if !enabled {
            return Ok(false);
        }
        let tries = self.tries.entry(who).or_default();
        if who != Who::AdminSpAdmin1 && *tries >= TRY_LIMIT {
            return Err(MethodStatus::AUTHORITY_LOCKED_OUT);
        }
        *tries = if right == pin { 0 } else { *tries + 1 };
        Ok(right == pin)
    }

    /// Reference 2.4.
    fn transaction(&mut self, sp: Sp, token: u8, status: u8) -> Answer {
        let Some(mut session) = self.sessions[sp as usize].take() else {
            return Answer::Nothing;
        };
        let answer = match (token, session.transaction.take()) {
            (0xfb, Some(_)) => return Answer::Nothing,
            (0xfb, None) => {
                let seen = (self.admin.clone(), self.locking.clone(), Vec::new());
                session.transaction = Some(seen);
                status
            }
            (_, None) => MethodStatus::TRANSACTION_FAILURE.0,
            (_, Some(changed)) => {
                if status == 0 {
                    self.commit(sp, changed);
                }
                status
            }
        };
        self.sessions[sp as usize] = Some(session);
        Answer::Tokens(vec![token, answer])
    }

    fn commit(&mut self, sp: Sp, (admin, locking, pins): (Admin, Locking, Vec<Who>)) {
        match sp {
            Sp::Admin => self.admin = admin,
            Sp::Locking => self.locking = locking,
        }
        for who in pins {
            self.tries.remove(&who);
        }
    }

    fn in_session(&mut self, sp: Sp, mut session: Session, method: &Method) -> Answer {
        let (result, lives) = self.method(sp, &mut session, method);
        if lives {
            self.sessions[sp as usize] = Some(session);
        }
        Answer::Method(result)
    }

    /// The result, and whether the session goes on.
    fn method(&mut self, sp: Sp, session: &mut Session, method: &Method) -> (Result, bool) {
        let irrevocable = matches!(
            method,
            Method::GenKey(_)
                | Method::RevertSp(_)
                | Method::Activate(_)
                | Method::Reactivate(..)
                | Method::Erase(_)
                | Method::RevertLocking
                | Method::RevertAdmin
        );
        if irrevocable {
            if !self.may(sp, session, method) || !session.write {
                return (NOT_AUTHORIZED, true);
            }
            if session.transaction.is_some() {
                return (FAIL, true);
            }
            return self.irrevocable(method);
        }
        if let Method::Authenticate(who, pin) = method {
            let accepted = self.authenticate(sp, *who, pin);
            if accepted == Ok(true) {
                session.who.push(*who);
            }
            return (accepted.map(|accepted| vec![accepted.into()]), true);
        }
        // Everything else works on what the session sees.
        let committed = (self.admin.clone(), self.locking.clone(), Vec::new());
        let mut seen = session.transaction.clone().unwrap_or(committed);
        let result = match sp {
            Sp::Admin => self.in_admin_sp(session, &mut seen, method),
            Sp::Locking => self.in_locking_sp(session, &mut seen, method),
        };
        match &mut session.transaction {
            Some(transaction) => *transaction = seen,
            None => self.commit(sp, seen),
        }
        (result, true)
    }

    /// Who may do what cannot be undone (reference 5.2.3, 5.3.3).
    fn may(&self, sp: Sp, session: &Session, method: &Method) -> bool {
        let owners = [Who::Sid, Who::AdminSpAdmin1];
        match (sp, method) {
            (Sp::Admin, Method::Activate(_)) => session.is(Who::Sid),
            (Sp::Admin, Method::RevertLocking) => session.is_any(&owners),
            (Sp::Admin, Method::RevertAdmin) => session.is_any(&owners) || session.is(Who::Psid),
            (Sp::Locking, Method::RevertSp(_) | Method::Reactivate(..)) => session.is(Who::Admins),
            (Sp::Locking, Method::Erase(range)) => self.may_erase(session, *range),
            (Sp::Locking, Method::GenKey(range)) if usize::from(*range) < RANGES => {
                let seen = session.transaction.as_ref();
                let locking = seen.map_or(&self.locking, |(_, locking, _)| locking);
                session.is_any(&locking.expression(AceKind::GenKey(*range)))
            }
            _ => false,
        }
    }

    fn irrevocable(&mut self, method: &Method) -> (Result, bool) {
        match method {
            Method::GenKey(range) => self.keys[usize::from(*range)] += 1,
            Method::Activate(wish) => return (self.activate(wish), true),
            Method::Reactivate(wish, pin) => return self.reactivate(wish, pin.as_deref()),
            Method::Erase(range) => self.erase(*range),
            Method::RevertLocking => self.revert_locking(false),
            Method::RevertAdmin => {
                self.revert_locking(false);
                self.admin = Admin::new();
                self.blocked = false;
                let others = |who: &Who| matches!(who, Who::Admin(_) | Who::User(_));
                self.tries.retain(|who, _| others(who));
                return (DONE, false);
            }
            Method::RevertSp(keep) => {
                let keep = *keep == Some(true);
                if keep && self.locking.is_locked(0) == (true, true) {
                    return (FAIL, true);
                }
                self.revert_locking(keep);
                return (DONE, false);
            }
            _ => unreachable!("the others can be undone"),
        }
        (DONE, true)
    }

    fn revert_locking(&mut self, keeps_global: bool) {
        if !self.active {
            return;
        }
        for key in self.keys.iter_mut().skip(usize::from(keeps_global)) {
            *key += 1;
        }
        self.active = false;
        self.locking = Locking::new();
        self.sessions[Sp::Locking as usize] = None;
        self.forgotten[Sp::Locking as usize] = 0;
        self.tries
            .retain(|who, _| !matches!(who, Who::Admin(_) | Who::User(_)));
    }

    /// Appendix D, second table.
    fn in_admin_sp(
        &self,
        session: &Session,
        (admin, _, pins): &mut (Admin, Locking, Vec<Who>),
        method: &Method,
    ) -> Result {
        let owner = session.is(Who::Sid);
        let (may_write, admin1) = (session.write, session.is(Who::AdminSpAdmin1));
        match method {
            Method::Random(count) => random(*count),
            Method::SetPin(Who::Sid, pin) if owner && may_write => {
                admin.sid = pin.clone();
                pins.push(Who::Sid);
                DONE
            }
            Method::SetPin(Who::AdminSpAdmin1, pin) if (owner || admin1) && may_write => {
                admin.admin1.pin = pin.clone();
                pins.push(Who::AdminSpAdmin1);
                DONE
            }
            Method::SetEnabled(Who::AdminSpAdmin1, value) if owner && may_write => {
                flag(value, &mut admin.admin1.enabled)
            }
            Method::SetTperReset(value) if owner && may_write => flag(value, &mut admin.tper_reset),
            Method::GetTperReset => Ok(cells(vec![(8, admin.tper_reset.into())])),
            Method::GetEnabled(Who::Sid) => Ok(cells(vec![(5, true.into())])),
            Method::GetEnabled(Who::AdminSpAdmin1) => {
                Ok(cells(vec![(5, admin.admin1.enabled.into())]))
            }
            Method::GetMsid => Ok(cells(vec![(3, MSID.into())])),
            Method::GetPin(Who::Psid) => self.no_pin(Who::Psid, TRY_LIMIT),
            Method::GetPin(Who::Sid) if owner || admin1 => self.no_pin(Who::Sid, TRY_LIMIT),
            Method::GetPin(Who::AdminSpAdmin1) if owner || admin1 => {
                self.no_pin(Who::AdminSpAdmin1, 0)
            }
            Method::GetLifeCycle => {
                let state = if self.active { 9_u64 } else { 8 };
                Ok(cells(vec![(6, state.into())]))
            }
            _ => NOT_AUTHORIZED,
        }
    }

    /// Columns 4 to 6 of a C_PIN: CharSet, TryLimit, Tries.
    fn no_pin(&self, who: Who, limit: u32) -> Result {
        let tries = match limit {
            0 => 0,
            _ => self.tries.get(&who).copied().unwrap_or(0),
        };
        let number = |number: u32| Value::Uint(u64::from(number));
        Ok(cells(vec![
            (4, Uid::NULL.into()),
            (5, number(limit)),
            (6, number(tries)),
        ]))
    }

    /// Appendix D, first table.
    fn in_locking_sp(
        &self,
        session: &Session,
        (_, locking, pins): &mut (Admin, Locking, Vec<Who>),
        method: &Method,
    ) -> Result {
        let (admins, may_write) = (session.is(Who::Admins), session.write);
        let allows = |locking: &Locking, kind| session.is_any(&locking.expression(kind));
        match method {
            Method::Random(count) => random(*count),
            Method::GetRange(range, first, last) => {
                get_range(session, locking, *range, *first, *last)
            }
            Method::GetMbrControl => Ok(get_mbr_control(locking)),
            Method::GetBytes(Bytes::Mbr) => Ok(vec![Value::bytes(&locking.mbr)]),
            Method::GetBytes(Bytes::DataStore) if allows(locking, AceKind::GetDataStore) => {
                Ok(vec![Value::bytes(&locking.data_store)])
            }
            Method::GetEnabled(who) => get_enabled(session, locking, *who),
            Method::GetPin(who) if admins && locking.accounts.contains_key(who) => {
                self.no_pin(*who, TRY_LIMIT)
            }
            Method::GetAce(kind) if allows(locking, AceKind::GetAce) => {
                Ok(cells(vec![(3, any_of(&uids(&locking.expression(*kind))))]))
            }
            _ if !may_write => NOT_AUTHORIZED,
            Method::SetRange(range, new) => set_range(session, locking, *range, new),
            Method::SetMbrControl(new) => set_mbr_control(session, locking, new),
            Method::SetBytes(table, start, bytes) => {
                set_bytes(session, locking, *table, *start, bytes)
            }
            Method::SetEnabled(Who::Admin(1), _) => NOT_AUTHORIZED,
            Method::SetEnabled(who, _) if locking.is_owner(*who) => NOT_AUTHORIZED,
            Method::SetEnabled(who, value) if admins => match locking.accounts.get_mut(who) {
                Some(account) => flag(value, &mut account.enabled),
                None => NOT_AUTHORIZED,
            },
            Method::SetPin(who, pin) => set_pin(session, locking, pins, *who, pin),
            Method::SetAce(kind, _) if locking.fixed_expression(*kind).is_some() => NOT_AUTHORIZED,
            Method::SetAce(kind, who) if admins && *kind != AceKind::RangeAdministration => {
                set_ace(locking, *kind, who)
            }
            _ => NOT_AUTHORIZED,
        }
    }
}

fn random(count: u64) -> Result {
    match count {
        0 => Ok(vec![Value::bytes(&[])]),
        _ => INVALID,
    }
}

fn flag(value: &Value, place: &mut bool) -> Result {
    match value.as_bool() {
        Some(value) => {
            *place = value;
            DONE
        }
        None => INVALID,
    }
}

fn get_range(session: &Session, locking: &Locking, range: u16, first: u64, last: u64) -> Result {
    let Some(found) = locking.ranges.get(usize::from(range)) else {
        return NOT_AUTHORIZED;
    };
    if first > last || last > 0x13 {
        return INVALID;
    }
    let [rle, wle, rl, wl] = found.flags.map(Value::from);
    let number = RangeNumber(range);
    let all = [
        (0, uid::locking_range(number).into(), true),
        (2, found.name.as_str().into(), true),
        (3, found.start.into(), false),
        (4, found.length.into(), false),
        (5, rle, false),
        (6, wle, false),
        (7, rl, false),
        (8, wl, false),
        (9, numbers(&found.lock_on_reset), false),
        (10, uid::k_aes_256(number).into(), false),
    ];
    let may = session.is_any(&locking.expression(AceKind::GetRange(range)));
    let readable = all
        .into_iter()
        .filter(|(column, _, anybody)| (*anybody || may) && (first..=last).contains(column));
    Ok(cells(
        readable.map(|(column, value, _)| (column, value)).collect(),
    ))
}

fn get_mbr_control(locking: &Locking) -> Vec<Value> {
    cells(vec![
        (1, locking.enable.into()),
        (2, locking.done.into()),
        (3, numbers(&locking.done_on_reset)),
    ])
}

fn get_enabled(session: &Session, locking: &Locking, who: Who) -> Result {
    let Some(account) = locking.accounts.get(&who) else {
        return NOT_AUTHORIZED;
    };
    // UID and CommonName may be read by anybody, so the Get itself never fails.
    if session.is_any(&locking.expression(AceKind::GetAuthority)) {
        return Ok(cells(vec![(5, account.enabled.into())]));
    }
    Ok(cells(Vec::new()))
}

fn set_range(
    session: &Session,
    locking: &mut Locking,
    number: u16,
    new: &[(u64, Value)],
) -> Result {
    let index = usize::from(number);
    if index >= RANGES {
        return NOT_AUTHORIZED;
    }
    let admins = session.is(Who::Admins);
    let read = session.is_any(&locking.expression(AceKind::ReadLocked(number)));
    let write = session.is_any(&locking.expression(AceKind::WriteLocked(number)));
    let may = |column: u64| match column {
        3 | 4 => admins && number > 0,
        7 => admins || read,
        8 => admins || write,
        2 | 5 | 6 | 9 => admins,
        _ => false,
    };
    let is_allowed = match locking.settable(session, number) {
        Some(columns) => {
            !columns.is_empty() && new.iter().all(|(column, _)| columns.contains(column))
        }
        None => (admins || read || write) && new.iter().all(|(column, _)| may(*column)),
    };
    if !is_allowed {
        return NOT_AUTHORIZED;
    }
    let Some(range) = changed_range(&locking.ranges[index], new) else {
        return INVALID;
    };
    let moves = new.iter().any(|(column, _)| matches!(column, 3 | 4));
    if moves && !is_place(locking, index, &range) {
        return INVALID;
    }
    locking.ranges[index] = range;
    DONE
}

fn changed_range(range: &Range, new: &[(u64, Value)]) -> Option<Range> {
    let mut range = range.clone();
    for (column, value) in new {
        match column {
            2 => range.name = text(value.as_bytes()?),
            3 => range.start = value.as_uint()?,
            4 => range.length = value.as_uint()?,
            9 => range.lock_on_reset = reset_types(value)?,
            column => {
                let flag = usize::try_from(column - 5).ok()?;
                *range.flags.get_mut(flag)? = value.as_bool()?;
            }
        }
    }
    Some(range)
}

/// Reference 5.6.1, 5.6.2 with granularity 8 and lowest LBA 0.
fn is_place(locking: &Locking, index: usize, range: &Range) -> bool {
    let (start, end) = (range.start, range.start + range.length);
    let overlaps = |other: &Range| {
        let (first, last) = (other.start, other.start + other.length);
        range.length > 0 && other.length > 0 && start < last && first < end
    };
    let others = (1..RANGES).filter(|other| *other != index);
    start.is_multiple_of(8)
        && range.length.is_multiple_of(8)
        && (range.length == 0 || end <= BLOCKS)
        && !others.map(|other| &locking.ranges[other]).any(overlaps)
}

fn reset_types(value: &Value) -> Option<Vec<u64>> {
    let allowed: [&[u64]; 4] = [&[0], &[0, 3], &[0, 1], &[0, 1, 3]];
    let found: Option<Vec<u64>> = value.as_list()?.iter().map(Value::as_uint).collect();
    found.filter(|found| allowed.contains(&found.as_slice()))
}

fn set_mbr_control(session: &Session, locking: &mut Locking, new: &[(u64, Value)]) -> Result {
    let admins = session.is(Who::Admins);
    let done = session.is_any(&locking.expression(AceKind::MbrDone));
    let may = |column: u64| admins || (done && column != 1);
    if !(admins || done) || !new.iter().all(|(column, _)| may(*column)) {
        return NOT_AUTHORIZED;
    }
    let mut changed = locking.clone();
    for (column, value) in new {
        let result = match column {
            1 => flag(value, &mut changed.enable),
            2 => flag(value, &mut changed.done),
            _ => match reset_types(value) {
                Some(set) => {
                    changed.done_on_reset = set;
                    DONE
                }
                None => INVALID,
            },
        };
        result?;
    }
    *locking = changed;
    DONE
}

fn set_bytes(
    session: &Session,
    locking: &mut Locking,
    table: Bytes,
    start: u64,
    bytes: &[u8],
) -> Result {
    let may = match table {
        Bytes::Mbr => session.is(Who::Admins),
        Bytes::DataStore => session.is_any(&locking.expression(AceKind::SetDataStore)),
    };
    if !may {
        return NOT_AUTHORIZED;
    }
    let content = match table {
        Bytes::Mbr => &mut locking.mbr,
        Bytes::DataStore => &mut locking.data_store,
    };
    // Steps write within the first eight bytes, or beyond the end.
    let Ok(start) = usize::try_from(start) else {
        return INVALID;
    };
    match content.get_mut(start..start + bytes.len()) {
        Some(place) => {
            place.copy_from_slice(bytes);
            DONE
        }
        None => INVALID,
    }
}

fn set_pin(
    session: &Session,
    locking: &mut Locking,
    pins: &mut Vec<Who>,
    who: Who,
    pin: &str,
) -> Result {
    let may = match who {
        Who::Admin(_) => session.is(Who::Admins),
        Who::User(user) => session.is_any(&locking.expression(AceKind::UserPin(user))),
        _ => false,
    };
    match locking.accounts.get_mut(&who) {
        Some(account) if may => {
            account.pin = pin.to_owned();
            pins.push(who);
            DONE
        }
        _ => NOT_AUTHORIZED,
    }
}

fn set_ace(locking: &mut Locking, kind: AceKind, who: &[Who]) -> Result {
    let exists = |who: &Who| match who {
        Who::Anybody | Who::Admins | Who::Users => true,
        who => locking.accounts.contains_key(who),
    };
    let is_supported = match kind {
        AceKind::UserPin(user) => who == [Who::Admins] || who == [Who::Admins, Who::User(user)],
        _ => true,
    };
    if !who.iter().all(exists) || !is_supported {
        return INVALID;
    }
    locking.expressions.insert(kind, who.to_vec());
    DONE
}
