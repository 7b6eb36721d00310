//! Writes down a dialogue with a drive as text, and plays it back.
//!
//! A transcript starts with the drive's identity and has one line for each command:
//!
//! ```text
//! sedkit transcript 1
//! identity nvme 4d4f44454c 53455249414c 31 - 002538b111223344
//! max-transfer 131072
//! send 01 1004 512 0000000010040000
//! recv 01 1004 2048 2048 0000000010040000
//! recv 01 1004 2048 ! nvme 0 0c
//! ```
//!
//! The identity is bus, model, serial number, firmware revision and vendor in hex, and world-wide
//! name.
//! Behind `send` and `recv` stand protocol and ComID in hex, the size of the data or of the receive
//! buffer, for `recv` how many bytes arrived, and the bytes in hex without the zeros at their end.
//! A refusal stands behind `!`; a hyphen stands for nothing; lines that start with `#` are comments.

use std::io::{self, Write};

use super::script::{Body, Command, Comparison, Refusal, Script, Step};
use super::{Bus, Error, Facts, Identity, InterfaceStatus, MAX_BUFFER, Transport};
use crate::spec::{ComId, SecurityProtocol};

const TITLE: &str = "sedkit transcript 1";

/// A transport that writes down what passes through it.
///
/// # Warning
/// The transcript holds every PIN that is sent, in clear. It is for drives in a laboratory.
pub struct Recorder<T, W> {
    inner: T,
    output: W,
}

impl<T: Transport, W: Write + Send> Recorder<T, W> {
    /// Wraps a transport and writes down who the drive is.
    ///
    /// # Errors
    /// The output's error.
    pub fn new(inner: T, mut output: W) -> io::Result<Self> {
        writeln!(output, "{TITLE}")?;
        writeln!(output, "{}", identity_line(inner.identity()))?;
        writeln!(output, "max-transfer {}", inner.max_transfer())?;
        Ok(Self { inner, output })
    }

    fn write(&mut self, command: &Command, outcome: Result<&[u8], &Error>) -> Result<(), Error> {
        let line = command_line(command, outcome);
        let written = writeln!(self.output, "{line}");
        written.map_err(|source| Error::Io {
            command: "the transcript",
            source,
        })
    }
}

impl<T: Transport, W: Write + Send> Transport for Recorder<T, W> {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        let result = self.inner.if_send(protocol, com_id, data);
        let command = Command {
            protocol,
            com_id,
            body: Body::Send(data.to_vec()),
        };
        self.write(&command, result.as_ref().map(|()| &[][..]))?;
        result
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let result = self.inner.if_recv(protocol, com_id, buffer);
        let command = Command {
            protocol,
            com_id,
            body: Body::Receive(buffer.len()),
        };
        let answer = |length: &usize| buffer.get(..*length).unwrap_or(buffer);
        self.write(&command, result.as_ref().map(answer))?;
        result
    }

    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn max_transfer(&self) -> usize {
        self.inner.max_transfer()
    }

    fn facts(&self) -> Facts {
        self.inner.facts()
    }
}

/// Makes a transport that plays a transcript back.
///
/// Every command must be equal to the recorded one, byte for byte.
///
/// # Errors
/// [`Error::Script`] with the line, counted from 0, that is not one of a transcript.
pub fn replay(transcript: &str) -> Result<Script, Error> {
    let lines = transcript.lines().map(str::trim).enumerate();
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let identity = header(&mut lines).ok_or_else(|| malformed(0))?;
    let mut script = Script::new(identity).with_comparison(Comparison::Strict);
    for (index, line) in lines {
        let mut fields = line.split(' ');
        if let Some(limit) = line.strip_prefix("max-transfer ") {
            let limit = limit.parse().map_err(|_| malformed(index))?;
            script = script.with_max_transfer(limit);
            continue;
        }
        script = script.then(step(&mut fields).ok_or_else(|| malformed(index))?);
    }
    Ok(script)
}

fn malformed(index: usize) -> Error {
    Error::Script {
        index,
        difference: "this line is not one of a transcript".to_owned(),
    }
}

fn header<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Option<Identity> {
    let (_, title) = lines.next()?;
    let (_, identity) = lines.next()?;
    (title == TITLE).then(|| parse_identity(identity))?
}

fn identity_line(identity: &Identity) -> String {
    let vendor = identity.vendor.as_deref().unwrap_or_default();
    let wwn = identity
        .wwn
        .as_deref()
        .filter(|wwn| is_word(wwn))
        .unwrap_or("-");
    let [model, serial, firmware, vendor] = [
        &identity.model,
        &identity.serial,
        &identity.firmware,
        vendor,
    ]
    .map(to_hex);
    let bus = identity.bus.name();
    format!("identity {bus} {model} {serial} {firmware} {vendor} {wwn}")
}

/// True for what can stand in a line as one field.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text != "-" && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn parse_identity(line: &str) -> Option<Identity> {
    let fields: Vec<&str> = line.split(' ').collect();
    let ["identity", bus, model, serial, firmware, vendor, wwn] = *fields.as_slice() else {
        return None;
    };
    let buses = [Bus::Nvme, Bus::Scsi, Bus::Ata, Bus::Usb, Bus::Virtual];
    let bus = buses.into_iter().find(|known| known.name() == bus)?;
    let (model, serial, firmware) = (from_hex(model)?, from_hex(serial)?, from_hex(firmware)?);
    let mut identity = Identity::new(bus, &model, &serial, &firmware);
    identity.vendor = Some(from_hex(vendor)?).filter(|vendor| !vendor.is_empty());
    identity.wwn = Some(wwn.to_owned()).filter(|wwn| wwn != "-");
    Some(identity)
}

fn command_line(command: &Command, outcome: Result<&[u8], &Error>) -> String {
    let (protocol, com_id) = (command.protocol.0, command.com_id.0);
    let line = match &command.body {
        Body::Send(data) => {
            format!(
                "send {protocol:02x} {com_id:04x} {} {}",
                data.len(),
                trimmed_hex(data)
            )
        }
        Body::Receive(size) => format!("recv {protocol:02x} {com_id:04x} {size}"),
    };
    match (outcome, &command.body) {
        (Ok(_), Body::Send(_)) => line,
        (Ok(answer), Body::Receive(_)) => {
            format!("{line} {} {}", answer.len(), trimmed_hex(answer))
        }
        (Err(error), _) => format!("{line} ! {}", refusal_text(error)),
    }
}

/// Hex digits of data without the zeros at their end.
fn trimmed_hex(data: &[u8]) -> String {
    let length = data
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    to_hex(data.get(..length).unwrap_or(data))
}

fn to_hex(data: &[u8]) -> String {
    if data.is_empty() {
        return "-".to_owned();
    }
    super::scsi::hex(data)
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if text == "-" {
        return Some(Vec::new());
    }
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(byte).collect()
}

/// Data of a stated size, whose zeros at the end were left out. The size is bounded.
fn padded(size: &str, hex: &str) -> Option<Vec<u8>> {
    let size: usize = size.parse().ok().filter(|size| *size <= MAX_BUFFER)?;
    let mut data = from_hex(hex).filter(|data| data.len() <= size)?;
    data.resize(size, 0);
    Some(data)
}

fn step<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Step> {
    let name = fields.next()?;
    let protocol = SecurityProtocol(u8::from_str_radix(fields.next()?, 16).ok()?);
    let com_id = ComId(u16::from_str_radix(fields.next()?, 16).ok()?);
    let size = fields.next()?;
    let body = match name {
        "send" => Body::Send(padded(size, fields.next()?)?),
        "recv" => Body::Receive(size.parse().ok()?),
        _ => return None,
    };
    let rest: Vec<&str> = fields.collect();
    let outcome = match (rest.as_slice(), &body) {
        ([], Body::Send(_)) => Ok(Vec::new()),
        (["!", refusal @ ..], _) => Err(parse_refusal(refusal)?),
        ([size, hex], Body::Receive(_)) => Ok(padded(size, hex)?),
        _ => return None,
    };
    Some(Step {
        expected: Command {
            protocol,
            com_id,
            body,
        },
        outcome,
    })
}

/// The classes of [`InterfaceStatus`] by name; the others are written with their numbers.
const CLASSES: [(&str, InterfaceStatus); 4] = [
    ("invalid-parameter", InterfaceStatus::InvalidParameter),
    ("sequence-error", InterfaceStatus::SequenceError),
    ("data-protection", InterfaceStatus::DataProtection),
    ("operation-denied", InterfaceStatus::OperationDenied),
];

fn refusal_text(error: &Error) -> String {
    match error {
        Error::Interface { status, .. } => status_text(*status),
        Error::Io { source, .. } => format!("os {}", source.raw_os_error().unwrap_or(0)),
        _ => "not-supported".to_owned(),
    }
}

fn status_text(status: InterfaceStatus) -> String {
    match status {
        InterfaceStatus::Nvme { code_type, code } => format!("nvme {code_type:x} {code:02x}"),
        InterfaceStatus::Sense { key, asc, ascq } => {
            format!("sense {key:x} {asc:02x} {ascq:02x}")
        }
        InterfaceStatus::Scsi { status } => format!("scsi {status:02x}"),
        InterfaceStatus::Ata { status, error } => format!("ata {status:02x} {error:02x}"),
        class => {
            let known = CLASSES.iter().find(|(_, known)| *known == class);
            known.map_or("not-supported", |(name, _)| name).to_owned()
        }
    }
}

fn parse_refusal(fields: &[&str]) -> Option<Refusal> {
    let byte = |text: &str| u8::from_str_radix(text, 16).ok();
    let status = match *fields {
        ["not-supported"] => return Some(Refusal::NotSupported),
        ["os", number] => return Some(Refusal::Os(number.parse().ok()?)),
        ["nvme", code_type, code] => InterfaceStatus::Nvme {
            code_type: byte(code_type)?,
            code: byte(code)?,
        },
        ["sense", key, asc, ascq] => InterfaceStatus::Sense {
            key: byte(key)?,
            asc: byte(asc)?,
            ascq: byte(ascq)?,
        },
        ["scsi", status] => InterfaceStatus::Scsi {
            status: byte(status)?,
        },
        ["ata", status, error] => InterfaceStatus::Ata {
            status: byte(status)?,
            error: byte(error)?,
        },
        [name] => CLASSES.iter().find(|(known, _)| *known == name)?.1,
        _ => return None,
    };
    Some(Refusal::Interface(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TCG: SecurityProtocol = SecurityProtocol::TCG;
    const COM_ID: ComId = ComId(0x1004);

    fn identity() -> Identity {
        let mut identity = Identity::new(Bus::Ata, b"MODEL  ", b"  SERIAL", b"1.0");
        identity.vendor = Some(b"ATA     ".to_vec());
        identity.wwn = Some("5002538d01234567".to_owned());
        identity
    }

    /// The statuses that a command can be refused with.
    fn statuses() -> Vec<InterfaceStatus> {
        let mut statuses: Vec<_> = CLASSES.iter().map(|(_, status)| *status).collect();
        statuses.extend([
            InterfaceStatus::Nvme {
                code_type: 2,
                code: 0x86,
            },
            InterfaceStatus::Sense {
                key: 5,
                asc: 0x24,
                ascq: 0,
            },
            InterfaceStatus::Scsi { status: 0x18 },
            InterfaceStatus::Ata {
                status: 0x51,
                error: 4,
            },
        ]);
        statuses
    }

    fn dialogue() -> Script {
        let script = Script::new(identity())
            .with_max_transfer(4096)
            .send(TCG, COM_ID, [1, 2, 3, 0, 0])
            .recv(TCG, COM_ID, [4, 5, 6, 0, 0, 0])
            .recv(SecurityProtocol::INFORMATION, ComId(0), [0; 8]);
        let refuse = |script: Script, status| script.recv(TCG, COM_ID, []).refuse(status);
        statuses().into_iter().fold(script, refuse)
    }

    /// Has the whole dialogue and returns the texts of its outcomes.
    fn run(transport: &mut dyn Transport) -> Vec<String> {
        let mut outcomes = vec![format!(
            "{:?}",
            transport.if_send(TCG, COM_ID, &[1, 2, 3, 0, 0])
        )];
        let mut buffer = [0xa5; 32];
        for place in 0..2 + statuses().len() {
            let (protocol, com_id) = match place {
                1 => (SecurityProtocol::INFORMATION, ComId(0)),
                _ => (TCG, COM_ID),
            };
            let result = transport.if_recv(protocol, com_id, &mut buffer);
            outcomes.push(format!("{result:?} {buffer:?}"));
        }
        outcomes
    }

    #[test]
    fn recorded_dialogue_can_be_played_back() {
        let mut transcript = Vec::new();
        let mut recorder = Recorder::new(dialogue(), &mut transcript).unwrap();
        let original = run(&mut recorder);
        let transcript = String::from_utf8(transcript).unwrap();
        let mut script = replay(&transcript).unwrap();
        let handle = script.handle();
        assert_eq!(run(&mut script), original);
        handle.finish().unwrap();
        assert_eq!(script.identity(), &identity());
        assert_eq!(script.max_transfer(), 4096);
    }

    #[test]
    fn transcript_has_one_line_for_each_command() {
        let mut transcript = Vec::new();
        run(&mut Recorder::new(dialogue(), &mut transcript).unwrap());
        let transcript = String::from_utf8(transcript).unwrap();
        let expected = [
            "sedkit transcript 1",
            "identity sata 4d4f44454c2020 202053455249414c 312e30 4154412020202020 \
             5002538d01234567",
            "max-transfer 4096",
            "send 01 1004 5 010203",
            "recv 01 1004 32 6 040506",
            "recv 00 0000 32 8 -",
            "recv 01 1004 32 ! invalid-parameter",
            "recv 01 1004 32 ! sequence-error",
            "recv 01 1004 32 ! data-protection",
            "recv 01 1004 32 ! operation-denied",
            "recv 01 1004 32 ! nvme 2 86",
            "recv 01 1004 32 ! sense 5 24 00",
            "recv 01 1004 32 ! scsi 18",
            "recv 01 1004 32 ! ata 51 04",
        ];
        assert_eq!(transcript.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn replay_is_strict() {
        let header = "# a comment\nsedkit transcript 1\nidentity nvme - - - - -\n\n";
        let line = format!("{header}send 01 1004 5 010203\n");
        let refused = |data: &[u8]| {
            let error = replay(&line)
                .unwrap()
                .if_send(TCG, COM_ID, data)
                .unwrap_err();
            assert!(matches!(error, Error::Script { index: 0, .. }), "{error}");
        };
        refused(&[1, 2, 3, 0]);
        refused(&[1, 2, 3, 0, 0, 0]);
        refused(&[1, 2, 3, 0, 1]);
        replay(&line)
            .unwrap()
            .if_send(TCG, COM_ID, &[1, 2, 3, 0, 0])
            .unwrap();
        let line = format!("{header}recv 01 1004 5 2 01\n");
        replay(&line)
            .unwrap()
            .if_recv(TCG, COM_ID, &mut [0; 6])
            .unwrap_err();
        assert_eq!(
            replay(&line)
                .unwrap()
                .if_recv(TCG, COM_ID, &mut [0; 5])
                .unwrap(),
            2
        );
    }

    #[test]
    fn errors_of_the_kernel_are_played_back() {
        let text = "sedkit transcript 1\nidentity nvme - - - - -\nsend 01 0001 0 - ! os 110\n";
        let error = replay(text)
            .unwrap()
            .if_send(TCG, ComId(1), &[])
            .unwrap_err();
        let Error::Io { source, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(source.kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn malformed_transcripts_are_refused() {
        let header = "sedkit transcript 1\nidentity nvme - - - - -\n";
        for line in [
            "send",
            "send 01",
            "send 01 1004",
            "send 01 1004 5",
            "send 01 1004 2 010203",
            "send 01 1004 2 0102 2",
            "send 01 1004 2 01x2",
            "send 01 1004 2 012",
            "send 1ff 1004 0 -",
            "recv 01 1004",
            "recv 01 1004 5",
            "recv 01 1004 5 2",
            "recv 01 1004 5 ! ",
            "recv 01 1004 5 ! nvme 1",
            "recv 01 1004 5 ! unknown",
            "recv 01 1004 5 999999999 01",
            "frob 01 1004 5 -",
            "max-transfer many",
            "é",
        ] {
            let error = replay(&format!("{header}{line}\n")).err();
            assert!(
                matches!(error, Some(Error::Script { index: 2, .. })),
                "{line}"
            );
        }
        for text in [
            "",
            "sedkit transcript 2\nidentity nvme - - - - -\n",
            "sedkit transcript 1\n",
        ] {
            assert!(replay(text).is_err(), "{text}");
        }
    }
}
