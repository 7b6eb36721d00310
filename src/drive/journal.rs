//! The journal: which PINs a run was about to change.
//!
//! Nothing on a drive tells whether a Set of a PIN took effect if its answer was lost, and every
//! attempt to find out may be a wrong one. So a run notes on the host, before it sets a PIN, that it
//! will; the next run tries the second of two PINs only where it finds such a note, and removes the
//! note once the new PIN is proven. A note holds no secret: the drive's serial number and the
//! authority are its name.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{Authority, Drive};

/// Only the user may list the folder.
const FOLDER_MODE: u32 = 0o700;
/// Only the user may read a note.
const NOTE_MODE: u32 = 0o600;

/// A folder with a note for each PIN that a run was about to change.
///
/// All runs on a drive should share one, or an interrupted change of a PIN costs the next run two
/// attempts, which it makes only if [`DriveOptions::tries`](super::DriveOptions::tries) allows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    folder: PathBuf,
}

impl Journal {
    /// A journal in a folder, which is created when the first note is written.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file of the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The text of a file; `None` if there is none. A link is followed to nowhere.
    pub(super) fn read_file(&self, name: &str) -> io::Result<Option<String>> {
        let path = self.path(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_file() => fs::read_to_string(&path).map(Some),
            Ok(_) => Err(io::Error::other("not a file")),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a file whole or not at all, so that it survives a crash.
    pub(super) fn replace_file(&self, name: &str, text: &str) -> io::Result<()> {
        self.create_folder()?;
        let (path, new) = (self.path(name), self.path(&format!("{name}.new")));
        match fs::remove_file(&new) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(NOTE_MODE);
        let mut file = options.open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        File::open(&self.folder)?.sync_all()
    }

    /// Removes a file, if it is there.
    pub(super) fn remove_file(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.path(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The names of all files that can be listed.
    pub(super) fn file_names(&self) -> impl Iterator<Item = String> + use<> {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        files.filter_map(|file| file.file_name().into_string().ok())
    }

    fn create_folder(&self) -> io::Result<()> {
        let mut folders = DirBuilder::new();
        folders.recursive(true).mode(FOLDER_MODE);
        folders.create(&self.folder)
    }

    fn write(&self, name: &str) -> io::Result<()> {
        self.create_folder()?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(NOTE_MODE);
        match options.open(self.folder.join(name)) {
            Ok(mut note) => {
                note.write_all(b"the PIN of this authority was about to be changed\n")?;
                note.sync_all()?;
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        File::open(&self.folder)?.sync_all()
    }
}

/// The note of one authority of one drive.
#[derive(Debug)]
pub(super) struct Note {
    journal: Option<Journal>,
    /// The name of its file; `None` if the drive has no serial number to tell it by.
    name: Option<String>,
    /// Whether it was to be written, and could not be.
    failed: bool,
}

impl Note {
    /// Whether an earlier run has left it.
    pub(super) fn is_there(&self) -> bool {
        let metadata = self.path().map(fs::symlink_metadata);
        metadata.is_some_and(|metadata| metadata.is_ok_and(|metadata| metadata.is_file()))
    }

    /// Writes it, so that it survives a crash. Without a journal there is nothing to write.
    pub(super) fn write(&mut self) {
        let Some(journal) = &self.journal else {
            return;
        };
        let written = self.name.as_ref().map(|name| journal.write(name));
        self.failed = !matches!(written, Some(Ok(())));
    }

    /// Removes it: the PIN is known. A note that stays allows one more attempt, and nothing else.
    pub(super) fn remove(&self) {
        let _ = self.path().map(fs::remove_file);
    }

    /// Whether it was to be written, and could not be.
    pub(super) const fn failed(&self) -> bool {
        self.failed
    }

    fn path(&self) -> Option<PathBuf> {
        let (journal, name) = self.journal.as_ref().zip(self.name.as_ref())?;
        Some(journal.folder.join(name))
    }
}

impl Drive {
    /// Uses a journal from now on, or none.
    #[must_use]
    pub fn with_journal(mut self, journal: Option<Journal>) -> Self {
        self.journal = journal;
        self
    }

    /// The note of an authority of this drive.
    pub(super) fn note(&self, authority: Authority) -> Note {
        Note {
            journal: self.journal.clone(),
            name: file_name(&self.identity().serial_text(), authority),
            failed: false,
        }
    }
}

impl Drive {
    /// Forgets what earlier runs have kept of this drive, when a revert has set everything anew: PINs
    /// that were about to change, attempts, locks that were off for a moment. PSID keeps its PIN.
    pub(super) fn forget_everything(&self) {
        self.forget(|name| !name.starts_with("PSID"));
    }

    /// Forgets what earlier runs have kept of the Locking SP, when there is none of its PINs, locks
    /// and owners left.
    pub(super) fn forget_locking_sp(&self) {
        self.forget(|name| !name.starts_with("SID") && !name.starts_with("PSID"));
    }

    /// As well as that can be done.
    fn forget(&self, is_over: impl Fn(&str) -> bool) {
        let serial = serial_name(&self.identity().serial_text());
        let Some((journal, serial)) = self.journal.as_ref().zip(serial) else {
            return;
        };
        for name in journal.file_names() {
            let kept = name.strip_prefix(&serial);
            if kept
                .and_then(|kept| kept.strip_prefix('.'))
                .is_some_and(&is_over)
            {
                let _ = journal.remove_file(&name);
            }
        }
    }
}

/// The name of what is kept of an authority of a drive.
pub(super) fn file_name(serial: &str, authority: Authority) -> Option<String> {
    serial_name(serial).map(|serial| format!("{serial}.{authority}"))
}

/// A serial number may hold anything; a file's name must not.
pub(super) fn serial_name(serial: &str) -> Option<String> {
    let escaped = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02x}"),
    };
    let serial: String = serial.bytes().map(escaped).collect();
    (!serial.is_empty()).then_some(serial)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn note(folder: &Path) -> Note {
        Note {
            journal: Some(Journal::new(folder.join("a/b"))),
            name: file_name("S3R1AL", Authority::Admin(1)),
            failed: false,
        }
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn names_are_harmless() {
        let name = file_name("../a b/\u{e9}.", Authority::Sid).unwrap();
        assert_eq!(name, "%2e%2e%2fa%20b%2f%c3%a9%2e.SID");
        assert_eq!(file_name("", Authority::Sid), None);
    }

    #[test]
    fn a_note_is_for_the_user_alone_and_goes_when_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut written = note(folder.path());
        assert!(!written.is_there());
        written.write();
        written.write();
        assert!(written.is_there() && !written.failed());
        assert_eq!(mode(&folder.path().join("a/b")), 0o700);
        assert_eq!(mode(&folder.path().join("a/b/S3R1AL.Admin1")), 0o600);
        written.remove();
        assert!(!note(folder.path()).is_there());
    }

    #[test]
    fn a_note_that_cannot_be_written_is_told() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "no folder").unwrap();
        let mut note = note(folder.path());
        note.write();
        assert!(note.failed() && !note.is_there());
    }

    #[test]
    fn a_link_is_no_note_and_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let mut note = note(folder.path());
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "kept").unwrap();
        symlink(&target, folder.path().join("a/b/S3R1AL.Admin1")).unwrap();
        assert!(!note.is_there());
        note.write();
        assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
    }
}
