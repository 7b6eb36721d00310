//! An open drive: the node, the interface behind it, and the buffer between.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::bounce::Bounce;
use super::host::{allow_tpm, queue_limit};
use super::node::{Node, NodeKind, resolve};
use super::nvme_link::NvmeLink;
use super::root::SystemRoot;
use super::scsi_link::{ScsiLink, Sender};
use super::scsi_probe::probe;
use super::topology::nodes_of;
use crate::spec::{ComId, SecurityProtocol};
use crate::sys::ioctl::O_NONBLOCK;
use crate::transport::{AtaSecurity, Bus, Error, Facts, Identity, MAX_BUFFER, Transport, ata};

/// An open drive of this machine.
pub struct Device {
    node: Node,
    identity: Identity,
    link: Link,
    bounce: Bounce,
    is_read_only: bool,
}

/// The interface behind a node.
enum Link {
    Nvme(NvmeLink),
    Scsi(ScsiLink<File>),
}

/// A namespace of an NVMe drive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Namespace {
    /// Its kernel name, `nvme0n1`.
    pub name: String,
    /// Namespace identifier.
    pub nsid: u32,
    /// Size in logical blocks.
    pub blocks: u64,
    /// Bytes in a logical block, where the drive states a sensible number.
    pub block_size: Option<u32>,
    /// NGUID or EUI-64 in hex, where it has one.
    pub wwn: Option<String>,
}

/// Opens the drive to which a path or a link leads, and asks it who it is.
///
/// `timeout` limits each command that is sent to the drive. No security command is sent yet: that a
/// drive has none shows in [`Error::NotSupported`] from the first one.
///
/// # Errors
/// Those of [`resolve`]; [`Error::Open`] if the node cannot be opened; [`Error::Interface`] and
/// [`Error::Io`] if the drive does not say who it is.
pub fn open(root: &SystemRoot, path: &Path, timeout: Duration) -> Result<Device, Error> {
    let node = resolve(root, path)?;
    let shown = path.display().to_string();
    let opened = open_node(&root.path(&node.path));
    let (file, is_read_only) = opened.map_err(|source| Error::Open {
        path: shown.clone(),
        source,
    })?;
    let (link, identity, limit) = match node.kind {
        NodeKind::NvmeController | NodeKind::NvmeNamespace | NodeKind::NvmeGeneric => {
            open_nvme(file, &shown, timeout)?
        }
        NodeKind::ScsiDisk | NodeKind::ScsiGeneric => {
            open_scsi(root, &node, file, &shown, timeout)?
        }
    };
    let limit = limit.min(queue_limit(root, &node).unwrap_or(MAX_BUFFER));
    let bounce = Bounce::new(limit);
    Ok(Device {
        node,
        identity,
        link,
        bounce,
        is_read_only,
    })
}

/// Opens a node for reading and writing, or for reading where writing is refused.
fn open_node(path: &PathBuf) -> io::Result<(File, bool)> {
    let open = |write: bool| {
        OpenOptions::new()
            .read(true)
            .write(write)
            .custom_flags(O_NONBLOCK)
            .open(path)
    };
    match open(true) {
        Ok(file) => Ok((file, false)),
        Err(error) if is_write_refused(&error) => Ok((open(false)?, true)),
        Err(error) => Err(error),
    }
}

fn is_write_refused(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

type Opened = (Link, Identity, usize);

fn open_nvme(file: File, path: &str, timeout: Duration) -> Result<Opened, Error> {
    let link = NvmeLink::open(file, path.to_owned(), timeout)?;
    let identity = link.identity();
    let limit = link.limit().unwrap_or(MAX_BUFFER).min(MAX_BUFFER);
    Ok((Link::Nvme(link), identity, limit))
}

fn open_scsi(
    root: &SystemRoot,
    node: &Node,
    file: File,
    path: &str,
    timeout: Duration,
) -> Result<Opened, Error> {
    let mut sender = Sender {
        port: file,
        timeout,
    };
    let probe = probe(&mut sender, node.bus)?;
    let probe = probe.ok_or_else(|| Error::NotSupported {
        path: path.to_owned(),
    })?;
    let is_translated = probe.identify.is_some();
    let link = ScsiLink {
        sender,
        path: path.to_owned(),
        identify: probe.identify,
        // libata's parameter is of no concern to drives behind other drivers.
        allow_tpm: (node.bus == Bus::Ata).then(|| allow_tpm(root)).flatten(),
        route: None,
    };
    let limit = if is_translated {
        ata::MAX_TRANSFER
    } else {
        MAX_BUFFER
    };
    Ok((Link::Scsi(link), probe.identity, limit))
}

impl Device {
    /// The node that was opened.
    #[must_use]
    pub const fn node(&self) -> &Node {
        &self.node
    }

    /// True if the node could be opened for reading only.
    ///
    /// Security commands may work all the same: the kernel asks for a capability, not for a mode.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The state of ATA security, where the drive is an ATA one.
    #[must_use]
    pub fn ata_security(&self) -> Option<AtaSecurity> {
        match &self.link {
            Link::Nvme(_) => None,
            Link::Scsi(link) => link.identify.as_ref().map(|identify| identify.security),
        }
    }

    /// Whether the drive states that it has security commands; a SCSI drive states nothing.
    ///
    /// NVMe: OACS bit 0. ATA: the Trusted Computing feature set, word 48.
    #[must_use]
    pub fn has_security_commands(&self) -> Option<bool> {
        match &self.link {
            Link::Nvme(link) => Some(link.has_security()),
            Link::Scsi(link) => link
                .identify
                .as_ref()
                .map(|identify| identify.trusted_computing),
        }
    }

    /// The namespaces of an NVMe drive.
    ///
    /// # Errors
    /// Those of [`resolve`], should the node be gone meanwhile.
    pub fn namespaces(&self, root: &SystemRoot) -> Result<Vec<Namespace>, Error> {
        let Link::Nvme(link) = &self.link else {
            return Ok(Vec::new());
        };
        let drive = nodes_of(root, &self.node.path)?;
        let found = drive.block_names().into_iter().filter_map(|name| {
            let nsid = root.number(Path::new("/sys/block").join(name).join("nsid"))?;
            link.namespace(name, nsid)
        });
        Ok(found.collect())
    }
}

impl Transport for Device {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.bounce.send(data, |blocks| match &mut self.link {
            Link::Nvme(link) => link.send(protocol, com_id, blocks),
            Link::Scsi(link) => link.send(protocol, com_id, blocks),
        })
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        self.bounce.receive(buffer, |blocks| match &mut self.link {
            Link::Nvme(link) => link.receive(protocol, com_id, blocks),
            Link::Scsi(link) => link.receive(protocol, com_id, blocks),
        })
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        self.bounce.limit()
    }

    fn facts(&self) -> Facts {
        Facts {
            has_security_commands: self.has_security_commands(),
            ata_security: self.ata_security(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::super::node::tests::{add_nvme, add_scsi};
    use super::super::root::tests::Fixture;
    use super::*;

    #[test]
    fn nodes_that_are_no_drives_are_refused() {
        let root = SystemRoot::default();
        let timeout = Duration::from_secs(1);
        let error = open(&root, Path::new("/dev/null"), timeout).err().unwrap();
        assert!(matches!(error, Error::NotSupported { .. }), "{error}");
        let error = open(&root, Path::new("/dev/no-such-node"), timeout)
            .err()
            .unwrap();
        assert_eq!(error.to_string(), "/dev/no-such-node could not be opened");
    }

    #[test]
    fn files_that_take_no_commands_are_errors_of_the_kernel() {
        let fixture = Fixture::new();
        add_scsi(&fixture, "host0/0:0:0:0", "sda", "sg0");
        add_nvme(&fixture, "nvme0", "nvme0n1", "Z0X1");
        for (path, expected) in [("/dev/sda", "INQUIRY"), ("/dev/nvme0", "Identify")] {
            let result = open(&fixture.root(), Path::new(path), Duration::from_secs(1));
            let Err(Error::Io { command, .. }) = result else {
                panic!("opened");
            };
            assert_eq!(command, expected);
        }
    }

    #[test]
    fn read_only_errors_lead_to_a_second_try() {
        for kind in [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem] {
            assert!(is_write_refused(&kind.into()));
        }
        for kind in [ErrorKind::NotFound, ErrorKind::ResourceBusy] {
            assert!(!is_write_refused(&kind.into()));
        }
    }

    #[test]
    fn writable_node_is_opened_for_writing() {
        let fixture = Fixture::new();
        fixture.file("/dev/sda", "");
        let path = fixture.root().path("/dev/sda");
        assert!(!open_node(&path).unwrap().1);
        fs::set_permissions(&path, Permissions::from_mode(0o400)).unwrap();
        // The superuser may write all the same.
        let may_write = OpenOptions::new().write(true).open(&path).is_ok();
        assert_eq!(open_node(&path).unwrap().1, !may_write);
    }
}
