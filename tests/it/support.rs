//! A host at its bench: a virtual drive, and the few lines that every dialogue with it needs.
//!
//! The host here is written for tests alone and knows only the codec; it shares nothing with the
//! host side of the crate.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sedkit::spec::{
    ComId, Hsn, MethodStatus, RangeNumber, SecurityProtocol, Tsn, Uid, column, method, uid,
};
use sedkit::transport::{Error, InterfaceStatus, Transport};
use sedkit::vdrive::{CreateOptions, VirtualDrive};
use sedkit::wire::{ComPacket, MethodCall, MethodResponse, Value};
use tempfile::TempDir;

/// PIN of MSID, and so of SID in the original factory state.
pub(crate) const MSID: &[u8] = b"MSIDPASSWORD1234567890";
/// PIN of PSID.
pub(crate) const PSID: &[u8] = b"PSID2345PSID2345PSID2345PSID2345";
/// PIN of SID and Admin1 on a drive that was made ready.
pub(crate) const OWNER: &[u8] = b"owner";
/// PIN of a User that was made ready.
pub(crate) const USER: &[u8] = b"user";
/// What most hosts receive with, in bytes.
pub(crate) const BUFFER: usize = 2048;
/// The host's session number of sedutil.
pub(crate) const HSN: u32 = 0x69;

/// A virtual drive and a host's side of the dialogue.
pub(crate) struct Bench {
    drive: Option<VirtualDrive>,
    file: Option<(TempDir, PathBuf)>,
    clock: Arc<AtomicU64>,
    com_id: ComId,
    transcript: Option<Vec<String>>,
}

/// An open session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    pub(crate) tsn: Tsn,
    pub(crate) hsn: Hsn,
}

/// Options for a drive of 64 MiB whose label is known.
pub(crate) fn options() -> CreateOptions {
    let mut options = CreateOptions::new(64 << 20);
    options.serial = Some("VD0000000001".to_owned());
    options.msid = Some(String::from_utf8(MSID.to_vec()).unwrap());
    options.psid = Some(String::from_utf8(PSID.to_vec()).unwrap());
    options
}

impl Bench {
    /// A new drive in memory.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A new drive in memory, with other options.
    pub(crate) fn with(change: impl FnOnce(&mut CreateOptions)) -> Self {
        let mut options = options();
        change(&mut options);
        let drive = VirtualDrive::in_memory(&options).unwrap();
        Self::start_up(drive, None)
    }

    /// A new drive in a file, which is closed and opened again after every command.
    pub(crate) fn reopening(change: impl FnOnce(&mut CreateOptions)) -> Self {
        let mut options = options();
        change(&mut options);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drive");
        let drive = VirtualDrive::create(&path, &options).unwrap();
        Self::start_up(drive, Some((folder, path)))
    }

    fn start_up(drive: VirtualDrive, file: Option<(TempDir, PathBuf)>) -> Self {
        let com_id = ComId(drive.profile().communication.base_com_id);
        let mut bench = Self {
            drive: Some(drive),
            file,
            clock: Arc::new(AtomicU64::new(1_000_000)),
            com_id,
            transcript: None,
        };
        bench.wind_clock();
        bench
    }

    fn wind_clock(&mut self) {
        let clock = Arc::clone(&self.clock);
        self.drive()
            .set_clock(move || clock.load(Ordering::Relaxed));
    }

    /// The drive itself.
    pub(crate) fn drive(&mut self) -> &mut VirtualDrive {
        self.drive.as_mut().unwrap()
    }

    /// Lets time pass.
    pub(crate) fn wait(&self, milliseconds: u64) {
        self.clock.fetch_add(milliseconds, Ordering::Relaxed);
    }

    /// Closes the file and opens it again, if the drive has one.
    pub(crate) fn reopen(&mut self) {
        if let Some((_, path)) = &self.file {
            drop(self.drive.take());
            self.drive = Some(VirtualDrive::open(path).unwrap());
            self.wind_clock();
        }
    }

    pub(crate) fn com_id(&self) -> ComId {
        self.com_id
    }

    /// Keeps what goes over the interface from now on.
    pub(crate) fn record(&mut self) {
        self.transcript = Some(Vec::new());
    }

    /// Everything that went over the interface since [`Bench::record`].
    pub(crate) fn transcript(&self) -> &[String] {
        self.transcript.as_deref().unwrap_or_default()
    }

    /// IF-SEND.
    pub(crate) fn send(
        &mut self,
        protocol: u8,
        com_id: u16,
        data: &[u8],
    ) -> Result<(), InterfaceStatus> {
        let sent = self
            .drive()
            .if_send(SecurityProtocol(protocol), ComId(com_id), data);
        let sent = sent.map_err(refused);
        if let Some(transcript) = &mut self.transcript {
            transcript.push(format!(
                "send {protocol:02x} {com_id:04x} {data:02x?}: {sent:?}"
            ));
        }
        self.reopen();
        sent
    }

    /// IF-RECV; the bytes that arrived.
    pub(crate) fn recv(
        &mut self,
        protocol: u8,
        com_id: u16,
        room: usize,
    ) -> Result<Vec<u8>, InterfaceStatus> {
        let mut buffer = vec![0xa5; room];
        let received = self
            .drive()
            .if_recv(SecurityProtocol(protocol), ComId(com_id), &mut buffer);
        let received = received.map_err(refused).map(|length| {
            assert!(buffer[length..].iter().all(|byte| *byte == 0xa5));
            buffer.truncate(length);
            buffer
        });
        if let Some(transcript) = &mut self.transcript {
            transcript.push(format!("recv {protocol:02x} {com_id:04x}: {received:02x?}"));
        }
        self.reopen();
        received
    }

    /// Level 0 Discovery.
    pub(crate) fn level0(&mut self) -> Vec<u8> {
        self.recv(0x01, 0x0001, BUFFER).unwrap()
    }

    /// Byte 4 of a feature descriptor of Level 0 Discovery.
    pub(crate) fn feature(&mut self, code: u16) -> Vec<u8> {
        let level0 = self.level0();
        let mut rest = &level0[48..];
        while !rest.is_empty() {
            let (descriptor, next) = rest.split_at(4 + usize::from(rest[3]));
            if descriptor.starts_with(&code.to_be_bytes()) {
                return descriptor.to_vec();
            }
            rest = next;
        }
        panic!("no feature {code:#06x}");
    }

    /// Sends a frame on the drive's ComID.
    pub(crate) fn send_frame(&mut self, frame: &[u8]) {
        self.send(0x01, self.com_id.0, frame).unwrap();
    }

    /// Fetches whatever waits on the drive's ComID.
    pub(crate) fn fetch(&mut self) -> Vec<u8> {
        self.recv(0x01, self.com_id.0, BUFFER).unwrap()
    }

    /// Sends a frame and fetches the answer, both as bytes.
    pub(crate) fn frame(&mut self, frame: &[u8]) -> Vec<u8> {
        self.send_frame(frame);
        self.fetch()
    }

    /// Sends tokens in a Packet and fetches the tokens of the answer; `None` if there is none.
    pub(crate) fn tokens(&mut self, session: Session, tokens: &[u8]) -> Option<Vec<u8>> {
        let frame = ComPacket::with_tokens(self.com_id, session.tsn, session.hsn, tokens);
        let answer = ComPacket::decode(&self.frame(&frame.encode())).unwrap();
        assert_eq!((answer.outstanding_data, answer.min_transfer), (0, 0));
        let packet = answer.packets.first()?;
        assert_eq!((packet.tsn, packet.hsn), (session.tsn, session.hsn));
        Some(packet.tokens().to_vec())
    }

    /// Calls a method of the session manager; `None` if there is no answer.
    pub(crate) fn control(&mut self, call: &MethodCall) -> Option<MethodCall> {
        let control = Session {
            tsn: Tsn::SESSION_MANAGER,
            hsn: Hsn::SESSION_MANAGER,
        };
        let answer = self.tokens(control, &call.encode())?;
        Some(MethodCall::decode(&answer).unwrap())
    }

    /// StartSession with any parameters after HostSessionID.
    pub(crate) fn start_with(&mut self, call: &MethodCall) -> Result<Session, MethodStatus> {
        let answer = self.control(call).expect("StartSession must be answered");
        assert_eq!(answer.invoking_id, uid::SESSION_MANAGER);
        assert_eq!(answer.method_id, method::SYNC_SESSION);
        let [hsn, tsn] = [0, 1].map(|index| answer.arguments[index].as_uint().unwrap());
        let [hsn, tsn] = [hsn, tsn].map(|number| u32::try_from(number).unwrap());
        assert_eq!(Some(u64::from(hsn)), call.arguments[0].as_uint());
        if !answer.status.is_success() {
            assert_eq!(tsn, 0);
            return Err(answer.status);
        }
        assert!(tsn >= 0x1000);
        Ok(Session {
            tsn: Tsn(tsn),
            hsn: Hsn(hsn),
        })
    }

    /// Opens a read-write session.
    pub(crate) fn start(
        &mut self,
        sp: Uid,
        authority: Uid,
        pin: &[u8],
    ) -> Result<Session, MethodStatus> {
        self.start_with(&start_session(sp, true, Some((authority, pin))))
    }

    /// Opens a read-write session as Anybody.
    pub(crate) fn start_anybody(&mut self, sp: Uid) -> Session {
        self.start_with(&start_session(sp, true, None)).unwrap()
    }

    /// Calls a method; the session must answer.
    pub(crate) fn call(
        &mut self,
        session: Session,
        call: &MethodCall,
    ) -> Result<Vec<Value>, MethodStatus> {
        let answer = self
            .try_call(session, call)
            .expect("a method must be answered");
        if answer.status.is_success() {
            return Ok(answer.results);
        }
        assert_eq!(answer.results, [], "a failed method has no results");
        Err(answer.status)
    }

    /// Calls a method; `None` if the session is not there any more.
    pub(crate) fn try_call(
        &mut self,
        session: Session,
        call: &MethodCall,
    ) -> Option<MethodResponse> {
        let answer = self.tokens(session, &call.encode())?;
        Some(MethodResponse::decode(&answer).unwrap())
    }

    /// The status with which a method ends.
    pub(crate) fn status(&mut self, session: Session, call: &MethodCall) -> MethodStatus {
        self.call(session, call)
            .map_or_else(|status| status, |_| MethodStatus::SUCCESS)
    }

    /// Get of some columns: those that came, with their values.
    pub(crate) fn get(
        &mut self,
        session: Session,
        row: Uid,
        columns: std::ops::RangeInclusive<u64>,
    ) -> Result<Vec<(u64, Value)>, MethodStatus> {
        let results = self.call(session, &get(row, columns))?;
        let cells = results[0].as_list().unwrap().iter();
        let cells = cells.map(|cell| cell.as_named().unwrap());
        Ok(cells
            .map(|(name, value)| (name.as_uint().unwrap(), value.clone()))
            .collect())
    }

    /// Get of one cell that must be there.
    pub(crate) fn cell(&mut self, session: Session, row: Uid, column: u64) -> Value {
        let cells = self.get(session, row, column..=column).unwrap();
        assert_eq!(cells.len(), 1, "{row:?} column {column}");
        cells[0].1.clone()
    }

    /// Get of one number that must be there.
    pub(crate) fn number(&mut self, session: Session, row: Uid, column: u64) -> u64 {
        self.cell(session, row, column).as_uint().unwrap()
    }

    /// Set; the status with which it ends.
    pub(crate) fn set(
        &mut self,
        session: Session,
        row: Uid,
        cells: &[(u64, Value)],
    ) -> MethodStatus {
        self.status(session, &set(row, cells))
    }

    /// Set that must succeed.
    pub(crate) fn must_set(&mut self, session: Session, row: Uid, cells: &[(u64, Value)]) {
        assert_eq!(
            self.set(session, row, cells),
            MethodStatus::SUCCESS,
            "{row:?} {cells:?}"
        );
    }

    /// Authenticate inside a session.
    pub(crate) fn authenticate(
        &mut self,
        session: Session,
        authority: Uid,
        pin: &[u8],
    ) -> Result<bool, MethodStatus> {
        let call = MethodCall::new(uid::THIS_SP, method::AUTHENTICATE)
            .argument(authority)
            .optional(0, pin);
        let results = self.call(session, &call)?;
        Ok(results[0].as_bool().unwrap())
    }

    /// Ends a session.
    pub(crate) fn end(&mut self, session: Session) {
        assert_eq!(self.tokens(session, &[0xfa]), Some(vec![0xfa]));
    }

    /// True if the session answers.
    pub(crate) fn is_open(&mut self, session: Session) -> bool {
        self.try_call(session, &random(1)).is_some()
    }

    /// Takes ownership and activates the Locking SP: SID and Admin1 have [`OWNER`].
    pub(crate) fn activate(&mut self) {
        self.activate_by(&MethodCall::new(uid::LOCKING_SP, method::ACTIVATE));
    }

    /// As [`Bench::activate`], with a call of Activate that has parameters.
    pub(crate) fn activate_by(&mut self, activate: &MethodCall) {
        let session = self.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
        let pin = [(column::c_pin::PIN, OWNER.into())];
        self.must_set(session, uid::C_PIN_SID, &pin);
        assert_eq!(self.status(session, activate), MethodStatus::SUCCESS);
        self.end(session);
    }

    /// Reverts a drive that was delivered with another PIN for SID than MSID.
    pub(crate) fn revert_if_delivered_otherwise(&mut self) {
        if let Err(refused) = self
            .start(uid::ADMIN_SP, uid::SID, MSID)
            .map(|s| self.end(s))
        {
            assert_eq!(refused, MethodStatus::NOT_AUTHORIZED);
            let session = self.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
            let revert = MethodCall::new(uid::ADMIN_SP, method::REVERT);
            assert_eq!(self.status(session, &revert), MethodStatus::SUCCESS);
        }
    }

    /// A drive that was activated.
    pub(crate) fn active() -> Self {
        let mut bench = Self::new();
        bench.activate();
        bench
    }

    /// A session of Admin1 on the Locking SP.
    pub(crate) fn admin1(&mut self) -> Session {
        self.start(uid::LOCKING_SP, uid::ADMIN1, OWNER).unwrap()
    }

    /// A session of SID on the Admin SP of a drive that was made ready.
    pub(crate) fn sid(&mut self) -> Session {
        self.start(uid::ADMIN_SP, uid::SID, OWNER).unwrap()
    }

    /// Enables a User and gives it [`USER`].
    pub(crate) fn enable_user(&mut self, number: u16) {
        let session = self.admin1();
        let user = uid::user(number);
        self.must_set(session, user, &[(column::authority::ENABLED, true.into())]);
        self.must_set(
            session,
            uid::c_pin(user),
            &[(column::c_pin::PIN, USER.into())],
        );
        self.end(session);
    }

    /// Locks or unlocks a range for reads and writes, with both locks enabled.
    pub(crate) fn lock(&mut self, session: Session, range: RangeNumber, locked: bool) {
        let cells = [(5, true), (6, true), (7, locked), (8, locked)];
        let cells = cells.map(|(column, value)| (column, Value::from(value)));
        self.must_set(session, uid::locking_range(range), &cells);
    }
}

fn refused(error: Error) -> InterfaceStatus {
    match error {
        Error::Interface { status, .. } => status,
        error => panic!("{error}"),
    }
}

/// A call of StartSession.
pub(crate) fn start_session(sp: Uid, write: bool, by: Option<(Uid, &[u8])>) -> MethodCall {
    let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
        .argument(u64::from(HSN))
        .argument(sp)
        .argument(write);
    match by {
        Some((authority, pin)) => call.optional(0, pin).optional(3, authority),
        None => call,
    }
}

/// A call of Get for some columns.
pub(crate) fn get(row: Uid, columns: std::ops::RangeInclusive<u64>) -> MethodCall {
    let block = [
        Value::named(3_u64, *columns.start()),
        Value::named(4_u64, *columns.end()),
    ];
    MethodCall::new(row, method::GET).argument(Value::list(block))
}

/// A call of Get for some bytes.
pub(crate) fn get_bytes(table: Uid, rows: std::ops::RangeInclusive<u64>) -> MethodCall {
    let block = [
        Value::named(1_u64, *rows.start()),
        Value::named(2_u64, *rows.end()),
    ];
    MethodCall::new(table, method::GET).argument(Value::list(block))
}

/// A call of Set for some cells.
pub(crate) fn set(row: Uid, cells: &[(u64, Value)]) -> MethodCall {
    let values = cells
        .iter()
        .map(|(column, value)| Value::named(*column, value.clone()));
    MethodCall::new(row, method::SET).optional(1, Value::list(values))
}

/// A call of Set for some bytes.
pub(crate) fn set_bytes(table: Uid, start: u64, bytes: &[u8]) -> MethodCall {
    MethodCall::new(table, method::SET)
        .optional(0, start)
        .optional(1, bytes)
}

/// A call of Random.
pub(crate) fn random(count: u64) -> MethodCall {
    MethodCall::new(uid::THIS_SP, method::RANDOM).argument(count)
}

/// A set of numbers, such as `reset_types`.
pub(crate) fn numbers(numbers: &[u64]) -> Value {
    Value::list(numbers.iter().copied().map(Value::Uint))
}

/// A `BooleanExpr` that is true if one of the authorities is authenticated.
pub(crate) fn any_of(authorities: &[Uid]) -> Value {
    use sedkit::spec::HalfUid;
    let mut terms = Vec::new();
    for (index, authority) in authorities.iter().enumerate() {
        terms.push(Value::named(HalfUid::AUTHORITY_OBJECT_REF, *authority));
        if index > 0 {
            terms.push(Value::named(HalfUid::BOOLEAN_ACE, 1_u64));
        }
    }
    Value::list(terms)
}

/// A row of the ACE table.
pub(crate) const fn ace(low: u32) -> Uid {
    uid::ACE.row(low)
}
