//! What a path in `/dev` stands for, as sysfs tells it, without talking to the device.

use std::path::{Path, PathBuf};

use super::root::SystemRoot;
use crate::transport::{Bus, Error, sanitise, scsi};

/// What a node is. The order is that in which a drive's nodes are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum NodeKind {
    /// An NVMe controller, `/dev/nvme0`.
    NvmeController,
    /// A SCSI disk, `/dev/sda`.
    ScsiDisk,
    /// An NVMe namespace, `/dev/nvme0n1`.
    NvmeNamespace,
    /// A SCSI generic node, `/dev/sg3`.
    ScsiGeneric,
    /// The character node of an NVMe namespace, `/dev/ng0n1`.
    NvmeGeneric,
}

impl NodeKind {
    /// True for nodes that hold data, may have partitions, and may be in use.
    #[must_use]
    pub const fn is_block(self) -> bool {
        matches!(self, Self::ScsiDisk | Self::NvmeNamespace)
    }

    /// The folder of the node's attributes, and that of the device behind it.
    fn folders(self, name: &str) -> (PathBuf, PathBuf) {
        let folder = match self {
            Self::NvmeController => Path::new("/sys/class/nvme").join(name),
            Self::ScsiDisk | Self::NvmeNamespace => Path::new("/sys/block").join(name),
            Self::ScsiGeneric => Path::new("/sys/class/scsi_generic").join(name),
            Self::NvmeGeneric => Path::new(NVME_GENERIC).join(name),
        };
        let device = match self {
            Self::NvmeController => folder.clone(),
            _ => folder.join("device"),
        };
        (folder, device)
    }
}

/// Where the kernel lists the character nodes of NVMe namespaces.
const NVME_GENERIC: &str = "/sys/class/nvme-generic";

/// A node of a drive, and what sysfs says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// Its path, `/dev/sda`.
    pub path: PathBuf,
    /// Its kernel name, `sda`.
    pub name: String,
    /// What it is.
    pub kind: NodeKind,
    /// The bus.
    pub bus: Bus,
    /// Model, sanitised.
    pub model: String,
    /// Serial number, sanitised.
    pub serial: String,
    /// Firmware revision, sanitised.
    pub firmware: String,
    /// World-wide name in hex, where sysfs has one that names the drive.
    pub wwn: Option<String>,
    /// What joins the nodes of one drive in sysfs: an NVMe subsystem's NQN, or a SCSI device's
    /// folder.
    pub(super) anchor: Option<String>,
}

impl Node {
    /// The folder of the device behind the node.
    pub(super) fn device_folder(&self) -> PathBuf {
        self.kind.folders(&self.name).1
    }

    /// The folder of the node's block device: its own, or that of a character node's sibling.
    pub(super) fn block_folder(&self, root: &SystemRoot) -> Option<PathBuf> {
        match self.kind {
            NodeKind::ScsiDisk | NodeKind::NvmeNamespace => Some(self.kind.folders(&self.name).0),
            NodeKind::ScsiGeneric => {
                let folder = self.device_folder().join("block");
                let sibling = root.names(&folder).into_iter().next()?;
                Some(folder.join(sibling))
            }
            NodeKind::NvmeGeneric => {
                let folder = NodeKind::NvmeNamespace.folders(&namespace(&self.name)?).0;
                root.has(&folder).then_some(folder)
            }
            NodeKind::NvmeController => None,
        }
    }
}

/// The namespace to which a character node belongs: `nvme0n1` of `ng0n1`.
fn namespace(generic: &str) -> Option<String> {
    let numbers = generic.strip_prefix("ng")?;
    Some(format!("nvme{numbers}"))
}

/// The character node of a namespace, where the kernel has one.
pub(super) fn generic_of(root: &SystemRoot, namespace: &str) -> Option<String> {
    let numbers = namespace.strip_prefix("nvme")?;
    let name = format!("ng{numbers}");
    root.has(NodeKind::NvmeGeneric.folders(&name).0)
        .then_some(name)
}

/// Finds out which node a path or a link leads to.
///
/// # Errors
/// [`Error::Open`] if there is no such path, [`Error::Partition`] for a partition, and
/// [`Error::NotSupported`] for a node of another kind.
pub fn resolve(root: &SystemRoot, path: &Path) -> Result<Node, Error> {
    let shown = || path.display().to_string();
    let name = root.real_name(path).map_err(|source| Error::Open {
        path: shown(),
        source,
    })?;
    if let Some(disk) = disk_of_partition(root, &name) {
        return Err(Error::Partition {
            path: shown(),
            disk: format!("/dev/{disk}"),
        });
    }
    let kind = kind(root, &name).ok_or_else(|| Error::NotSupported { path: shown() })?;
    Ok(describe(root, kind, name))
}

fn disk_of_partition(root: &SystemRoot, name: &str) -> Option<String> {
    let folder = Path::new("/sys/class/block").join(name);
    if !root.has(folder.join("partition")) {
        return None;
    }
    let folder = root.real_path(folder)?;
    let disk = folder.parent()?.file_name()?;
    Some(disk.to_str()?.to_owned())
}

fn kind(root: &SystemRoot, name: &str) -> Option<NodeKind> {
    let is = |kind: NodeKind| root.has(kind.folders(name).0);
    let is_scsi = |kind: NodeKind| is_disk(root, &kind.folders(name).1);
    if is(NodeKind::NvmeController) {
        Some(NodeKind::NvmeController)
    } else if name.starts_with("nvme") && is(NodeKind::NvmeNamespace) {
        Some(NodeKind::NvmeNamespace)
    } else if name.starts_with("ng") && is(NodeKind::NvmeGeneric) {
        Some(NodeKind::NvmeGeneric)
    } else if is_scsi(NodeKind::ScsiDisk) {
        Some(NodeKind::ScsiDisk)
    } else if is_scsi(NodeKind::ScsiGeneric) {
        Some(NodeKind::ScsiGeneric)
    } else {
        None
    }
}

/// True for the folder of a SCSI device that is a disk.
fn is_disk(root: &SystemRoot, device: &Path) -> bool {
    let kind: Option<u8> = root.number(device.join("type"));
    kind.is_some_and(|kind| matches!(kind, scsi::DISK | scsi::ZONED_DISK))
}

/// Every SCSI disk and generic node that sysfs lists.
pub(super) fn scsi_nodes(root: &SystemRoot) -> Vec<Node> {
    let disks = root
        .names("/sys/block")
        .into_iter()
        .map(|name| (NodeKind::ScsiDisk, name));
    let generic = root.names("/sys/class/scsi_generic").into_iter();
    let generic = generic.map(|name| (NodeKind::ScsiGeneric, name));
    let is_disk = |(kind, name): &(NodeKind, String)| is_disk(root, &kind.folders(name).1);
    let nodes = disks.chain(generic).filter(is_disk);
    nodes
        .map(|(kind, name)| describe(root, kind, name))
        .collect()
}

/// Collects what sysfs says of a node.
pub(super) fn describe(root: &SystemRoot, kind: NodeKind, name: String) -> Node {
    let (_, device) = kind.folders(&name);
    let facts = match kind {
        NodeKind::NvmeController | NodeKind::NvmeNamespace | NodeKind::NvmeGeneric => {
            nvme_facts(root, &device)
        }
        NodeKind::ScsiDisk | NodeKind::ScsiGeneric => scsi_facts(root, &device),
    };
    Node {
        path: Path::new("/dev").join(&name),
        name,
        kind,
        bus: facts.bus,
        model: facts.model,
        serial: facts.serial,
        firmware: facts.firmware,
        wwn: facts.wwn,
        anchor: facts.anchor,
    }
}

struct Facts {
    bus: Bus,
    model: String,
    serial: String,
    firmware: String,
    wwn: Option<String>,
    anchor: Option<String>,
}

fn nvme_facts(root: &SystemRoot, device: &Path) -> Facts {
    Facts {
        bus: Bus::Nvme,
        model: text(root, &device.join("model")),
        serial: text(root, &device.join("serial")),
        firmware: text(root, &device.join("firmware_rev")),
        // A namespace's name is not the drive's.
        wwn: None,
        anchor: root.text(device.join("subsysnqn")),
    }
}

fn scsi_facts(root: &SystemRoot, device: &Path) -> Facts {
    let page = |name: &str, page| {
        let bytes = root.bytes(device.join(name))?;
        scsi::page_body(page, &bytes).map(<[u8]>::to_vec)
    };
    let serial = page("vpd_pg80", scsi::page::SERIAL_NUMBER).unwrap_or_default();
    let names = page("vpd_pg83", scsi::page::DEVICE_IDENTIFICATION);
    Facts {
        bus: scsi_bus(root, device),
        model: text(root, &device.join("model")),
        serial: sanitise(&serial),
        firmware: text(root, &device.join("rev")),
        wwn: names.and_then(|names| scsi::world_wide_name(&names)),
        anchor: root
            .real_path(device)
            .map(|path| path.display().to_string()),
    }
}

/// A text attribute that came from the drive; empty if it is missing.
fn text(root: &SystemRoot, path: &Path) -> String {
    sanitise(root.text(path).unwrap_or_default().as_bytes())
}

/// USB by the folder's place in the tree, ATA by the vendor that every translation layer states.
fn scsi_bus(root: &SystemRoot, device: &Path) -> Bus {
    let place = root.real_path(device).unwrap_or_default();
    if place
        .iter()
        .filter_map(|part| part.to_str())
        .any(is_usb_hub)
    {
        return Bus::Usb;
    }
    match root.text(device.join("vendor")).as_deref() {
        Some("ATA") => Bus::Ata,
        _ => Bus::Scsi,
    }
}

/// True for the folder of a USB root hub, `usb2`.
fn is_usb_hub(folder: &str) -> bool {
    let number = folder.strip_prefix("usb");
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::root::tests::Fixture;
    use super::*;

    /// Adds a SCSI disk with its sd and sg nodes.
    pub(crate) fn add_scsi(fixture: &Fixture, place: &str, sd: &str, sg: &str) -> String {
        let device = format!("/sys/devices/{place}");
        fixture
            .file(&format!("{device}/type"), "0\n")
            .file(&format!("{device}/block/{sd}/dev"), "8:0\n")
            .folder(&format!("{device}/scsi_generic/{sg}"))
            .link(&format!("{device}/block/{sd}/device"), &device)
            .link(&format!("{device}/scsi_generic/{sg}/device"), &device)
            .link(&format!("/sys/block/{sd}"), &format!("{device}/block/{sd}"))
            .link(
                &format!("/sys/class/block/{sd}"),
                &format!("{device}/block/{sd}"),
            )
            .link(
                &format!("/sys/class/scsi_generic/{sg}"),
                &format!("{device}/scsi_generic/{sg}"),
            )
            .file(&format!("/dev/{sd}"), "")
            .file(&format!("/dev/{sg}"), "");
        device
    }

    /// Adds who the disk is.
    pub(crate) fn add_identity(fixture: &Fixture, device: &str, serial: &str, naa: [u8; 8]) {
        let mut page_80 = vec![0, 0x80, 0, 20];
        page_80.extend(format!("{serial:>20}").bytes());
        let mut page_83 = vec![0, 0x83, 0, 12, 0x01, 0x03, 0, 8];
        page_83.extend(naa);
        fixture
            .file(&format!("{device}/vpd_pg80"), page_80)
            .file(&format!("{device}/vpd_pg83"), page_83);
    }

    pub(crate) fn add_names(fixture: &Fixture, device: &str, vendor: &str, model: &str) {
        fixture
            .file(&format!("{device}/vendor"), format!("{vendor:8}\n"))
            .file(&format!("{device}/model"), format!("{model:16}\n"))
            .file(&format!("{device}/rev"), "1B6Q\n");
    }

    /// Adds an NVMe controller with one namespace.
    pub(crate) fn add_nvme(fixture: &Fixture, controller: &str, namespace: &str, serial: &str) {
        let device = format!("/sys/devices/pci/nvme/{controller}");
        fixture
            .file(&format!("{device}/serial"), format!("{serial:20}\n"))
            .file(&format!("{device}/model"), "KIOXIA KCM61VUL3T20\n")
            .file(&format!("{device}/firmware_rev"), "0105\n")
            .file(
                &format!("{device}/subsysnqn"),
                format!("nqn.2019-10.com.kioxia:{serial}\n"),
            )
            .link(&format!("/sys/class/nvme/{controller}"), &device)
            .link(&format!("{device}/{namespace}/device"), &device)
            .link(
                &format!("/sys/block/{namespace}"),
                &format!("{device}/{namespace}"),
            )
            .file(&format!("/dev/{controller}"), "")
            .file(&format!("/dev/{namespace}"), "");
    }

    /// Adds a subsystem with native multipath: its namespaces, their character nodes, and a hidden
    /// block device for each path.
    pub(crate) fn add_multipath(
        fixture: &Fixture,
        subsystem: &str,
        controllers: &[&str],
        namespaces: &[&str],
    ) {
        let subsystem = format!("/sys/devices/virtual/nvme-subsystem/{subsystem}");
        let ports = controllers
            .iter()
            .map(|name| format!("/sys/devices/virtual/nvme-fabrics/ctl/{name}"));
        for folder in ports.clone().chain([subsystem.clone()]) {
            fixture
                .file(&format!("{folder}/serial"), "SEDKIT0001          \n")
                .file(&format!("{folder}/model"), "sedkit virtual drive\n")
                .file(&format!("{folder}/firmware_rev"), "1.0     \n")
                .file(&format!("{folder}/subsysnqn"), "nqn.2026-01.sedkit:v1\n");
        }
        for (name, port) in controllers.iter().zip(ports.clone()) {
            fixture
                .link(&format!("/sys/class/nvme/{name}"), &port)
                .file(&format!("/dev/{name}"), "");
        }
        for namespace in namespaces {
            let generic = namespace.replacen("nvme", "ng", 1);
            let folder = format!("{subsystem}/{namespace}");
            fixture
                .file(&format!("{folder}/nsid"), "1\n")
                .file(&format!("{folder}/hidden"), "0\n")
                .link(&format!("{folder}/device"), &subsystem)
                .link(&format!("/sys/block/{namespace}"), &folder)
                .link(&format!("/sys/class/block/{namespace}"), &folder)
                .link(&format!("{subsystem}/{generic}/device"), &subsystem)
                .link(
                    &format!("/sys/class/nvme-generic/{generic}"),
                    &format!("{subsystem}/{generic}"),
                )
                .file(&format!("/dev/{namespace}"), "")
                .file(&format!("/dev/{generic}"), "");
            for (number, port) in ports.clone().enumerate() {
                let (drive, nsid) = namespace.rsplit_once('n').unwrap();
                let path = format!("{drive}c{number}n{nsid}");
                fixture
                    .file(&format!("{port}/{path}/hidden"), "1\n")
                    .link(&format!("/sys/block/{path}"), &format!("{port}/{path}"));
            }
        }
    }

    const SATA: &str = "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0";

    #[test]
    fn sata_disk_and_its_generic_node_are_described() {
        let fixture = Fixture::new();
        let device = add_scsi(&fixture, SATA, "sda", "sg0");
        add_identity(
            &fixture,
            &device,
            "S21PNSAG123456",
            [0x50, 0x02, 0x53, 0x8d, 0, 1, 2, 3],
        );
        add_names(&fixture, &device, "ATA", "Samsung SSD 850");
        let root = fixture.root();
        let disk = resolve(&root, Path::new("/dev/sda")).unwrap();
        assert_eq!((disk.kind, disk.bus), (NodeKind::ScsiDisk, Bus::Ata));
        assert_eq!(
            (disk.serial.as_str(), disk.model.as_str()),
            ("S21PNSAG123456", "Samsung SSD 850")
        );
        assert_eq!(disk.wwn.as_deref(), Some("5002538d00010203"));
        assert_eq!(disk.path, Path::new("/dev/sda"));
        let generic = resolve(&root, Path::new("/dev/sg0")).unwrap();
        assert_eq!(generic.kind, NodeKind::ScsiGeneric);
        assert_eq!(generic.anchor, disk.anchor);
    }

    #[test]
    fn links_lead_to_the_node() {
        let fixture = Fixture::new();
        add_scsi(&fixture, SATA, "sda", "sg0");
        fixture.link("/dev/disk/by-id/ata-Samsung_S21PN", "/dev/sda");
        let node = resolve(
            &fixture.root(),
            Path::new("/dev/disk/by-id/ata-Samsung_S21PN"),
        )
        .unwrap();
        assert_eq!(node.name, "sda");
    }

    #[test]
    fn nvme_controller_and_namespace_are_described() {
        let fixture = Fixture::new();
        add_nvme(&fixture, "nvme0", "nvme0n1", "Z0X1");
        let root = fixture.root();
        for (path, kind) in [
            ("/dev/nvme0", NodeKind::NvmeController),
            ("/dev/nvme0n1", NodeKind::NvmeNamespace),
        ] {
            let node = resolve(&root, Path::new(path)).unwrap();
            assert_eq!(
                (node.kind, node.bus, node.serial.as_str()),
                (kind, Bus::Nvme, "Z0X1")
            );
        }
    }

    #[test]
    fn nodes_of_a_multipath_drive_are_described_by_its_subsystem() {
        let fixture = Fixture::new();
        add_multipath(&fixture, "nvme-subsys0", &["nvme0", "nvme1"], &["nvme0n1"]);
        let root = fixture.root();
        for (path, kind) in [
            ("/dev/nvme0", NodeKind::NvmeController),
            ("/dev/nvme1", NodeKind::NvmeController),
            ("/dev/nvme0n1", NodeKind::NvmeNamespace),
            ("/dev/ng0n1", NodeKind::NvmeGeneric),
        ] {
            let node = resolve(&root, Path::new(path)).unwrap();
            assert_eq!(node.kind, kind, "{path}");
            assert_eq!(node.serial, "SEDKIT0001", "{path}");
            assert_eq!(node.model, "sedkit virtual drive", "{path}");
            assert_eq!(node.anchor.as_deref(), Some("nqn.2026-01.sedkit:v1"));
        }
        // The hidden block device of a path has no node to open.
        assert!(root.has("/sys/block/nvme0c1n1"));
        let error = resolve(&root, Path::new("/dev/nvme0c1n1")).unwrap_err();
        assert!(matches!(error, Error::Open { .. }), "{error}");
    }

    #[test]
    fn character_node_of_a_namespace_has_its_queue() {
        let fixture = Fixture::new();
        add_nvme(&fixture, "nvme0", "nvme0n1", "Z0X1");
        let device = "/sys/devices/pci/nvme/nvme0";
        fixture
            .link(&format!("{device}/ng0n1/device"), device)
            .link("/sys/class/nvme-generic/ng0n1", &format!("{device}/ng0n1"))
            .file("/dev/ng0n1", "")
            .file("/dev/nvm", "");
        let root = fixture.root();
        let node = resolve(&root, Path::new("/dev/ng0n1")).unwrap();
        assert_eq!((node.bus, node.serial.as_str()), (Bus::Nvme, "Z0X1"));
        assert!(!node.kind.is_block());
        let block = node.block_folder(&root).unwrap();
        assert_eq!(block, Path::new("/sys/block/nvme0n1"));
        assert!(resolve(&root, Path::new("/dev/nvm")).is_err());
    }

    #[test]
    fn partition_is_refused_and_its_disk_named() {
        let fixture = Fixture::new();
        let device = add_scsi(&fixture, SATA, "sda", "sg0");
        fixture
            .file(&format!("{device}/block/sda/sda1/partition"), "1\n")
            .link("/sys/class/block/sda1", &format!("{device}/block/sda/sda1"))
            .file("/dev/sda1", "");
        let error = resolve(&fixture.root(), Path::new("/dev/sda1")).unwrap_err();
        assert_eq!(error.to_string(), "/dev/sda1 is a partition of /dev/sda");
    }

    #[test]
    fn usb_disk_is_known_by_its_place() {
        let fixture = Fixture::new();
        let place = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0";
        add_scsi(&fixture, place, "sdb", "sg1");
        let node = resolve(&fixture.root(), Path::new("/dev/sdb")).unwrap();
        assert_eq!(node.bus, Bus::Usb);
    }

    #[test]
    fn nodes_of_other_kinds_are_no_drives() {
        let fixture = Fixture::new();
        let device = add_scsi(&fixture, SATA, "sr0", "sg0");
        fixture
            .file(&format!("{device}/type"), "5\n")
            .file("/dev/null", "");
        for path in ["/dev/sr0", "/dev/sg0", "/dev/null"] {
            let error = resolve(&fixture.root(), Path::new(path)).unwrap_err();
            assert!(
                matches!(error, Error::NotSupported { .. }),
                "{path}: {error}"
            );
        }
        let error = resolve(&fixture.root(), Path::new("/dev/sdz")).unwrap_err();
        assert!(matches!(error, Error::Open { .. }), "{error}");
        assert!(scsi_nodes(&fixture.root()).is_empty());
    }
}
