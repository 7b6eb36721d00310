//! Namespaces: equal parts of a drive's media.

use sha2::{Digest, Sha256};

use super::outcome::Status;
use crate::vdrive::Info;

/// The NSID that stands for every namespace.
pub(super) const ALL: u32 = u32::MAX;

/// A namespace: consecutive blocks of the media.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Namespace {
    /// The media's block that is its LBA 0.
    first: u64,
    /// Logical blocks (NSZE, NCAP and NUSE).
    pub(super) blocks: u64,
    /// Bytes of a logical block.
    pub(super) block_size: u32,
    /// Namespace Globally Unique Identifier.
    pub(super) nguid: [u8; 16],
    /// IEEE Extended Unique Identifier.
    pub(super) eui64: [u8; 8],
}

/// Blocks of the media, known to belong to one namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// First block of the media.
    pub(super) lba: u64,
    /// Logical blocks.
    pub(super) blocks: u64,
}

impl Namespace {
    /// The namespaces of a drive, in the order of their NSIDs, which count from 1.
    pub(super) fn split(info: &Info) -> Vec<Self> {
        let blocks = info.blocks / u64::from(info.namespaces.max(1));
        let namespace = |nsid: u32| {
            let (nguid, eui64) = identifiers(&info.serial, nsid);
            Self {
                first: blocks * u64::from(nsid - 1),
                blocks,
                block_size: info.block_size,
                nguid,
                eui64,
            }
        };
        (1..=info.namespaces).map(namespace).collect()
    }

    /// Where blocks of the namespace lie on the media.
    ///
    /// # Errors
    /// LBA Out of Range.
    pub(super) fn extent(&self, slba: u64, blocks: u64) -> Result<Extent, Status> {
        let end = slba.checked_add(blocks);
        end.filter(|end| *end <= self.blocks)
            .ok_or(Status::LBA_OUT_OF_RANGE)?;
        Ok(Extent {
            lba: self.first + slba,
            blocks,
        })
    }
}

/// NGUID and EUI64 of a namespace. They follow from the serial number, so that they stay.
fn identifiers(serial: &str, nsid: u32) -> ([u8; 16], [u8; 8]) {
    let digest = Sha256::new()
        .chain_update(b"sedkit virtual drive, namespace ")
        .chain_update(nsid.to_le_bytes())
        .chain_update(serial)
        .finalize();
    let mut nguid = [0; 16];
    let mut eui64 = [0; 8];
    for (place, byte) in nguid.iter_mut().chain(&mut eui64).zip(digest.iter()) {
        *place = *byte;
    }
    (nguid, eui64)
}
