//! Volumes of Windows' BitLocker, by the signature of their first sector.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::root::SystemRoot;
use super::usage::partitions;
use crate::sys::ioctl::O_NONBLOCK;

/// What stands where other volumes have the name of the system that formatted them.
const SIGNATURE: &[u8; 8] = b"-FVE-FS-";
/// Where it stands, in bytes.
const OFFSET: u64 = 3;

/// Kernel names of the nodes that hold a BitLocker volume: block nodes with the given kernel names,
/// and their partitions.
///
/// The signature does not tell whether Windows or the drive encrypts. Nodes that cannot be read, as
/// where they are locked, are left out.
#[must_use]
pub fn bitlocker(root: &SystemRoot, disks: &[&str]) -> Vec<String> {
    let nodes = disks.iter().flat_map(|&disk| {
        let disk_itself = std::iter::once(disk.to_owned());
        disk_itself.chain(partitions(root, disk))
    });
    nodes
        .filter(|node| has_signature(root, node).unwrap_or(false))
        .collect()
}

fn has_signature(root: &SystemRoot, node: &str) -> io::Result<bool> {
    let path = root.path(Path::new("/dev").join(node));
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(O_NONBLOCK).open(path)?;
    let mut bytes = [0; SIGNATURE.len()];
    file.read_exact_at(&mut bytes, OFFSET)?;
    Ok(bytes == *SIGNATURE)
}

#[cfg(test)]
mod tests {
    use super::super::root::tests::Fixture;
    use super::*;

    #[test]
    fn volumes_are_found_by_their_signature() {
        let fixture = Fixture::new();
        let folder = "/sys/devices/nvme0n1";
        fixture
            .link("/sys/block/nvme0n1", folder)
            .file(&format!("{folder}/nvme0n1p1/partition"), "1\n")
            .file(&format!("{folder}/nvme0n1p2/partition"), "2\n")
            .file(&format!("{folder}/nvme0n1p3/partition"), "3\n")
            .file("/dev/nvme0n1", vec![0; 512])
            .file("/dev/nvme0n1p1", b"\xeb\x58\x90-FVE-FS-\0\x02\x08\0\0")
            .file("/dev/nvme0n1p2", b"\xeb\x52\x90NTFS    \0\x02\x08\0\0")
            .file("/dev/nvme0n1p3", b"short");
        let found = bitlocker(&fixture.root(), &["nvme0n1", "nvme1n1"]);
        assert_eq!(found, ["nvme0n1p1"]);
    }
}
