//! LUKS volumes that use the drive's own locking: `cryptsetup luksFormat --hw-opal[-only]`.
//!
//! Such a volume has a locking range for itself, which cryptsetup locks and unlocks through the
//! kernel. Its header lies outside of the range, so that it can be read while the range is locked.

mod header;

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use super::root::SystemRoot;
use super::usage::{partitions, place};
use crate::spec::RangeNumber;
use crate::sys::ioctl::O_NONBLOCK;
use header::Header;

/// A LUKS volume that has a locking range for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LuksVolume {
    /// Kernel name of the node that holds its header: a partition, or a whole disk.
    pub node: String,
    /// UUID, sanitised.
    pub uuid: String,
    /// Label, sanitised; empty if it has none.
    pub label: String,
    /// The locking range; `None` if the header names none that can be read.
    pub range: Option<RangeNumber>,
    /// dm-crypt encrypts on top of the drive's encryption (`--hw-opal`).
    pub with_crypt: bool,
    /// The bytes of the disk that its node covers, where the kernel tells it.
    pub place: Option<Range<u64>>,
}

#[cfg(test)]
impl LuksVolume {
    /// A volume as tests need it.
    pub(crate) fn new(node: &str, range: Option<RangeNumber>, place: Option<Range<u64>>) -> Self {
        Self {
            node: node.to_owned(),
            uuid: "0c7ad2b1".to_owned(),
            label: "archive".to_owned(),
            range,
            with_crypt: false,
            place,
        }
    }
}

impl fmt::Display for LuksVolume {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LUKS on {} (", self.node)?;
        if !self.label.is_empty() {
            write!(f, "label {}, ", self.label)?;
        }
        write!(f, "UUID {})", self.uuid)
    }
}

/// What can be found out about LUKS on a drive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LuksSurvey {
    /// The volumes that have locking ranges for themselves.
    pub volumes: Vec<LuksVolume>,
    /// Kernel names of the nodes that could not be read, as where they are locked, or whose LUKS2
    /// header is damaged: of these, nothing is known.
    pub unread: Vec<String>,
}

/// Looks for LUKS volumes on the block nodes with the given kernel names, and their partitions.
///
/// A volume whose header is kept elsewhere (`--header`) leaves no trace on the drive.
#[must_use]
pub fn luks(root: &SystemRoot, disks: &[&str]) -> LuksSurvey {
    let mut survey = LuksSurvey::default();
    for &disk in disks {
        survey.add(root, disk);
        for partition in partitions(root, disk) {
            survey.add(root, &partition);
        }
    }
    survey
}

impl LuksSurvey {
    fn add(&mut self, root: &SystemRoot, node: &str) {
        match read(root, node) {
            Ok(Some(header)) => self.volumes.extend(volumes(root, node, &header)),
            Ok(None) => {}
            Err(_) => self.unread.push(node.to_owned()),
        }
    }
}

fn read(root: &SystemRoot, node: &str) -> io::Result<Option<Header>> {
    let path = root.path(Path::new("/dev").join(node));
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(O_NONBLOCK).open(path)?;
    header::read(&|offset, length| read_at(&file, offset, length))
}

fn read_at(file: &File, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

fn volumes<'h>(
    root: &'h SystemRoot,
    node: &'h str,
    header: &'h Header,
) -> impl Iterator<Item = LuksVolume> + use<'h> {
    header.segments.iter().map(move |segment| LuksVolume {
        node: node.to_owned(),
        uuid: header.uuid.clone(),
        label: header.label.clone(),
        range: segment.range,
        with_crypt: segment.with_crypt,
        place: place(root, node),
    })
}

#[cfg(test)]
mod tests {
    use super::super::root::tests::Fixture;
    use super::header::tests::{UUID, json, volume};
    use super::*;

    /// A disk with two partitions.
    fn machine() -> Fixture {
        let fixture = Fixture::new();
        fixture.link("/sys/block/nvme0n1", "/sys/class/block/nvme0n1");
        for (node, start, size) in [
            ("nvme0n1", None, 131_072),
            ("nvme0n1p1", Some(2048), 65_536),
            ("nvme0n1p2", Some(67_584), 32_768),
        ] {
            let folder = format!("/sys/class/block/{node}");
            fixture
                .file(&format!("{folder}/size"), format!("{size}\n"))
                .file(&format!("/dev/{node}"), vec![0; 1 << 16]);
            if let Some(start) = start {
                fixture
                    .file(&format!("{folder}/start"), format!("{start}\n"))
                    .file(&format!("{folder}/partition"), "1\n")
                    .link(&format!("/sys/class/block/nvme0n1/{node}"), &folder);
            }
        }
        fixture
    }

    fn survey(fixture: &Fixture) -> LuksSurvey {
        luks(&fixture.root(), &["nvme0n1"])
    }

    #[test]
    fn disk_without_luks_has_no_volumes() {
        assert_eq!(survey(&machine()), LuksSurvey::default());
    }

    #[test]
    fn volumes_on_partitions_are_found_and_named() {
        let fixture = machine();
        fixture
            .file("/dev/nvme0n1p1", volume(&json("hw-opal", "1")))
            .file("/dev/nvme0n1p2", volume(&json("hw-opal-crypt", "2")));
        let found = survey(&fixture);
        assert!(found.unread.is_empty());
        let numbers: Vec<_> = found.volumes.iter().map(|one| one.range).collect();
        assert_eq!(numbers, [1, 2].map(|number| Some(RangeNumber(number))));
        let [first, second] = &found.volumes[..] else {
            panic!("{found:?}");
        };
        assert!(!first.with_crypt && second.with_crypt);
        assert_eq!(first.place, Some(1 << 20..33 << 20));
        assert_eq!(
            first.to_string(),
            format!("LUKS on nvme0n1p1 (label archive, UUID {UUID})")
        );
    }

    #[test]
    fn volume_on_a_whole_disk_is_found() {
        let fixture = machine();
        fixture.file("/dev/nvme0n1", volume(&json("hw-opal", "1")));
        let found = survey(&fixture).volumes;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].node, "nvme0n1");
        assert_eq!(found[0].place, Some(0..64 << 20));
    }

    #[test]
    fn plain_luks_does_not_use_the_drive_s_locking() {
        let fixture = machine();
        fixture.file("/dev/nvme0n1p1", volume(&json("crypt", "1")));
        assert_eq!(survey(&fixture), LuksSurvey::default());
    }

    #[test]
    fn of_nodes_that_cannot_be_read_nothing_is_known() {
        let fixture = machine();
        let node = fixture.root().path("/dev/nvme0n1p2");
        std::fs::remove_file(&node).unwrap();
        std::fs::create_dir(&node).unwrap();
        let found = survey(&fixture);
        assert!(found.volumes.is_empty());
        assert_eq!(found.unread, ["nvme0n1p2"]);
    }

    #[test]
    fn of_damaged_headers_nothing_is_known() {
        let fixture = machine();
        fixture.file("/dev/nvme0n1p1", volume("{"));
        let found = survey(&fixture);
        assert!(found.volumes.is_empty());
        assert_eq!(found.unread, ["nvme0n1p1"]);
    }
}
