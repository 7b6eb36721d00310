//! Get Log Page (\[NVMe\] Get Log Page command).

use super::answer::Answer;
use super::command::Command;
use super::connect::Link;
use super::flow::{Flow, Length};
use super::opcode::{admin, io};
use super::outcome::Status;
use super::page::Page;

/// Error Information: one entry, which is empty.
const ERRORS: u8 = 0x01;
/// SMART / Health Information.
const HEALTH: u8 = 0x02;
/// Firmware Slot Information.
const FIRMWARE: u8 = 0x03;
/// Commands Supported and Effects.
const EFFECTS: u8 = 0x05;

/// The data of Get Log Page.
pub(super) fn flow(command: &Command) -> Result<Flow, Status> {
    length_of(command).ok_or(Status::INVALID_LOG_PAGE)?;
    Flow::to_host(command, Length::AtLeast(wanted(command)))
}

/// Get Log Page; what is asked for beyond the end of the log is zero.
pub(super) fn execute(link: &Link, command: &Command) -> Result<Answer, Status> {
    let length = length_of(command).ok_or(Status::INVALID_LOG_PAGE)?;
    let offset = u64::from(command.cdw(12)) | u64::from(command.cdw(13)) << 32;
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    if offset > length || !offset.is_multiple_of(4) {
        return Err(Status::INVALID_FIELD);
    }
    let mut log = match identifier(command) {
        HEALTH => health(link, length),
        FIRMWARE => firmware(link, length),
        EFFECTS => effects(length),
        _ => Page::new(length),
    }
    .into_bytes();
    log.drain(..offset);
    log.truncate(usize::try_from(wanted(command)).unwrap_or(usize::MAX));
    Ok(Answer::Data(log))
}

/// LID.
fn identifier(command: &Command) -> u8 {
    command.cdw(10).to_le_bytes()[0]
}

/// Bytes of a log, if there is that one.
fn length_of(command: &Command) -> Option<usize> {
    match identifier(command) {
        ERRORS => Some(64),
        HEALTH | FIRMWARE => Some(512),
        EFFECTS => Some(4096),
        _ => None,
    }
}

/// Bytes that the host wants: NUMDL, CDW10 bits 31:16, and NUMDU, CDW11 bits 15:0; 0's based.
fn wanted(command: &Command) -> u64 {
    let low = u64::from(command.cdw(10) >> 16);
    let high = u64::from(command.cdw(11) & 0xffff);
    ((high << 16 | low) + 1) * 4
}

fn health(link: &Link, length: usize) -> Page {
    let power_cycles = link.subsystem.shared().power_cycles();
    Page::new(length)
        // Composite Temperature in Kelvin, Available Spare and its threshold in percent.
        .put(1, &300_u16.to_le_bytes())
        .put(3, &[100, 10])
        .put(112, &power_cycles.to_le_bytes())
}

fn firmware(link: &Link, length: usize) -> Page {
    // AFI: slot 1 is active.
    Page::new(length)
        .put(0, &[1])
        .put_text(8, &link.subsystem.info().firmware, 8)
}

/// A dword for each opcode: admin commands, then I/O commands.
fn effects(length: usize) -> Page {
    /// CSUPP.
    const SUPPORTED: u8 = 1;
    /// LBCC: the content of logical blocks changes.
    const CHANGES_BLOCKS: u8 = 1 << 1;
    const ADMIN: usize = 0;
    const IO: usize = 1024;
    let entry = |page: Page, (table, opcode, effect): (usize, u8, u8)| {
        page.put(table + usize::from(opcode) * 4, &[SUPPORTED | effect])
    };
    let admin = [
        (ADMIN, admin::GET_LOG_PAGE, 0),
        (ADMIN, admin::IDENTIFY, 0),
        (ADMIN, admin::ABORT, 0),
        (ADMIN, admin::SET_FEATURES, 0),
        (ADMIN, admin::GET_FEATURES, 0),
        (ADMIN, admin::EVENT_REQUEST, 0),
        (ADMIN, admin::KEEP_ALIVE, 0),
        (ADMIN, admin::SECURITY_SEND, CHANGES_BLOCKS),
        (ADMIN, admin::SECURITY_RECEIVE, 0),
    ];
    let io = [
        (IO, io::FLUSH, 0),
        (IO, io::WRITE, CHANGES_BLOCKS),
        (IO, io::READ, 0),
        (IO, io::COMPARE, 0),
        (IO, io::WRITE_ZEROES, CHANGES_BLOCKS),
        (IO, io::DATASET_MANAGEMENT, CHANGES_BLOCKS),
    ];
    admin.into_iter().chain(io).fold(Page::new(length), entry)
}
