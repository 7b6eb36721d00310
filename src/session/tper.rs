//! The TPer as a host sees it: Level 0 Discovery and the session manager (\[Core\] 5.2).

use std::time::Duration;

use zeroize::Zeroizing;

use super::answer::{Numbers, claimed_session, is_end_of_session};
use super::clock::{Clock, Patience, SystemClock};
use super::com::Com;
use super::properties::{self, Limits, Properties};
use super::session_timeout::{SESSION_TIMEOUT, SessionTimeout};
use super::{Error, IfCounts, Interrupt, Malformed, MalformedKind, Session};
use crate::secret::Secret;
use crate::spec::{ComId, Hsn, MethodStatus, Ssc, Tsn, Uid, method, uid};
use crate::transport::Transport;
use crate::wire::token::byte;
use crate::wire::{MethodCall, MethodResponse, Value};

/// How long to leave a busy TPer alone between two attempts to open a session.
const BUSY_PAUSE: Duration = Duration::from_millis(250);

/// Bits of a random host session number: drives are known that take numbers of 31 bits only.
const HSN_MASK: u32 = 0x7fff_ffff;

/// Optional parameters of StartSession.
mod start_session {
    /// The PIN.
    pub(super) const HOST_CHALLENGE: u64 = 0;
    /// The authority that it proves.
    pub(super) const HOST_SIGNING_AUTHORITY: u64 = 3;
    /// Milliseconds without a command after which the session may be dropped.
    pub(super) const SESSION_TIMEOUT: u64 = 5;
}

/// How a TPer is talked to.
pub struct TperOptions {
    /// Limit for one method, and for waiting while another session keeps the TPer busy.
    pub timeout: Duration,
    /// Asks to stop.
    pub interrupt: Interrupt,
    /// The time.
    pub clock: Box<dyn Clock>,
    /// The host session number; random for each session if it is `None`.
    pub hsn: Option<Hsn>,
}

impl Default for TperOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            interrupt: Interrupt::new(),
            clock: Box::new(SystemClock::new()),
            hsn: None,
        }
    }
}

/// A TPer, and the one ComID by which it is talked to.
pub struct Tper {
    pub(super) com: Com,
    timeout: Duration,
    busy_wait: Option<Duration>,
    hsn: Option<Hsn>,
    guaranteed: Limits,
    pub(super) limits: Limits,
    pub(super) session_timeout: SessionTimeout,
}

/// A session that was opened, and that somebody must enter: it is not ended otherwise.
#[derive(Debug)]
#[must_use = "a session that nobody enters stays open"]
pub(crate) struct Opened(Numbers);

impl Tper {
    /// A TPer behind a transport. Nothing is sent.
    #[must_use]
    pub fn new(transport: Box<dyn Transport>, options: TperOptions) -> Self {
        let guaranteed = Limits::guaranteed(Ssc::Opal2);
        Self {
            com: Com::new(transport, options.clock, options.interrupt),
            timeout: options.timeout,
            busy_wait: None,
            hsn: options.hsn,
            guaranteed,
            limits: guaranteed,
            session_timeout: SessionTimeout::default(),
        }
    }

    /// The path to the TPer.
    #[must_use]
    pub fn transport(&self) -> &dyn Transport {
        self.com.transport()
    }

    /// How many interface commands were sent.
    #[must_use]
    pub const fn if_counts(&self) -> IfCounts {
        self.com.counts()
    }

    /// What may be sent now.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.limits
    }

    /// The largest answer in bytes that can be fetched.
    #[must_use]
    pub fn receive_limit(&self) -> usize {
        self.com.receive_limit()
    }

    /// Talks to this ComID from now on, within what the SSC guarantees.
    pub const fn select(&mut self, com_id: ComId, ssc: Ssc) {
        self.com.set_com_id(com_id);
        self.guaranteed = Limits::guaranteed(ssc);
        self.limits = self.guaranteed;
    }

    /// Forgets what was agreed on, as the TPer has after a reset.
    pub(super) fn reset(&mut self) {
        self.com.forget();
        self.limits = self.guaranteed;
        self.com.expect_answers_of(self.guaranteed.com_packet);
    }

    /// Whether an answer that another process had left was cleared away since the last question:
    /// whatever that process did last may have taken effect only then.
    pub const fn take_recovered(&mut self) -> bool {
        self.com.take_recovered()
    }

    /// The limit for one method.
    #[must_use]
    pub const fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Another limit for one method, from now on.
    pub const fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// A limit for waiting while another session keeps the TPer busy, from now on; `None` is as
    /// long as a method may take.
    pub const fn set_busy_wait(&mut self, limit: Option<Duration>) {
        self.busy_wait = limit;
    }

    /// The time since a moment that never changes.
    #[must_use]
    pub fn now(&self) -> Duration {
        self.com.now()
    }

    pub(super) const fn patience(&self) -> Patience {
        Patience::for_method(self.timeout)
    }

    /// Lets time pass, less if somebody asks to stop.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if somebody asked to stop.
    pub fn pause(&mut self, pause: Duration) -> Result<(), Error> {
        let wait = self.com.wait(self.patience());
        self.com.pause_for(pause, &wait).map(|_| ())
    }

    /// Exchanges communication properties; they hold for sessions that are opened later.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn exchange_properties(&mut self) -> Result<Properties, Error> {
        let offer = Limits::of_buffer(self.com.receive_limit());
        let call = properties::request(offer);
        let tokens = self.manage(&call)?;
        let properties = properties::parse(&tokens)?;
        let told = properties.send_limits(self.guaranteed);
        self.limits = told.min(offer);
        // The path bounds what the TPer may send, and never what it echoes: there are drives that
        // echo anything (WD SN850X).
        let answers = properties.response_size(self.guaranteed);
        self.com.expect_answers_of(answers.min(offer.com_packet));
        Ok(properties)
    }

    /// Exchanges communication properties if messages with a token of that many bytes would not
    /// fit what the TPer takes now.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn prepare_for_tokens_of(&mut self, length: usize) -> Result<(), Error> {
        if length > self.limits.ind_token {
            self.exchange_properties()?;
        }
        Ok(())
    }

    /// Opens a read-write session to an SP, as an authority or as anybody.
    ///
    /// While another session keeps the TPer busy, this waits, for as long as a method may take or
    /// [`Tper::set_busy_wait`] says. A refusal for that reason is no attempt at the PIN: either the TPer did not look at it, or it
    /// was right.
    ///
    /// # Errors
    /// [`Error::Status`] if the TPer refuses the session, [`Error::Busy`] if another one stays
    /// open; otherwise any [`Error`].
    pub fn start_session(
        &mut self,
        sp: Uid,
        credential: Option<(Uid, &Secret)>,
    ) -> Result<Session<'_>, Error> {
        let opened = self.open_session(sp, credential)?;
        Ok(self.enter(opened))
    }

    /// As [`Tper::start_session`], for callers that decide later what to do with the session.
    pub(crate) fn open_session(
        &mut self,
        sp: Uid,
        credential: Option<(Uid, &Secret)>,
    ) -> Result<Opened, Error> {
        let limit = self.busy_wait.unwrap_or(self.timeout);
        let wait = self.com.wait(Patience::for_method(limit));
        loop {
            let status = match self.try_start(sp, credential) {
                Err(Error::Status(status)) if is_busy(status) => status,
                Err(Error::Status(MethodStatus::INVALID_PARAMETER))
                    if self.learn_session_timeout()? =>
                {
                    continue;
                }
                started => return started.map(Opened),
            };
            if self.com.pause_for(BUSY_PAUSE, &wait)?.is_none() {
                let waited = self.com.waited(&wait);
                return Err(Error::Busy { status, waited });
            }
        }
    }

    /// Enters a session that was opened.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "a session is entered once, and `Opened` is the proof that it is open"
    )]
    pub(crate) const fn enter(&mut self, opened: Opened) -> Session<'_> {
        Session::new(self, opened.0)
    }

    pub(super) fn try_start(
        &mut self,
        sp: Uid,
        credential: Option<(Uid, &Secret)>,
    ) -> Result<Numbers, Error> {
        let hsn = match self.hsn {
            Some(hsn) => hsn,
            None => random_hsn()?,
        };
        let mut call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
            .argument(u64::from(hsn.0))
            .argument(sp)
            .argument(true);
        if let Some((authority, pin)) = credential {
            call = call
                .optional(start_session::HOST_CHALLENGE, pin.expose())
                .optional(start_session::HOST_SIGNING_AUTHORITY, authority);
        }
        if let SessionTimeout::Required = self.session_timeout {
            call = call.optional(start_session::SESSION_TIMEOUT, SESSION_TIMEOUT);
        }
        let tsn = match self.manage(&call) {
            Ok(tokens) => self.synchronised(&tokens, hsn)?,
            Err(error) => {
                // It may have opened the session all the same; the error stays what it is.
                let _ = self.settle();
                return Err(error);
            }
        };
        Ok(Numbers { tsn, hsn })
    }

    /// The number of the session that a SyncSession opened; one with illegal numbers is ended.
    fn synchronised(&mut self, tokens: &[u8], hsn: Hsn) -> Result<Tsn, Error> {
        let tsn = parse_sync_session(tokens, hsn);
        if let (Err(_), Some(numbers)) = (&tsn, claimed_session(tokens)) {
            let _ = self.end(numbers, Patience::CLEANUP);
        }
        tsn
    }

    /// A method of the session manager.
    fn manage(&mut self, call: &MethodCall) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.exchange(Numbers::SESSION_MANAGER, call)
    }

    /// Sends a call and fetches the tokens of its answer.
    pub(super) fn exchange(
        &mut self,
        numbers: Numbers,
        call: &MethodCall,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let tokens = call.encode();
        self.limits
            .check(tokens.len(), largest_token(&call.arguments))?;
        let patience = self.patience();
        self.com.exchange(numbers, &tokens, patience)
    }

    /// Fetches an answer that is still awaited after an interrupt or a time limit, and ends the
    /// sessions to which it belongs; their numbers.
    pub(super) fn settle(&mut self) -> Result<Vec<Numbers>, Error> {
        if self.com.is_awaiting() {
            self.com.settle(Patience::CLEANUP)
        } else {
            Ok(Vec::new())
        }
    }

    /// Ends a session.
    pub(super) fn end(&mut self, numbers: Numbers, patience: Patience) -> Result<(), Error> {
        let tokens = match self
            .com
            .exchange(numbers, &[byte::END_OF_SESSION], patience)
        {
            // The session is not there, which is what was asked for.
            Err(Error::NoAnswer | Error::Closed) => return Ok(()),
            tokens => tokens?,
        };
        match is_end_of_session(&tokens) {
            true => Ok(()),
            false => Err(Malformed::new(MalformedKind::Result("End of Session"), &tokens).into()),
        }
    }
}

const fn is_busy(status: MethodStatus) -> bool {
    matches!(
        status,
        MethodStatus::SP_BUSY | MethodStatus::NO_SESSIONS_AVAILABLE
    )
}

fn random_hsn() -> Result<Hsn, Error> {
    Ok(Hsn((getrandom::u32()? & HSN_MASK).max(1)))
}

/// The size in bytes of the largest byte string, with its header.
fn largest_token(values: &[Value]) -> usize {
    let size = |value: &Value| match value {
        Value::Uint(_) | Value::Int(_) => 1 + size_of::<u64>(),
        Value::Bytes(bytes) => crate::wire::atom::encoded_bytes_len(bytes.len()),
        Value::List(values) => largest_token(values),
        Value::Named(name, value) => largest_token(std::slice::from_ref(name))
            .max(largest_token(std::slice::from_ref(value))),
    };
    values.iter().map(size).max().unwrap_or_default()
}

/// Reads SyncSession: the host's session number, which must be the one that was sent, and the
/// TPer's (\[Core\] 5.2.3.2). A TPer may refuse with the answer of an ordinary method, too.
fn parse_sync_session(tokens: &[u8], hsn: Hsn) -> Result<Tsn, Error> {
    let malformed = |kind| Error::from(Malformed::new(kind, tokens));
    if let Ok(response) = MethodResponse::decode(tokens) {
        return Err(match response.status {
            MethodStatus::SUCCESS => malformed(MalformedKind::Method),
            status => Error::Status(status),
        });
    }
    let call = MethodCall::decode(tokens).map_err(|error| Malformed::decode(error, tokens))?;
    if call.invoking_id != uid::SESSION_MANAGER || call.method_id != method::SYNC_SESSION {
        return Err(malformed(MalformedKind::Method));
    }
    // A refusal names no session: some TPers answer zeros.
    if !call.status.is_success() {
        return Err(Error::Status(call.status));
    }
    let number = |index| call.arguments.get(index).and_then(Value::as_uint);
    let echoed = number(0);
    let echoed = echoed.ok_or_else(|| malformed(MalformedKind::Result("host session number")))?;
    if echoed != u64::from(hsn.0) {
        return Err(malformed(MalformedKind::SessionNumbers));
    }
    let tsn = number(1)
        .and_then(|number| u32::try_from(number).ok())
        .map(Tsn);
    let tsn = tsn.ok_or_else(|| malformed(MalformedKind::Result("TPer session number")))?;
    if tsn < Tsn::FIRST {
        return Err(malformed(MalformedKind::ReservedTsn));
    }
    Ok(tsn)
}
