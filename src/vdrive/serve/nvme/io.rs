//! I/O commands (\[NVM\] NVM Command Set).
//!
//! The drive decides over locked blocks, for every block of a command, when the data move.

use std::sync::MutexGuard;

use super::answer::{Answer, Answered, DONE};
use super::command::Command;
use super::connect::Link;
use super::flow::{Flow, Length};
use super::namespace::{ALL, Extent, Namespace};
use super::opcode::io::{COMPARE, DATASET_MANAGEMENT, FLUSH, READ, WRITE, WRITE_ZEROES};
use super::outcome::Status;
use crate::vdrive::{MediaError, VirtualDrive};

/// CDW12 bit 30: FUA.
const FORCE_UNIT_ACCESS: u32 = 1 << 30;
/// CDW12 bits 23:20 of Write: DTYPE.
const DIRECTIVE: u32 = 0xf << 20;
/// CDW11 bit 2 of Dataset Management: AD.
const DEALLOCATE: u32 = 1 << 2;
/// Bytes of a range of Dataset Management.
const RANGE: usize = 16;

/// A command whose parameters are sound.
enum Request<'n> {
    Flush,
    Read(Extent),
    Write(Extent),
    Compare(Extent),
    WriteZeroes(Extent),
    /// How many ranges the data hold, and whether their blocks are no longer needed.
    Dataset {
        namespace: &'n Namespace,
        ranges: usize,
        deallocates: bool,
    },
}

/// The data of an I/O command, after the checks that need none.
pub(super) fn flow(link: &Link, command: &Command) -> Result<Flow, Status> {
    let bytes = |extent: Extent| -> Result<Length, Status> {
        let namespace = link.subsystem.namespace(command.nsid())?;
        Ok(Length::Exactly(
            extent.blocks * u64::from(namespace.block_size),
        ))
    };
    match Request::read(link, command)? {
        Request::Flush | Request::WriteZeroes(_) => Ok(Flow::Nothing),
        Request::Read(extent) => Flow::to_host(command, bytes(extent)?),
        Request::Write(extent) | Request::Compare(extent) => {
            Flow::from_host(command, bytes(extent)?)
        }
        Request::Dataset { ranges, .. } => {
            let least = u64::try_from(ranges * RANGE).unwrap_or(u64::MAX);
            Flow::from_host(command, Length::AtLeast(least))
        }
    }
}

/// Carries out an I/O command.
pub(super) fn execute(link: &Link, command: &Command, data: &[u8]) -> Answered {
    let request = Request::read(link, command)?;
    let mut drive = link.subsystem.shared().lock();
    if link.is_over() {
        return Ok(Answer::Held);
    }
    let is_durable = command.cdw(12) & FORCE_UNIT_ACCESS != 0;
    let is_durable = is_durable && !matches!(request, Request::Dataset { .. });
    let media = Media {
        is_durable: is_durable || !link.controller.features().write_cache,
        drive: &mut drive,
    };
    Ok(media.execute(&request, data)?)
}

impl<'n> Request<'n> {
    /// Checks opcode, namespace, fields and blocks, in this order.
    fn read(link: &'n Link, command: &Command) -> Result<Self, Status> {
        if !is_known(command.opcode()) {
            return Err(Status::INVALID_OPCODE);
        }
        if command.opcode() == FLUSH && command.nsid() == ALL {
            return Ok(Self::Flush);
        }
        let namespace = link.subsystem.namespace(command.nsid())?;
        match command.opcode() {
            FLUSH => Ok(Self::Flush),
            WRITE if command.cdw(12) & DIRECTIVE != 0 => Err(Status::INVALID_FIELD),
            WRITE => Ok(Self::Write(extent(namespace, command)?)),
            READ => Ok(Self::Read(extent(namespace, command)?)),
            COMPARE => Ok(Self::Compare(extent(namespace, command)?)),
            WRITE_ZEROES => Ok(Self::WriteZeroes(extent(namespace, command)?)),
            _ => Ok(Self::Dataset {
                namespace,
                ranges: usize::from(command.cdw(10).to_le_bytes()[0]) + 1,
                deallocates: command.cdw(11) & DEALLOCATE != 0,
            }),
        }
    }
}

const fn is_known(opcode: u8) -> bool {
    matches!(
        opcode,
        FLUSH | WRITE | READ | COMPARE | WRITE_ZEROES | DATASET_MANAGEMENT
    )
}

/// SLBA, CDW10 and CDW11, and NLB, CDW12 bits 15:0, which is 0's based.
fn extent(namespace: &Namespace, command: &Command) -> Result<Extent, Status> {
    let slba = u64::from(command.cdw(10)) | u64::from(command.cdw(11)) << 32;
    namespace.extent(slba, u64::from(command.cdw(12) & 0xffff) + 1)
}

/// The media, for one command.
struct Media<'d, 'g> {
    drive: &'d mut MutexGuard<'g, VirtualDrive>,
    /// What was written must survive a loss of power before the command completes.
    is_durable: bool,
}

impl Media<'_, '_> {
    fn execute(mut self, request: &Request<'_>, data: &[u8]) -> Result<Answer, Status> {
        match *request {
            Request::Flush => self.flush()?,
            Request::Read(extent) => return self.read(extent).map(Answer::Data),
            Request::Compare(extent) => {
                if self.read(extent)? != data {
                    return Err(Status::COMPARE_FAILURE);
                }
            }
            Request::Write(extent) => {
                let written = self.drive.write(extent.lba, data);
                written.map_err(|error| status(&error, Status::WRITE_FAULT))?;
                self.settle()?;
            }
            Request::WriteZeroes(extent) => self.deallocate(&[extent])?,
            Request::Dataset {
                namespace,
                ranges,
                deallocates,
            } => {
                let extents = extents(namespace, data, ranges)?;
                if deallocates {
                    self.deallocate(&extents)?;
                }
            }
        }
        Ok(DONE)
    }

    /// With FUA, what is read must be durable, whoever wrote it.
    fn read(&mut self, extent: Extent) -> Result<Vec<u8>, Status> {
        let read = self.drive.read(extent.lba, extent.blocks);
        let data = read.map_err(|error| status(&error, Status::UNRECOVERED_READ))?;
        self.settle()?;
        Ok(data)
    }

    /// Makes blocks read as zeros: all of them or, if one is locked, none.
    fn deallocate(&mut self, extents: &[Extent]) -> Result<(), Status> {
        let extents = extents.iter().map(|extent| (extent.lba, extent.blocks));
        let deallocated = self.drive.deallocate_all(&extents.collect::<Vec<_>>());
        deallocated.map_err(|error| status(&error, Status::WRITE_FAULT))?;
        self.settle()
    }

    fn settle(&mut self) -> Result<(), Status> {
        if self.is_durable {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<(), Status> {
        self.drive.flush().map_err(|_| Status::WRITE_FAULT)
    }
}

/// The ranges of Dataset Management: attributes u32, length u32, SLBA u64. Empty ones are left out.
fn extents(namespace: &Namespace, data: &[u8], count: usize) -> Result<Vec<Extent>, Status> {
    let ranges = data.as_chunks::<RANGE>().0.iter().take(count);
    let range = |range: &[u8; RANGE]| {
        let [_, _, _, _, l0, l1, l2, l3, slba @ ..] = *range;
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        namespace.extent(u64::from_le_bytes(slba), length.into())
    };
    let extents = ranges.map(range).collect::<Result<Vec<_>, _>>()?;
    let filled = extents.into_iter().filter(|extent| extent.blocks > 0);
    Ok(filled.collect())
}

/// The status of a refusal; `fault` if the medium failed.
const fn status(error: &MediaError, fault: Status) -> Status {
    match error {
        MediaError::DataProtection => Status::ACCESS_DENIED,
        MediaError::InvalidParameter | MediaError::Length { .. } => Status::INVALID_FIELD,
        MediaError::OutOfRange { .. } => Status::LBA_OUT_OF_RANGE,
        MediaError::Store(_) => fault,
    }
}
