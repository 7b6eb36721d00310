//! A drive behind SG_IO: SECURITY PROTOCOL IN and OUT, or ATA TRUSTED commands in pass-through.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use crate::spec::{ComId, SecurityProtocol};
use crate::sys::ioctl::{self, Completion, Data};
use crate::transport::ata::{self, Command, IdentifyDevice};
use crate::transport::error::InterfaceStatus;
use crate::transport::sense::{self, Sense, key};
use crate::transport::{Error, MAX_BUFFER, scsi};

/// What carries SCSI commands: an open node, or a script in tests.
pub(super) trait Port: Send {
    /// Carries out one command.
    fn execute(&mut self, cdb: &[u8], data: Data<'_>, timeout: Duration) -> io::Result<Completion>;
}

impl Port for File {
    fn execute(&mut self, cdb: &[u8], data: Data<'_>, timeout: Duration) -> io::Result<Completion> {
        ioctl::sg_io(self.as_fd(), cdb, data, timeout)
    }
}

/// Sends commands to a node and turns what comes back into errors.
pub(super) struct Sender<P> {
    pub(super) port: P,
    pub(super) timeout: Duration,
}

/// How many reports of an event are taken before a command is given up. A device may have several
/// to tell after a reset.
const UNIT_ATTENTIONS: usize = 4;

impl<P: Port> Sender<P> {
    /// Carries out a command and returns how many bytes moved.
    ///
    /// A unit attention reports an event and says that the command was not carried out; it is then
    /// sent again (\[SAM\] 5.14), a few times at most.
    pub(super) fn run(
        &mut self,
        name: &'static str,
        cdb: &[u8],
        data: &mut Data<'_>,
    ) -> Result<usize, Error> {
        let mut result = self.run_once(name, cdb, data);
        for _ in 0..UNIT_ATTENTIONS {
            match result.as_ref().err().and_then(sense_of) {
                Some((key::UNIT_ATTENTION, _)) => result = self.run_once(name, cdb, data),
                _ => break,
            }
        }
        result
    }

    fn run_once(
        &mut self,
        name: &'static str,
        cdb: &[u8],
        data: &mut Data<'_>,
    ) -> Result<usize, Error> {
        let data = match data {
            Data::Out(bytes) => Data::Out(bytes),
            Data::In(bytes) => Data::In(bytes),
        };
        let completion = self.port.execute(cdb, data, self.timeout);
        let completion = completion.map_err(|source| Error::Io {
            command: name,
            source,
        })?;
        judge(name, &completion)
    }
}

/// Whether a command succeeded: by its sense data, the host adapter's status, the SCSI status.
fn judge(command: &'static str, completion: &Completion) -> Result<usize, Error> {
    let status = completion.status & 0x3e;
    if status == scsi::CHECK_CONDITION {
        let without_sense = InterfaceStatus::Scsi { status };
        return match Sense::parse(&completion.sense) {
            Some(sense) if sense.is_success() => Ok(completion.transferred),
            Some(sense) => Err(Error::Interface {
                command,
                status: sense.status(),
            }),
            None => Err(Error::Interface {
                command,
                status: without_sense,
            }),
        };
    }
    if completion.host_status != 0 {
        let source = host_error(completion.host_status);
        return Err(Error::Io { command, source });
    }
    if status != scsi::GOOD {
        return Err(Error::Interface {
            command,
            status: InterfaceStatus::Scsi { status },
        });
    }
    Ok(completion.transferred)
}

/// The host adapter's status: DID_NO_CONNECT, DID_TIME_OUT, and what tells no more than EIO.
fn host_error(status: u16) -> io::Error {
    const EIO: i32 = 5;
    match status {
        0x01 => io::ErrorKind::NotConnected.into(),
        0x03 => io::ErrorKind::TimedOut.into(),
        _ => io::Error::from_raw_os_error(EIO),
    }
}

/// Sense key, and ASC with ASCQ, of a refusal.
fn sense_of(error: &Error) -> Option<(u8, (u8, u8))> {
    match *error {
        Error::Interface {
            status: InterfaceStatus::Sense { key, asc, ascq },
            ..
        } => Some((key, (asc, ascq))),
        _ => None,
    }
}

/// A way to bring security commands to the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// SECURITY PROTOCOL IN and OUT.
    Scsi,
    /// TRUSTED SEND and RECEIVE in ATA PASS-THROUGH (16).
    Ata16,
    /// TRUSTED SEND and RECEIVE in ATA PASS-THROUGH (12).
    Ata12,
}

/// An open SCSI node.
pub(super) struct ScsiLink<P> {
    pub(super) sender: Sender<P>,
    /// The path, for messages.
    pub(super) path: String,
    /// What IDENTIFY DEVICE said, where it was answered.
    pub(super) identify: Option<IdentifyDevice>,
    /// Whether libata lets TRUSTED commands through, where the drive is behind libata.
    pub(super) allow_tpm: Option<bool>,
    /// The way that worked, once one has.
    pub(super) route: Option<Route>,
}

/// Where a security command goes.
#[derive(Clone, Copy)]
struct Address {
    protocol: SecurityProtocol,
    com_id: ComId,
}

impl<P: Port> ScsiLink<P> {
    pub(super) fn send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.exchange(Address { protocol, com_id }, Data::Out(data))
            .map(drop)
    }

    pub(super) fn receive(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &mut [u8],
    ) -> Result<usize, Error> {
        self.exchange(Address { protocol, com_id }, Data::In(data))
    }

    fn exchange(&mut self, address: Address, mut data: Data<'_>) -> Result<usize, Error> {
        let result = match self.route {
            Some(route) => self.through(route, address, &mut data),
            None => self.find_route(address, &mut data),
        };
        result.map_err(|error| self.explain(error))
    }

    /// Tries the SCSI commands first, as they need no kernel parameter, and the ATA ones where the
    /// drive has them and the SCSI ones were refused.
    fn find_route(&mut self, address: Address, data: &mut Data<'_>) -> Result<usize, Error> {
        let mut result = self.through(Route::Scsi, address, data);
        if self.has_trusted_computing() && result.as_ref().is_err_and(is_refused) {
            result = self.through(Route::Ata16, address, data);
            if result.as_ref().is_err_and(is_unknown) {
                result = self.through(Route::Ata12, address, data);
            }
        }
        result
    }

    fn has_trusted_computing(&self) -> bool {
        self.identify
            .as_ref()
            .is_some_and(|identify| identify.trusted_computing)
    }

    fn through(
        &mut self,
        route: Route,
        address: Address,
        data: &mut Data<'_>,
    ) -> Result<usize, Error> {
        let (name, cdb) = cdb(route, address, data)?;
        let result = self.sender.run(name, &cdb, data);
        if result.is_ok() {
            self.route = Some(route);
        }
        result
    }

    /// Finds the cause of a refusal that lies in the way, not in the command.
    fn explain(&self, error: Error) -> Error {
        let Error::Interface { command, .. } = error else {
            return error;
        };
        let is_trusted = matches!(
            command,
            ata::name::TRUSTED_SEND | ata::name::TRUSTED_RECEIVE
        );
        match sense_of(&error) {
            // libata answers so for a TRUSTED command that it does not let through.
            Some((key::ILLEGAL_REQUEST, sense::INVALID_FIELD_IN_CDB))
                if is_trusted && self.allow_tpm == Some(false) =>
            {
                Error::Blocked { command }
            }
            _ if is_unknown(&error) => Error::NotSupported {
                path: self.path.clone(),
            },
            _ => error,
        }
    }
}

/// True if the device does not take the command in this form.
fn is_refused(error: &Error) -> bool {
    matches!(sense_of(error), Some((key::ILLEGAL_REQUEST, _)))
}

/// True if the device does not know the command.
fn is_unknown(error: &Error) -> bool {
    sense_of(error) == Some((key::ILLEGAL_REQUEST, sense::INVALID_OPERATION_CODE))
}

/// The command's name and its CDB.
fn cdb(route: Route, address: Address, data: &Data<'_>) -> Result<(&'static str, Vec<u8>), Error> {
    let Address { protocol, com_id } = address;
    Ok(match (route, data) {
        (Route::Scsi, Data::Out(bytes)) => {
            let length = length(bytes)?;
            let cdb = scsi::security_protocol_out(protocol, com_id, length);
            (scsi::name::SECURITY_PROTOCOL_OUT, cdb.to_vec())
        }
        (Route::Scsi, Data::In(bytes)) => {
            let length = length(bytes)?;
            let cdb = scsi::security_protocol_in(protocol, com_id, length);
            (scsi::name::SECURITY_PROTOCOL_IN, cdb.to_vec())
        }
        (_, Data::Out(bytes)) => {
            let command = Command::trusted_send(protocol, com_id, blocks(bytes)?);
            (ata::name::TRUSTED_SEND, pass_through(route, &command))
        }
        (_, Data::In(bytes)) => {
            let command = Command::trusted_receive(protocol, com_id, blocks(bytes)?);
            (ata::name::TRUSTED_RECEIVE, pass_through(route, &command))
        }
    })
}

/// The pass-through CDB of an ATA command.
pub(super) fn pass_through(route: Route, command: &Command) -> Vec<u8> {
    match route {
        Route::Ata12 => command.cdb_12().to_vec(),
        Route::Scsi | Route::Ata16 => command.cdb_16().to_vec(),
    }
}

fn length(bytes: &[u8]) -> Result<u32, Error> {
    let length = u32::try_from(bytes.len());
    length.map_err(|_| Error::TooLong {
        length: bytes.len(),
        limit: MAX_BUFFER,
    })
}

fn blocks(bytes: &[u8]) -> Result<u8, Error> {
    let blocks = u8::try_from(bytes.len().div_ceil(ata::BLOCK));
    blocks.map_err(|_| Error::TooLong {
        length: bytes.len(),
        limit: ata::MAX_TRANSFER,
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Commands that are expected, and what is answered to each.
    #[derive(Default)]
    pub(crate) struct ScriptedPort {
        steps: VecDeque<(Vec<u8>, Reply)>,
    }

    pub(crate) enum Reply {
        /// Success, with these bytes for the host.
        Data(Vec<u8>),
        /// CHECK CONDITION with this key, ASC and ASCQ in fixed format.
        Sense(u8, u8, u8),
        /// CHECK CONDITION with an ATA Status Return descriptor: status and error.
        Ata(u8, u8),
        /// A status of the host adapter.
        Host(u16),
        /// A SCSI status without sense data.
        Status(u8),
    }

    impl ScriptedPort {
        pub(crate) fn then(mut self, cdb: &[u8], reply: Reply) -> Self {
            self.steps.push_back((cdb.to_vec(), reply));
            self
        }

        pub(crate) fn is_finished(&self) -> bool {
            self.steps.is_empty()
        }
    }

    impl Port for ScriptedPort {
        fn execute(
            &mut self,
            cdb: &[u8],
            data: Data<'_>,
            _timeout: Duration,
        ) -> io::Result<Completion> {
            let (expected, reply) = self.steps.pop_front().expect("no more commands");
            assert_eq!(cdb, expected);
            Ok(reply.completion(data))
        }
    }

    impl Reply {
        fn completion(self, data: Data<'_>) -> Completion {
            match self {
                Self::Data(bytes) => success(&bytes, data),
                Self::Sense(key, asc, ascq) => {
                    let sense = [
                        0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, asc, ascq, 0, 0, 0, 0,
                    ];
                    check_condition(sense.to_vec())
                }
                Self::Ata(status, error) => {
                    let mut sense = vec![0x72, 0x0b, 0, 0, 0, 0, 0, 14, 0x09, 0x0c, 0, error];
                    sense.extend([0, 0, 0, 0, 0, 0, 0, 0, 0x40, status]);
                    check_condition(sense)
                }
                Self::Host(host_status) => Completion {
                    host_status,
                    ..Completion::default()
                },
                Self::Status(status) => Completion {
                    status,
                    ..Completion::default()
                },
            }
        }
    }

    fn success(bytes: &[u8], data: Data<'_>) -> Completion {
        let transferred = match data {
            Data::In(buffer) => {
                let length = bytes.len().min(buffer.len());
                buffer[..length].copy_from_slice(&bytes[..length]);
                length
            }
            Data::Out(buffer) => buffer.len(),
        };
        Completion {
            transferred,
            ..Completion::default()
        }
    }

    fn check_condition(sense: Vec<u8>) -> Completion {
        Completion {
            status: scsi::CHECK_CONDITION,
            sense,
            ..Completion::default()
        }
    }

    const DISCOVERY: (SecurityProtocol, ComId) = (SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY);
    const SCSI: &[u8] = &[0xa2, 1, 0, 1, 0, 0, 0, 0, 0x08, 0, 0, 0];
    const ATA_16: &[u8] = &[0x85, 0x08, 0x0e, 0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0x5c, 0];
    const ATA_12: &[u8] = &[0xa1, 0x08, 0x0e, 1, 4, 0, 1, 0, 0, 0x5c, 0, 0];

    fn sata(trusted_computing: bool) -> IdentifyDevice {
        let data = ata::tests::identify_data(&[b'S'; 20], &[b'M'; 40]);
        let identify = IdentifyDevice::parse(&data).unwrap();
        IdentifyDevice {
            trusted_computing,
            ..identify
        }
    }

    fn link(port: ScriptedPort, identify: Option<IdentifyDevice>) -> ScsiLink<ScriptedPort> {
        ScsiLink {
            sender: Sender {
                port,
                timeout: Duration::from_secs(1),
            },
            path: "/dev/sda".to_owned(),
            identify,
            allow_tpm: Some(false),
            route: None,
        }
    }

    /// Sends Level 0 Discovery and returns what came of it, after everything expected was sent.
    fn discover(link: &mut ScsiLink<ScriptedPort>) -> Result<usize, Error> {
        let result = link.receive(DISCOVERY.0, DISCOVERY.1, &mut [0; 2048]);
        assert!(link.sender.port.is_finished());
        result
    }

    #[test]
    fn scsi_commands_are_used_where_they_are_taken() {
        let send = [0xb5, 1, 0x10, 0x04, 0, 0, 0, 0, 0x02, 0, 0, 0];
        let port = ScriptedPort::default()
            .then(SCSI, Reply::Data(vec![1; 100]))
            .then(&send, Reply::Data(Vec::new()));
        let mut link = link(port, Some(sata(true)));
        let received = link.receive(DISCOVERY.0, DISCOVERY.1, &mut [0; 2048]);
        assert_eq!(received.unwrap(), 100);
        link.send(SecurityProtocol::TCG, ComId(0x1004), &[0; 512])
            .unwrap();
        assert_eq!(link.route, Some(Route::Scsi));
    }

    #[test]
    fn ata_commands_are_used_where_the_drive_has_them_and_the_scsi_form_is_refused() {
        let send = [
            0x85, 0x0a, 0x06, 0, 1, 0, 1, 0, 0, 0, 0xfe, 0, 0x07, 0, 0x5e, 0,
        ];
        let port = ScriptedPort::default()
            .then(SCSI, Reply::Sense(5, 0x20, 0))
            .then(ATA_16, Reply::Data(vec![1; 2048]))
            .then(&send, Reply::Data(Vec::new()));
        let mut link = link(port, Some(sata(true)));
        let received = link.receive(DISCOVERY.0, DISCOVERY.1, &mut [0; 2048]);
        assert_eq!(received.unwrap(), 2048);
        link.send(SecurityProtocol::TCG, ComId(0x07fe), &[0; 512])
            .unwrap();
        assert!(link.sender.port.is_finished());
    }

    #[test]
    fn short_pass_through_is_tried_where_the_long_one_is_unknown() {
        let port = ScriptedPort::default()
            .then(SCSI, Reply::Sense(5, 0x24, 0))
            .then(ATA_16, Reply::Sense(5, 0x20, 0))
            .then(ATA_12, Reply::Data(vec![1; 2048]));
        let mut link = link(port, Some(sata(true)));
        assert_eq!(discover(&mut link).unwrap(), 2048);
        assert_eq!(link.route, Some(Route::Ata12));
    }

    #[test]
    fn drive_without_trusted_computing_is_asked_the_scsi_way_only() {
        for identify in [None, Some(sata(false))] {
            let port = ScriptedPort::default().then(SCSI, Reply::Sense(5, 0x20, 0));
            let error = discover(&mut link(port, identify)).unwrap_err();
            let text = error.to_string();
            assert_eq!(text, "/dev/sda has no security send and receive commands");
        }
    }

    #[test]
    fn refusal_by_libata_names_the_parameter() {
        let port = ScriptedPort::default()
            .then(SCSI, Reply::Sense(5, 0x20, 0))
            .then(ATA_16, Reply::Sense(5, 0x24, 0));
        let error = discover(&mut link(port, Some(sata(true)))).unwrap_err();
        let text = error.to_string();
        assert_eq!(
            text,
            "the kernel blocks ATA TRUSTED RECEIVE (libata.allow_tpm is 0)"
        );
    }

    #[test]
    fn refusal_by_the_drive_does_not_blame_the_parameter() {
        let port = ScriptedPort::default()
            .then(SCSI, Reply::Sense(5, 0x20, 0))
            .then(ATA_16, Reply::Ata(0x51, 0x04));
        let error = discover(&mut link(port, Some(sata(true)))).unwrap_err();
        let text = error.to_string();
        assert_eq!(
            text,
            "the drive refused ATA TRUSTED RECEIVE: ATA status 51h error 04h, command aborted"
        );
    }

    #[test]
    fn scsi_refusals_keep_their_meaning() {
        for (reply, meaning) in [
            (
                Reply::Sense(5, 0x24, 0),
                "invalid protocol, length or parameter",
            ),
            (Reply::Sense(5, 0x2c, 0), "synchronous protocol violation"),
            (Reply::Sense(7, 0x20, 2), "data protection error"),
            (
                Reply::Sense(4, 0x44, 0),
                "sense 4/44/00, HARDWARE ERROR, INTERNAL TARGET FAILURE",
            ),
            (Reply::Status(0x08), "SCSI status 08h, BUSY"),
            (Reply::Status(0x02), "SCSI status 02h, CHECK CONDITION"),
        ] {
            let port = ScriptedPort::default().then(SCSI, reply);
            let error = discover(&mut link(port, None)).unwrap_err().to_string();
            let expected = format!("the drive refused SECURITY PROTOCOL IN: {meaning}");
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn adapter_errors_are_errors_of_the_kernel() {
        let kinds = [
            (0x01, io::ErrorKind::NotConnected),
            (0x03, io::ErrorKind::TimedOut),
        ];
        for (status, kind) in kinds {
            let port = ScriptedPort::default().then(SCSI, Reply::Host(status));
            let Err(Error::Io { command, source }) = discover(&mut link(port, None)) else {
                panic!("no error of the kernel");
            };
            assert_eq!((command, source.kind()), ("SECURITY PROTOCOL IN", kind));
        }
    }

    #[test]
    fn command_is_sent_again_after_a_unit_attention() {
        let port = ScriptedPort::default()
            .then(SCSI, Reply::Sense(6, 0x29, 0))
            .then(SCSI, Reply::Sense(6, 0x2a, 1))
            .then(SCSI, Reply::Data(vec![1; 2048]));
        assert_eq!(discover(&mut link(port, None)).unwrap(), 2048);
    }

    #[test]
    fn unit_attentions_without_end_are_given_up() {
        let attention = |port: ScriptedPort, _| port.then(SCSI, Reply::Sense(6, 0x29, 0));
        let port = (0..5).fold(ScriptedPort::default(), attention);
        let error = discover(&mut link(port, None)).unwrap_err().to_string();
        assert!(error.contains("UNIT ATTENTION"), "{error}");
    }

    #[test]
    fn transfer_that_pass_through_cannot_count_is_refused() {
        let mut link = link(ScriptedPort::default(), Some(sata(true)));
        link.route = Some(Route::Ata16);
        let error = link
            .send(SecurityProtocol::TCG, ComId(1), &[0; 256 * 512])
            .unwrap_err();
        assert!(matches!(
            error,
            Error::TooLong {
                length: 131_072,
                limit: 130_560
            }
        ));
    }
}
