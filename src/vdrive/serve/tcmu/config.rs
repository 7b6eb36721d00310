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

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size {
        bytes: 64 << 20,
        block_size: 512,
    };

    /// Folders that look like the kernel's, as far as they are looked at.
    fn places(root: &Path) -> Places {
        let places = Places {
            target: root.join("target"),
            uio: root.join("uio"),
            dev: PathBuf::from("/dev"),
        };
        make(&places.target.join("core")).unwrap();
        places
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn the_kernel_is_told_of_the_device_and_its_adapter() {
        let root = tempfile::tempdir().unwrap();
        let config = Config::create(places(root.path()), "v1", SIZE).unwrap();
        let target = root.path().join("target");
        let backing = target.join("core/user_0/v1");
        assert_eq!(
            text(&backing.join("control")),
            "dev_config=sedkit/v1,dev_size=67108864,hw_block_size=512,nl_reply_supported=-1"
        );
        assert_eq!(text(&backing.join("enable")), "1");
        config.attach().unwrap();
        let (port, initiator) = config.addresses();
        let is_naa = |address: &str| address.starts_with("naa.3") && address.len() == 20;
        assert!(is_naa(&port) && is_naa(&initiator) && port != initiator);
        let group = target.join("loopback").join(&port).join("tpgt_1");
        assert_eq!(text(&group.join("nexus")), initiator);
        let link = fs::read_link(group.join("lun/lun_0/port")).unwrap();
        assert_eq!(link, backing);
    }

    #[test]
    fn what_a_killed_handler_left_is_found_again() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        let first = Config::create(places.clone(), "v1", SIZE).unwrap();
        first.attach().unwrap();
        let other = Config::create(places.clone(), "v2", SIZE).unwrap();
        assert_eq!((first.hba, other.hba), (0, 1));
        let again = Config::create(places, "v1", SIZE).unwrap();
        assert_eq!(again.hba, 0);
        again.attach().unwrap();
    }

    #[test]
    fn the_uio_device_is_found_by_its_name() {
        let root = tempfile::tempdir().unwrap();
        let places = places(root.path());
        for (uio, name) in [("uio0", "other"), ("uio3", "tcm-user/0/v1/sedkit/v1\n")] {
            let maps = places.uio.join(uio).join("maps/map0");
            make(&maps).unwrap();
            write(&maps.join("size"), "0x0000000040800000\n").unwrap();
            write(&places.uio.join(uio).join("name"), name).unwrap();
        }
        let config = Config::create(places.clone(), "v1", SIZE).unwrap();
        let device = config.uio_device().unwrap();
        assert_eq!(device.node, Path::new("/dev/uio3"));
        assert_eq!(device.map_length, 0x4080_0000);
        let config = Config::create(places, "v2", SIZE).unwrap();
        let error = config.uio_device().unwrap_err();
        assert!(matches!(error, TcmuError::NoDevice { .. }));
    }

    #[test]
    fn names_and_missing_targets_are_refused() {
        let root = tempfile::tempdir().unwrap();
        for name in ["", "a/b", "..", "a,b", "a b", "ü", &"x".repeat(33)] {
            let error = Config::create(places(root.path()), name, SIZE).unwrap_err();
            assert!(matches!(error, TcmuError::Name), "{name}");
        }
        let nowhere = Places {
            target: root.path().join("nowhere"),
            ..Places::default()
        };
        let error = Config::create(nowhere, "v1", SIZE).unwrap_err();
        assert!(matches!(error, TcmuError::NoTarget { .. }));
    }
}
