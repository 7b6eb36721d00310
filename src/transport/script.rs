//! A transport that expects exact commands and gives prepared answers, for tests and for replays.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Error, Identity, InterfaceStatus, MAX_BUFFER, Transport};
use crate::spec::{ComId, SecurityProtocol};

/// A dialogue that must happen as it is written.
///
/// Commands are compared with the script one by one; the first that differs, and every one after
/// it, is answered with [`Error::Script`].
/// Padding with zeros to a multiple of 512 bytes makes no difference.
pub struct Script {
    identity: Identity,
    max_transfer: usize,
    comparison: Comparison,
    dialogue: Arc<Mutex<Dialogue>>,
}

/// Checks a [`Script`] after the transport has been given away.
#[derive(Clone)]
pub struct ScriptHandle(Arc<Mutex<Dialogue>>);

/// How commands are compared with the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Padding with zeros to whole blocks, and the size of receive buffers, make no difference.
    IgnorePadding,
    /// Everything must be equal.
    Strict,
}

#[derive(Default)]
struct Dialogue {
    steps: VecDeque<Step>,
    done: usize,
}

/// A command that is expected, and what comes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) expected: Command,
    pub(super) outcome: Result<Vec<u8>, Refusal>,
}

/// An interface command without its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) protocol: SecurityProtocol,
    pub(super) com_id: ComId,
    pub(super) body: Body,
}

/// What an interface command moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// IF-SEND with this data.
    Send(Vec<u8>),
    /// IF-RECV into a buffer of this size.
    Receive(usize),
}

/// Why a command is refused, in a form that can be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// By the drive.
    Interface(InterfaceStatus),
    /// By the kernel, with this error number.
    Os(i32),
    /// Because there are no security commands.
    NotSupported,
}

impl Script {
    /// A script without commands, for a drive that says to be `identity`.
    #[must_use]
    pub fn new(identity: Identity) -> Self {
        Self {
            identity,
            max_transfer: MAX_BUFFER,
            comparison: Comparison::IgnorePadding,
            dialogue: Arc::default(),
        }
    }

    /// Sets what [`Transport::max_transfer`] answers.
    #[must_use]
    pub const fn with_max_transfer(mut self, max_transfer: usize) -> Self {
        self.max_transfer = max_transfer;
        self
    }

    pub(super) const fn with_comparison(mut self, comparison: Comparison) -> Self {
        self.comparison = comparison;
        self
    }

    /// Expects an IF-SEND of `data`.
    #[must_use]
    pub fn send(self, protocol: SecurityProtocol, com_id: ComId, data: impl Into<Vec<u8>>) -> Self {
        let expected = Command {
            protocol,
            com_id,
            body: Body::Send(data.into()),
        };
        self.then(Step {
            expected,
            outcome: Ok(Vec::new()),
        })
    }

    /// Expects an IF-RECV and answers it with `answer`, as far as the buffer has room for it.
    #[must_use]
    pub fn recv(
        self,
        protocol: SecurityProtocol,
        com_id: ComId,
        answer: impl Into<Vec<u8>>,
    ) -> Self {
        let expected = Command {
            protocol,
            com_id,
            body: Body::Receive(0),
        };
        self.then(Step {
            expected,
            outcome: Ok(answer.into()),
        })
    }

    /// Lets the drive refuse the command that was expected last.
    #[must_use]
    pub fn refuse(self, status: InterfaceStatus) -> Self {
        if let Some(step) = lock(&self.dialogue).steps.back_mut() {
            step.outcome = Err(Refusal::Interface(status));
        }
        self
    }

    pub(super) fn then(self, step: Step) -> Self {
        lock(&self.dialogue).steps.push_back(step);
        self
    }

    /// What checks the script later.
    #[must_use]
    pub fn handle(&self) -> ScriptHandle {
        ScriptHandle(Arc::clone(&self.dialogue))
    }

    /// Compares a command with the script and takes its outcome out.
    fn take(&self, got: &Command) -> Result<Vec<u8>, Error> {
        let mut dialogue = lock(&self.dialogue);
        let index = dialogue.done;
        let Some(step) = dialogue.steps.front() else {
            let difference = format!("got {got}, expected nothing more");
            return Err(Error::Script { index, difference });
        };
        if let Some(difference) = self.comparison.difference(got, &step.expected) {
            return Err(Error::Script { index, difference });
        }
        dialogue.done += 1;
        let step = dialogue.steps.pop_front();
        let outcome = step.map_or_else(|| Ok(Vec::new()), |step| step.outcome);
        outcome.map_err(|refusal| refusal.error(got.name()))
    }
}

impl ScriptHandle {
    /// Checks that every expected command has come.
    ///
    /// # Errors
    /// [`Error::Script`] with the first that has not.
    pub fn finish(&self) -> Result<(), Error> {
        let dialogue = lock(&self.0);
        match dialogue.steps.front() {
            None => Ok(()),
            Some(step) => Err(Error::Script {
                index: dialogue.done,
                difference: format!("got nothing more, expected {}", step.expected),
            }),
        }
    }

    /// How many commands have come as expected.
    #[must_use]
    pub fn done(&self) -> usize {
        lock(&self.0).done
    }
}

/// A dialogue is whole at every moment, so a panic elsewhere leaves it as good as it was.
fn lock(dialogue: &Mutex<Dialogue>) -> MutexGuard<'_, Dialogue> {
    dialogue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Comparison {
    /// Says how a command differs from what is expected, without showing its data, which may hold a
    /// PIN.
    fn difference(self, got: &Command, expected: &Command) -> Option<String> {
        let is_same = match (&got.body, &expected.body) {
            (Body::Send(got), Body::Send(expected)) => self.is_same_data(got, expected),
            (Body::Receive(got), Body::Receive(expected)) => {
                self == Self::IgnorePadding || got == expected
            }
            _ => false,
        };
        if is_same && (got.protocol, got.com_id) == (expected.protocol, expected.com_id) {
            return None;
        }
        let place = match (&got.body, &expected.body) {
            (Body::Send(got), Body::Send(expected)) => first_difference(got, expected),
            _ => None,
        };
        let place = place.map_or_else(String::new, |at| format!("; data differ at byte {at}"));
        Some(format!("got {got}, expected {expected}{place}"))
    }

    fn is_same_data(self, got: &[u8], expected: &[u8]) -> bool {
        if self == Self::Strict {
            return got == expected;
        }
        let blocks = |data: &[u8]| data.len().max(1).div_ceil(512);
        first_difference(got, expected).is_none() && blocks(got) == blocks(expected)
    }
}

/// The first byte that differs, if what the longer one has more is not all zeros.
fn first_difference(one: &[u8], other: &[u8]) -> Option<usize> {
    let byte = |data: &[u8], at: usize| data.get(at).copied().unwrap_or(0);
    (0..one.len().max(other.len())).find(|&at| byte(one, at) != byte(other, at))
}

impl Command {
    const fn name(&self) -> &'static str {
        match self.body {
            Body::Send(_) => "IF-SEND",
            Body::Receive(_) => "IF-RECV",
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            protocol, com_id, ..
        } = self;
        write!(f, "{} {:02x}h {com_id}", self.name(), protocol.0)?;
        match &self.body {
            Body::Send(data) => write!(f, " with {} bytes", data.len()),
            Body::Receive(0) => Ok(()),
            Body::Receive(size) => write!(f, " into {size} bytes"),
        }
    }
}

impl Refusal {
    fn error(self, command: &'static str) -> Error {
        match self {
            Self::Interface(status) => Error::Interface { command, status },
            Self::Os(number) => Error::Io {
                command,
                source: io::Error::from_raw_os_error(number),
            },
            Self::NotSupported => Error::NotSupported {
                path: "the script".to_owned(),
            },
        }
    }
}

impl Transport for Script {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        let got = Command {
            protocol,
            com_id,
            body: Body::Send(data.to_vec()),
        };
        self.take(&got).map(drop)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let got = Command {
            protocol,
            com_id,
            body: Body::Receive(buffer.len()),
        };
        let answer = self.take(&got)?;
        let arrived = buffer
            .iter_mut()
            .zip(answer)
            .map(|(place, byte)| *place = byte);
        Ok(arrived.count())
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        self.max_transfer
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bus;
    use super::*;

    const TCG: SecurityProtocol = SecurityProtocol::TCG;
    const COM_ID: ComId = ComId(0x07fe);

    fn script() -> Script {
        Script::new(Identity::new(Bus::Virtual, b"M", b"S", b"1"))
    }

    fn difference<T: fmt::Debug>(result: Result<T, Error>) -> (usize, String) {
        match result.unwrap_err() {
            Error::Script { index, difference } => (index, difference),
            error => panic!("{error}"),
        }
    }

    #[test]
    fn dialogue_as_written_is_played() {
        let mut script = script()
            .send(TCG, COM_ID, [1, 2, 3])
            .recv(TCG, COM_ID, [4, 5, 6])
            .with_max_transfer(2048);
        let handle = script.handle();
        script.if_send(TCG, COM_ID, &[1, 2, 3]).unwrap();
        let mut buffer = [0xa5; 5];
        assert_eq!(script.if_recv(TCG, COM_ID, &mut buffer).unwrap(), 3);
        assert_eq!(buffer, [4, 5, 6, 0xa5, 0xa5]);
        assert_eq!(script.max_transfer(), 2048);
        handle.finish().unwrap();
        assert_eq!(handle.done(), 2);
    }

    #[test]
    fn answer_longer_than_the_buffer_is_cut() {
        let mut script = script().recv(TCG, COM_ID, [1, 2, 3]);
        let mut buffer = [0; 2];
        assert_eq!(script.if_recv(TCG, COM_ID, &mut buffer).unwrap(), 2);
        assert_eq!(buffer, [1, 2]);
    }

    #[test]
    fn padding_makes_no_difference() {
        for (written, sent) in [(84, 512), (512, 84), (512, 512), (0, 512)] {
            let data = |length: usize| {
                let mut data = vec![7; length.min(84).min(written).min(sent)];
                data.resize(length, 0);
                data
            };
            let mut script = script().send(TCG, COM_ID, data(written));
            script.if_send(TCG, COM_ID, &data(sent)).unwrap();
        }
    }

    #[test]
    fn another_block_is_no_padding() {
        let mut script = script().send(TCG, COM_ID, [0; 512]);
        let result = script.if_send(TCG, COM_ID, &[0; 1024]);
        assert_eq!(
            difference(result).1,
            "got IF-SEND 01h 0x07fe with 1024 bytes, expected IF-SEND 01h 0x07fe with 512 bytes"
        );
    }

    #[test]
    fn difference_names_the_place_but_not_the_data() {
        let mut script = script().send(TCG, COM_ID, [1, 2, 3]);
        let result = script.if_send(TCG, COM_ID, &[1, 2, 9]);
        assert_eq!(
            difference(result),
            (
                0,
                "got IF-SEND 01h 0x07fe with 3 bytes, expected IF-SEND 01h 0x07fe with 3 bytes; \
                 data differ at byte 2"
                    .to_owned()
            )
        );
    }

    #[test]
    fn other_command_protocol_or_com_id_is_a_difference() {
        let expected = "expected IF-SEND 01h 0x07fe with 1 bytes";
        let mut script = script().send(TCG, COM_ID, [1]);
        let results = [
            script.if_recv(TCG, COM_ID, &mut [0; 2]).map(drop),
            script.if_send(SecurityProtocol::TCG_MANAGEMENT, COM_ID, &[1]),
            script.if_send(TCG, ComId(1), &[1]),
        ];
        let got = [
            "IF-RECV 01h 0x07fe into 2 bytes",
            "IF-SEND 02h",
            "IF-SEND 01h 0x0001",
        ];
        for (result, got) in results.into_iter().zip(got) {
            let (index, text) = difference(result);
            assert_eq!(index, 0);
            assert!(
                text.starts_with(&format!("got {got}")) && text.contains(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_left_or_too_much_is_found() {
        let mut script = script().send(TCG, COM_ID, [1]).recv(TCG, COM_ID, [2]);
        let handle = script.handle();
        script.if_send(TCG, COM_ID, &[1]).unwrap();
        let left = difference(handle.finish());
        assert_eq!(
            left,
            (
                1,
                "got nothing more, expected IF-RECV 01h 0x07fe".to_owned()
            )
        );
        script.if_recv(TCG, COM_ID, &mut [0]).unwrap();
        let (index, text) = difference(script.if_send(TCG, COM_ID, &[]));
        assert_eq!((index, text.ends_with("expected nothing more")), (2, true));
    }

    #[test]
    fn refusals_are_the_drives() {
        let status = InterfaceStatus::InvalidParameter;
        let mut script = script().send(TCG, COM_ID, [1]).refuse(status);
        let error = script.if_send(TCG, COM_ID, &[1]).unwrap_err();
        let text = error.to_string();
        assert_eq!(
            text,
            "the drive refused IF-SEND: invalid protocol, length or parameter"
        );
    }
}
