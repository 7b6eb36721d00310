//! Which commands a logical unit knows. Dispatch and REPORT SUPPORTED OPERATION CODES read the same
//! table, so that they cannot disagree.

use super::cdb::Cdb;
use super::{
    Answer, Face, LogicalUnit, Request, block, inquiry, mode, opcodes, primary, sat, security,
};

/// A command.
pub(super) struct Command {
    pub opcode: u8,
    /// SERVICE ACTION, for operation codes that have one.
    pub service_action: Option<u16>,
    /// The face that has the command; none if both do.
    face: Option<Face>,
    /// The bits of the CDB that are evaluated; its length is that of the CDB (CDB usage data).
    pub usage: &'static [u8],
    /// It is carried out although a unit attention is pending (\[SAM\] 5.14).
    pub ignores_attention: bool,
    pub run: fn(&mut LogicalUnit, &Request<'_>) -> Answer,
}

impl Command {
    const fn new(usage: &'static [u8], run: fn(&mut LogicalUnit, &Request<'_>) -> Answer) -> Self {
        Self {
            opcode: usage[0],
            service_action: None,
            face: None,
            usage,
            ignores_attention: false,
            run,
        }
    }

    /// A command of an operation code that has service actions.
    const fn action(self, service_action: u16) -> Self {
        Self {
            service_action: Some(service_action),
            ..self
        }
    }

    const fn only(self, face: Face) -> Self {
        Self {
            face: Some(face),
            ..self
        }
    }

    const fn despite_attention(self) -> Self {
        Self {
            ignores_attention: true,
            ..self
        }
    }

    fn is_on(&self, face: Face) -> bool {
        self.face.is_none_or(|only| only == face)
    }
}

/// The commands of a face, in ascending order.
pub(super) fn all(face: Face) -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().filter(move |command| command.is_on(face))
}

/// The command that a CDB names.
pub(super) fn find(face: Face, cdb: &Cdb) -> Option<&'static Command> {
    all(face).find(|command| {
        let action = command.service_action;
        command.opcode == cdb.opcode() && action.is_none_or(|action| action == cdb.service_action())
    })
}

/// There are commands of that operation code.
pub(super) fn has_opcode(face: Face, opcode: u8) -> bool {
    all(face).any(|command| command.opcode == opcode)
}

#[rustfmt::skip]
static COMMANDS: &[Command] = &[
    Command::new(&[0x00, 0, 0, 0, 0, 4], primary::test_unit_ready),
    Command::new(&[0x03, 1, 0, 0, 0xff, 4], primary::request_sense).despite_attention(),
    Command::new(&[0x08, 0x1f, 0xff, 0xff, 0xff, 4], block::read),
    Command::new(&[0x0a, 0x1f, 0xff, 0xff, 0xff, 4], block::write),
    Command::new(&[0x12, 1, 0xff, 0xff, 0xff, 4], inquiry::inquiry).despite_attention(),
    Command::new(&[0x1a, 8, 0xff, 0xff, 0xff, 4], mode::sense_6),
    Command::new(&[0x1b, 1, 0, 0x0f, 0xf7, 4], block::start_stop_unit),
    Command::new(&[0x25, 0, 0, 0, 0, 0, 0, 0, 0, 4], primary::read_capacity_10),
    Command::new(&[0x28, 0xf8, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 4], block::read),
    Command::new(&[0x2a, 0xf8, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 4], block::write),
    Command::new(&[0x2f, 0xf6, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 4], block::verify),
    Command::new(&[0x35, 2, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 4], block::synchronize_cache),
    Command::new(&[0x41, 0xf8, 0xff, 0xff, 0xff, 0xff, 0, 0xff, 0xff, 4], block::write_same),
    Command::new(&[0x42, 1, 0, 0, 0, 0, 0, 0xff, 0xff, 4], block::unmap),
    Command::new(&[0x5a, 0x18, 0xff, 0xff, 0, 0, 0, 0xff, 0xff, 4], mode::sense_10),
    Command::new(&[0x85, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 4], sat::pass_through_16).only(Face::Sat),
    Command::new(&[0x88, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], block::read),
    Command::new(&[0x8a, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], block::write),
    Command::new(&[0x8f, 0xf6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], block::verify),
    Command::new(&[0x91, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], block::synchronize_cache),
    Command::new(&[0x93, 0xf9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], block::write_same),
    Command::new(&[0x9e, 0x1f, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 4], primary::read_capacity_16).action(0x10),
    Command::new(&[0xa0, 0, 0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 4], primary::report_luns).despite_attention(),
    Command::new(&[0xa1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], sat::pass_through_12).only(Face::Sat),
    Command::new(&[0xa2, 0xff, 0xff, 0xff, 0x80, 0, 0xff, 0xff, 0xff, 0xff, 0, 4], security::protocol_in).only(Face::Sas),
    Command::new(&[0xa3, 0x1f, 0x87, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], opcodes::report).action(0x0c),
    Command::new(&[0xa8, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], block::read),
    Command::new(&[0xaa, 0xf8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 4], block::write),
    Command::new(&[0xb5, 0xff, 0xff, 0xff, 0x80, 0, 0xff, 0xff, 0xff, 0xff, 0, 4], security::protocol_out).only(Face::Sas),
];
