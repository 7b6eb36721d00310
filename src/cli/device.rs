//! From the names of devices to ways to talk to the drives behind them.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::error::CliError;
use super::output::Output;
use super::shared::SharedDrive;
use super::{Context, served};
use crate::spec::{ComId, SecurityProtocol};
use crate::transport::count::{CountHandle, Counter};
use crate::transport::linux::{self, DriveNodes, Geometry, Node, SystemRoot};
use crate::transport::trace::Trace;
use crate::transport::{self, BlockSource, Bus, Identity, Transport};
use crate::wire::pretty::{Masking, Printer};

/// What comes before the path of a virtual drive's file.
const VIRTUAL: &[u8] = b"vdrive:";

/// A drive by the name that the user gave it.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    /// The device as it was named.
    pub(crate) device: OsString,
    /// Other names of the same drive that were given too.
    pub(crate) aliases: Vec<String>,
    /// How large it is, once it is open and where that is known.
    pub(crate) geometry: Option<Geometry>,
    /// A virtual drive, once it is open.
    pub(crate) shared: Option<SharedDrive>,
    /// The nodes of a real drive; nothing for a virtual one.
    nodes: Result<Option<DriveNodes>, CliError>,
}

impl Named {
    const fn new(device: OsString, nodes: Result<Option<DriveNodes>, CliError>) -> Self {
        Self {
            device,
            aliases: Vec::new(),
            geometry: None,
            shared: None,
            nodes,
        }
    }

    /// A real drive as tests need it.
    #[cfg(test)]
    pub(crate) fn having(device: &str, nodes: Vec<Node>) -> Self {
        Self::new(device.into(), Ok(Some(DriveNodes { nodes })))
    }

    /// Whether it is a drive in a file.
    pub(crate) fn is_virtual(&self) -> bool {
        virtual_path(&self.device).is_some()
    }

    /// The nodes of a real drive.
    pub(crate) fn nodes(&self) -> Option<&DriveNodes> {
        self.nodes.as_ref().ok()?.as_ref()
    }

    /// The node of a real drive that is talked to first.
    pub(crate) fn node(&self) -> Option<&Node> {
        self.nodes()?.nodes.first()
    }

    /// Kernel names of the drive's block nodes.
    pub(crate) fn block_names(&self) -> Vec<&str> {
        self.nodes()
            .map(DriveNodes::block_names)
            .unwrap_or_default()
    }

    /// NVMe namespaces of the drive; a virtual one must be open. 1 for a drive on another bus.
    pub(crate) fn namespaces(&self) -> usize {
        match (&self.shared, self.node()) {
            (Some(drive), _) => drive.namespaces(),
            (None, Some(node)) if node.bus == Bus::Nvme => self.block_names().len(),
            _ => 1,
        }
    }

    /// The blocks of the drive, once it is open.
    ///
    /// # Errors
    /// The drive has no block node, or what the kernel says.
    pub(crate) fn blocks(&self) -> io::Result<Box<dyn BlockSource>> {
        match (&self.shared, self.nodes()) {
            (Some(drive), _) => Ok(Box::new(drive.clone())),
            (None, Some(nodes)) => {
                let nodes = linux::open_blocks(&SystemRoot::default(), nodes)?;
                Ok(Box::new(nodes))
            }
            (None, None) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// Opens the drive.
    pub(crate) fn open(&mut self, context: &Context) -> Result<Opened, CliError> {
        if let Err(error) = &self.nodes {
            return Err(error.clone());
        }
        let opened = open(&self.device, context)?;
        self.shared.clone_from(&opened.shared);
        Ok(opened)
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&display(&self.device))
    }
}

/// The drives behind names, each once, however often it was named.
pub(crate) fn find(names: &[OsString]) -> Vec<Named> {
    let is_real = |name: &OsString| virtual_path(name).is_none();
    let root = SystemRoot::default();
    let drives = if names.iter().any(is_real) {
        linux::scan(&root)
    } else {
        Vec::new()
    };
    let mut found: Vec<(PathBuf, Named)> = Vec::new();
    for name in names {
        let (place, named) = find_one(name, &drives);
        match found.iter_mut().find(|(known, _)| *known == place) {
            Some((_, known)) => known.aliases.push(named.to_string()),
            None => found.push((place, named)),
        }
    }
    found.into_iter().map(|(_, named)| named).collect()
}

/// Every drive of this machine, SED or not.
pub(crate) fn all() -> Vec<Named> {
    let named = |nodes: DriveNodes| Named::new(nodes.path().into(), Ok(Some(nodes)));
    linux::scan(&SystemRoot::default())
        .into_iter()
        .map(named)
        .collect()
}

/// A drive, with what is the same for all of its names.
fn find_one(name: &OsStr, drives: &[DriveNodes]) -> (PathBuf, Named) {
    let named = |nodes| Named::new(name.to_owned(), nodes);
    if let Some(path) = virtual_path(name) {
        return (
            path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            named(Ok(None)),
        );
    }
    let node = match linux::resolve(&SystemRoot::default(), Path::new(name)) {
        Ok(node) => node,
        Err(error) => return (name.into(), named(Err(no_device(name, error)))),
    };
    let holds = |drive: &&DriveNodes| drive.nodes.iter().any(|one| one.name == node.name);
    match drives.iter().find(holds) {
        Some(drive) => (drive.path().to_owned(), named(Ok(Some(drive.clone())))),
        None => (node.path, named(Ok(None))),
    }
}

/// Why a name is none of a device. Whoever names a file has most likely forgotten what comes before
/// the path of a virtual drive.
fn no_device(name: &OsStr, error: transport::Error) -> CliError {
    if !Path::new(name).is_file() {
        return error.into();
    }
    let name = display(name);
    CliError::usage(format!("{name} is a file, and no device"))
        .with_hint(format!("the virtual drive in a file is vdrive:{name}"))
}

/// An open drive, whose interface commands are counted and, if asked for, traced.
pub(crate) struct Opened {
    /// The way to the drive.
    pub(crate) transport: Box<dyn Transport>,
    /// How much went that way.
    pub(crate) counts: CountHandle,
    /// How large the drive is, where that is known.
    pub(crate) geometry: Option<Geometry>,
    /// The drive itself, if it is a virtual one.
    pub(crate) shared: Option<SharedDrive>,
}

impl Opened {
    /// Who the drive says it is.
    pub(crate) fn identity(&self) -> &Identity {
        self.transport.identity()
    }
}

/// Opens a drive: `/dev/…`, or `vdrive:PATH`.
pub(crate) fn open(name: &OsStr, context: &Context) -> Result<Opened, CliError> {
    let plain = open_plain(name, context)?;
    let (transport, counts) = Counter::new(plain.transport);
    let transport: Box<dyn Transport> = match context.verbose {
        0 | 1 => Box::new(transport),
        _ => Box::new(traced(transport, name, context.output)),
    };
    Ok(Opened {
        transport,
        counts,
        geometry: plain.geometry,
        shared: plain.shared,
    })
}

/// Shows what passes on standard error, PINs masked.
fn traced<T: Transport>(transport: T, name: &OsStr, output: Output) -> impl Transport + use<T> {
    let name = display(name);
    let mut printer = Printer::new(Masking::On);
    let format = move |direction, protocol: SecurityProtocol, com_id: ComId, data: &[u8]| {
        printer.payload(direction, protocol, com_id, data)
    };
    let sink = move |text: &str| output.trace(&format!("{name}: {text}"));
    Trace::new(transport, format, Box::new(sink))
}

/// A way to a drive, and what is known of the drive besides.
struct Plain {
    transport: Box<dyn Transport>,
    geometry: Option<Geometry>,
    shared: Option<SharedDrive>,
}

fn open_plain(name: &OsStr, context: &Context) -> Result<Plain, CliError> {
    if let Some(path) = virtual_path(name) {
        let drive = SharedDrive::new(served::open(path, context)?);
        return Ok(Plain {
            transport: Box::new(drive.clone()),
            geometry: Some(drive.geometry()),
            shared: Some(drive),
        });
    }
    let root = SystemRoot::default();
    let device = linux::open(&root, Path::new(name), context.timeout)
        .map_err(|error| no_device(name, error))?;
    let geometry = linux::geometry(&root, device.node());
    Ok(Plain {
        transport: Box::new(device),
        geometry,
        shared: None,
    })
}

/// The file of a virtual drive.
pub(crate) fn virtual_path(name: &OsStr) -> Option<&Path> {
    let path = name.as_bytes().strip_prefix(VIRTUAL)?;
    Some(Path::new(OsStr::from_bytes(path)))
}

/// The name for people and for JSON.
pub(crate) fn display(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}
