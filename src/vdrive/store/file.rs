//! A disk in a sparse file, and how such a file comes to be.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, fallocate};

use super::StoreError;
use super::disk::{Disk, size};
use super::slot::Boot;

/// A disk in a file. An exclusive lock on the file lasts as long as this does.
#[derive(Debug)]
pub(super) struct FileDisk {
    file: File,
}

impl FileDisk {
    /// Opens and locks the file of a drive.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let disk = Self::with(path, OpenOptions::new().read(true).write(true))?;
        lock(&disk.file)?;
        Ok(disk)
    }

    /// Opens the file of a drive to look at it, whoever has it locked.
    pub(super) fn open_to_look(path: &Path) -> Result<Self, StoreError> {
        Self::with(path, OpenOptions::new().read(true))
    }

    fn with(path: &Path, options: &mut OpenOptions) -> Result<Self, StoreError> {
        let failed = StoreError::io("open the virtual drive");
        // A pipe must not make the opening wait for its other end.
        let file = options
            .custom_flags(nix::libc::O_NONBLOCK)
            .open(path)
            .map_err(|error| {
                if is_no_file(&error) {
                    StoreError::NotRegular
                } else {
                    failed(error)
                }
            })?;
        if !file.metadata().map_err(&failed)?.is_file() {
            return Err(StoreError::NotRegular);
        }
        Ok(Self { file })
    }
}

impl Drop for FileDisk {
    fn drop(&mut self) {
        // A process that another thread is about to start holds a copy of the open file until it
        // runs its program, and with it the lock: so the lock is given back, not only the copy.
        let _ = self.file.unlock();
    }
}

/// True for what the kernel says of a directory or a socket.
fn is_no_file(error: &io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw);
    matches!(errno, Some(Errno::EISDIR | Errno::ENXIO | Errno::ENODEV))
}

fn lock(file: &File) -> Result<(), StoreError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::Busy,
        TryLockError::Error(source) => StoreError::io("lock the virtual drive")(source),
    })
}

impl Disk for FileDisk {
    fn length(&self) -> io::Result<u64> {
        self.file.metadata().map(|metadata| metadata.len())
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all_at(bytes, offset)
    }

    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        let [start, count] = [offset, length].map(i64::try_from);
        let (Ok(start), Ok(count)) = (start, count) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let flags = FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE;
        loop {
            match fallocate(&self.file, flags, start, count) {
                Err(Errno::EINTR) => {}
                Err(Errno::EOPNOTSUPP | Errno::ENOSYS) => {
                    return self.write_zeros(offset, length);
                }
                result => return result.map_err(io::Error::from),
            }
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl FileDisk {
    /// What punching comes to on a file system without holes.
    fn write_zeros(&self, offset: u64, length: u64) -> io::Result<()> {
        static ZEROS: [u8; 65536] = [0; 65536];
        let end = offset + length;
        let mut offset = offset;
        while offset < end {
            let count = usize::try_from(end - offset)
                .unwrap_or(usize::MAX)
                .min(ZEROS.len());
            self.file.write_all_at(&ZEROS[..count], offset)?;
            offset += size(count);
        }
        Ok(())
    }
}

/// A new file that has another name until it is complete, and is removed if it never is.
#[derive(Debug)]
pub(super) struct Draft {
    path: PathBuf,
    temporary: PathBuf,
}

impl Draft {
    /// Makes a sparse file beside `path`, which only its owner may read: it holds keys and PINs.
    pub(super) fn new(path: &Path, length: u64) -> Result<(Self, FileDisk), StoreError> {
        let failed = StoreError::io("create the virtual drive");
        if path.symlink_metadata().is_ok() {
            return Err(StoreError::Exists);
        }
        let temporary = temporary_name(path).map_err(&failed)?;
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&temporary)
            .map_err(&failed)?;
        let draft = Self {
            path: path.to_owned(),
            temporary,
        };
        lock(&file)?;
        file.set_len(length).map_err(&failed)?;
        Ok((draft, FileDisk { file }))
    }

    /// Gives the file its name, unless that is taken by now, and makes all of it durable.
    pub(super) fn publish(self, disk: &FileDisk) -> Result<(), StoreError> {
        let failed = StoreError::io("create the virtual drive");
        disk.file.sync_all().map_err(&failed)?;
        fs::hard_link(&self.temporary, &self.path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => StoreError::Exists,
            _ => failed(error),
        })?;
        let folder = folder(&self.path).to_owned();
        drop(self);
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(&failed)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Only this process knows the name: if it cannot be removed, it is in nobody's way.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// A name beside the path that nobody else has.
fn temporary_name(path: &Path) -> io::Result<PathBuf> {
    let number = getrandom::u64().map_err(io::Error::other)?;
    Ok(path.with_file_name(format!(".sedkit-{number:016x}")))
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The boot of the host: a number that Linux draws at each start. Without it nothing is known of
/// what came before.
pub(super) fn this_boot() -> Option<Boot> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let digits: String = text.trim_end().split('-').collect();
    u128::from_str_radix(&digits, 16)
        .ok()
        .map(u128::to_be_bytes)
}
