//! What the kernel is told in configfs: a backing device, and a loop-back host bus adapter that
//! shows it as a disk.
//!
//! Every step leaves alone what is there already, so that a handler that was killed finds its disk
//! again, with the commands that wait for it.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::error::TcmuError;

/// Where the kernel shows itself.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// `target` in configfs.
    pub target: PathBuf,
    /// UIO devices in sysfs.
    pub uio: PathBuf,
    /// Device nodes.
    pub dev: PathBuf,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            target: PathBuf::from("/sys/kernel/config/target"),
            uio: PathBuf::from("/sys/class/uio"),
            dev: PathBuf::from("/dev"),
        }
    }
}

/// What the disk is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub bytes: u64,
    pub block_size: u32,
}

/// A disk in configfs.
#[derive(Debug)]
pub(super) struct Config {
    places: Places,
    name: String,
    /// Number of the backing HBA.
    hba: u32,
}

/// The UIO device through which a disk is served.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UioDevice {
    pub node: PathBuf,
    pub map_length: usize,
}

impl Config {
    /// Makes the backing device, or finds the one that was left.
    pub(super) fn create(places: Places, name: &str, size: Size) -> Result<Self, TcmuError> {
        check_name(name)?;
        if !places.target.is_dir() {
            return Err(TcmuError::NoTarget {
                path: places.target,
            });
        }
        let config = Self {
            hba: free_hba(&places, name)?,
            name: name.to_owned(),
            places,
        };
        config.enable(size)?;
        Ok(config)
    }

    fn enable(&self, size: Size) -> Result<(), TcmuError> {
        let backing = self.backing();
        make(&backing)?;
        let enable = backing.join("enable");
        let is_enabled = fs::read_to_string(&enable).is_ok_and(|state| state.trim() == "1");
        if is_enabled {
            return Ok(());
        }
        let Size { bytes, block_size } = size;
        let settings = format!(
            "dev_config={},dev_size={bytes},hw_block_size={block_size},nl_reply_supported=-1",
            self.handler()
        );
        write(&backing.join("control"), &settings)?;
        write(&enable, "1")
    }

    /// Shows the disk to the kernel. Its commands must be served from now on.
    pub(super) fn attach(&self) -> Result<(), TcmuError> {
        let (port, initiator) = self.addresses();
        let group = self.adapter(&port).join("tpgt_1");
        make(&group)?;
        let nexus = group.join("nexus");
        let has_nexus = fs::read_to_string(&nexus).is_ok_and(|nexus| nexus.starts_with("naa."));
        if !has_nexus {
            write(&nexus, &initiator)?;
        }
        let unit = group.join("lun/lun_0");
        make(&unit)?;
        link(&self.backing(), &unit.join("port"))
    }

    /// Takes the disk away. Its commands must still be served, since the kernel flushes it.
    pub(super) fn detach(&self) -> Result<(), TcmuError> {
        let (port, _) = self.addresses();
        let adapter = self.adapter(&port);
        let group = adapter.join("tpgt_1");
        let unit = group.join("lun/lun_0");
        unlink(&unit.join("port"))?;
        remove(&unit)?;
        remove(&group)?;
        remove(&adapter)
    }

    /// Removes the backing device, which nobody serves any more.
    pub(super) fn remove(&self) -> Result<(), TcmuError> {
        let backing = self.backing();
        remove(&backing)?;
        match backing.parent() {
            Some(hba) => remove(hba),
            None => Ok(()),
        }
    }

    /// The UIO device of the backing device.
    pub(super) fn uio_device(&self) -> Result<UioDevice, TcmuError> {
        let name = format!("tcm-user/{}/{}/{}", self.hba, self.name, self.handler());
        let uio = &self.places.uio;
        let entries = fs::read_dir(uio).map_err(|source| failed(uio, source))?;
        let device = entries.filter_map(Result::ok).find(|entry| {
            let found = fs::read_to_string(entry.path().join("name"));
            found.is_ok_and(|found| found.trim() == name)
        });
        let Some(device) = device else {
            return Err(TcmuError::NoDevice { name });
        };
        Ok(UioDevice {
            node: self.places.dev.join(device.file_name()),
            map_length: map_length(&device.path().join("maps/map0/size"))?,
        })
    }

    fn backing(&self) -> PathBuf {
        let hba = format!("core/user_{}", self.hba);
        self.places.target.join(hba).join(&self.name)
    }

    fn adapter(&self, port: &str) -> PathBuf {
        self.places.target.join("loopback").join(port)
    }

    fn handler(&self) -> String {
        format!("sedkit/{}", self.name)
    }

    /// Addresses of the adapter's port and of its initiator, NAA 3h, Locally Assigned.
    fn addresses(&self) -> (String, String) {
        let digest: [u8; 32] = Sha256::digest(&self.name).into();
        let number = u64::from_be_bytes(*digest.first_chunk().unwrap_or(&[0; 8]));
        let address = |last| format!("naa.3{:014x}{last}", number >> 8);
        (address(1), address(2))
    }
}

/// The HBA that has a device of that name, or else the first that does not exist.
fn free_hba(places: &Places, name: &str) -> Result<u32, TcmuError> {
    let core = places.target.join("core");
    let hba = |number: u32| core.join(format!("user_{number}"));
    let mut numbers = 0..MAX_HBAS;
    let old = numbers
        .clone()
        .find(|&number| hba(number).join(name).exists());
    let free = || numbers.find(|&number| !hba(number).exists());
    old.or_else(free).ok_or_else(|| {
        let source = io::Error::from(ErrorKind::AlreadyExists);
        failed(&hba(MAX_HBAS), source)
    })
}

/// More than anybody has.
const MAX_HBAS: u32 = 256;

fn check_name(name: &str) -> Result<(), TcmuError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if (1..=32).contains(&name.len()) && name.bytes().all(is_plain) {
        return Ok(());
    }
    Err(TcmuError::Name)
}

/// The length of a map, which sysfs shows in hex.
fn map_length(path: &Path) -> Result<usize, TcmuError> {
    let text = fs::read_to_string(path).map_err(|source| failed(path, source))?;
    let digits = text.trim().trim_start_matches("0x");
    usize::from_str_radix(digits, 16)
        .map_err(|_| failed(path, io::Error::from(ErrorKind::InvalidData)))
}

/// Makes a folder, and those above it.
fn make(path: &Path) -> Result<(), TcmuError> {
    fs::create_dir_all(path).map_err(|source| failed(path, source))
}

fn write(path: &Path, text: &str) -> Result<(), TcmuError> {
    fs::write(path, text).map_err(|source| failed(path, source))
}

fn link(to: &Path, path: &Path) -> Result<(), TcmuError> {
    match symlink(to, path) {
        Err(source) if source.kind() != ErrorKind::AlreadyExists => Err(failed(path, source)),
        _ => Ok(()),
    }
}

fn unlink(path: &Path) -> Result<(), TcmuError> {
    ignore_missing(path, fs::remove_file(path))
}

fn remove(path: &Path) -> Result<(), TcmuError> {
    ignore_missing(path, fs::remove_dir(path))
}

fn ignore_missing(path: &Path, result: io::Result<()>) -> Result<(), TcmuError> {
    match result {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(failed(path, source)),
        _ => Ok(()),
    }
}

fn failed(path: &Path, source: io::Error) -> TcmuError {
    TcmuError::SetUp {
        path: path.to_owned(),
        source,
    }
}
