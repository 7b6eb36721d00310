//! Exact dialogues for tests: what is sent, what comes back, and a clock that does not wait.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{Clock, Interrupt, Tper, TperOptions};
use crate::spec::{ComId, Hsn, SecurityProtocol, Ssc, Tsn};
use crate::transport::{Bus, Error, Identity, InterfaceStatus, Transport};
use crate::wire::ComPacket;

/// The ComID of every frame in `tests/vectors/frames`.
pub(crate) const COM_ID: ComId = ComId(0x1004);
/// The session of every frame in `tests/vectors/frames`.
pub(crate) const TSN: Tsn = Tsn(0x1001);
pub(crate) const HSN: Hsn = Hsn(0x69);

/// A line of a dialogue.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// An IF-SEND of these bytes, padded.
    Send(SecurityProtocol, Vec<u8>),
    /// An IF-SEND of these bytes by protocol 02h with a fixed SP Specific field.
    Manage(ComId, Vec<u8>),
    /// An IF-SEND of anything.
    SendAny,
    /// An IF-SEND, or IF-RECV, of anything that the interface refuses.
    Refuse(InterfaceStatus),
    /// An IF-RECV that brings these bytes.
    Recv(SecurityProtocol, Vec<u8>),
    /// An IF-RECV with a buffer of this size that brings these bytes.
    RecvInto(usize, Vec<u8>),
    /// Somebody asks to stop before the next line.
    Interrupt,
}

/// A frame of `tests/vectors/frames`, by the section of the reference that it comes from.
pub(crate) fn frame(section: &str) -> Vec<u8> {
    let path = format!(
        "{}/tests/vectors/frames/{section}.hex",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    hex(&text)
}

/// Bytes of hex with white space.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// A frame with tokens in the session of the frames.
pub(crate) fn tokens(tokens: &[u8]) -> Vec<u8> {
    ComPacket::with_tokens(COM_ID, TSN, HSN, tokens)
        .encode()
        .to_vec()
}

/// A header without Packets.
pub(crate) fn header(outstanding_data: u32, min_transfer: u32) -> Vec<u8> {
    let packet = ComPacket {
        outstanding_data,
        min_transfer,
        ..ComPacket::empty(COM_ID)
    };
    packet.encode().to_vec()
}

/// What a TPer gives that has nothing to say, as often as it is asked.
pub(crate) fn silence() -> Vec<Line> {
    vec![recv_bytes(header(0, 0)); 1 + super::clock::EMPTY_POLLS]
}

pub(crate) fn send(section: &str) -> Line {
    Line::Send(SecurityProtocol::TCG, frame(section))
}

pub(crate) fn recv(section: &str) -> Line {
    recv_bytes(frame(section))
}

pub(crate) fn recv_bytes(bytes: Vec<u8>) -> Line {
    Line::Recv(SecurityProtocol::TCG, bytes)
}

/// Opens the session of the frames as anybody with the Admin SP.
pub(crate) fn opening() -> [Line; 2] {
    [send("7.4"), recv("7.5")]
}

/// Ends it.
pub(crate) fn ending() -> [Line; 2] {
    [send("7.9"), recv("7.9")]
}

/// What a test sees of a dialogue.
#[derive(Clone)]
pub(crate) struct Stage {
    lines: Arc<Mutex<VecDeque<Line>>>,
    slept: Arc<Mutex<Duration>>,
    pub(crate) interrupt: Interrupt,
}

impl Stage {
    /// A stage with the lines of a dialogue.
    pub(crate) fn new(lines: impl IntoIterator<Item = Line>) -> Self {
        Self {
            lines: Arc::new(Mutex::new(lines.into_iter().collect())),
            slept: Arc::default(),
            interrupt: Interrupt::new(),
        }
    }

    /// A TPer that follows the dialogue.
    pub(crate) fn tper(&self) -> Tper {
        let options = TperOptions {
            timeout: Duration::from_secs(10),
            interrupt: self.interrupt.clone(),
            clock: Box::new(self.clone()),
            hsn: Some(HSN),
        };
        let mut tper = Tper::new(Box::new(Actor::new(self.clone())), options);
        tper.select(COM_ID, Ssc::Opal2);
        tper
    }

    /// The time that was slept.
    pub(crate) fn slept(&self) -> Duration {
        *self.slept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks that no line is left.
    pub(crate) fn assert_finished(&self) {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(lines.is_empty(), "lines left: {lines:02x?}");
    }

    fn next(&self) -> Option<Line> {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = lines.pop_front();
        while matches!(line, Some(Line::Interrupt)) {
            self.interrupt.raise();
            line = lines.pop_front();
        }
        line
    }
}

impl Clock for Stage {
    fn now(&self) -> Duration {
        self.slept()
    }

    fn sleep(&mut self, duration: Duration) {
        *self.slept.lock().unwrap_or_else(PoisonError::into_inner) += duration;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(lines.front(), Some(Line::Interrupt)) {
            lines.pop_front();
            self.interrupt.raise();
        }
    }
}

/// The transport of a dialogue.
pub(crate) struct Actor {
    stage: Stage,
    identity: Identity,
    index: usize,
}

impl Actor {
    pub(crate) fn new(stage: Stage) -> Self {
        Self {
            stage,
            identity: Identity::new(Bus::Virtual, b"MODEL", b"SERIAL0001          ", b"1"),
            index: 0,
        }
    }

    fn differs(&self, got: impl std::fmt::Debug, expected: impl std::fmt::Debug) -> Error {
        Error::Script {
            index: self.index,
            difference: format!("got {got:02x?}, expected {expected:02x?}"),
        }
    }
}

impl Transport for Actor {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.index += 1;
        match self.stage.next() {
            Some(Line::Refuse(status)) => Err(Error::Interface {
                command: "IF-SEND",
                status,
            }),
            Some(Line::SendAny) => Ok(()),
            Some(Line::Manage(expected_id, expected))
                if protocol == SecurityProtocol::TCG_MANAGEMENT && com_id == expected_id =>
            {
                match data == expected {
                    true => Ok(()),
                    false => Err(self.differs(data, expected)),
                }
            }
            Some(Line::Send(expected_protocol, mut expected)) => {
                expected.resize(expected.len().next_multiple_of(512), 0);
                if protocol == expected_protocol && com_id == COM_ID && data == expected {
                    Ok(())
                } else {
                    Err(self.differs(data, expected))
                }
            }
            line => Err(self.differs(data, line)),
        }
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        _com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        self.index += 1;
        let bytes = match self.stage.next() {
            Some(Line::Recv(expected, bytes)) if protocol == expected => bytes,
            Some(Line::RecvInto(size, bytes)) if buffer.len() == size => bytes,
            Some(Line::Refuse(status)) => {
                return Err(Error::Interface {
                    command: "IF-RECV",
                    status,
                });
            }
            line => return Err(self.differs(buffer.len(), line)),
        };
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        Ok(length)
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        65_536
    }
}
