//! USB bridges: which one stands before a drive, and what is known of its kind.

use super::node::Node;
use super::root::SystemRoot;

/// The USB device through which a drive is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsbBridge {
    /// USB vendor ID.
    pub vendor: u16,
    /// USB product ID.
    pub product: u16,
    /// What is known of this kind of bridge.
    pub kind: Option<BridgeKind>,
}

/// What is known of a kind of bridge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BridgeKind {
    /// The chip, or the product it is part of.
    pub name: &'static str,
    /// Whether TCG commands come through, as users report it.
    pub passes: Passes,
    /// What users report of it, as half a sentence.
    pub note: &'static str,
}

/// Whether a bridge lets TCG commands through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passes {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// Some do: it depends on the firmware of the bridge.
    Some,
}

const fn kind(name: &'static str, passes: Passes, note: &'static str) -> BridgeKind {
    BridgeKind { name, passes, note }
}

const ASM1153: BridgeKind = kind(
    "ASMedia ASM1051E, ASM1053, ASM1053E, ASM1153 or ASM1153E",
    Passes::No,
    "no TCG command comes through, whatever its firmware",
);

/// Bridges by their USB IDs. One ID may stand for several chips of a maker.
const KNOWN: [(u16, u16, BridgeKind); 9] = [
    (0x174c, 0x1153, ASM1153),
    (0x174c, 0x55aa, ASM1153),
    (
        0x174c,
        0x2464,
        kind(
            "ASMedia ASM2464PD",
            Passes::Some,
            "ATA commands get an empty answer, SECURITY PROTOCOL IN and OUT may come through",
        ),
    ),
    (
        0x152d,
        0x0567,
        kind(
            "JMicron JMS567",
            Passes::No,
            "no TCG command comes through, whatever its firmware",
        ),
    ),
    (
        0x152d,
        0x0583,
        kind(
            "JMicron JMS583",
            Passes::Some,
            "ATA commands get an empty answer, SECURITY PROTOCOL IN and OUT may come through",
        ),
    ),
    (
        0x0bda,
        0x9210,
        kind(
            "Realtek RTL9210 or RTL9210B",
            Passes::Some,
            "TCG commands come through from firmware 1.23 on; reads of a locked drive end in \
             \"Unaligned partial completion\" in the kernel's log",
        ),
    ),
    (0x04e8, 0x61fb, T7_SHIELD),
    (0x04e8, 0x61fc, T7_SHIELD),
    (0x04e8, 0x4001, T7),
];

const T7: BridgeKind = kind(
    "Samsung T7",
    Passes::Yes,
    "the drive comes back as another USB device when it is unlocked",
);

const T7_SHIELD: BridgeKind = kind(
    "Samsung T7 Shield",
    Passes::Yes,
    "the drive comes back as another USB device when it is unlocked, and cannot be opened for \
     writing while it is locked",
);

/// The USB device through which a node is reached; `None` if it is not by USB.
#[must_use]
pub fn usb_bridge(root: &SystemRoot, node: &Node) -> Option<UsbBridge> {
    let device = root.real_path(node.device_folder())?;
    let id = |folder: &std::path::Path, name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).ok()?;
        u16::from_str_radix(text.trim(), 16).ok()
    };
    let ids = |folder| Some((id(folder, "idVendor")?, id(folder, "idProduct")?));
    let (vendor, product) = device.ancestors().find_map(ids)?;
    let known = KNOWN
        .iter()
        .find(|(one, other, _)| (*one, *other) == (vendor, product));
    Some(UsbBridge {
        vendor,
        product,
        kind: known.map(|(.., kind)| *kind),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::node::resolve;
    use super::super::node::tests::add_scsi;
    use super::super::root::tests::Fixture;
    use super::*;

    fn bridge(ids: Option<(&str, &str)>) -> Option<UsbBridge> {
        let fixture = Fixture::new();
        let place = "pci0000:00/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0";
        add_scsi(&fixture, place, "sda", "sg0");
        if let Some((vendor, product)) = ids {
            fixture
                .file("/sys/devices/pci0000:00/usb2/2-1/idVendor", vendor)
                .file("/sys/devices/pci0000:00/usb2/2-1/idProduct", product)
                // The root hub above it is no bridge.
                .file("/sys/devices/pci0000:00/usb2/idVendor", "1d6b\n")
                .file("/sys/devices/pci0000:00/usb2/idProduct", "0003\n");
        }
        let node = resolve(&fixture.root(), Path::new("/dev/sg0")).unwrap();
        usb_bridge(&fixture.root(), &node)
    }

    #[test]
    fn bridge_is_known_by_its_ids() {
        let found = bridge(Some(("152d\n", "0583\n"))).unwrap();
        assert_eq!((found.vendor, found.product), (0x152d, 0x0583));
        let kind = found.kind.unwrap();
        assert_eq!((kind.name, kind.passes), ("JMicron JMS583", Passes::Some));
        let found = bridge(Some(("174c\n", "55aa\n"))).unwrap();
        assert_eq!(found.kind.unwrap().passes, Passes::No);
    }

    #[test]
    fn unknown_bridge_is_told_by_its_ids() {
        let found = bridge(Some(("abcd\n", "0001\n"))).unwrap();
        assert_eq!((found.vendor, found.product, found.kind), (0xabcd, 1, None));
    }

    #[test]
    fn drive_without_usb_has_no_bridge() {
        assert_eq!(bridge(None), None);
    }
}
