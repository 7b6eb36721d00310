//! The virtual drive: a self-encrypting drive in software.
//!
//! It answers IF-SEND and IF-RECV as a drive does, encrypts what is written to it under a key for
//! each range, and lives in one file that no crash can spoil. Its TPer shares only `spec` and `wire`
//! with the host side, so that each checks the other. In reading order:
//!
//! - [`profile`]: what one model is made of, as data;
//! - `tper`: the TPer, from security protocols down to tables;
//! - [`xts`], `media`: how a logical block is encrypted, and what a host's READ and WRITE get;
//! - `store`: the one file that a drive lives in, safe against a crash at any write;
//! - [`serve`]: the drive behind front ends, so that a kernel can mount it.
//!
//! ```
//! use sedkit::spec::{ComId, SecurityProtocol};
//! use sedkit::transport::Transport;
//! use sedkit::vdrive::{CreateOptions, VirtualDrive};
//!
//! let mut drive = VirtualDrive::in_memory(&CreateOptions::new(64 << 20))?;
//! let mut discovery = [0; 2048];
//! let length = drive.if_recv(SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY, &mut discovery)?;
//! assert_eq!(length, 216);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod create;
mod error;
mod fault;
mod info;
mod label;
mod media;
pub mod profile;
pub mod serve;
mod stats;
mod store;
mod tper;
pub mod xts;

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use create::{CreateOptions, MAX_NAMESPACES};
pub use error::Error;
pub use fault::{Fault, FaultKind};
pub use info::{Info, Inspection, RangeInfo};
pub use label::{Label, LabelError};
pub use media::MediaError;
pub use profile::{Profile, ProfileError};
pub use stats::{Counts, Stats};
pub use store::StoreError;
pub use tper::KeepError;

use crate::spec::{ComId, SecurityProtocol};
use crate::transport::{self, Bus, Identity, MAX_BUFFER, Transport};
use store::Store;
use tper::{Clock, CommandError, Reset, Tper};

/// The longest time that one interface command takes, whatever the file says: nothing ends it.
const MAX_LATENCY: Duration = Duration::from_secs(60);

/// A virtual drive.
///
/// Its power state outlives the value: what is unlocked stays so when the drive is opened again,
/// until [`VirtualDrive::power_cycle`].
pub struct VirtualDrive {
    tper: Tper,
    identity: Identity,
    latency: Duration,
    /// Nothing but a power cycle may do anything.
    is_out_of_order: bool,
    /// A fault has cut the power.
    has_lost_power: bool,
}

impl VirtualDrive {
    /// Creates a drive in a new file.
    ///
    /// # Errors
    /// The file exists or cannot be written, or no such drive can be made.
    pub fn create(path: &Path, options: &CreateOptions) -> Result<Self, Error> {
        let (layout, record) = options.first_record()?;
        let store = Store::create(path, &layout, &record)?;
        Self::with_store(store)
    }

    /// Opens the drive in a file, which nobody else can do until this is dropped.
    ///
    /// # Errors
    /// The file is in use, or is not the file of a virtual drive, or cannot be read.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::with_store(Store::open(path)?)
    }

    /// Makes a drive that lives in memory, and ends with this value.
    ///
    /// # Errors
    /// No such drive can be made.
    pub fn in_memory(options: &CreateOptions) -> Result<Self, Error> {
        let (layout, record) = options.first_record()?;
        Self::with_store(Store::in_memory(&layout, &record)?)
    }

    /// Looks at the drive in a file that somebody else may have open. What is seen may be a moment
    /// old.
    ///
    /// # Errors
    /// The file is not that of a virtual drive, or cannot be read.
    pub fn inspect(path: &Path) -> Result<Inspection, Error> {
        let snapshot = Store::inspect(path)?;
        let mut store = Store::in_memory(&snapshot.layout, &snapshot.state)?;
        if !snapshot.power.is_empty() {
            store.put_power(&snapshot.power)?;
        }
        let mut drive = Self::with_store(store)?;
        if snapshot.lost_power {
            drive.power_cycle()?;
        }
        Ok(Inspection {
            info: drive.info(),
            label: drive.label().clone(),
            stats: drive.stats().clone(),
        })
    }

    fn with_store(store: Store) -> Result<Self, Error> {
        let tper = Tper::open(store, system_clock())?;
        Ok(Self {
            identity: identity(&tper.state().label),
            latency: latency(tper.state().latency_us),
            tper,
            is_out_of_order: false,
            has_lost_power: false,
        })
    }

    /// Lets session timeouts go by another clock, which tells milliseconds.
    pub fn set_clock(&mut self, clock: impl Fn() -> u64 + Send + 'static) {
        self.tper.set_clock(Box::new(clock));
    }

    /// Cuts the power and brings it back: sessions end, ranges lock, attempts are counted anew.
    ///
    /// # Errors
    /// The file failed, so that the locks are as they were: until a power cycle succeeds, every
    /// command of a host is refused.
    pub fn power_cycle(&mut self) -> Result<(), Error> {
        let outcome = if self.is_out_of_order {
            self.tper.restart()
        } else {
            self.tper.reset_from_outside(Reset::PowerCycle)
        };
        self.is_out_of_order = outcome.is_err();
        Ok(outcome?)
    }

    /// Refuses every command of a host until a power cycle succeeds: the drive may not be what its
    /// file says.
    pub(crate) const fn put_out_of_order(&mut self) {
        self.is_out_of_order = true;
    }

    const fn check_order(&self) -> Result<(), StoreError> {
        if self.is_out_of_order {
            return Err(StoreError::OutOfOrder);
        }
        Ok(())
    }

    /// Resets the interface in a way that its standard maps to a TCG Hardware Reset, as an NVM
    /// Subsystem Reset is.
    ///
    /// # Errors
    /// The file failed: until a power cycle succeeds, every command of a host is refused.
    pub fn hardware_reset(&mut self) -> Result<(), Error> {
        self.check_order()?;
        let outcome = self.tper.reset_from_outside(Reset::Hardware);
        self.is_out_of_order = outcome.is_err();
        Ok(outcome?)
    }

    /// How many NVMe namespaces the media is divided into. Namespace 1 holds the first blocks.
    ///
    /// They share one TPer and one Global Range. The shadow MBR stands at the beginning of the
    /// first. Front ends for other interfaces have no word for more than one.
    #[must_use]
    pub const fn namespaces(&self) -> u32 {
        self.tper.state().namespaces
    }

    /// Logical blocks of each namespace. A host counts from 0 in each; block `lba` of namespace
    /// `nsid` is block `(nsid - 1) * namespace_blocks() + lba` of the media, as
    /// [`VirtualDrive::read`] and its likes count.
    #[must_use]
    pub fn namespace_blocks(&self) -> u64 {
        self.tper.state().namespace_blocks()
    }

    /// Resets the interface in a way that is no TCG reset: what waits for IF-RECV is lost, but
    /// sessions and locks stay as they are (\[NVMe\] Security Receive command).
    ///
    /// # Errors
    /// The file failed.
    pub fn lose_responses(&mut self) -> Result<(), Error> {
        self.check_order()?;
        Ok(self.tper.lose_responses()?)
    }

    /// What a host's READ gets.
    ///
    /// # Errors
    /// [`MediaError::DataProtection`] if the blocks are locked, and the other reasons for which a
    /// drive refuses a READ.
    pub fn read(&self, lba: u64, count: u64) -> Result<Vec<u8>, MediaError> {
        self.check_order()?;
        media::read(self.tper.store(), &self.tper.lock_view(), lba, count)
    }

    /// What a host's WRITE does. The data are durable after the next change of the drive's state,
    /// or [`VirtualDrive::flush`].
    ///
    /// # Errors
    /// [`MediaError::DataProtection`] if the blocks are locked, and the other reasons for which a
    /// drive refuses a WRITE.
    pub fn write(&mut self, lba: u64, data: &[u8]) -> Result<(), MediaError> {
        self.check_order()?;
        let (view, store) = self.tper.media()?;
        media::write(store, &view, lba, data)
    }

    /// What a host's TRIM, UNMAP or Write Zeroes does: the blocks read as zeros.
    ///
    /// # Errors
    /// As [`VirtualDrive::write`].
    pub fn deallocate(&mut self, lba: u64, count: u64) -> Result<(), MediaError> {
        self.check_order()?;
        let (view, store) = self.tper.media()?;
        media::deallocate(store, &view, lba, count)
    }

    /// What one TRIM of several extents does, each a first block and a number of blocks: all of them
    /// read as zeros or, if it is refused for one, none is touched.
    ///
    /// # Errors
    /// As [`VirtualDrive::write`].
    pub fn deallocate_all(&mut self, extents: &[(u64, u64)]) -> Result<(), MediaError> {
        for &(lba, count) in extents {
            self.check_write(lba, count)?;
        }
        for &(lba, count) in extents {
            self.deallocate(lba, count)?;
        }
        Ok(())
    }

    /// Whether a host's WRITE or TRIM of blocks would be refused, without changing anything.
    ///
    /// # Errors
    /// As [`VirtualDrive::write`].
    pub fn check_write(&self, lba: u64, count: u64) -> Result<(), MediaError> {
        self.check_order()?;
        media::check_write(self.tper.store(), &self.tper.lock_view(), lba, count)
    }

    /// What a host's FLUSH does.
    ///
    /// # Errors
    /// The file failed.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.check_order()?;
        Ok(self.tper.media()?.1.flush()?)
    }

    /// The bytes on the medium, which no host ever sees: ciphertext, or zeros where nothing was
    /// written.
    ///
    /// # Errors
    /// The blocks lie beyond the end.
    pub fn ciphertext(&self, lba: u64, count: u64) -> Result<Vec<u8>, MediaError> {
        media::ciphertext(self.tper.store(), lba, count)
    }

    /// How many interface commands the drive has got.
    #[must_use]
    pub const fn stats(&self) -> &Stats {
        &self.tper.power().stats
    }

    /// What stands on the drive's label, its PINs included.
    #[must_use]
    pub const fn label(&self) -> &Label {
        &self.tper.state().label
    }

    /// The model that the drive was made of.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        self.tper.profile()
    }

    /// The state of ATA Security now, as it stands in IDENTIFY DEVICE word 128 and in security
    /// protocol EFh.
    pub(crate) fn ata_security(&self) -> profile::AtaSecurityState {
        self.tper.ata_security()
    }

    /// What somebody sees who looks into the drive. It holds no PIN and no key.
    #[must_use]
    pub fn info(&self) -> Info {
        Info::new(&self.tper)
    }
}

impl Transport for VirtualDrive {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), transport::Error> {
        std::thread::sleep(self.latency);
        self.check_order()
            .map_err(|error| out_of_order("IF-SEND", error))?;
        let sent = self.tper.if_send(protocol, com_id, data);
        self.meet_fault("IF-SEND")?;
        sent.map_err(|error| transport_error("IF-SEND", error))
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, transport::Error> {
        std::thread::sleep(self.latency);
        self.check_order()
            .map_err(|error| out_of_order("IF-RECV", error))?;
        let received = self.tper.if_recv(protocol, com_id, buffer);
        self.meet_fault("IF-RECV")?;
        received.map_err(|error| transport_error("IF-RECV", error))
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        MAX_BUFFER
    }
}

fn out_of_order(command: &'static str, error: StoreError) -> transport::Error {
    transport_error(command, CommandError::Keep(error.into()))
}

fn transport_error(command: &'static str, error: CommandError) -> transport::Error {
    match error {
        CommandError::Refused(status) => transport::Error::Interface { command, status },
        CommandError::Keep(error) => transport::Error::Io {
            command,
            source: std::io::Error::other(error),
        },
    }
}

/// Fields as a drive sends them: padded with blanks to their full length.
fn identity(label: &Label) -> Identity {
    let field = |text: &str, length: usize| format!("{text:<length$}").into_bytes();
    Identity::new(
        Bus::Virtual,
        &field(&label.model, label::MODEL),
        &field(&label.serial, label::SERIAL),
        &field(&label.firmware, label::FIRMWARE),
    )
}

fn latency(microseconds: u64) -> Duration {
    Duration::from_micros(microseconds).min(MAX_LATENCY)
}

fn system_clock() -> Clock {
    Box::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_asks_for_years_of_latency_gets_a_minute() {
        assert_eq!(latency(u64::MAX), Duration::from_secs(60));
        assert_eq!(latency(1500), Duration::from_micros(1500));
    }
}
