//! What uses a drive: mounts, swap, and whoever holds its block nodes.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::root::SystemRoot;
use crate::sys::ioctl::{O_EXCL, O_NONBLOCK};

/// One use of a block node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Use {
    /// The kernel name of the node that is used: the drive's, a partition's, or one that is made of
    /// them.
    pub node: String,
    /// By what.
    pub by: User,
}

/// What uses a block node.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum User {
    /// A file system that is mounted here.
    Mount(PathBuf),
    /// Swap.
    Swap,
    /// A logical volume of LVM.
    Lvm(String),
    /// A dm-crypt mapping, such as LUKS.
    Crypt(String),
    /// A map of dm-multipath.
    Multipath(String),
    /// Another device-mapper device.
    DeviceMapper(String),
    /// An MD array.
    Md(String),
    /// A mounted btrfs, by its UUID.
    Btrfs(String),
    /// An imported ZFS pool.
    Zfs(String),
    /// Another block device.
    Holder(String),
    /// Somebody who left no trace but that nobody else may claim the node.
    Unknown,
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is ", self.node)?;
        match &self.by {
            User::Mount(place) => write!(f, "mounted on {}", place.display()),
            User::Swap => f.write_str("used for swap"),
            User::Lvm(name) => write!(f, "used by the logical volume {name}"),
            User::Crypt(name) => write!(f, "used by the encrypted device {name}"),
            User::Multipath(name) => write!(f, "used by the multipath device {name}"),
            User::DeviceMapper(name) => write!(f, "used by the device-mapper device {name}"),
            User::Md(name) => write!(f, "used by the array {name}"),
            User::Btrfs(uuid) => write!(f, "used by the mounted btrfs {uuid}"),
            User::Zfs(pool) => write!(f, "used by the ZFS pool {pool}"),
            User::Holder(name) => write!(f, "used by {name}"),
            User::Unknown => f.write_str("claimed by another program or driver"),
        }
    }
}

/// What uses the block nodes with the given kernel names, their partitions, and whatever is built
/// on them; nothing if they are free.
///
/// # Errors
/// The system's error if the lists of mounts and of swap cannot be read: then nothing is known.
pub fn uses(root: &SystemRoot, disks: &[&str]) -> io::Result<Vec<Use>> {
    let mut survey = Survey::new(root);
    for disk in disks {
        survey.add(disk);
        for partition in partitions(root, disk) {
            survey.add(&partition);
        }
    }
    survey.finish(disks)
}

/// As [`uses`], but only of what lies in some bytes of the disk, as far as the kernel tells it: of
/// the disk as a whole, and of the partitions that share bytes with them.
///
/// # Errors
/// As [`uses`].
pub fn uses_within(
    root: &SystemRoot,
    disks: &[&str],
    bytes: &[Range<u64>],
) -> io::Result<Vec<Use>> {
    let mut survey = Survey::new(root);
    let mut nodes: Vec<String> = Vec::new();
    for disk in disks {
        survey.add(disk);
        let mut partitions = partitions(root, disk);
        if partitions.is_empty() {
            nodes.push((*disk).to_owned());
        }
        partitions.retain(|partition| lies_in(root, partition, bytes));
        nodes.extend(partitions);
    }
    for node in &nodes {
        survey.add(node);
    }
    let nodes: Vec<&str> = nodes.iter().map(String::as_str).collect();
    survey.finish(&nodes)
}

/// Whether a partition shares bytes with some of the disk; one whose place is not told may.
fn lies_in(root: &SystemRoot, partition: &str, bytes: &[Range<u64>]) -> bool {
    let mut bytes = bytes.iter();
    place(root, partition)
        .is_none_or(|place| bytes.any(|one| one.start < place.end && place.start < one.end))
}

/// The partitions of a disk, by their kernel names.
pub(super) fn partitions(root: &SystemRoot, disk: &str) -> Vec<String> {
    let folder = Path::new("/sys/block").join(disk);
    let mut names = root.names(&folder);
    names.retain(|name| root.has(folder.join(name).join("partition")));
    names
}

/// The bytes of the disk that a node covers, where the kernel tells it. Sizes and starts are counted
/// in 512 bytes; a disk has no start.
pub(super) fn place(root: &SystemRoot, node: &str) -> Option<Range<u64>> {
    const SECTOR: u64 = 512;
    let folder = Path::new("/sys/class/block").join(node);
    let start: u64 = root.number(folder.join("start")).unwrap_or(0);
    let size: u64 = root.number(folder.join("size"))?;
    let start = start.checked_mul(SECTOR)?;
    let end = size.checked_mul(SECTOR)?.checked_add(start)?;
    Some(start..end)
}

/// A node and its device number, `8:1`.
struct Known {
    name: String,
    number: Option<String>,
}

struct Survey<'a> {
    root: &'a SystemRoot,
    nodes: Vec<Known>,
    uses: Vec<Use>,
}

impl<'a> Survey<'a> {
    const fn new(root: &'a SystemRoot) -> Self {
        Self {
            root,
            nodes: Vec::new(),
            uses: Vec::new(),
        }
    }

    /// The uses of the nodes that were added; of some it is tried whether they can be claimed.
    fn finish(mut self, claimable: &[&str]) -> io::Result<Vec<Use>> {
        self.find_mounts()?;
        self.find_swap()?;
        self.find_btrfs();
        self.find_zfs();
        if self.uses.is_empty() && self.root.is_real() {
            self.find_claims(claimable);
        }
        Ok(self.uses)
    }

    /// Adds a node and everything that is built on it.
    fn add(&mut self, name: &str) {
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            if self.nodes.iter().any(|known| known.name == name) {
                continue;
            }
            let folder = Path::new("/sys/class/block").join(&name);
            for holder in self.root.names(folder.join("holders")) {
                self.push(&name, self.holder(&holder));
                waiting.push(holder);
            }
            let number = self.root.text(folder.join("dev"));
            self.nodes.push(Known { name, number });
        }
    }

    fn push(&mut self, node: &str, by: User) {
        let node = node.to_owned();
        let found = Use { node, by };
        if !self.uses.contains(&found) {
            self.uses.push(found);
        }
    }

    /// Says what a holder is: by its driver's name, and by the UUID that the maker of a
    /// device-mapper device gave it.
    fn holder(&self, name: &str) -> User {
        if name.starts_with("md") {
            return User::Md(name.to_owned());
        }
        if !name.starts_with("dm-") {
            return User::Holder(name.to_owned());
        }
        let folder = Path::new("/sys/class/block").join(name).join("dm");
        let shown = self
            .root
            .text(folder.join("name"))
            .unwrap_or_else(|| name.to_owned());
        let uuid = self.root.text(folder.join("uuid")).unwrap_or_default();
        match uuid.split_once('-').map(|(maker, _)| maker) {
            Some("LVM") => User::Lvm(shown),
            Some("CRYPT") => User::Crypt(shown),
            Some("mpath") => User::Multipath(shown),
            _ => User::DeviceMapper(shown),
        }
    }

    /// Reads /proc/self/mountinfo: field 3 is the device number, 5 the place; after a lone hyphen,
    /// field 2 is the source. File systems with numbers of their own are known by their source.
    fn find_mounts(&mut self) -> io::Result<()> {
        let mounts = self.root.list("/proc/self/mountinfo")?;
        for line in mounts.lines() {
            let Some((before, after)) = line.split_once(" - ") else {
                continue;
            };
            let mut fields = before.split(' ').skip(2);
            let (number, place) = (fields.next(), fields.nth(1));
            let source = after.split(' ').nth(1);
            let node = number
                .and_then(|number| self.by_number(number))
                .or_else(|| source.and_then(|source| self.by_path(source)));
            if let (Some(node), Some(place)) = (node, place) {
                self.push(&node, User::Mount(PathBuf::from(unescape(place))));
            }
        }
        Ok(())
    }

    /// Reads /proc/swaps, whose first field is a path. A kernel without swap has no such list.
    fn find_swap(&mut self) -> io::Result<()> {
        let swaps = match self.root.list("/proc/swaps") {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            swaps => swaps?,
        };
        for line in swaps.lines().skip(1) {
            let path = line.split([' ', '\t']).next().unwrap_or_default();
            if let Some(node) = self.by_path(path) {
                self.push(&node, User::Swap);
            }
        }
        Ok(())
    }

    /// A mounted btrfs names one of its devices as its source, and lists all of them in sysfs.
    fn find_btrfs(&mut self) {
        for uuid in self.root.names("/sys/fs/btrfs") {
            let devices = Path::new("/sys/fs/btrfs").join(&uuid).join("devices");
            for device in self.root.names(devices) {
                if self.nodes.iter().any(|known| known.name == device) {
                    self.push(&device, User::Btrfs(uuid.clone()));
                }
            }
        }
    }

    /// ZFS holds its devices without a trace in sysfs: udev knows the members of pools, and ZFS
    /// lists the pools that are imported.
    fn find_zfs(&mut self) {
        let pools = self.root.names("/proc/spl/kstat/zfs");
        let member = |known: &Known| {
            let pool = zfs_pool(self.root, known.number.as_deref()?)?;
            pools.contains(&pool).then(|| (known.name.clone(), pool))
        };
        let members: BTreeSet<_> = self.nodes.iter().filter_map(member).collect();
        for (node, pool) in members {
            self.push(&node, User::Zfs(pool));
        }
    }

    /// Whoever holds a node or one of its partitions claims the whole disk with it.
    fn find_claims(&mut self, disks: &[&str]) {
        for disk in disks {
            if is_claimed(&self.root.path(Path::new("/dev").join(disk))) {
                self.push(disk, User::Unknown);
            }
        }
    }

    fn by_number(&self, number: &str) -> Option<String> {
        let known = self
            .nodes
            .iter()
            .find(|known| known.number.as_deref() == Some(number))?;
        Some(known.name.clone())
    }

    fn by_path(&self, path: &str) -> Option<String> {
        let path = unescape(path);
        if !path.starts_with("/dev/") {
            return None;
        }
        let name = self.root.real_name(path).ok()?;
        self.nodes
            .iter()
            .any(|known| known.name == name)
            .then_some(name)
    }
}

/// True if a node cannot be opened for oneself alone because somebody else has done so.
fn is_claimed(path: &Path) -> bool {
    let flags = O_EXCL | O_NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    opened.is_err_and(|error| error.kind() == ErrorKind::ResourceBusy)
}

/// The pool of which udev takes a node for a member.
fn zfs_pool(root: &SystemRoot, number: &str) -> Option<String> {
    let record = root.list(format!("/run/udev/data/b{number}")).ok()?;
    let value = |key: &str| record.lines().find_map(|line| line.strip_prefix(key));
    (value("E:ID_FS_TYPE=")? == "zfs_member").then_some(())?;
    Some(value("E:ID_FS_LABEL=")?.to_owned())
}

/// Undoes the octal escapes of blanks in /proc.
fn unescape(field: &str) -> String {
    let mut parts = field.split('\\');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part
            .get(..3)
            .and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match (code, part.get(3..)) {
            (Some(code), Some(rest)) if code.is_ascii() => {
                text.push(char::from(code));
                text.push_str(rest);
            }
            _ => {
                text.push('\\');
                text.push_str(part);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::root::tests::Fixture;
    use super::*;

    /// A machine with disk sda, partitions sda1 and sda2, and nothing in use.
    fn machine() -> Fixture {
        let fixture = Fixture::new();
        fixture
            .file(
                "/proc/self/mountinfo",
                "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n",
            )
            .file(
                "/proc/swaps",
                "Filename\t\t\tType\t\tSize\tUsed\tPriority\n",
            );
        add(&fixture, "sda", "8:0");
        for (partition, number) in [("sda1", "8:1"), ("sda2", "8:2")] {
            add(&fixture, partition, number);
            fixture
                .file(&format!("/sys/class/block/{partition}/partition"), "1\n")
                .link(
                    &format!("/sys/class/block/sda/{partition}"),
                    &format!("/sys/class/block/{partition}"),
                );
        }
        fixture.link("/sys/block/sda", "/sys/class/block/sda");
        fixture
    }

    fn add(fixture: &Fixture, name: &str, number: &str) {
        fixture
            .file(
                &format!("/sys/class/block/{name}/dev"),
                format!("{number}\n"),
            )
            .file(&format!("/dev/{name}"), "");
    }

    fn hold(fixture: &Fixture, node: &str, holder: &str, dm: Option<(&str, &str)>) {
        fixture.link(
            &format!("/sys/class/block/{node}/holders/{holder}"),
            &format!("/sys/class/block/{holder}"),
        );
        if let Some((name, uuid)) = dm {
            fixture
                .file(&format!("/sys/class/block/{holder}/dm/name"), name)
                .file(&format!("/sys/class/block/{holder}/dm/uuid"), uuid)
                .link(&format!("/dev/mapper/{name}"), &format!("/dev/{holder}"));
        }
    }

    fn mounts(fixture: &Fixture, lines: &str) {
        fixture.file("/proc/self/mountinfo", lines);
    }

    fn texts(fixture: &Fixture) -> Vec<String> {
        let uses = uses(&fixture.root(), &["sda"]).unwrap();
        uses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn free_disk_has_no_uses() {
        assert!(texts(&machine()).is_empty());
    }

    #[test]
    fn only_what_lies_in_the_bytes_counts() {
        let fixture = machine();
        for (partition, start) in [("sda1", 2048), ("sda2", 4096)] {
            let folder = format!("/sys/class/block/{partition}");
            fixture
                .file(&format!("{folder}/start"), format!("{start}\n"))
                .file(&format!("{folder}/size"), "2048\n");
        }
        mounts(&fixture, "30 22 8:2 / /srv rw - xfs /dev/sda2 rw\n");
        let within = |bytes| {
            uses_within(&fixture.root(), &["sda"], &[bytes])
                .unwrap()
                .len()
        };
        assert_eq!(within(0..2 << 20), 0);
        assert_eq!(within(0..(2 << 20) + 1), 1);
        assert_eq!(within(3 << 20..4 << 20), 0);
        mounts(&fixture, "30 22 8:0 / /srv rw - xfs /dev/sda rw\n");
        assert_eq!(within(0..512), 1, "the whole disk is everywhere");
    }

    #[test]
    fn a_partition_whose_place_is_not_told_may_be_anywhere() {
        let fixture = machine();
        mounts(&fixture, "30 22 8:2 / /srv rw - xfs /dev/sda2 rw\n");
        let bytes = 0..512;
        let found = uses_within(&fixture.root(), &["sda"], &[bytes]).unwrap();
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn mounted_partition_is_in_use() {
        let fixture = machine();
        mounts(
            &fixture,
            "30 22 8:2 / /srv/my\\040data rw shared:1 master:2 - xfs /dev/sda2 rw\n31 22 8:16 / /mnt rw - ext4 /dev/sdb rw\n",
        );
        assert_eq!(texts(&fixture), ["sda2 is mounted on /srv/my data"]);
    }

    #[test]
    fn file_system_with_a_number_of_its_own_is_known_by_its_source() {
        let fixture = machine();
        fixture.link("/dev/disk/by-label/data", "/dev/sda1");
        mounts(
            &fixture,
            "30 22 0:45 / /srv rw - btrfs /dev/disk/by-label/data rw\n",
        );
        assert_eq!(texts(&fixture), ["sda1 is mounted on /srv"]);
    }

    #[test]
    fn every_device_of_a_mounted_btrfs_is_in_use() {
        let fixture = machine();
        fixture
            .folder("/sys/fs/btrfs/0b51/devices/sda2")
            .folder("/sys/fs/btrfs/features");
        assert_eq!(texts(&fixture), ["sda2 is used by the mounted btrfs 0b51"]);
    }

    #[test]
    fn swap_is_in_use() {
        let fixture = machine();
        fixture.file(
            "/proc/swaps",
            "Filename\tType\tSize\tUsed\tPriority\n/dev/sda1   partition\t1\t0\t-2\n/srv/swap file\t1\t0\t-3\n",
        );
        assert_eq!(texts(&fixture), ["sda1 is used for swap"]);
    }

    #[test]
    fn everything_built_on_a_partition_is_followed() {
        let fixture = machine();
        add(&fixture, "dm-0", "253:0");
        add(&fixture, "dm-1", "253:1");
        hold(
            &fixture,
            "sda2",
            "dm-0",
            Some(("luks-x", "CRYPT-LUKS2-0011-luks-x")),
        );
        hold(&fixture, "dm-0", "dm-1", Some(("vg-root", "LVM-abcdef")));
        mounts(
            &fixture,
            "30 22 253:1 / / rw - ext4 /dev/mapper/vg-root rw\n",
        );
        assert_eq!(
            texts(&fixture),
            [
                "sda2 is used by the encrypted device luks-x",
                "dm-0 is used by the logical volume vg-root",
                "dm-1 is mounted on /",
            ]
        );
    }

    #[test]
    fn arrays_multipath_and_others_are_named() {
        let fixture = machine();
        add(&fixture, "dm-3", "253:3");
        hold(&fixture, "sda", "dm-2", Some(("mpatha", "mpath-3600508b1")));
        hold(&fixture, "sda1", "md127", None);
        hold(&fixture, "sda2", "bcache0", None);
        hold(&fixture, "sda2", "dm-3", Some(("other", "")));
        assert_eq!(
            texts(&fixture),
            [
                "sda is used by the multipath device mpatha",
                "sda1 is used by the array md127",
                "sda2 is used by bcache0",
                "sda2 is used by the device-mapper device other",
            ]
        );
    }

    #[test]
    fn holders_in_a_circle_end() {
        let fixture = machine();
        add(&fixture, "dm-0", "253:0");
        hold(&fixture, "sda", "dm-0", Some(("a", "")));
        hold(&fixture, "dm-0", "sda", None);
        assert_eq!(texts(&fixture).len(), 2);
    }

    #[test]
    fn member_of_an_imported_zfs_pool_is_in_use() {
        let fixture = machine();
        let record = "S:disk/by-id/x\nE:ID_FS_LABEL=tank\nE:ID_FS_TYPE=zfs_member\n";
        fixture.file("/run/udev/data/b8:1", record);
        assert!(texts(&fixture).is_empty(), "the pool is not imported");
        fixture.folder("/proc/spl/kstat/zfs/tank");
        assert_eq!(texts(&fixture), ["sda1 is used by the ZFS pool tank"]);
    }

    #[test]
    fn without_the_list_of_mounts_nothing_is_known() {
        let fixture = Fixture::new();
        assert!(uses(&fixture.root(), &["sda"]).is_err());
    }

    #[test]
    fn node_that_nobody_holds_is_not_claimed() {
        let fixture = machine();
        assert!(!is_claimed(&fixture.root().path("/dev/sda")));
        assert!(!is_claimed(&fixture.root().path("/dev/missing")));
    }

    #[test]
    fn malformed_lines_are_passed_over() {
        let fixture = machine();
        mounts(
            &fixture,
            "\n30\n30 22 8:2\n30 22 8:2 / - \n - - \n30 22 8:1 / /mnt\\0 - a\n",
        );
        assert_eq!(texts(&fixture), ["sda1 is mounted on /mnt\\0"]);
    }

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unescape("a\\040b\\011c\\134d"), "a b\tc\\d");
        assert_eq!(unescape("\\9\\04\\777x\\"), "\\9\\04\\777x\\");
    }
}
