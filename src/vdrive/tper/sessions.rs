//! The session manager: opening sessions, ending those that are idle (\[Core\] 3.3.7, 5.2.3).

use std::collections::BTreeSet;

use zeroize::Zeroizing;

use super::Tper;
use super::arguments::Arguments;
use super::authentication::Verdict;
use super::properties::properties;
use super::state::Session;
use super::tables::SpId;
use crate::spec::{ComId, LifeCycle, MethodStatus, Tsn, Uid, column, method, uid};
use crate::wire::packet::Packet;
use crate::wire::{MethodCall, Value};

type Result<T> = std::result::Result<T, MethodStatus>;

/// What StartSession asks for.
struct Request {
    hsn: u32,
    sp: SpId,
    write: bool,
    challenge: Zeroizing<Vec<u8>>,
    authority: Uid,
    timeout: u64,
}

/// Optional parameters of StartSession. The others belong to kinds of session that no SSC here has.
mod parameter {
    pub(super) const HOST_CHALLENGE: u64 = 0;
    pub(super) const HOST_SIGNING_AUTHORITY: u64 = 3;
    pub(super) const SESSION_TIMEOUT: u64 = 5;
}

/// A call of the session manager that can be answered.
pub(super) enum Control<'a> {
    /// Properties.
    Properties(&'a MethodCall),
    /// StartSession.
    StartSession {
        /// The host's number of the session.
        hsn: u32,
        /// The whole call.
        call: &'a MethodCall,
    },
}

impl<'a> Control<'a> {
    /// `None` if the session manager has no such method, or nobody could be answered.
    pub(super) fn read(call: &'a MethodCall) -> Option<Self> {
        if call.invoking_id != uid::SESSION_MANAGER || !call.status.is_success() {
            return None;
        }
        match call.method_id {
            method::PROPERTIES => Some(Self::Properties(call)),
            method::START_SESSION => {
                let hsn = call.arguments.first()?.as_uint()?;
                let hsn = u32::try_from(hsn).ok()?;
                Some(Self::StartSession { hsn, call })
            }
            _ => None,
        }
    }
}

impl Tper {
    /// Carries out a method of the session manager; `None` if the ComID has no stack.
    pub(super) fn control(&mut self, com_id: ComId, control: &Control<'_>) -> Option<MethodCall> {
        match *control {
            Control::Properties(call) => {
                let index = self.stack_index(com_id)?;
                let stack = self.power.stacks.get_mut(index)?;
                Some(properties(&self.state.profile, &mut stack.host, call))
            }
            Control::StartSession { call, .. } if self.swallows(call) => None,
            Control::StartSession { hsn, call } => Some(self.start_session(com_id, hsn, call)),
        }
    }

    /// True if the drive swallows this StartSession, for the length of its PIN.
    fn swallows(&self, call: &MethodCall) -> bool {
        const MAX_PIN: usize = 32;
        let is_long = |value: &Value| match value.as_named() {
            Some((name, pin)) if name.as_uint() == Some(parameter::HOST_CHALLENGE) => {
                pin.as_bytes().is_some_and(|pin| pin.len() > MAX_PIN)
            }
            _ => false,
        };
        let defects = &self.state.profile.defects;
        defects.swallows_long_pins && call.arguments.iter().any(is_long)
    }

    fn start_session(&mut self, com_id: ComId, hsn: u32, call: &MethodCall) -> MethodCall {
        let opened = self
            .request(hsn, call)
            .and_then(|request| self.open_session(com_id, &request));
        let (tsn, status) = match opened {
            Ok(tsn) => (tsn, MethodStatus::SUCCESS),
            Err(status) => (Tsn::SESSION_MANAGER, status),
        };
        MethodCall::new(uid::SESSION_MANAGER, method::SYNC_SESSION)
            .argument(u64::from(hsn))
            .argument(u64::from(tsn.0))
            .with_status(status)
    }

    /// Reads the parameters, and checks them against the state of the SP.
    fn request(&self, hsn: u32, call: &MethodCall) -> Result<Request> {
        const OPTIONAL: &[u64] = &[
            parameter::HOST_CHALLENGE,
            parameter::HOST_SIGNING_AUTHORITY,
            parameter::SESSION_TIMEOUT,
        ];
        let arguments = Arguments::parse(&call.arguments, 3, OPTIONAL)?;
        let sp = SpId::from_uid(arguments.uid(1)?).ok_or(MethodStatus::INVALID_PARAMETER)?;
        let write = arguments.bool(2)?;
        let challenge = arguments.optional_bytes(parameter::HOST_CHALLENGE)?;
        let authority = arguments.optional_uid(parameter::HOST_SIGNING_AUTHORITY)?;
        let timeout = arguments.optional_uint(parameter::SESSION_TIMEOUT)?;
        if hsn == 0 {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        self.check_sp(sp)?;
        Ok(Request {
            hsn,
            sp,
            write,
            challenge: Zeroizing::new(challenge.unwrap_or_default().to_vec()),
            authority: authority.unwrap_or(uid::ANYBODY),
            timeout: self.timeout(sp, timeout)?,
        })
    }

    fn check_sp(&self, sp: SpId) -> Result<()> {
        match (sp, self.life_cycle()) {
            (SpId::Locking, LifeCycle::MANUFACTURED_INACTIVE) => {
                Err(MethodStatus::INVALID_PARAMETER)
            }
            (SpId::Locking, LifeCycle::MANUFACTURED_FROZEN) => Err(MethodStatus::SP_FROZEN),
            _ => Ok(()),
        }
    }

    /// The time that the session may be idle, in milliseconds; 0 is for ever.
    fn timeout(&self, sp: SpId, asked: Option<u64>) -> Result<u64> {
        let limits = &self.state.profile.sessions;
        let sp_limit = self
            .view(sp)
            .uint(uid::SP_INFO_ROW, column::sp_info::SP_SESSION_TIMEOUT);
        if asked.is_none() && self.state.profile.defects.requires_session_timeout {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        let Some(asked) = asked else {
            return Ok(sooner(limits.default_timeout, sp_limit));
        };
        let accepts = self.state.profile.behaviour.session_timeout_parameter;
        let is_too_short = limits.min_timeout.is_some_and(|minimum| asked < minimum);
        let exceeds = |limit: u64| limit != 0 && (asked == 0 || asked > limit);
        let is_too_long = exceeds(sp_limit) || limits.max_timeout.is_some_and(exceeds);
        if !accepts || is_too_short || is_too_long {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        Ok(asked)
    }

    fn open_session(&mut self, com_id: ComId, request: &Request) -> Result<Tsn> {
        self.check_room(request)?;
        let verdict = self.authenticate(request.sp, request.authority, &request.challenge)?;
        match verdict {
            Verdict::Accepted => {}
            Verdict::Refused => return Err(MethodStatus::NOT_AUTHORIZED),
            Verdict::LockedOut => return Err(MethodStatus::AUTHORITY_LOCKED_OUT),
        }
        let mut authorities = BTreeSet::new();
        if request.authority != uid::ANYBODY {
            authorities.insert(request.authority.0);
        }
        let tsn = self.next_tsn();
        let stack = self
            .stack_index(com_id)
            .and_then(|index| self.power.stacks.get(index));
        let session = Session {
            com_id: com_id.0,
            tsn: tsn.0,
            hsn: request.hsn,
            sp: request.sp,
            write: request.write,
            authorities,
            timeout: request.timeout,
            last_used: self.now(),
            host: stack.map(|stack| stack.host.clone()).unwrap_or_default(),
            transaction: None,
        };
        self.power.sessions.push(session);
        Ok(tsn)
    }

    /// One read-write session excludes every other session to the SP (\[Core\] 3.3.7.1).
    fn check_room(&self, request: &Request) -> Result<()> {
        let limits = &self.state.profile.sessions;
        let sessions = &self.power.sessions;
        if !request.write && limits.max_read_sessions == 0 {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        let excludes = |open: &&Session| open.sp == request.sp && (open.write || request.write);
        if sessions.iter().any(|open| excludes(&open)) {
            return Err(MethodStatus::SP_BUSY);
        }
        let count = |matches: fn(&&Session) -> bool| {
            u64::try_from(sessions.iter().filter(matches).count()).unwrap_or(u64::MAX)
        };
        let is_full = count(|_| true) >= limits.max_sessions;
        let reads_are_full = count(|open| !open.write) >= limits.max_read_sessions;
        if is_full || (!request.write && reads_are_full) {
            return Err(MethodStatus::NO_SESSIONS_AVAILABLE);
        }
        Ok(())
    }

    /// A number that no open session has.
    fn next_tsn(&mut self) -> Tsn {
        let mut tsn = self.power.last_tsn;
        loop {
            tsn = tsn.checked_add(1).unwrap_or(0).max(Tsn::FIRST.0 + 1);
            if self.power.sessions.iter().all(|session| session.tsn != tsn) {
                self.power.last_tsn = tsn;
                return Tsn(tsn);
            }
        }
    }

    /// Ends the sessions that have been idle for too long. Their transactions are rolled back. A TPer
    /// that removes data for a host does not call that idle.
    pub(super) fn expire_sessions(&mut self) {
        if self.is_removing_data() {
            return;
        }
        let now = self.now();
        self.power
            .sessions
            .retain(|session| !session.is_expired(now));
    }

    /// How many sessions are open and have not been idle for too long.
    pub(crate) fn open_sessions(&self) -> usize {
        let now = self.now();
        let sessions = self.power.sessions.iter();
        sessions.filter(|session| !session.is_expired(now)).count()
    }

    /// Aborts the sessions of an SP.
    pub(super) fn abort_sessions_of(&mut self, sp: SpId) {
        self.power.sessions.retain(|session| session.sp != sp);
    }
}

impl Session {
    /// True if the packet is for this session.
    pub(super) const fn is_addressed(&self, com_id: ComId, packet: &Packet) -> bool {
        self.tsn == packet.tsn.0 && self.hsn == packet.hsn.0 && self.com_id == com_id.0
    }

    /// True if it has been idle for too long. Where the clock went back since the last packet nobody
    /// knows for how long, and it counts as too long.
    fn is_expired(&self, now: u64) -> bool {
        let is_over = |idle| idle >= self.timeout;
        self.timeout != 0 && now.checked_sub(self.last_used).is_none_or(is_over)
    }
}

/// The shorter of two times, of which 0 is for ever.
fn sooner(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        (a, b) => a.min(b),
    }
}
