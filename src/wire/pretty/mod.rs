//! Indented text of any payload, for traces and for people who decode captures.
//!
//! Objects, methods, parameters and columns appear by name, statuses by the standard's word, errors in
//! place and with their offset. Nothing here fails, whatever the bytes are, and the text is bounded.
//!
//! **PINs are masked.** A byte string appears only if it can't be one: a UID of a known table, a
//! property's or an object's name, or contents of the shadow MBR and of DataStore tables, which are
//! abbreviated. Everything else shows its length, and where tokens are damaged not even integers
//! appear. [`Masking::Off`] is for people who decode their own captures and ask for it.
//!
//! ```
//! use sedkit::spec::{ComId, Hsn, Tsn, method, uid};
//! use sedkit::wire::{ComPacket, MethodCall, Value, pretty};
//!
//! let call = MethodCall::new(uid::C_PIN_SID, method::SET)
//!     .optional(1, Value::list([Value::named(3_u64, "password")]));
//! let packet = ComPacket::with_tokens(ComId(0x1004), Tsn(0x1001), Hsn(0x69), &call.encode());
//! let text = pretty::com_packet(&packet.encode());
//! assert!(text.contains("Call C_PIN_SID.Set"));
//! assert!(text.contains("PIN = <8 bytes masked>"));
//! ```

mod descriptor;
mod labels;
mod management;
mod packets;
mod page;
mod stream;
mod values;

use super::ComPacket;
use crate::spec::{ComId, SecurityProtocol, Uid};
use page::Page;

/// Whether PINs appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masking {
    /// They don't.
    On,
    /// They do: only for somebody's own capture, on request.
    Off,
}

/// Which way a payload went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the drive, by IF-SEND.
    Send,
    /// From the drive, by IF-RECV.
    Receive,
}

/// Prints payloads one after the other.
///
/// It remembers the last method call, so that the columns of the answer have names.
#[derive(Clone, Debug)]
pub struct Printer {
    masking: Masking,
    last_call: Option<LastCall>,
}

/// What the next answer answers.
#[derive(Clone, Copy, Debug)]
struct LastCall {
    invoking_id: Uid,
    method_id: Uid,
}

impl Printer {
    /// A printer that has seen nothing yet.
    #[must_use]
    pub const fn new(masking: Masking) -> Self {
        Self {
            masking,
            last_call: None,
        }
    }

    /// The text of what an IF-SEND or IF-RECV moved.
    pub fn payload(
        &mut self,
        direction: Direction,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> String {
        match (protocol, com_id.0, direction) {
            (SecurityProtocol::TCG, 0x0001 | 0x0002, Direction::Receive) => self.discovery(data),
            // A drive ignores what is sent there, so nobody knows what it is.
            (SecurityProtocol::TCG, 0x0001 | 0x0002, Direction::Send)
            | (SecurityProtocol::INFORMATION, _, Direction::Send) => {
                management::other(protocol, data)
            }
            (SecurityProtocol::TCG, ..) => self.com_packet(data),
            (SecurityProtocol::INFORMATION, ..) => management::information(com_id, data),
            (SecurityProtocol::TCG_MANAGEMENT, ..) => management::management(com_id, data),
            _ => management::other(protocol, data),
        }
    }

    /// The text of a ComPacket; what follows it is padding.
    pub fn com_packet(&mut self, data: &[u8]) -> String {
        let mut page = Page::default();
        self.print_com_packet(&mut page, data);
        page.finish()
    }

    /// The text of ComPackets that follow each other, as [`ComPacket::split`] finds them.
    pub fn com_packets(&mut self, capture: &[u8]) -> String {
        let mut page = Page::default();
        for part in ComPacket::split(capture) {
            self.print_com_packet(&mut page, part);
        }
        page.finish()
    }

    /// The text of a token stream.
    pub fn tokens(&mut self, tokens: &[u8]) -> String {
        let mut page = Page::default();
        self.print_stream(&mut page, tokens);
        page.finish()
    }

    /// The text of a response to Level 0 Discovery.
    #[must_use]
    pub fn discovery(&self, data: &[u8]) -> String {
        let mut page = Page::default();
        descriptor::print(&mut page, data);
        page.finish()
    }
}

/// The text of one payload, masked.
#[must_use]
pub fn payload(
    direction: Direction,
    protocol: SecurityProtocol,
    com_id: ComId,
    data: &[u8],
) -> String {
    Printer::new(Masking::On).payload(direction, protocol, com_id, data)
}

/// The text of one ComPacket, masked.
#[must_use]
pub fn com_packet(data: &[u8]) -> String {
    Printer::new(Masking::On).com_packet(data)
}

/// The text of ComPackets that follow each other, masked.
#[must_use]
pub fn com_packets(capture: &[u8]) -> String {
    Printer::new(Masking::On).com_packets(capture)
}

/// The text of one token stream, masked.
#[must_use]
pub fn tokens(tokens: &[u8]) -> String {
    Printer::new(Masking::On).tokens(tokens)
}

/// The text of one response to Level 0 Discovery, which holds no secret.
#[must_use]
pub fn discovery(data: &[u8]) -> String {
    Printer::new(Masking::On).discovery(data)
}
