//! Which nodes there are, and which of them are one drive.

use std::path::Path;

use super::host::{Geometry, geometry};
use super::node::{self, Node, NodeKind, resolve};
use super::root::{SystemRoot, natural_order};
use crate::sys::nvme::{self, Subsystem};
use crate::transport::{Bus, Error};

/// The nodes of one drive: its namespaces, its paths, its sd and sg nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriveNodes {
    /// All of them, the one to talk to first.
    pub nodes: Vec<Node>,
}

impl DriveNodes {
    /// The path to open.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.nodes.first().map_or(Path::new(""), |node| &node.path)
    }

    /// Kernel names of the block nodes, which may have partitions and may be in use.
    #[must_use]
    pub fn block_names(&self) -> Vec<&str> {
        let block = self.nodes.iter().filter(|node| node.kind.is_block());
        block.map(|node| node.name.as_str()).collect()
    }

    /// How large the kernel takes the drive for, whichever node is talked to; `None` where it has
    /// several namespaces.
    #[must_use]
    pub fn geometry(&self, root: &SystemRoot) -> Option<Geometry> {
        let mut block = self.nodes.iter().filter(|node| node.kind.is_block());
        let first = block.next()?;
        let is_one = first.bus != Bus::Nvme || block.next().is_none();
        is_one.then(|| geometry(root, first)).flatten()
    }
}

/// Every node that may lead to a drive, in natural order.
///
/// NVMe nodes come from libnvme, which looks at the machine's own root only.
#[must_use]
pub fn scan_nodes(root: &SystemRoot) -> Vec<Node> {
    let subsystems = if root.is_real() {
        nvme::topology()
    } else {
        Vec::new()
    };
    let mut nodes = nvme_nodes(root, &subsystems);
    nodes.extend(node::scsi_nodes(root));
    nodes
}

/// The drives of this machine, SED or not, each with all its nodes.
#[must_use]
pub fn scan(root: &SystemRoot) -> Vec<DriveNodes> {
    group(scan_nodes(root))
}

/// All nodes of the drive to which a path leads.
///
/// # Errors
/// Those of [`resolve`].
pub fn nodes_of(root: &SystemRoot, path: &Path) -> Result<DriveNodes, Error> {
    let wanted = resolve(root, path)?;
    let mut drives = scan(root).into_iter();
    let drive = drives.find(|drive| drive.nodes.iter().any(|node| node.name == wanted.name));
    Ok(drive.unwrap_or_else(|| DriveNodes {
        nodes: vec![wanted],
    }))
}

fn nvme_nodes(root: &SystemRoot, subsystems: &[Subsystem]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    for subsystem in subsystems {
        for (kind, name) in nvme_names(root, subsystem) {
            // A subsystem to which the machine is connected as two hosts is listed twice.
            if nodes.iter().any(|node| node.name == name) {
                continue;
            }
            let mut node = node::describe(root, kind, name);
            if !subsystem.nqn.is_empty() {
                node.anchor = Some(subsystem.nqn.clone());
            }
            nodes.push(node);
        }
    }
    nodes
}

/// The nodes of a subsystem: controllers, namespaces, and the character nodes of these. The block
/// devices of single paths (`nvme0c1n1`) are hidden, and have no node.
fn nvme_names(root: &SystemRoot, subsystem: &Subsystem) -> Vec<(NodeKind, String)> {
    let controllers = subsystem.controllers.iter().cloned();
    let mut names: Vec<_> = controllers
        .map(|name| (NodeKind::NvmeController, name))
        .collect();
    for name in &subsystem.namespaces {
        let hidden: Option<u8> = root.number(Path::new("/sys/block").join(name).join("hidden"));
        if hidden == Some(1) {
            continue;
        }
        names.push((NodeKind::NvmeNamespace, name.clone()));
        let generic = node::generic_of(root, name);
        names.extend(generic.map(|name| (NodeKind::NvmeGeneric, name)));
    }
    names
}

/// Joins the nodes of each drive.
pub(super) fn group(nodes: Vec<Node>) -> Vec<DriveNodes> {
    let mut drives: Vec<DriveNodes> = Vec::new();
    for node in nodes {
        let is_same = |drive: &DriveNodes| drive.nodes.iter().any(|one| is_one_drive(one, &node));
        // A node may join what looked like two drives so far: an sg node without a name does.
        let (same, others): (Vec<_>, Vec<_>) = drives.into_iter().partition(is_same);
        let mut joined: Vec<Node> = same.into_iter().flat_map(|drive| drive.nodes).collect();
        joined.push(node);
        drives = others;
        drives.push(DriveNodes { nodes: joined });
    }
    for drive in &mut drives {
        drive.nodes.sort_by(order);
    }
    drives.sort_by(|one, other| natural_order(first_name(one), first_name(other)));
    drives
}

fn order(one: &Node, other: &Node) -> std::cmp::Ordering {
    one.kind
        .cmp(&other.kind)
        .then_with(|| natural_order(&one.name, &other.name))
}

fn first_name(drive: &DriveNodes) -> &str {
    drive.nodes.first().map_or("", |node| &node.name)
}

/// Whether two nodes lead to one drive.
///
/// What sysfs joins is one drive. Otherwise world-wide names decide where both have one, and serial
/// number and model where not, except over USB: bridges are known that give every drive behind them
/// the same serial number.
fn is_one_drive(one: &Node, other: &Node) -> bool {
    if one.anchor.is_some() && one.anchor == other.anchor {
        return true;
    }
    match (&one.wwn, &other.wwn) {
        (Some(one), Some(other)) => one == other,
        _ if one.bus == Bus::Usb || other.bus == Bus::Usb => false,
        _ if has_both_subsystems(one, other) => false,
        _ => !one.serial.is_empty() && one.serial == other.serial && one.model == other.model,
    }
}

/// Two NVMe nodes whose subsystems have different names.
fn has_both_subsystems(one: &Node, other: &Node) -> bool {
    let is_nvme = one.bus == Bus::Nvme && other.bus == Bus::Nvme;
    is_nvme && one.anchor.is_some() && other.anchor.is_some()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::node::tests::{add_identity, add_multipath, add_names, add_nvme, add_scsi};
    use super::super::root::tests::Fixture;
    use super::*;

    fn names(drives: &[DriveNodes]) -> Vec<Vec<&str>> {
        drives
            .iter()
            .map(|drive| drive.nodes.iter().map(|node| &*node.name).collect())
            .collect()
    }

    fn subsystem(nqn: &str, controllers: &[&str], namespaces: &[&str]) -> Subsystem {
        Subsystem {
            nqn: nqn.to_owned(),
            controllers: controllers.iter().map(ToString::to_string).collect(),
            namespaces: namespaces
                .iter()
                .map(ToString::to_string)
                .collect::<BTreeSet<_>>(),
        }
    }

    #[test]
    fn sd_and_sg_nodes_are_one_drive() {
        let fixture = Fixture::new();
        add_scsi(&fixture, "pci/host0/target0:0:0/0:0:0:0", "sdb", "sg0");
        add_scsi(&fixture, "pci/host1/target1:0:0/1:0:0:0", "sda", "sg1");
        let drives = scan(&fixture.root());
        assert_eq!(names(&drives), [["sda", "sg1"], ["sdb", "sg0"]]);
        assert_eq!(drives[0].path(), Path::new("/dev/sda"));
        assert_eq!(drives[0].block_names(), ["sda"]);
    }

    #[test]
    fn two_paths_to_one_sas_drive_are_one_drive() {
        let fixture = Fixture::new();
        let naa = [0x50, 0x00, 0xc5, 0x00, 0xa1, 0xb2, 0xc3, 0xd4];
        for (place, sd, sg) in [
            ("host0/0:0:0:0", "sda", "sg0"),
            ("host1/1:0:0:0", "sdc", "sg2"),
        ] {
            let device = add_scsi(&fixture, place, sd, sg);
            add_identity(&fixture, &device, "ZC11", naa);
        }
        let device = add_scsi(&fixture, "host0/0:0:1:0", "sdb", "sg1");
        add_identity(&fixture, &device, "ZC11", [0x50, 0x00, 0xc5, 0, 0, 0, 0, 1]);
        let drives = scan(&fixture.root());
        assert_eq!(
            names(&drives),
            [vec!["sda", "sdc", "sg0", "sg2"], vec!["sdb", "sg1"]]
        );
    }

    #[test]
    fn bridges_with_one_serial_number_are_two_drives() {
        let fixture = Fixture::new();
        for (place, sd, sg) in [
            ("usb1/6:0:0:0", "sda", "sg0"),
            ("usb1/7:0:0:0", "sdb", "sg1"),
        ] {
            let device = add_scsi(&fixture, place, sd, sg);
            let mut page = vec![0, 0x80, 0, 16];
            page.extend(b"0123456789ABCDEF");
            fixture.file(&format!("{device}/vpd_pg80"), page);
            add_names(&fixture, &device, "JMicron", "Tech");
        }
        assert_eq!(
            names(&scan(&fixture.root())),
            [["sda", "sg0"], ["sdb", "sg1"]]
        );
    }

    #[test]
    fn serial_number_joins_nodes_without_a_world_wide_name() {
        let fixture = Fixture::new();
        for (place, sd, sg) in [
            ("host0/0:0:0:0", "sda", "sg0"),
            ("host1/1:0:0:0", "sdb", "sg1"),
        ] {
            let device = add_scsi(&fixture, place, sd, sg);
            let mut page = vec![0, 0x80, 0, 4];
            page.extend(b"ZC11");
            fixture.file(&format!("{device}/vpd_pg80"), page);
            add_names(&fixture, &device, "SEAGATE", "ST4000NM0145");
        }
        assert_eq!(
            names(&scan(&fixture.root())),
            [["sda", "sdb", "sg0", "sg1"]]
        );
    }

    #[test]
    fn namespaces_and_controllers_of_a_subsystem_are_one_drive() {
        let fixture = Fixture::new();
        add_nvme(&fixture, "nvme0", "nvme0n1", "Z0X1");
        add_nvme(&fixture, "nvme1", "nvme0n2", "Z0X1");
        add_nvme(&fixture, "nvme2", "nvme2n1", "Z0X2");
        let subsystems = [
            subsystem("nqn.one", &["nvme0", "nvme1"], &["nvme0n1", "nvme0n2"]),
            subsystem("nqn.two", &["nvme2"], &["nvme2n1"]),
        ];
        let drives = group(nvme_nodes(&fixture.root(), &subsystems));
        assert_eq!(
            names(&drives),
            [
                vec!["nvme0", "nvme1", "nvme0n1", "nvme0n2"],
                vec!["nvme2", "nvme2n1"]
            ]
        );
        assert_eq!(drives[0].block_names(), ["nvme0n1", "nvme0n2"]);
        assert_eq!(drives[1].nodes[0].serial, "Z0X2");
    }

    /// Two controllers of one subsystem with native multipath, as Linux 6.12 shows them: the
    /// namespaces hang on the subsystem, and each path has a hidden block device.
    fn multipath(fixture: &Fixture) -> Subsystem {
        add_multipath(
            fixture,
            "nvme-subsys0",
            &["nvme0", "nvme1"],
            &["nvme0n1", "nvme0n2"],
        );
        subsystem(
            "nqn.2026-01.sedkit:v1",
            &["nvme0", "nvme1"],
            &["nvme0c0n1", "nvme0n1", "nvme0n2"],
        )
    }

    #[test]
    fn two_controllers_of_a_subsystem_are_one_drive() {
        let fixture = Fixture::new();
        let one = multipath(&fixture);
        add_nvme(&fixture, "nvme2", "nvme2n1", "Z0X2");
        let other = subsystem("nqn.two", &["nvme2"], &["nvme2n1"]);
        let twice = [one.clone(), other, one];
        let drives = group(nvme_nodes(&fixture.root(), &twice));
        assert_eq!(
            names(&drives),
            [
                vec!["nvme0", "nvme1", "nvme0n1", "nvme0n2", "ng0n1", "ng0n2"],
                vec!["nvme2", "nvme2n1"],
            ]
        );
        assert_eq!(drives[0].path(), Path::new("/dev/nvme0"));
        assert_eq!(drives[0].block_names(), ["nvme0n1", "nvme0n2"]);
        let serials: Vec<&str> = drives[0].nodes.iter().map(|node| &*node.serial).collect();
        assert_eq!(serials, ["SEDKIT0001"; 6]);
    }

    #[test]
    fn size_is_that_of_the_only_namespace() {
        let fixture = Fixture::new();
        add_multipath(
            &fixture,
            "nvme-subsys0",
            &["nvme0"],
            &["nvme0n1", "nvme0n2"],
        );
        for name in ["nvme0n1", "nvme0n2"] {
            fixture
                .file(&format!("/sys/block/{name}/size"), "131072\n")
                .file(
                    &format!("/sys/block/{name}/queue/logical_block_size"),
                    "4096\n",
                );
        }
        let size = |namespaces: &[&str]| {
            let subsystem = subsystem("nqn.one", &["nvme0"], namespaces);
            let drives = group(nvme_nodes(&fixture.root(), &[subsystem]));
            drives[0].geometry(&fixture.root())
        };
        let one = Geometry {
            blocks: 16_384,
            block_size: 4096,
        };
        assert_eq!(size(&["nvme0n1"]), Some(one));
        assert_eq!(size(&["nvme0n1", "nvme0n2"]), None);
        assert_eq!(size(&[]), None);
    }

    #[test]
    fn every_namespace_of_a_multipath_drive_is_looked_at() {
        let fixture = Fixture::new();
        let drives = group(nvme_nodes(&fixture.root(), &[multipath(&fixture)]));
        fixture
            .file("/sys/class/block/nvme0n1/dev", "259:1\n")
            .file("/sys/class/block/nvme0n2/dev", "259:3\n")
            .file("/sys/class/block/nvme0n2/nvme0n2p1/partition", "1\n")
            .file("/sys/class/block/nvme0n2/nvme0n2p1/dev", "259:4\n")
            .link(
                "/sys/class/block/nvme0n2p1",
                "/sys/class/block/nvme0n2/nvme0n2p1",
            )
            .file(
                "/proc/self/mountinfo",
                "30 22 259:4 / /srv rw - xfs /dev/nvme0n2p1 rw\n",
            );
        let found = crate::transport::linux::uses(&fixture.root(), &drives[0].block_names());
        let texts: Vec<String> = found.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["nvme0n2p1 is mounted on /srv"]);
    }

    #[test]
    fn subsystems_without_a_name_are_joined_by_serial_number() {
        let fixture = Fixture::new();
        let nodes = |serial: &str| {
            add_nvme(&fixture, "nvme0", "nvme0n1", serial);
            let mut nodes = nvme_nodes(&fixture.root(), &[subsystem("", &["nvme0"], &["nvme0n1"])]);
            nodes.iter_mut().for_each(|node| node.anchor = None);
            nodes
        };
        assert_eq!(names(&group(nodes("Z0X1"))), [["nvme0", "nvme0n1"]]);
    }

    #[test]
    fn a_path_leads_to_all_nodes_of_its_drive() {
        let fixture = Fixture::new();
        add_scsi(&fixture, "host0/0:0:0:0", "sda", "sg0");
        add_scsi(&fixture, "host0/0:0:1:0", "sdb", "sg1");
        let drive = nodes_of(&fixture.root(), Path::new("/dev/sg1")).unwrap();
        assert_eq!(names(&[drive]), [["sdb", "sg1"]]);
        assert!(nodes_of(&fixture.root(), Path::new("/dev/sdc")).is_err());
    }

    #[test]
    fn this_machine_can_be_scanned() {
        for drive in scan(&SystemRoot::default()) {
            assert!(drive.path().starts_with("/dev"));
        }
    }
}
