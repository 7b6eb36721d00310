//! Where the control socket is, and how to get there.
//!
//! The address of a Unix socket has 107 bytes and a path may have more, so the kernel is given
//! short names: those of open files under `/proc/self/fd`.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::libc::{O_DIRECTORY, O_NOFOLLOW, O_PATH};
use nix::sys::socket::{self, AddressFamily, Backlog, SockFlag, SockType, UnixAddr};
use nix::sys::stat::{Mode, fchmod};
use nix::unistd::geteuid;

/// What follows the name of a drive's file.
const SUFFIX: &str = ".control";
/// Connections that wait to be accepted.
const WAITING: i32 = 16;

/// Where the control socket of a drive's file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ControlPath {
    folder: PathBuf,
    name: PathBuf,
    /// Who owns the drive's file.
    owner: u32,
}

impl ControlPath {
    /// The place beside the drive's file itself, whatever links lead to it.
    pub(crate) fn beside(drive: &Path) -> io::Result<Self> {
        let file = drive.canonicalize()?;
        let owner = file.metadata()?.uid();
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return Err(io::ErrorKind::IsADirectory.into());
        };
        let mut name = name.to_owned();
        name.push(SUFFIX);
        Ok(Self {
            folder: folder.to_owned(),
            name: name.into(),
            owner,
        })
    }

    /// The socket's path.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Makes the socket, for its owner only, in the place of one that a killed server left behind.
    /// The caller has the drive's file locked, so that no living server uses the place.
    pub(super) fn bind(&self) -> io::Result<Socket> {
        let folder = open(&self.folder, O_DIRECTORY)?;
        // All that follows happens in this folder, wherever its path leads meanwhile.
        let inside = short_name(&folder);
        let place = inside.join(&self.name);
        match place.symlink_metadata() {
            Ok(there) if !there.file_type().is_socket() => {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            _ => {}
        }
        let number = getrandom::u64().map_err(io::Error::other)?;
        let temporary = inside.join(format!(".sedkit-{number:016x}"));
        let socket = stream_socket()?;
        // The mode of the socket is that of its name from the first moment on.
        fchmod(&socket, Mode::S_IRUSR | Mode::S_IWUSR)?;
        socket::bind(socket.as_raw_fd(), &UnixAddr::new(&temporary)?)?;
        let listening = listen(socket).and_then(|listener| {
            fs::rename(&temporary, &place)?;
            Ok(listener)
        });
        let listener = listening.inspect_err(|_| drop(fs::remove_file(&temporary)))?;
        Ok(Socket {
            listener,
            identity: identity(&place)?,
            folder,
            name: self.name.clone(),
        })
    }

    /// Connects to the server of the drive; nothing where none is alive, or none of this user.
    pub(super) fn connect(&self, limit: Duration) -> io::Result<Option<UnixStream>> {
        let there = match open(&self.path(), O_NOFOLLOW) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            there => there?,
        };
        let metadata = there.metadata()?;
        if !metadata.file_type().is_socket() || !self.may_serve(metadata.uid()) {
            return Ok(None);
        }
        let stream = UnixStream::from(stream_socket()?);
        // A full queue makes the kernel wait, no longer than for a write.
        stream.set_write_timeout(Some(limit))?;
        let address = UnixAddr::new(&short_name(&there))?;
        match socket::connect(stream.as_raw_fd(), &address).map_err(io::Error::from) {
            Ok(()) => Ok(Some(stream)),
            Err(error) => match error.kind() {
                io::ErrorKind::ConnectionRefused | io::ErrorKind::PermissionDenied => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// In a folder for everybody, somebody else may have put a socket there.
    fn may_serve(&self, owner: u32) -> bool {
        [0, self.owner, geteuid().as_raw()].contains(&owner)
    }
}

/// The socket of a server. Its name is removed with it.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) listener: UnixListener,
    folder: File,
    name: PathBuf,
    identity: (u64, u64),
}

impl Drop for Socket {
    fn drop(&mut self) {
        // If somebody has put another file there, it stays; if the name cannot be removed, the next
        // server takes its place.
        let place = short_name(&self.folder).join(&self.name);
        if identity(&place).is_ok_and(|there| there == self.identity) {
            let _ = fs::remove_file(&place);
        }
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = path.symlink_metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// Opens a file as a place only.
fn open(path: &Path, flags: i32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(O_PATH | flags).open(path)
}

fn short_name(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

fn stream_socket() -> io::Result<OwnedFd> {
    let (family, kind) = (AddressFamily::Unix, SockType::Stream);
    Ok(socket::socket(family, kind, SockFlag::SOCK_CLOEXEC, None)?)
}

fn listen(socket: OwnedFd) -> io::Result<UnixListener> {
    socket::listen(&socket, Backlog::new(WAITING)?)?;
    Ok(socket.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// A drive's file in a folder, and its control path.
    fn place(name: &str) -> (tempfile::TempDir, ControlPath) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, b"drive").unwrap();
        let path = ControlPath::beside(&file).unwrap();
        (folder, path)
    }

    fn is_alive(path: &ControlPath) -> bool {
        path.connect(LIMIT).unwrap().is_some()
    }

    #[test]
    fn the_socket_is_for_its_owner_and_goes_with_the_server() {
        let (folder, path) = place("drive");
        assert!(!is_alive(&path));
        let socket = path.bind().unwrap();
        assert!(is_alive(&path));
        let mode = path.path().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        drop(socket);
        let names = fs::read_dir(folder.path()).unwrap();
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["drive"]);
    }

    #[test]
    fn the_socket_of_a_killed_server_is_replaced() {
        let (_folder, path) = place("drive");
        std::mem::forget(path.bind().unwrap().listener.try_clone());
        let dead = UnixListener::bind(path.path()).unwrap();
        drop(dead);
        assert!(!is_alive(&path));
        let _socket = path.bind().unwrap();
        assert!(is_alive(&path));
    }

    #[test]
    fn long_paths_are_as_good_as_short_ones() {
        let long = format!("{0}/{0}/{1}", "d".repeat(200), "n".repeat(240));
        let (_folder, path) = place(&long);
        let _socket = path.bind().unwrap();
        assert!(is_alive(&path));
    }

    #[test]
    fn the_socket_goes_with_the_server_though_its_folder_has_moved() {
        let (folder, path) = place("here/drive");
        let socket = path.bind().unwrap();
        let moved = folder.path().join("there");
        fs::rename(folder.path().join("here"), &moved).unwrap();
        assert!(moved.join("drive.control").exists());
        drop(socket);
        assert!(!moved.join("drive.control").exists());
    }

    #[test]
    fn links_lead_to_the_same_socket() {
        let (folder, path) = place("drive");
        let link = folder.path().join("link");
        symlink("drive", &link).unwrap();
        assert_eq!(ControlPath::beside(&link).unwrap(), path);
    }

    #[test]
    fn what_is_no_socket_stays() {
        let (_folder, path) = place("drive");
        fs::write(path.path(), b"precious").unwrap();
        assert!(!is_alive(&path));
        let refused = path.bind().unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(path.path()).unwrap(), b"precious");
    }

    #[test]
    fn a_socket_of_somebody_else_is_not_trusted() {
        let (_folder, path) = place("drive");
        let owner = path.owner;
        assert!(path.may_serve(owner) && path.may_serve(0));
        assert!(!path.may_serve(owner.wrapping_add(4711)));
    }
}
