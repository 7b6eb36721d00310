//! Which nodes are one drive: its namespaces, its paths, and its sd and sg nodes.

use crate::transport::{Bus, Identity};

/// Whether two nodes lead to one drive, as far as serial number and world-wide name tell.
///
/// NVMe namespaces have names of their own, so there the serial number decides. Elsewhere bridges
/// are known that give every drive one serial number, so that a world-wide name of the drive, where
/// both nodes have one, decides first. Two files are two virtual drives, whatever they say.
#[must_use]
pub fn is_same_drive(one: &Identity, other: &Identity) -> bool {
    if one.bus == Bus::Virtual || other.bus == Bus::Virtual {
        return false;
    }
    let is_nvme = one.bus == Bus::Nvme || other.bus == Bus::Nvme;
    match (&one.wwn, &other.wwn) {
        (Some(one), Some(other)) if one == other => true,
        (Some(_), Some(_)) if !is_nvme => false,
        _ => has_same_serial(one, other),
    }
}

fn has_same_serial(one: &Identity, other: &Identity) -> bool {
    let serial = one.serial_text();
    !serial.is_empty() && serial == other.serial_text() && one.model_text() == other.model_text()
}

/// Keeps the first node of every drive, and hands back with it the nodes that lead to the same one.
pub fn one_per_drive<T>(nodes: Vec<T>, identity: impl Fn(&T) -> &Identity) -> Vec<(T, Vec<T>)> {
    let mut drives: Vec<(T, Vec<T>)> = Vec::new();
    for node in nodes {
        let known = drives
            .iter_mut()
            .find(|(first, _)| is_same_drive(identity(first), identity(&node)));
        match known {
            Some((_, others)) => others.push(node),
            None => drives.push((node, Vec::new())),
        }
    }
    drives
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(bus: Bus, serial: &[u8], wwn: Option<&str>) -> Identity {
        let mut identity = Identity::new(bus, b"MODEL", serial, b"1");
        identity.wwn = wwn.map(str::to_owned);
        identity
    }

    #[test]
    fn two_namespaces_are_one_drive() {
        let first = drive(Bus::Nvme, b"S123", Some("eui.1"));
        let second = drive(Bus::Nvme, b"S123", Some("eui.2"));
        assert!(is_same_drive(&first, &second));
    }

    #[test]
    fn sd_and_sg_nodes_are_one_drive() {
        let disk = drive(Bus::Ata, b"S123      ", Some("naa.5"));
        let generic = drive(Bus::Scsi, b"      S123", None);
        assert!(is_same_drive(&disk, &generic));
    }

    #[test]
    fn two_paths_with_one_world_wide_name_are_one_drive() {
        let one = drive(Bus::Scsi, b"", Some("naa.5"));
        assert!(is_same_drive(&one, &one.clone()));
    }

    #[test]
    fn bridges_that_share_a_serial_number_are_told_apart_by_name() {
        let one = drive(Bus::Usb, b"0123456789ABCDEF", Some("naa.1"));
        let other = drive(Bus::Usb, b"0123456789ABCDEF", Some("naa.2"));
        assert!(!is_same_drive(&one, &other));
    }

    #[test]
    fn drives_without_any_name_are_not_one() {
        let nameless = drive(Bus::Usb, b"   ", None);
        assert!(!is_same_drive(&nameless, &nameless.clone()));
    }

    #[test]
    fn files_are_drives_of_their_own() {
        let file = drive(Bus::Virtual, b"S123", None);
        assert!(!is_same_drive(&file, &file.clone()));
    }

    #[test]
    fn each_drive_is_kept_once_with_its_other_nodes() {
        let nodes = vec![
            ("nvme0", drive(Bus::Nvme, b"A", None)),
            ("sda", drive(Bus::Ata, b"B", None)),
            ("nvme0n1", drive(Bus::Nvme, b"A", None)),
        ];
        let drives = one_per_drive(nodes, |(_, identity)| identity);
        let names: Vec<_> = drives
            .iter()
            .map(|(first, others)| {
                (
                    first.0,
                    others.iter().map(|node| node.0).collect::<Vec<_>>(),
                )
            })
            .collect();
        assert_eq!(names, [("nvme0", vec!["nvme0n1"]), ("sda", vec![])]);
    }
}
