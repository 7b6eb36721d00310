//! The features of a controller (\[NVMe\] Features).

use std::time::Duration;

/// I/O queues that a host may have at the most.
pub(super) const MAX_IO_QUEUES: u16 = 8;

/// Volatile Write Cache.
pub(super) const WRITE_CACHE: u8 = 0x06;
/// Number of Queues.
pub(super) const QUEUES: u8 = 0x07;
/// Asynchronous Event Configuration.
pub(super) const EVENT_CONFIGURATION: u8 = 0x0b;
/// Keep Alive Timer.
pub(super) const KEEP_ALIVE: u8 = 0x0f;
/// Host Identifier.
pub(super) const HOST_IDENTIFIER: u8 = 0x81;

/// The features of one controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    /// Feature 06h: the write cache is on.
    pub(super) write_cache: bool,
    /// Feature 07h: I/O queues that the host may connect.
    pub(super) io_queues: u16,
    /// Feature 0Bh, as it was set.
    pub(super) event_configuration: u32,
    /// Feature 0Fh: Keep Alive Timeout.
    pub(super) keep_alive: Duration,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            write_cache: true,
            io_queues: MAX_IO_QUEUES,
            event_configuration: 0,
            keep_alive: Duration::ZERO,
        }
    }
}

impl Features {
    /// The defaults, with the Keep Alive Timeout of Connect.
    pub(super) fn new(keep_alive: Duration) -> Self {
        Self {
            keep_alive,
            ..Self::default()
        }
    }

    /// The defaults; the Keep Alive Timeout of Connect belongs to the association, which goes on.
    pub(super) fn after_reset(self) -> Self {
        Self::new(self.keep_alive)
    }
}

impl Features {
    /// Dword 0 of Get Features.
    pub(super) fn value(self, identifier: u8) -> Option<u64> {
        match identifier {
            WRITE_CACHE => Some(self.write_cache.into()),
            QUEUES => Some(self.queues()),
            EVENT_CONFIGURATION => Some(self.event_configuration.into()),
            KEEP_ALIVE => u64::try_from(self.keep_alive.as_millis()).ok(),
            _ => None,
        }
    }

    /// NCQA and NSQA, 0's based.
    pub(super) fn queues(self) -> u64 {
        let granted = u64::from(self.io_queues.saturating_sub(1));
        granted << 16 | granted
    }
}
