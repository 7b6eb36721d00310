//! What stands between the program and a real drive, and what the drive has beside TCG Storage.

use std::path::Path;

use serde::Serialize;

use super::Context;
use super::device::Named;
use super::error::CliError;
use super::findings::FindingFields;
use super::luks;
use crate::drive::{Drive, MbrState, Neighbours};
use crate::spec::MethodStatus;
use crate::transport::AtaSecurity;
use crate::transport::linux::{
    self, Device, LuksVolume, Namespace, SystemRoot, allow_tpm, raid_driver,
};

/// Facts about a real drive, in JSON.
#[derive(Debug, Default, Serialize)]
pub(crate) struct HardwareFields {
    nodes: Vec<String>,
    raid_driver: Option<String>,
    allow_tpm: Option<bool>,
    opened_read_only: Option<bool>,
    has_security_commands: Option<bool>,
    ata_security: Option<AtaFields>,
    namespaces: Vec<NamespaceFields>,
    luks: Vec<LuksFields>,
    luks_unknown: Vec<String>,
    #[serde(skip)]
    neighbours: Neighbours,
}

/// The ATA Security feature set, in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct AtaFields {
    supported: bool,
    enabled: bool,
    locked: bool,
    frozen: bool,
    count_expired: bool,
    enhanced_erase: bool,
    maximum_level: bool,
}

/// A namespace, in JSON.
#[derive(Debug, Serialize)]
struct NamespaceFields {
    name: String,
    nsid: u32,
    blocks: u64,
    block_size: Option<u32>,
    wwn: Option<String>,
}

/// A LUKS volume that has a locking range for itself, in JSON.
#[derive(Debug, Serialize)]
struct LuksFields {
    range: Option<u16>,
    node: String,
    uuid: String,
    label: String,
    dm_crypt: bool,
}

impl From<&LuksVolume> for LuksFields {
    fn from(volume: &LuksVolume) -> Self {
        Self {
            range: volume.range.map(|range| range.0),
            node: volume.node.clone(),
            uuid: volume.uuid.clone(),
            label: volume.label.clone(),
            dm_crypt: volume.with_crypt,
        }
    }
}

impl LuksFields {
    fn text(&self) -> String {
        let range = self.range.map_or("?".to_owned(), |range| range.to_string());
        let label = match self.label.as_str() {
            "" => String::new(),
            label => format!("label {label}, "),
        };
        let how = match self.dm_crypt {
            true => "dm-crypt on top",
            false => "encrypted by the drive alone",
        };
        let Self { node, uuid, .. } = self;
        format!("range {range}: used by LUKS on {node} ({label}UUID {uuid}), {how}")
    }
}

impl From<AtaSecurity> for AtaFields {
    fn from(security: AtaSecurity) -> Self {
        Self {
            supported: security.supported,
            enabled: security.enabled,
            locked: security.locked,
            frozen: security.frozen,
            count_expired: security.count_expired,
            enhanced_erase: security.enhanced_erase,
            maximum_level: security.maximum_level,
        }
    }
}

impl From<Namespace> for NamespaceFields {
    fn from(namespace: Namespace) -> Self {
        let Namespace {
            name,
            nsid,
            blocks,
            block_size,
            wwn,
            ..
        } = namespace;
        Self {
            name,
            nsid,
            blocks,
            block_size,
            wwn,
        }
    }
}

/// What the kernel and the drive's interface tell of a real drive; nothing of a virtual one.
///
/// One that is no TCG drive is asked for ATA Security here, since nobody else does.
pub(crate) fn survey(
    named: &Named,
    drive: Option<&Drive>,
    context: &Context,
) -> Option<HardwareFields> {
    let root = SystemRoot::default();
    let nodes = &named.nodes()?.nodes;
    let found = luks::survey(named, mbr(drive));
    let mut fields = HardwareFields {
        nodes: nodes
            .iter()
            .map(|node| node.path.display().to_string())
            .collect(),
        raid_driver: nodes.iter().find_map(|node| raid_driver(&root, node)),
        allow_tpm: allow_tpm(&root),
        luks: found.volumes.iter().map(LuksFields::from).collect(),
        luks_unknown: found.unread,
        ..HardwareFields::default()
    };
    if let Ok(device) = linux::open(&root, Path::new(&named.device), context.timeout) {
        fields.add_device(&root, &device);
        if drive.is_none() {
            fields.add_neighbours(Neighbours::of(Box::new(device)));
        }
    }
    Some(fields)
}

/// The shadow MBR, as far as it is known.
pub(crate) fn mbr(drive: Option<&Drive>) -> MbrState {
    drive.map_or(MbrState::NotSupported, |drive| drive.state().mbr)
}

impl HardwareFields {
    fn add_device(&mut self, root: &SystemRoot, device: &Device) {
        self.opened_read_only = Some(device.is_read_only());
        self.has_security_commands = device.has_security_commands();
        self.ata_security = device.ata_security().map(AtaFields::from);
        let namespaces = device.namespaces(root).unwrap_or_default();
        self.namespaces = namespaces.into_iter().map(NamespaceFields::from).collect();
    }

    fn add_neighbours(&mut self, neighbours: Neighbours) {
        self.ata_security = neighbours.ata_security.map(AtaFields::from);
        self.neighbours = neighbours;
    }

    /// An ATA password, on a drive that is no TCG drive.
    pub(crate) fn ata_finding(&self) -> Option<FindingFields> {
        self.neighbours.finding().map(FindingFields::from)
    }

    /// The facts for people, one line each.
    pub(crate) fn text(&self) -> String {
        let mut lines = vec![format!("nodes: {}", self.nodes.join(", "))];
        lines.extend(
            self.raid_driver
                .as_ref()
                .map(|driver| format!("RAID driver: {driver}")),
        );
        if self.has_security_commands == Some(false) {
            lines.push("security commands: none".to_owned());
        }
        lines.extend(self.ata_security.as_ref().map(AtaFields::text));
        lines.extend(self.namespaces.iter().map(NamespaceFields::text));
        lines.extend(self.luks.iter().map(LuksFields::text));
        let unknown = |node: &String| {
            format!("{node} cannot be read: whether LUKS uses the drive's locking is not known")
        };
        lines.extend(self.luks_unknown.iter().map(unknown));
        lines.iter().map(|line| format!("  {line}\n")).collect()
    }
}

impl AtaFields {
    /// The state for people.
    pub(crate) fn text(&self) -> String {
        let flags = [
            (self.enabled, "a password is set"),
            (self.locked, "locked"),
            (self.frozen, "frozen"),
            (self.count_expired, "too many wrong passwords"),
        ];
        let set: Vec<&str> = flags
            .into_iter()
            .filter_map(|(is_set, name)| is_set.then_some(name))
            .collect();
        match (self.supported, set.is_empty()) {
            (false, _) => "ATA Security: not supported".to_owned(),
            (true, true) => "ATA Security: no password is set".to_owned(),
            (true, false) => format!("ATA Security: {}", set.join(", ")),
        }
    }
}

impl NamespaceFields {
    fn text(&self) -> String {
        let size = self
            .block_size
            .map(|size| format!(" of {size} bytes"))
            .unwrap_or_default();
        format!(
            "namespace {}: {} blocks{size} ({})",
            self.nsid, self.blocks, self.name
        )
    }
}

/// Says why a range may have been refused, where the drive has several namespaces.
pub(crate) fn explain_range(named: &Named, error: CliError) -> CliError {
    let namespaces = named.namespaces();
    let is_invalid = error.status == Some(MethodStatus::INVALID_PARAMETER.0);
    if !is_invalid || namespaces < 2 {
        return error;
    }
    error.with_hint(format!(
        "the drive has {namespaces} namespaces: many drives refuse ranges other than 0 then. Leave \
         --range out, or give the drive one namespace before locking is activated"
    ))
}
