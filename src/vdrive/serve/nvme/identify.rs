//! Identify (\[NVMe\] Identify command).

use super::answer::Answer;
use super::command::Command;
use super::connect::Link;
use super::controller::MAX_EVENT_REQUESTS;
use super::flow::{Flow, IN_CAPSULE, Length, MDTS};
use super::namespace::{ALL, Namespace};
use super::outcome::Status;
use super::page::Page;
use super::registers::{QUEUE_ENTRIES, VERSION};
use super::subsystem::Subsystem;

/// Bytes of every data structure of Identify.
const DATA: usize = 4096;

/// CNS: a namespace.
const NAMESPACE: u8 = 0x00;
/// CNS: the controller.
const CONTROLLER: u8 = 0x01;
/// CNS: the active namespaces.
const NAMESPACES: u8 = 0x02;
/// CNS: the identifiers of a namespace.
const DESCRIPTORS: u8 = 0x03;
/// CNS: what an I/O command set says of a namespace.
const SET_NAMESPACE: u8 = 0x05;
/// CNS: what an I/O command set says of the controller.
const SET_CONTROLLER: u8 = 0x06;

/// The data of Identify.
pub(super) fn flow(command: &Command) -> Result<Flow, Status> {
    Flow::to_host(command, Length::AtLeast(4096))
}

/// Identify.
pub(super) fn execute(link: &Link, command: &Command) -> Result<Answer, Status> {
    let subsystem = &*link.subsystem;
    let [structure, ..] = command.cdw(10).to_le_bytes();
    let nsid = command.nsid();
    let page = match structure {
        NAMESPACE => namespace(subsystem.namespace(nsid)?),
        CONTROLLER => controller(subsystem, link.controller.id()),
        NAMESPACES => namespaces(subsystem, nsid)?,
        DESCRIPTORS => descriptors(subsystem.namespace(nsid)?),
        // Plain formats of the NVM command set have nothing to say here.
        SET_NAMESPACE if is_nvm(command) => {
            subsystem.namespace(nsid)?;
            Page::new(DATA)
        }
        SET_CONTROLLER if is_nvm(command) => Page::new(DATA),
        _ => return Err(Status::INVALID_FIELD),
    };
    Ok(Answer::Data(page.into_bytes()))
}

/// CSI, CDW11 bits 31:24, is that of the NVM command set.
fn is_nvm(command: &Command) -> bool {
    command.cdw(11) >> 24 == 0
}

/// Identify Controller data structure.
fn controller(subsystem: &Subsystem, id: u16) -> Page {
    let page = general(subsystem, id);
    let page = admin_fields(page);
    let page = nvm_fields(page, subsystem);
    fabrics_fields(page, subsystem)
}

/// Controller Capabilities and Features, bytes 0 to 255.
fn general(subsystem: &Subsystem, id: u16) -> Page {
    let info = subsystem.info();
    Page::new(DATA)
        .put_text(4, &info.serial, 20)
        .put_text(24, &info.model, 40)
        .put_text(64, &info.firmware, 8)
        // CMIC bit 1: there may be more controllers.
        .put(76, &[1 << 1])
        .put(77, &[MDTS])
        .put(78, &id.to_le_bytes())
        .put(80, &VERSION.to_le_bytes())
        // CTRATT bit 0: Host Identifiers of 128 bits.
        .put(96, &1_u32.to_le_bytes())
        // CNTRLTYPE: an I/O controller.
        .put(111, &[1])
}

/// Admin Command Set Attributes, bytes 256 to 511.
fn admin_fields(page: Page) -> Page {
    let events = u8::try_from(MAX_EVENT_REQUESTS - 1).unwrap_or(u8::MAX);
    // OACS bit 0: Security Send and Security Receive.
    page.put(256, &1_u16.to_le_bytes())
        // ACL, AERL; both 0's based.
        .put(258, &[3, events])
        // FRMW: one slot (bits 3:1), which is read-only (bit 0).
        .put(260, &[1 << 1 | 1])
        // LPA bit 1: commands supported and effects; bit 2: offsets.
        .put(261, &[1 << 2 | 1 << 1])
        // WCTEMP, CCTEMP in Kelvin.
        .put(266, &0x0157_u16.to_le_bytes())
        .put(268, &0x0175_u16.to_le_bytes())
        // KAS, in units of 100 ms.
        .put(320, &100_u16.to_le_bytes())
}

/// NVM Command Set Attributes, bytes 512 to 703.
fn nvm_fields(page: Page, subsystem: &Subsystem) -> Page {
    let count = count(subsystem);
    // SQES, CQES: entries of 64 and 16 bytes, no other.
    page.put(512, &[0x66, 0x44])
        .put(514, &QUEUE_ENTRIES.to_le_bytes())
        // NN.
        .put(516, &count.to_le_bytes())
        // ONCS: Compare (0), Dataset Management (2), Write Zeroes (3).
        .put(520, &(1_u16 << 3 | 1 << 2 | 1).to_le_bytes())
        // VWC: there is a cache (0), and Flush takes the NSID of all (2:1).
        .put(525, &[0b11 << 1 | 1])
        // SGLS: supported (1:0), offsets into the capsule (20), by the transport (21).
        .put(536, &(1_u32 << 21 | 1 << 20 | 1).to_le_bytes())
        // MNAN.
        .put(540, &count.to_le_bytes())
}

/// SUBNQN, and Fabrics Specific, bytes 1792 to 2047.
fn fabrics_fields(page: Page, subsystem: &Subsystem) -> Page {
    /// Bytes of a submission queue entry, in the units of IOCCSZ.
    const ENTRY: u32 = 4;
    let in_capsule = u32::try_from(IN_CAPSULE / 16).unwrap_or_default();
    page.put(768, subsystem.nqn().as_bytes())
        // IOCCSZ, IORCSZ in units of 16 bytes.
        .put(1792, &(ENTRY + in_capsule).to_le_bytes())
        .put(1796, &1_u32.to_le_bytes())
        // MSDBD: one descriptor.
        .put(1803, &[1])
        // OFCS bit 0: Disconnect.
        .put(1804, &1_u16.to_le_bytes())
}

/// Identify Namespace data structure (\[NVM\] Identify Namespace).
fn namespace(namespace: &Namespace) -> Page {
    let blocks = namespace.blocks.to_le_bytes();
    let block_exponent = u8::try_from(namespace.block_size.trailing_zeros()).unwrap_or_default();
    // NSZE, NCAP, NUSE.
    Page::new(DATA)
        .put(0, &blocks)
        .put(8, &blocks)
        .put(16, &blocks)
        // NMIC bit 0: other controllers may have it too.
        .put(30, &[1])
        // DLFEAT: deallocated blocks read as zeros (1), Write Zeroes may deallocate (bit 3).
        .put(33, &[1 << 3 | 1])
        .put(104, &namespace.nguid)
        .put(120, &namespace.eui64)
        // LBADS of LBAF0.
        .put(130, &[block_exponent])
}

/// The active NSIDs above one.
fn namespaces(subsystem: &Subsystem, above: u32) -> Result<Page, Status> {
    if above >= ALL - 1 {
        return Err(Status::INVALID_NAMESPACE);
    }
    let active = above.saturating_add(1)..=count(subsystem);
    let list = active.flat_map(u32::to_le_bytes).take(DATA);
    Ok(Page::new(DATA).put(0, &list.collect::<Vec<_>>()))
}

/// Namespace Identification Descriptors: NIDT, NIDL, two reserved bytes, NID.
fn descriptors(namespace: &Namespace) -> Page {
    let eui64 = [&[1, 8, 0, 0][..], &namespace.eui64].concat();
    let nguid = [&[2, 16, 0, 0][..], &namespace.nguid].concat();
    Page::new(DATA).put(0, &eui64).put(eui64.len(), &nguid)
}

/// The highest NSID.
fn count(subsystem: &Subsystem) -> u32 {
    u32::try_from(subsystem.namespaces().len()).unwrap_or(u32::MAX)
}
