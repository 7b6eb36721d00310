//! FAT file systems, as far as it takes to find the programs in `EFI/BOOT` (\[FAT\] 3 to 6).

use super::Place;
use super::bytes::{self, u8_at, u16_at, u32_at};
use crate::drive::byte_table::Contents;

/// The most clusters of a folder that are looked at; a chain may go round in circles.
const MOST_CLUSTERS: usize = 256;
/// Bytes of an entry of a folder.
const ENTRY: usize = 32;

/// Short names in folders: eight characters and three.
const EFI: &[u8; 11] = b"EFI        ";
const BOOT: &[u8; 11] = b"BOOT       ";

/// Attributes of entries.
mod attribute {
    pub(super) const VOLUME: u8 = 0x08;
    pub(super) const FOLDER: u8 = 0x10;
}

/// The programs in `EFI/BOOT` of a partition; nothing if it has no FAT file system.
pub(super) fn loaders<C: Contents + ?Sized>(
    contents: &mut C,
    place: Place,
) -> Result<Option<Vec<String>>, C::Error> {
    let boot_sector = bytes::read(contents, place.start, 512)?;
    let Some(volume) = boot_sector.and_then(|bytes| Volume::parse(&bytes, place.start)) else {
        return Ok(None);
    };
    let mut entries = volume.root(contents)?;
    for folder in [EFI, BOOT] {
        let Some(found) = entries.iter().find(|entry| entry.is_folder(folder)) else {
            return Ok(Some(Vec::new()));
        };
        entries = volume.folder(contents, found.cluster)?;
    }
    Ok(Some(entries.iter().filter_map(Entry::loader).collect()))
}

/// Where things are in a file system; offsets in bytes.
#[derive(Clone, Copy, Debug)]
struct Volume {
    kind: Kind,
    cluster_size: u32,
    clusters: u32,
    table: u64,
    root: Root,
    data: u64,
}

/// How wide an entry of the file allocation table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fat12,
    Fat16,
    Fat32,
}

#[derive(Clone, Copy, Debug)]
enum Root {
    Fixed { offset: u64, length: u32 },
    Cluster(u32),
}

impl Volume {
    fn parse(sector: &[u8], start: u64) -> Option<Self> {
        let sector_size = u32::from(u16_at(sector, 11)?);
        let per_cluster = u32::from(u8_at(sector, 13)?);
        let is_sane = [512, 1024, 2048, 4096].contains(&sector_size)
            && per_cluster.is_power_of_two()
            && u16_at(sector, 510)? == 0xaa55;
        if !is_sane {
            return None;
        }
        let (reserved, tables) = (u16_at(sector, 14)?, u8_at(sector, 16)?);
        let root_length = u32::from(u16_at(sector, 17)?) * 32;
        let or_wide = |narrow: u16, wide| match narrow {
            0 => wide,
            narrow => u32::from(narrow),
        };
        let table_sectors = or_wide(u16_at(sector, 22)?, u32_at(sector, 36)?);
        let sectors = or_wide(u16_at(sector, 19)?, u32_at(sector, 32)?);
        let root_sectors = root_length.div_ceil(sector_size);
        let before = u64::from(reserved)
            + u64::from(tables) * u64::from(table_sectors)
            + u64::from(root_sectors);
        let data_sectors = u64::from(sectors).checked_sub(before)?;
        let clusters = u32::try_from(data_sectors / u64::from(per_cluster)).ok()?;
        let kind = Kind::of(clusters);
        let at = |sectors: u64| start.saturating_add(sectors * u64::from(sector_size));
        let root = match kind {
            Kind::Fat32 => Root::Cluster(u32_at(sector, 44)?),
            _ => Root::Fixed {
                offset: at(before - u64::from(root_sectors)),
                length: root_length,
            },
        };
        Some(Self {
            kind,
            cluster_size: per_cluster * sector_size,
            clusters,
            table: at(reserved.into()),
            root,
            data: at(before),
        })
    }

    fn root<C: Contents + ?Sized>(&self, contents: &mut C) -> Result<Vec<Entry>, C::Error> {
        match self.root {
            Root::Cluster(cluster) => self.folder(contents, cluster),
            Root::Fixed { offset, length } => {
                Ok(entries(&bytes::read_up_to(contents, offset, length)?))
            }
        }
    }

    /// The entries of a folder that begins in a cluster.
    fn folder<C: Contents + ?Sized>(
        &self,
        contents: &mut C,
        first: u32,
    ) -> Result<Vec<Entry>, C::Error> {
        let (mut found, mut cluster) = (Vec::new(), Some(first));
        for _ in 0..MOST_CLUSTERS {
            let Some(number) = cluster.filter(|number| self.is_data(*number)) else {
                break;
            };
            let offset = u64::from(number - 2) * u64::from(self.cluster_size);
            let offset = self.data.saturating_add(offset);
            found.extend(entries(&bytes::read_up_to(
                contents,
                offset,
                self.cluster_size,
            )?));
            cluster = self.next(contents, number)?;
        }
        Ok(found)
    }

    const fn is_data(&self, cluster: u32) -> bool {
        cluster >= 2 && cluster - 2 < self.clusters
    }

    /// The cluster after another one, by the file allocation table.
    fn next<C: Contents + ?Sized>(
        &self,
        contents: &mut C,
        cluster: u32,
    ) -> Result<Option<u32>, C::Error> {
        let number = u64::from(cluster);
        let (offset, length) = match self.kind {
            Kind::Fat12 => (number + number / 2, 2),
            Kind::Fat16 => (number * 2, 2),
            Kind::Fat32 => (number * 4, 4),
        };
        let found = bytes::read(contents, self.table.saturating_add(offset), length)?;
        let found = found.unwrap_or_default();
        Ok(match self.kind {
            Kind::Fat32 => u32_at(&found, 0).map(|entry| entry & 0x0fff_ffff),
            Kind::Fat16 => u16_at(&found, 0).map(u32::from),
            Kind::Fat12 => u16_at(&found, 0).map(|pair| match cluster % 2 {
                0 => u32::from(pair & 0x0fff),
                _ => u32::from(pair >> 4),
            }),
        })
    }
}

impl Kind {
    /// The number of clusters decides, and nothing else does.
    const fn of(clusters: u32) -> Self {
        match clusters {
            0..4085 => Self::Fat12,
            4085..65_525 => Self::Fat16,
            _ => Self::Fat32,
        }
    }
}

/// A file or a folder.
#[derive(Clone, Copy, Debug)]
struct Entry {
    name: [u8; 11],
    attributes: u8,
    cluster: u32,
}

/// The entries in a piece of a folder.
fn entries(bytes: &[u8]) -> Vec<Entry> {
    let used = bytes
        .chunks_exact(ENTRY)
        .take_while(|entry| entry.first() != Some(&0));
    used.filter_map(Entry::parse).collect()
}

impl Entry {
    /// Long names have entries of their own, and are volumes by their attributes.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let attributes = u8_at(bytes, 11)?;
        let is_deleted = bytes.first() == Some(&0xe5);
        if is_deleted || attributes & attribute::VOLUME != 0 {
            return None;
        }
        Some(Self {
            name: *bytes.first_chunk()?,
            attributes,
            cluster: u32::from(u16_at(bytes, 20)?) << 16 | u32::from(u16_at(bytes, 26)?),
        })
    }

    fn is_folder(&self, name: &[u8; 11]) -> bool {
        self.attributes & attribute::FOLDER != 0 && self.name == *name
    }

    /// The name of a program that firmware starts by itself.
    fn loader(&self) -> Option<String> {
        let is_loader = self.is_program() && self.name.starts_with(b"BOOT");
        let (name, _) = self.name.split_at(8);
        let name = String::from_utf8_lossy(name.trim_ascii_end());
        is_loader.then(|| format!("{name}.EFI"))
    }

    fn is_program(&self) -> bool {
        let printable = self.name.iter().all(|byte| (0x20..0x7f).contains(byte));
        printable && self.attributes & attribute::FOLDER == 0 && self.name.ends_with(b"EFI")
    }
}
