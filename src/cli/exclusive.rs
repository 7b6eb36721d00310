//! One run at a time on a drive: runs that change something keep all others away.
//!
//! The lock is advisory and belongs to an open file, so that the kernel ends it with the process.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::libc::O_NOFOLLOW;
use nix::unistd::geteuid;

use super::Context;
use super::error::CliError;
use super::exit::Code;

/// Where root's locks of real drives are, one file for each serial number: nobody else can make or
/// remove that folder.
const OF_ROOT: &str = "/run/sedkit";
/// Where those of other users are.
const OF_USERS: &str = "/run/lock/sedkit";
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// Whether others may use the drive meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// Nobody: something may be changed.
    Exclusive,
    /// Those who only look, too.
    Shared,
}

/// Waits for the lock of a real drive, at most as long as `--timeout` says. Where there is none to
/// be had, the run goes on without it.
pub(crate) fn lock(
    serial: &str,
    sharing: Sharing,
    context: &Context,
) -> Result<Option<File>, CliError> {
    let is_root = geteuid().is_root();
    let folder = folder(is_root);
    match open(Path::new(folder), serial) {
        Ok(file) => wait(context, || try_lock(&file, sharing)).map(|()| Some(file)),
        Err(error) => {
            let text = format!("{folder}: {error}: other runs are not kept away");
            match is_root {
                true => context.output.warning(&text),
                false if context.verbose > 0 => context.output.note(&text),
                false => {}
            }
            Ok(None)
        }
    }
}

const fn folder(is_root: bool) -> &'static str {
    match is_root {
        true => OF_ROOT,
        false => OF_USERS,
    }
}

/// Repeats what fails with [`Code::Busy`], at most as long as `--timeout` says.
pub(crate) fn wait<T>(
    context: &Context,
    mut attempt: impl FnMut() -> Result<T, CliError>,
) -> Result<T, CliError> {
    let end = Instant::now() + context.timeout;
    loop {
        match attempt() {
            Err(error) if error.code == Code::Busy && Instant::now() < end => {}
            outcome => return outcome,
        }
        if context.signals.interrupt().is_raised() {
            return Err(CliError::new(Code::Interrupted, "interrupted"));
        }
        thread::sleep(PAUSE);
    }
}

fn open(folder: &Path, serial: &str) -> io::Result<File> {
    if serial.is_empty() {
        return Err(io::Error::other("the drive has no serial number"));
    }
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    check(folder)?;
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    options.mode(0o600).custom_flags(O_NOFOLLOW);
    options.open(folder.join(file_name(serial)))
}

/// Everybody may make a folder in /run/lock: one of somebody else could lead files anywhere.
fn check(folder: &Path) -> io::Result<()> {
    let found = folder.symlink_metadata()?;
    let is_ours = found.is_dir() && [0, geteuid().as_raw()].contains(&found.uid());
    match is_ours && found.mode() & 0o022 == 0 {
        true => Ok(()),
        false => Err(ErrorKind::PermissionDenied.into()),
    }
}

/// A serial number may hold anything; a file's name must not.
fn file_name(serial: &str) -> String {
    let plain = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02x}"),
    };
    serial.bytes().map(plain).collect()
}

fn try_lock(file: &File, sharing: Sharing) -> Result<(), CliError> {
    let locked = match sharing {
        Sharing::Exclusive => file.try_lock(),
        Sharing::Shared => file.try_lock_shared(),
    };
    locked.map_err(|error| match error {
        TryLockError::WouldBlock => {
            CliError::new(Code::Busy, "another run of sedkit uses the drive")
                .with_hint("wait for its end, or allow more time with --timeout SECONDS")
        }
        TryLockError::Error(error) => CliError::from_chain(Code::Failed, &error),
    })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn locked(folder: &Path, serial: &str, sharing: Sharing) -> Option<File> {
        let file = open(folder, serial).unwrap();
        let locked = try_lock(&file, sharing);
        assert!(locked.as_ref().is_ok() || locked.as_ref().unwrap_err().code == Code::Busy);
        locked.ok().map(|()| file)
    }

    #[test]
    fn those_who_look_share_and_those_who_change_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("sedkit");
        let looking = locked(&folder, "S1", Sharing::Shared);
        assert!(looking.is_some());
        assert!(locked(&folder, "S1", Sharing::Shared).is_some());
        assert!(locked(&folder, "S1", Sharing::Exclusive).is_none());
        assert!(locked(&folder, "S2", Sharing::Exclusive).is_some());
        drop(looking);
        let changing = locked(&folder, "S1", Sharing::Exclusive);
        assert!(changing.is_some());
        assert!(locked(&folder, "S1", Sharing::Shared).is_none());
    }

    #[test]
    fn folders_and_links_of_others_are_not_used() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("sedkit");
        assert!(open(&folder, "S1").is_ok());
        let target = place.path().join("target");
        symlink(&target, folder.join("S2")).unwrap();
        assert!(open(&folder, "S2").is_err());
        assert!(!target.exists());
        let link = place.path().join("link");
        symlink(&folder, &link).unwrap();
        assert!(open(&link, "S1").is_err());
        fs::set_permissions(&folder, Permissions::from_mode(0o777)).unwrap();
        let refused = open(&folder, "S1").unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
    }

    #[test]
    fn nobody_but_root_can_take_the_folder_of_root_away() {
        // Everybody could make one in /run/lock first, and root would go on without any lock.
        let parent = Path::new(folder(true)).parent().unwrap();
        assert_eq!(parent, Path::new("/run"));
        assert_ne!(folder(false), folder(true));
    }

    #[test]
    fn names_stay_in_the_folder() {
        assert_eq!(file_name("S5GXNX0T123456"), "S5GXNX0T123456");
        assert_eq!(file_name("../a b"), "%2e%2e%2fa%20b");
        let folder = tempfile::tempdir().unwrap();
        assert!(open(folder.path(), "").is_err());
    }
}
