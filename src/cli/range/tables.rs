//! Where the partition tables of a drive are, so that no range is laid over them unnoticed.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use crate::cli::args;
use crate::cli::device::{self, Named};
use crate::drive::{Drive, MbrState, Place};
use crate::transport::linux::{Geometry, SystemRoot};
use crate::transport::{TablePart, partition_table};
use crate::vdrive::VirtualDrive;
use nix::libc::O_NONBLOCK;

/// The partition tables of a drive, as far as they can be read.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    parts: Vec<TablePart>,
    /// Whether they could not be read, as while range 0 is locked.
    is_unread: bool,
}

impl Tables {
    /// Those of a virtual drive that nobody has opened yet; nothing of a real one.
    pub(super) fn of_virtual(device: &args::Device) -> Option<Self> {
        let path = device::virtual_path(&device.device)?;
        // Why it cannot be opened is said when it is opened for the command.
        let drive = VirtualDrive::open(path).ok()?;
        let info = drive.info();
        if info.mbr_enabled && !info.mbr_done {
            return Some(Self::unread());
        }
        let read = |block| drive.read(block, 1).map_err(io::Error::other);
        Some(Self::read(info.blocks, &read))
    }

    /// Those of a real drive. While the shadow MBR is shown, what is read is not what it holds.
    pub(super) fn of(named: &Named, drive: &Drive) -> Self {
        let nodes = named.block_names();
        let (Some(node), Some(geometry)) = (nodes.first(), named.geometry) else {
            return Self::unread();
        };
        match drive.state().mbr {
            MbrState::Shown => Self::unread(),
            _ => Self::of_node(node, geometry).unwrap_or_else(|_| Self::unread()),
        }
    }

    fn of_node(node: &str, geometry: Geometry) -> io::Result<Self> {
        let path = SystemRoot::default().path(Path::new("/dev").join(node));
        let mut options = OpenOptions::new();
        let file = options.read(true).custom_flags(O_NONBLOCK).open(path)?;
        let read = |block| read_block(&file, block, geometry.block_size);
        Ok(Self::read(geometry.blocks, &read))
    }

    fn read(blocks: u64, read: &dyn Fn(u64) -> io::Result<Vec<u8>>) -> Self {
        let parts = partition_table(blocks, read);
        parts.map_or_else(
            |_| Self::unread(),
            |parts| Self {
                parts,
                is_unread: false,
            },
        )
    }

    const fn unread() -> Self {
        Self {
            parts: Vec::new(),
            is_unread: true,
        }
    }

    /// Whether it is known that there are none.
    pub(super) const fn are_absent(&self) -> bool {
        self.parts.is_empty() && !self.is_unread
    }

    /// Whether it is not known whether there are some.
    pub(super) const fn are_unknown(&self) -> bool {
        self.is_unread
    }

    /// What of them lies in some blocks.
    pub(super) fn within(&self, places: &[Place]) -> Vec<&TablePart> {
        let is_hit = |part: &&TablePart| {
            let blocks = &part.blocks;
            let mut places = places.iter();
            places.any(|place| place.start < blocks.end && blocks.start < place.end())
        };
        self.parts.iter().filter(is_hit).collect()
    }
}

fn read_block(file: &File, block: u64, block_size: u32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(block_size).map_err(io::Error::other)?];
    let offset = block.checked_mul(block_size.into());
    let offset = offset.ok_or(io::ErrorKind::InvalidInput)?;
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}
