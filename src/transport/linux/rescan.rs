//! Lets the kernel and udev look again at a drive that has been unlocked.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::root::SystemRoot;
use super::usage::partitions;
use crate::sys::ioctl::{self, O_NONBLOCK};

/// Reads the partition table of a block node again, by its kernel name.
///
/// # Errors
/// The kernel's error: EBUSY while somebody, udev included, has a partition open.
pub fn reread_partition_table(root: &SystemRoot, disk: &str) -> io::Result<()> {
    let path = root.path(Path::new("/dev").join(disk));
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(O_NONBLOCK)
        .open(path)?;
    ioctl::reread_partition_table(file.as_fd())
}

/// Sends an `add` event for a block node and each of its partitions, as if they had just appeared.
///
/// udev then reads their contents again and runs the rules that wait for them.
///
/// # Errors
/// The first error of the system; the other events are sent all the same.
pub fn send_add_events(root: &SystemRoot, disk: &str) -> io::Result<()> {
    let folder = Path::new("/sys/block").join(disk);
    let partitions = partitions(root, disk).into_iter();
    let folders = std::iter::once(folder.clone()).chain(partitions.map(|name| folder.join(name)));
    let results = folders.map(|folder| fs::write(root.path(folder.join("uevent")), "add"));
    results.fold(Ok(()), io::Result::and)
}

#[cfg(test)]
mod tests {
    use super::super::root::tests::Fixture;
    use super::*;

    fn disk() -> Fixture {
        let fixture = Fixture::new();
        fixture
            .file("/dev/sda", "")
            .file("/sys/block/sda/uevent", "MAJOR=8\n")
            .file("/sys/block/sda/sda1/partition", "1\n")
            .file("/sys/block/sda/sda1/uevent", "MAJOR=8\n")
            .file("/sys/block/sda/queue/uevent", "untouched");
        fixture
    }

    #[test]
    fn disk_and_partitions_are_announced() {
        let fixture = disk();
        send_add_events(&fixture.root(), "sda").unwrap();
        let read = |path: &str| fs::read_to_string(fixture.root().path(path)).unwrap();
        assert_eq!(read("/sys/block/sda/uevent"), "add");
        assert_eq!(read("/sys/block/sda/sda1/uevent"), "add");
        assert_eq!(read("/sys/block/sda/queue/uevent"), "untouched");
    }

    #[test]
    fn missing_disk_is_an_error() {
        let root = disk();
        assert!(send_add_events(&root.root(), "sdb").is_err());
        assert!(reread_partition_table(&root.root(), "sdb").is_err());
    }

    #[test]
    fn what_is_no_block_device_has_no_partition_table() {
        let error = reread_partition_table(&disk().root(), "sda").unwrap_err();
        assert_eq!(error.raw_os_error(), Some(25));
    }
}
