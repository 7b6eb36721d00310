//! Shows what passes: every interface command, and its payload as text.

use super::{Error, Facts, Identity, Transport};
use crate::spec::{ComId, SecurityProtocol};
use crate::wire::pretty::Direction;

/// Where a trace is written, one text at a time, each of whole lines.
pub type Sink = Box<dyn FnMut(&str) + Send>;

/// A transport that shows what passes through it.
///
/// `F` turns a payload into text, such as the printer of `wire::pretty` does; it
/// is its task to mask PINs. The trace itself prints no byte of a payload.
pub struct Trace<T, F> {
    inner: T,
    format: F,
    sink: Sink,
}

impl<T, F> Trace<T, F>
where
    T: Transport,
    F: FnMut(Direction, SecurityProtocol, ComId, &[u8]) -> String + Send,
{
    /// Wraps a transport.
    pub fn new(inner: T, format: F, sink: Sink) -> Self {
        Self {
            inner,
            format,
            sink,
        }
    }

    fn show(
        &mut self,
        direction: Direction,
        protocol: SecurityProtocol,
        com_id: ComId,
        payload: &[u8],
    ) {
        let head = head(name(direction), protocol, com_id, payload.len());
        let body = (self.format)(direction, protocol, com_id, payload);
        let lines = body.lines().map(|line| format!("  {line}\n"));
        let text: String = std::iter::once(format!("{head}\n")).chain(lines).collect();
        (self.sink)(&text);
    }

    fn show_error(&mut self, head: &str, error: &Error) {
        (self.sink)(&format!("{head}\n  {error}\n"));
    }
}

const fn name(direction: Direction) -> &'static str {
    match direction {
        Direction::Send => "IF-SEND",
        Direction::Receive => "IF-RECV",
    }
}

/// The line before a payload.
fn head(name: &str, protocol: SecurityProtocol, com_id: ComId, length: usize) -> String {
    format!("{name} {protocol} ComID {com_id}, {length} bytes")
}

impl<T, F> Transport for Trace<T, F>
where
    T: Transport,
    F: FnMut(Direction, SecurityProtocol, ComId, &[u8]) -> String + Send,
{
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.show(Direction::Send, protocol, com_id, data);
        let result = self.inner.if_send(protocol, com_id, data);
        if let Err(error) = &result {
            self.show_error("IF-SEND failed", error);
        }
        result
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let result = self.inner.if_recv(protocol, com_id, buffer);
        match &result {
            Ok(length) => {
                let payload = buffer.get(..*length).unwrap_or(buffer);
                self.show(Direction::Receive, protocol, com_id, payload);
            }
            Err(error) => self.show_error(&head("IF-RECV", protocol, com_id, 0), error),
        }
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::script::Script;
    use super::super::{Bus, InterfaceStatus};
    use super::*;

    const TCG: SecurityProtocol = SecurityProtocol::TCG;

    /// Runs a dialogue over a trace and returns what was shown.
    fn traced(script: Script, run: impl FnOnce(&mut dyn Transport)) -> String {
        let shown = Arc::new(Mutex::new(String::new()));
        let text = Arc::clone(&shown);
        let sink: Sink = Box::new(move |part| text.lock().unwrap().push_str(part));
        let format = |direction, protocol: SecurityProtocol, com_id: ComId, data: &[u8]| {
            let length = data.len();
            format!("{direction:?} {protocol} {com_id}\n{length} bytes masked\n")
        };
        run(&mut Trace::new(script, format, sink));
        let shown = shown.lock().unwrap();
        shown.clone()
    }

    fn script() -> Script {
        Script::new(Identity::new(Bus::Virtual, b"M", b"S", b"1"))
    }

    #[test]
    fn both_directions_are_shown_by_the_formatter() {
        let com_id = ComId(0x1004);
        let script = script()
            .send(TCG, com_id, *b"secret")
            .recv(TCG, com_id, [7; 3]);
        let shown = traced(script, |transport| {
            transport.if_send(TCG, com_id, b"secret").unwrap();
            transport.if_recv(TCG, com_id, &mut [0; 512]).unwrap();
        });
        let expected = "IF-SEND TCG 01 ComID 0x1004, 6 bytes\n  Send TCG 01 0x1004\n  6 bytes masked\n\
                        IF-RECV TCG 01 ComID 0x1004, 3 bytes\n  Receive TCG 01 0x1004\n  3 bytes masked\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn failures_are_shown() {
        let com_id = ComId(0x1004);
        let script = script()
            .send(TCG, com_id, [1])
            .refuse(InterfaceStatus::SequenceError)
            .recv(TCG, com_id, [])
            .refuse(InterfaceStatus::InvalidParameter);
        let shown = traced(script, |transport| {
            transport.if_send(TCG, com_id, &[1]).unwrap_err();
            transport.if_recv(TCG, com_id, &mut [0; 512]).unwrap_err();
        });
        let refusals = [
            "IF-SEND failed\n  the drive refused IF-SEND: synchronous protocol violation\n",
            "IF-RECV TCG 01 ComID 0x1004, 0 bytes\n  the drive refused IF-RECV: invalid protocol, \
             length or parameter\n",
        ];
        for refusal in refusals {
            assert!(shown.contains(refusal), "{shown}");
        }
    }
}
