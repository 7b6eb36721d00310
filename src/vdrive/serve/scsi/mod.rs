//! A SCSI direct-access logical unit over a shared drive, whatever carries its commands
//! (\[SPC\], \[SBC\]). In reading order:
//!
//! - `command`: which commands there are, in one table;
//! - `primary`, `inquiry`, `mode`, `opcodes`: what describes the unit;
//! - `block`: what reads and writes the medium;
//! - `security`: SECURITY PROTOCOL IN and OUT;
//! - `sat`, `ata`: the other face of the same drive, an ATA device behind a translation layer.

mod ata;
mod block;
mod cdb;
mod command;
mod inquiry;
mod mode;
mod opcodes;
mod primary;
mod sat;
mod security;
mod sense;

use std::sync::Arc;

use super::shared::SharedDrive;
use crate::transport::{self, InterfaceClass};
use crate::vdrive::{Label, MediaError, VirtualDrive};
use cdb::Cdb;
use sense::Format;
pub(crate) use sense::Sense;

/// What a host takes the drive for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// A SAS drive: SECURITY PROTOCOL IN and OUT.
    Sas,
    /// A SATA drive behind a SCSI/ATA translation layer: ATA PASS-THROUGH, and no SECURITY
    /// PROTOCOL.
    Sat,
}

/// SCSI status (\[SAM\] 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Good,
    CheckCondition,
}

impl Status {
    /// The status byte.
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Good => 0x00,
            Self::CheckCondition => 0x02,
        }
    }
}

/// What a command is answered with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Response {
    pub status: Status,
    /// Sense data, with CHECK CONDITION only.
    pub sense: Vec<u8>,
    /// Data for the host, never more than it has room for.
    pub data_in: Vec<u8>,
}

/// A logical unit.
pub(crate) struct LogicalUnit {
    drive: Arc<SharedDrive>,
    face: Face,
    label: Label,
    blocks: u64,
    block_size: u32,
    /// The power cycle that the host has been told of.
    power_cycle: Option<u64>,
}

/// A command as a handler gets it.
struct Request<'r> {
    cdb: Cdb,
    data_out: &'r [u8],
    /// Bytes that the host has room for.
    room: usize,
}

/// CHECK CONDITION, and what goes with it.
#[derive(Debug, PartialEq, Eq)]
struct Condition {
    sense: Sense,
    /// Descriptors beside the sense code; they force the descriptor format.
    descriptors: Vec<u8>,
    /// Data that are transferred nevertheless.
    data_in: Vec<u8>,
}

/// Data for the host, or why there are none.
type Answer = Result<Vec<u8>, Condition>;

impl LogicalUnit {
    /// The first command that can be is answered with the unit attention of a drive that has been
    /// switched on.
    pub(crate) fn new(drive: Arc<SharedDrive>, face: Face) -> Self {
        let (label, info) = {
            let drive = drive.lock();
            (drive.label().clone(), drive.info())
        };
        Self {
            drive,
            face,
            label,
            blocks: info.blocks,
            block_size: info.block_size,
            power_cycle: None,
        }
    }

    /// Carries out a command. `allocation` is how many bytes of data the host has room for.
    pub(crate) fn execute(&mut self, cdb: &[u8], data_out: &[u8], allocation: usize) -> Response {
        let request = Request {
            cdb: Cdb::new(cdb),
            data_out,
            room: allocation,
        };
        let (status, sense, mut data_in) = match self.answer(&request) {
            Ok(data_in) => (Status::Good, Vec::new(), data_in),
            Err(condition) => {
                let sense = self.encode_sense(&condition);
                (Status::CheckCondition, sense, condition.data_in)
            }
        };
        data_in.truncate(allocation);
        Response {
            status,
            sense,
            data_in,
        }
    }

    fn answer(&mut self, request: &Request<'_>) -> Answer {
        let command = command::find(self.face, &request.cdb);
        if !command.is_some_and(|command| command.ignores_attention) {
            self.attention()?;
        }
        let command = command.ok_or_else(|| self.unknown(&request.cdb))?;
        if request.cdb.length() < command.usage.len() {
            return Err(Sense::INVALID_FIELD.into());
        }
        (command.run)(self, request)
    }

    /// An operation code that is known has got a service action that is not.
    fn unknown(&self, cdb: &Cdb) -> Sense {
        if command::has_opcode(self.face, cdb.opcode()) {
            Sense::INVALID_FIELD
        } else {
            Sense::INVALID_OPCODE
        }
    }

    /// Tells the host once that the power was cut.
    fn attention(&mut self) -> Result<(), Sense> {
        let now = self.drive.power_cycles();
        match self.power_cycle.replace(now) {
            Some(known) if known == now => Ok(()),
            _ => Err(Sense::POWER_ON),
        }
    }

    fn encode_sense(&self, condition: &Condition) -> Vec<u8> {
        match condition.descriptors.as_slice() {
            [] => condition.sense.encode(self.sense_format()),
            descriptors => condition.sense.with_descriptors(descriptors),
        }
    }

    /// `D_SENSE` of the Control mode page: a translation layer has descriptors to report.
    const fn sense_format(&self) -> Format {
        match self.face {
            Face::Sas => Format::Fixed,
            Face::Sat => Format::Descriptor,
        }
    }

    /// Bytes of a logical block.
    fn block_bytes(&self) -> usize {
        usize::try_from(self.block_size).unwrap_or(usize::MAX)
    }

    /// Lets `act` use the medium.
    fn medium<T>(
        &self,
        act: impl FnOnce(&mut VirtualDrive) -> Result<T, MediaError>,
    ) -> Result<T, Sense> {
        let result = act(&mut self.drive.lock());
        result.map_err(|error| self.media_sense(&error))
    }

    /// Why the medium was not touched (\[SIIS\] 3.3).
    const fn media_sense(&self, error: &MediaError) -> Sense {
        match (error, self.face) {
            (MediaError::DataProtection, Face::Sas) => Sense::DATA_PROTECTION,
            (MediaError::DataProtection, Face::Sat) => Sense::TRANSLATED_LOCK,
            (MediaError::InvalidParameter | MediaError::Length { .. }, _) => Sense::INVALID_FIELD,
            (MediaError::OutOfRange { .. }, _) => Sense::OUT_OF_RANGE,
            (MediaError::Store(_), _) => Sense::INTERNAL_FAILURE,
        }
    }
}

impl From<Sense> for Condition {
    fn from(sense: Sense) -> Self {
        Self {
            sense,
            descriptors: Vec::new(),
            data_in: Vec::new(),
        }
    }
}

/// Why an interface command was refused (\[SIIS\] 3.3).
fn interface_sense(error: &transport::Error) -> Sense {
    let transport::Error::Interface { status, .. } = error else {
        return Sense::INTERNAL_FAILURE;
    };
    match status.class() {
        Some(InterfaceClass::InvalidParameter) => Sense::INVALID_FIELD,
        Some(InterfaceClass::SequenceError) => Sense::SEQUENCE_ERROR,
        Some(InterfaceClass::DataProtection) => Sense::DATA_PROTECTION,
        Some(InterfaceClass::OperationDenied) => Sense::OPERATION_DENIED,
        None => Sense::INTERNAL_FAILURE,
    }
}

/// `text` left-aligned in a field of so many characters.
fn field(text: &str, length: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(length, b' ');
    bytes
}

/// Cuts an answer to the ALLOCATION LENGTH of its CDB.
fn allocate(mut data: Vec<u8>, allocation: usize) -> Answer {
    data.truncate(allocation);
    Ok(data)
}

#[cfg(test)]
mod tests;
