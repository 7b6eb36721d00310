//! Hands a range's PIN to the kernel, so that the drive unlocks when the machine resumes.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::root::SystemRoot;
use crate::sys::ioctl::{self, O_NONBLOCK, OpalSave};

/// Lets the kernel keep a PIN until the next reboot, for the block node with the given kernel name.
///
/// # Errors
/// InvalidInput if the PIN is empty or longer than 255 bytes. The kernel's error otherwise: ENOTTY
/// if it was built without CONFIG_BLK_SED_OPAL, EOPNOTSUPP if it does not take the drive for an
/// Opal one.
pub fn save_for_resume(root: &SystemRoot, disk: &str, save: &OpalSave<'_>) -> io::Result<()> {
    let path = root.path(Path::new("/dev").join(disk));
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(O_NONBLOCK).open(path)?;
    ioctl::opal_save(file.as_fd(), save)
}

#[cfg(test)]
mod tests {
    use super::super::root::tests::Fixture;
    use super::*;

    #[test]
    fn node_that_the_kernel_takes_for_no_drive_is_an_error() {
        let fixture = Fixture::new();
        fixture.file("/dev/sda", "");
        let save = OpalSave {
            range: 0,
            user: 0,
            single_user: false,
            read_only: false,
            key: b"password",
        };
        let error = save_for_resume(&fixture.root(), "sda", &save).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(25));
        assert!(save_for_resume(&fixture.root(), "sdb", &save).is_err());
    }
}
