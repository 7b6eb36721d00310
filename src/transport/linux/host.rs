//! What stands between the program and a drive: kernel parameters and controllers.

use super::node::Node;
use super::root::SystemRoot;

/// Whether libata lets ATA TRUSTED commands through; `None` without libata.
#[must_use]
pub fn allow_tpm(root: &SystemRoot) -> Option<bool> {
    let value = root.text("/sys/module/libata/parameters/allow_tpm")?;
    Some(matches!(value.as_str(), "1" | "Y" | "y"))
}

/// Drivers of RAID controllers, behind which a drive's security commands are often not to be had.
const RAID_DRIVERS: [&str; 16] = [
    "3w-9xxx",
    "3w-sas",
    "aacraid",
    "arcmsr",
    "cciss",
    "esas2r",
    "hpsa",
    "hptiop",
    "ipr",
    "ips",
    "megaraid_mbox",
    "megaraid_sas",
    "mpi3mr",
    "pmcraid",
    "smartpqi",
    "stex",
];

/// The driver of the RAID controller to which a node is attached, if it is one.
///
/// Such a controller may pass the drive's commands on or not: the name explains a refusal, and
/// means nothing where there was none.
#[must_use]
pub fn raid_driver(root: &SystemRoot, node: &Node) -> Option<String> {
    let device = root.real_path(node.device_folder())?;
    let host = device
        .iter()
        .filter_map(|part| part.to_str())
        .find(|part| is_host(part))?;
    let driver = root.text(format!("/sys/class/scsi_host/{host}/proc_name"))?;
    RAID_DRIVERS.contains(&driver.as_str()).then_some(driver)
}

/// True for the folder of a SCSI host, `host3`.
fn is_host(folder: &str) -> bool {
    let number = folder.strip_prefix("host");
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The longest transfer in bytes that the kernel's queue for a node takes, where it has one.
pub(super) fn queue_limit(root: &SystemRoot, node: &Node) -> Option<usize> {
    let block = node.block_folder(root)?;
    let kibibytes: usize = root.number(block.join("queue/max_sectors_kb"))?;
    kibibytes.checked_mul(1024)
}

/// How large a drive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// Logical blocks.
    pub blocks: u64,
    /// Bytes in a logical block.
    pub block_size: u32,
}

/// How large the kernel takes a node for; `None` for nodes without data.
#[must_use]
pub fn geometry(root: &SystemRoot, node: &Node) -> Option<Geometry> {
    // The size is always counted in 512 bytes.
    const SECTOR: u64 = 512;
    let block = node.block_folder(root)?;
    let block_size: u32 = root.number(block.join("queue/logical_block_size"))?;
    let sectors: u64 = root.number(block.join("size"))?;
    let blocks = sectors
        .checked_mul(SECTOR)?
        .checked_div(block_size.into())?;
    Some(Geometry { blocks, block_size })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::node::resolve;
    use super::super::node::tests::{add_nvme, add_scsi};
    use super::super::root::tests::Fixture;
    use super::*;

    fn node(fixture: &Fixture, path: &str) -> Node {
        resolve(&fixture.root(), Path::new(path)).unwrap()
    }

    #[test]
    fn allow_tpm_is_read() {
        let fixture = Fixture::new();
        assert_eq!(allow_tpm(&fixture.root()), None);
        for (text, value) in [("0\n", false), ("1\n", true), ("N\n", false), ("Y\n", true)] {
            fixture.file("/sys/module/libata/parameters/allow_tpm", text);
            assert_eq!(allow_tpm(&fixture.root()), Some(value));
        }
    }

    #[test]
    fn raid_controller_is_named() {
        let fixture = Fixture::new();
        add_scsi(&fixture, "pci/host2/target2:0:0/2:0:0:0", "sda", "sg0");
        add_scsi(&fixture, "pci/host3/target3:0:0/3:0:0:0", "sdb", "sg1");
        fixture
            .file("/sys/class/scsi_host/host2/proc_name", "hpsa\n")
            .file("/sys/class/scsi_host/host3/proc_name", "ahci\n");
        let root = fixture.root();
        let driver = raid_driver(&root, &node(&fixture, "/dev/sda"));
        assert_eq!(driver.as_deref(), Some("hpsa"));
        assert_eq!(
            raid_driver(&root, &node(&fixture, "/dev/sg0")).as_deref(),
            Some("hpsa")
        );
        assert_eq!(raid_driver(&root, &node(&fixture, "/dev/sdb")), None);
    }

    #[test]
    fn queue_and_size_are_those_of_the_block_node() {
        let fixture = Fixture::new();
        let device = add_scsi(&fixture, "host0/0:0:0:0", "sda", "sg0");
        fixture
            .file(&format!("{device}/block/sda/queue/max_sectors_kb"), "120\n")
            .file(
                &format!("{device}/block/sda/queue/logical_block_size"),
                "4096\n",
            )
            .file(&format!("{device}/block/sda/size"), "80000\n");
        let root = fixture.root();
        for path in ["/dev/sda", "/dev/sg0"] {
            let node = node(&fixture, path);
            assert_eq!(queue_limit(&root, &node), Some(120 * 1024));
            let expected = Geometry {
                blocks: 10_000,
                block_size: 4096,
            };
            assert_eq!(geometry(&root, &node), Some(expected));
        }
    }

    #[test]
    fn controller_has_neither_queue_nor_size() {
        let fixture = Fixture::new();
        add_nvme(&fixture, "nvme0", "nvme0n1", "Z0X1");
        let root = fixture.root();
        let controller = node(&fixture, "/dev/nvme0");
        assert_eq!(queue_limit(&root, &controller), None);
        assert_eq!(geometry(&root, &controller), None);
    }

    #[test]
    fn nonsense_sizes_are_no_sizes() {
        let fixture = Fixture::new();
        let device = add_scsi(&fixture, "host0/0:0:0:0", "sda", "sg0");
        fixture
            .file(
                &format!("{device}/block/sda/queue/logical_block_size"),
                "0\n",
            )
            .file(
                &format!("{device}/block/sda/size"),
                "18446744073709551615\n",
            );
        assert_eq!(geometry(&fixture.root(), &node(&fixture, "/dev/sda")), None);
    }
}
