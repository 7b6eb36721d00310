//! What stands between the program and a drive on this machine, as findings: controllers, bridges,
//! other programs, and other systems' volumes. No command is sent for any of it.

use super::device::Named;
use super::findings::FindingFields;
use super::{extent, luks};
use crate::drive::{Authority, MbrState, NoTcg, Trouble};
use crate::spec::SecurityProtocol;
use crate::transport::linux::{
    Node, Passes, SystemRoot, UsbBridge, bitlocker, openers, raid_driver, usb_bridge,
};
use crate::transport::{Bus, Facts};
use crate::wire::discovery::Discovery;

/// A drive as this machine sees it.
pub(crate) struct Machine<'n> {
    root: SystemRoot,
    named: &'n Named,
    facts: Facts,
}

impl<'n> Machine<'n> {
    /// A drive, with what its interface said when it was opened.
    pub(crate) fn new(named: &'n Named, facts: Facts) -> Self {
        Self {
            root: SystemRoot::default(),
            named,
            facts,
        }
    }

    fn nodes(&self) -> &[Node] {
        self.named.nodes().map_or(&[], |drive| &drive.nodes)
    }

    /// What speaks to a failure.
    pub(crate) fn explain(&self, trouble: Trouble) -> Vec<FindingFields> {
        match trouble {
            // The kernel's own block is all there is to it.
            Trouble::NoTcg(NoTcg::KernelBlocks) => Vec::new(),
            Trouble::NoTcg(_) => self.what_hides_tcg(),
            Trouble::Busy(_) => self.other_programs().into_iter().collect(),
            Trouble::Login(Authority::Psid) => Vec::new(),
            Trouble::Login(_) => self.owners(MbrState::Disabled, Refused::Yes),
            Trouble::Activation => self.namespaces().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Why there may be no TCG Storage to be seen, the most certain first.
    fn what_hides_tcg(&self) -> Vec<FindingFields> {
        let bridge = self.bridge().map(|bridge| hidden_by_bridge(&bridge));
        let raid = self.raid_driver().map(|driver| FindingFields {
            code: "raid_controller",
            text: format!(
                "The drive is attached to a RAID controller (driver {driver}), which hides TCG \
                 Storage."
            ),
            evidence: evidence_of_driver(&driver),
            way_out: RAID_WAY_OUT.to_owned(),
        });
        let bare = (self.facts.has_security_commands == Some(false)).then(no_security_commands);
        raid.into_iter().chain(bridge).chain(bare).collect()
    }

    fn raid_driver(&self) -> Option<String> {
        let mut nodes = self.nodes().iter();
        nodes.find_map(|node| raid_driver(&self.root, node))
    }

    fn bridge(&self) -> Option<UsbBridge> {
        let usb = |node: &&Node| node.bus == Bus::Usb;
        let mut nodes = self.nodes().iter().filter(usb);
        nodes.find_map(|node| usb_bridge(&self.root, node))
    }

    /// The controller and the bridge before a drive that can be talked to.
    pub(crate) fn path(&self) -> Vec<FindingFields> {
        let raid = self.raid_driver().map(|driver| FindingFields {
            code: "raid_controller",
            text: format!("The drive is attached to a RAID controller (driver {driver})."),
            evidence: evidence_of_driver(&driver),
            way_out: RAID_WAY_OUT.to_owned(),
        });
        let bridge = self.bridge().and_then(|bridge| beside_bridge(&bridge));
        raid.into_iter().chain(bridge).collect()
    }

    /// Programs that hold the drive open, or that there is none.
    fn other_programs(&self) -> Option<FindingFields> {
        let nodes = self.nodes();
        let first = nodes.first()?;
        let others = openers(&self.root, nodes);
        if others.is_empty() {
            return Some(stale_session(first));
        }
        let one = |opener: &crate::transport::linux::Opener| {
            format!("{} (process {})", opener.name, opener.pid)
        };
        let names: Vec<String> = others.iter().map(one).collect();
        Some(FindingFields {
            code: "other_program",
            text: format!("Another program has the drive open: {}.", names.join(", ")),
            evidence: "links to the drive's nodes in /proc/PID/fd".to_owned(),
            way_out: "End it, or wait until it is done.".to_owned(),
        })
    }

    /// Whose the drive may be, by what can be read on it.
    pub(crate) fn owners(&self, mbr: MbrState, refused: Refused) -> Vec<FindingFields> {
        let blocks = self.named.block_names();
        let windows = bitlocker(&self.root, &blocks);
        let windows = (!windows.is_empty()).then(|| owned_by_windows(&windows));
        let volumes = luks::survey(self.named, mbr).volumes;
        let names: Vec<String> = volumes.iter().map(ToString::to_string).collect();
        let luks = (!names.is_empty()).then(|| owned_by_luks(&names));
        let controller = match refused {
            Refused::Yes => self
                .raid_driver()
                .map(|driver| owned_by_controller(&driver)),
            Refused::No => None,
        };
        windows.into_iter().chain(luks).chain(controller).collect()
    }

    /// More than one namespace.
    pub(crate) fn namespaces(&self) -> Option<FindingFields> {
        let number = self.named.namespaces();
        let evidence = match self.named.shared {
            Some(_) => "the virtual drive's file".to_owned(),
            None => format!("block devices {}", self.named.block_names().join(", ")),
        };
        (number > 1).then(|| FindingFields {
            code: "several_namespaces",
            text: format!(
                "The drive has {number} namespaces: range 0 locks all of them, and many drives \
                 refuse activation or other ranges then. While locking is active, they may refuse \
                 to make or delete namespaces, too (Operation Denied)."
            ),
            evidence,
            way_out:
                "Use range 0, or one namespace; change namespaces before locking is activated."
                    .to_owned(),
        })
    }

    /// A TPer that counts in other blocks than the kernel, by what it says in Level 0 Discovery.
    pub(crate) fn block_sizes(&self, discovery: &Discovery) -> Option<FindingFields> {
        let kernel = self.named.geometry?.block_size;
        let told = extent::told_block_size(discovery)?;
        (told != kernel).then(|| FindingFields {
            code: "block_sizes_differ",
            text: format!(
                "The TPer counts in blocks of {told} bytes, the kernel in blocks of {kernel}: a \
                 range would cover other data than it says, so that none is made."
            ),
            evidence: "Geometry descriptor (0003h) and the kernel's logical block size".to_owned(),
            way_out: "Power-cycle the drive; until both agree, use range 0 only.".to_owned(),
        })
    }
}

/// Whether a PIN was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    Yes,
    No,
}

/// How to get past a RAID controller.
const RAID_WAY_OUT: &str = "If security commands are refused, attach the drive to a plain port, or \
    set the controller to pass drives through (HBA mode).";

fn evidence_of_driver(driver: &str) -> String {
    format!("/sys/class/scsi_host/HOST/proc_name of the drive's host is {driver}")
}

fn name_of(bridge: &UsbBridge) -> String {
    let kind = bridge.kind.map_or("a USB bridge", |kind| kind.name);
    format!("{kind} (USB {:04x}:{:04x})", bridge.vendor, bridge.product)
}

fn evidence_of_bridge(bridge: &UsbBridge) -> String {
    let (vendor, product) = (bridge.vendor, bridge.product);
    format!("idVendor {vendor:04x} and idProduct {product:04x} of the USB device above the drive")
}

fn hidden_by_bridge(bridge: &UsbBridge) -> FindingFields {
    let note = bridge
        .kind
        .map_or(String::new(), |kind| format!(" ({})", kind.note));
    let (how, way_out) = match bridge.kind.map(|kind| kind.passes) {
        Some(Passes::No) => ("hides", "Connect the drive directly, or by another bridge."),
        _ => (
            "may hide",
            "Connect the drive directly, or update the bridge's firmware.",
        ),
    };
    FindingFields {
        code: "usb_bridge",
        text: format!(
            "The drive is behind {}, which {how} TCG Storage{note}.",
            name_of(bridge)
        ),
        evidence: evidence_of_bridge(bridge),
        way_out: way_out.to_owned(),
    }
}

/// What is to be known of a bridge that lets the commands through.
fn beside_bridge(bridge: &UsbBridge) -> Option<FindingFields> {
    let kind = bridge.kind?;
    Some(FindingFields {
        code: "usb_bridge",
        text: format!("The drive is behind {}: {}.", name_of(bridge), kind.note),
        evidence: evidence_of_bridge(bridge),
        way_out: "A drive that was set up behind a bridge may show another serial number without \
                  it, which changes the PINs of the sedutil schemes: see --salt."
            .to_owned(),
    })
}

fn no_security_commands() -> FindingFields {
    FindingFields {
        code: "no_security_commands",
        text: "The drive itself says that it has no security commands: it is no self-encrypting \
               drive, or its firmware has switched them off."
            .to_owned(),
        evidence: "Identify Controller, OACS bit 0, or IDENTIFY DEVICE, word 48, is 0".to_owned(),
        way_out: "Nothing helps but another drive; LUKS encrypts in software.".to_owned(),
    }
}

fn stale_session(node: &Node) -> FindingFields {
    FindingFields {
        code: "stale_session",
        text: "No other program has the drive open: a killed one has left its session.".to_owned(),
        evidence: format!(
            "no process but this one holds {} or another node of the drive (/proc/PID/fd)",
            node.path.display()
        ),
        way_out: "End the session with --stack-reset, or cut the drive's power.".to_owned(),
    }
}

fn owned_by_windows(nodes: &[String]) -> FindingFields {
    FindingFields {
        code: "bitlocker",
        text: format!("Windows' BitLocker is on {}.", nodes.join(", ")),
        evidence: "the signature -FVE-FS- in the first sector".to_owned(),
        way_out: "If BitLocker has the drive encrypt (manage-bde -status says \"Hardware \
                  Encryption\"), turn it off in Windows and wait until that is done; the PINs are \
                  Windows' own, and only the PSID helps without it."
            .to_owned(),
    }
}

fn owned_by_luks(volumes: &[String]) -> FindingFields {
    FindingFields {
        code: "luks",
        text: format!("Ranges of the drive belong to {}.", volumes.join(", ")),
        evidence: "a LUKS2 header with a segment of type hw-opal".to_owned(),
        way_out:
            "\"cryptsetup open\" and \"cryptsetup close\" unlock and lock them. SID and Admin1 \
                  have the admin PIN that cryptsetup asked for, as it was typed (--scheme raw); \
                  Users have keys that only the volume holds."
                .to_owned(),
    }
}

fn owned_by_controller(driver: &str) -> FindingFields {
    FindingFields {
        code: "owned_by_controller",
        text: format!(
            "The RAID controller (driver {driver}) may have set the PINs itself, from a key that no \
             host knows (SafeStore and its like)."
        ),
        evidence: evidence_of_driver(driver),
        way_out: "Unlock or release the drive with the controller's own tool, or move it back to \
                  the controller that owned it; without it, only a revert with the PSID helps and \
                  erases all data."
            .to_owned(),
    }
}

/// What a drive speaks, as people know it.
pub(crate) fn protocol_name(protocol: SecurityProtocol) -> String {
    format!("{:02x}h {protocol}", protocol.0)
}

#[cfg(test)]
mod tests;
