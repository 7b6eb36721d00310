//! The controller's properties (\[NVMe\] Controller Properties).

use super::outcome::Status;

/// The most entries of a queue.
pub(super) const QUEUE_ENTRIES: u16 = 128;
/// VS: NVM Express 1.4.
pub(super) const VERSION: u32 = 0x0001_0400;

/// CAP: MQES, CQR bit 16, TO (15 × 500 ms) bits 31:24, CSS bit 37 (NVM command set).
const CAPABILITIES: u64 = 1 << 37 | 15 << 24 | 1 << 16 | (QUEUE_ENTRIES as u64 - 1);

/// CC.EN.
const ENABLE: u32 = 1;
/// CC.CSS, bits 6:4; CC.MPS, bits 10:7; CC.AMS, bits 13:11; CC.IOSQES, bits 19:16; CC.IOCQES, bits
/// 23:20.
const SETTINGS: u32 = 0x00ff_3ff0;
/// The only ones that are supported: entries of 64 and 16 bytes, and zeros.
const SUPPORTED_SETTINGS: u32 = 0x0046_0000;
/// CC.SHN, bits 15:14.
const SHUTDOWN_NOTIFICATION: u32 = 3 << 14;

/// CSTS.RDY.
const READY: u32 = 1;
/// CSTS.CFS.
const FATAL: u32 = 1 << 1;
/// CSTS.SHST: shutdown processing is complete.
const SHUTDOWN_COMPLETE: u32 = 2 << 2;

/// Offset and length of a property: what ATTRIB bits 2:0 say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// OFST.
    pub(super) offset: u32,
    /// Eight bytes rather than four.
    pub(super) is_long: bool,
}

/// The properties that change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Registers {
    configuration: u32,
    status: u32,
}

/// What the host asks for by a new Controller Configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing that needs work.
    Nothing,
    /// The controller begins to work.
    Enabled,
    /// A controller level reset (EN 1→0).
    Reset,
    /// The data must be made safe (SHN).
    ShutDown,
}

impl Registers {
    /// The value of a property.
    ///
    /// # Errors
    /// Invalid Field, if there is no such property of that size.
    pub(super) fn value(self, property: Property) -> Result<u64, Status> {
        match (property.offset, property.is_long) {
            (0x00, true) => Ok(CAPABILITIES),
            (0x08, false) => Ok(VERSION.into()),
            (Self::CONFIGURATION, false) => Ok(self.configuration.into()),
            (0x1c, false) => Ok(self.status.into()),
            _ => Err(Status::INVALID_FIELD),
        }
    }

    /// The controller works.
    pub(super) const fn is_ready(self) -> bool {
        self.status & READY != 0
    }

    /// Takes a new Controller Configuration.
    pub(super) fn configure(&mut self, configuration: u32) -> Change {
        let before = std::mem::replace(&mut self.configuration, configuration);
        match (before & ENABLE != 0, configuration & ENABLE != 0) {
            (true, false) => {
                self.status = 0;
                Change::Reset
            }
            (false, true) if configuration & SETTINGS == SUPPORTED_SETTINGS => {
                self.status = READY;
                Change::Enabled
            }
            (false, true) => {
                self.status = FATAL;
                Change::Nothing
            }
            _ if configuration & SHUTDOWN_NOTIFICATION != 0 => Change::ShutDown,
            _ => Change::Nothing,
        }
    }

    /// Notes that the data are safe, or that they could not be made so.
    pub(super) const fn shut_down(&mut self, is_safe: bool) {
        self.status |= SHUTDOWN_COMPLETE;
        if !is_safe {
            self.status |= FATAL;
        }
    }

    /// CC, the only property that can be set.
    pub(super) const CONFIGURATION: u32 = 0x14;
}
