//! How bytes reach a TPer: the two interface commands IF-SEND and IF-RECV (\[SIIS\] 3.1).

use crate::spec::{ComId, SecurityProtocol};

mod ata;
mod blocks;
pub mod count;
mod error;
mod facts;
pub mod fault;
mod identity;
pub mod linux;
mod nvme;
mod partition_table;
pub mod record;
pub mod script;
mod scsi;
mod sense;
pub mod trace;

pub use ata::AtaSecurity;
pub use blocks::BlockSource;
pub use error::{Error, InterfaceClass, InterfaceStatus};
pub use facts::Facts;
pub use identity::{Bus, Identity, SerialSource, sanitise};
pub use partition_table::{TableKind, TablePart, partition_table};

/// A path to a drive's TPer.
///
/// Implemented by the real interfaces (NVMe, SCSI, ATA), by the virtual drive, and by wrappers that
/// trace, record, count or disturb what passes through them.
pub trait Transport: Send {
    /// Sends `data` to the TPer (IF-SEND).
    ///
    /// `com_id` goes into the SP Specific field. `data` is sent as it stands; it is padded to a
    /// multiple of 512 bytes where the interface moves whole blocks.
    ///
    /// # Errors
    /// [`Error::Interface`] if the drive refuses the command, [`Error::Io`] if it cannot be issued.
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error>;

    /// Fetches data from the TPer (IF-RECV) and returns how many bytes arrived.
    ///
    /// The rest of `buffer` is left as it was.
    ///
    /// # Errors
    /// As [`Transport::if_send`].
    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error>;

    /// Who the drive says it is.
    fn identity(&self) -> &Identity;

    /// The largest transfer in bytes that this path can carry in one command, a multiple of 512.
    fn max_transfer(&self) -> usize;

    /// What the interface said of the drive when it was opened.
    fn facts(&self) -> Facts {
        Facts::default()
    }
}

/// The largest receive buffer that is ever used, whatever a TPer or a transport claims, in bytes.
pub const MAX_BUFFER: usize = 128 * 1024;

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        (**self).if_send(protocol, com_id, data)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        (**self).if_recv(protocol, com_id, buffer)
    }

    fn identity(&self) -> &Identity {
        (**self).identity()
    }

    fn max_transfer(&self) -> usize {
        (**self).max_transfer()
    }

    fn facts(&self) -> Facts {
        (**self).facts()
    }
}
