//! What stands before a drive, told from the files of a machine that a test makes up.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::spec::MethodStatus;
use crate::transport::linux::resolve;

/// A machine with one SCSI disk, `/dev/sda`, under a folder of `/sys/devices`.
struct Disk {
    folder: TempDir,
    named: Named,
    facts: Facts,
}

fn write(folder: &Path, path: &str, contents: &[u8]) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn link(folder: &Path, path: &str, target: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(folder.join(target), path).unwrap();
}

impl Disk {
    fn new(place: &str, files: &[(&str, &[u8])]) -> Self {
        let folder = TempDir::new().unwrap();
        let root = folder.path();
        let device = format!("sys/devices/{place}");
        write(root, &format!("{device}/type"), b"0\n");
        write(root, &format!("{device}/block/sda/dev"), b"8:0\n");
        link(root, &format!("{device}/block/sda/device"), &device);
        link(root, "sys/block/sda", &format!("{device}/block/sda"));
        write(root, "dev/sda", &[0; 512]);
        for (path, contents) in files {
            write(root, path, contents);
        }
        let node = resolve(&SystemRoot::new(root), Path::new("/dev/sda")).unwrap();
        Self {
            named: Named::having("/dev/sda", vec![node]),
            folder,
            facts: Facts::default(),
        }
    }

    fn usb(ids: [&[u8]; 2]) -> Self {
        let place = "pci/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0";
        let [vendor, product] = ids;
        let files = [
            ("sys/devices/pci/usb2/2-1/idVendor", vendor),
            ("sys/devices/pci/usb2/2-1/idProduct", product),
        ];
        Self::new(place, &files)
    }

    fn raid() -> Self {
        let driver: (&str, &[u8]) = ("sys/class/scsi_host/host0/proc_name", b"hpsa\n");
        Self::new("pci/host0/target0:1:0/0:1:0:0", &[driver])
    }

    fn machine(&self) -> Machine<'_> {
        Machine {
            root: SystemRoot::new(self.folder.path()),
            named: &self.named,
            facts: self.facts,
        }
    }

    fn explain(&self, trouble: Trouble) -> Vec<FindingFields> {
        self.machine().explain(trouble)
    }

    #[track_caller]
    fn only(&self, trouble: Trouble, code: &str) -> FindingFields {
        let findings = self.explain(trouble);
        let [finding] = findings.as_slice() else {
            panic!("{findings:?}");
        };
        assert_eq!(finding.code, code);
        assert!(!finding.evidence.is_empty() && !finding.way_out.is_empty());
        finding.clone()
    }
}

const REFUSED: Trouble = Trouble::NoTcg(NoTcg::Refused);
const BUSY: Trouble = Trouble::Busy(MethodStatus::SP_BUSY);

#[test]
fn d74_raid_controller_is_said_to_hide_tcg() {
    let finding = Disk::raid().only(REFUSED, "raid_controller");
    assert!(finding.text.contains("(driver hpsa), which hides TCG"));
    assert!(finding.way_out.contains("HBA mode"));
    // Where the drive can be talked to, the controller is no obstacle.
    let disk = Disk::raid();
    let path = disk.machine().path();
    assert!(!path.first().unwrap().text.contains("hides"));
}

#[test]
fn d67_to_d70_bridges_are_told_with_what_is_known_of_them() {
    for (product, name, way_out) in [
        (&b"0583\n"[..], "JMS583", "firmware"),
        (&b"0567\n"[..], "JMS567", "another bridge"),
    ] {
        let finding = Disk::usb([b"152d\n", product]).only(REFUSED, "usb_bridge");
        assert!(finding.text.contains(name), "{}", finding.text);
        assert!(finding.way_out.contains(way_out), "{}", finding.way_out);
    }
    let known = Disk::usb([b"0bda\n", b"9210\n"]);
    let path = known.machine().path();
    let text = &path.first().unwrap().text;
    assert!(text.contains("1.23") && text.contains("Unaligned partial completion"));
    // Of others there is nothing to say while they pass the commands on.
    let unknown = Disk::usb([b"abcd\n", b"0001\n"]);
    assert_eq!(unknown.machine().path(), []);
    let finding = unknown.only(REFUSED, "usb_bridge");
    assert!(finding.text.contains("USB abcd:0001"), "{}", finding.text);
}

#[test]
fn drive_without_security_commands_is_told_by_its_own_word() {
    let mut disk = Disk::new("pci/host0/target0:0:0/0:0:0:0", &[]);
    assert_eq!(disk.explain(REFUSED), []);
    disk.facts.has_security_commands = Some(false);
    disk.only(REFUSED, "no_security_commands");
}

#[test]
fn d66_kernel_s_block_is_blamed_on_nobody_else() {
    assert_eq!(
        Disk::raid().explain(Trouble::NoTcg(NoTcg::KernelBlocks)),
        []
    );
}

#[test]
fn d50_other_program_is_told_from_a_session_that_a_killed_one_left() {
    let disk = Disk::new("pci/host0/target0:0:0/0:0:0:0", &[]);
    let finding = disk.only(BUSY, "stale_session");
    assert!(finding.way_out.contains("--stack-reset"));
    write(disk.folder.path(), "proc/17/comm", b"sedutil-cli\n");
    link(disk.folder.path(), "proc/17/fd/3", "dev/sda");
    let finding = disk.only(BUSY, "other_program");
    assert!(finding.text.contains("sedutil-cli (process 17)"));
}

#[test]
fn d28_bitlocker_is_told_by_its_signature() {
    let disk = Disk::new("pci/host0/target0:0:0/0:0:0:0", &[]);
    let sid = Trouble::Login(Authority::Sid);
    assert_eq!(disk.explain(sid), []);
    write(disk.folder.path(), "dev/sda", b"\xeb\x58\x90-FVE-FS-\0\x02");
    let finding = disk.only(sid, "bitlocker");
    assert!(finding.text.contains("sda") && finding.evidence.contains("-FVE-FS-"));
    assert_eq!(disk.explain(Trouble::Login(Authority::Psid)), []);
}

#[test]
fn raid_controller_may_own_a_drive_that_refuses_a_pin() {
    Disk::raid().only(Trouble::Login(Authority::Admin(1)), "owned_by_controller");
}
