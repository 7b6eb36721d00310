//! The ioctls that libnvme does not wrap: SG_IO, the block layer's, and IOC_OPAL_SAVE.
#![expect(unsafe_code, reason = "ioctls take raw pointers")]

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use sedkit_sys as c;
use zeroize::Zeroize;

/// Flags of open(2): past the cache; fail if somebody holds the node for himself; do not wait.
pub use nix::libc::{O_DIRECT, O_EXCL, O_NONBLOCK};

/// Data that moves with a SCSI command.
#[derive(Debug)]
pub enum Data<'a> {
    /// From the host to the device.
    Out(&'a [u8]),
    /// From the device to the host.
    In(&'a mut [u8]),
}

/// How a SCSI command ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// SCSI status.
    pub status: u8,
    /// The host adapter's status (`DID_…`).
    pub host_status: u16,
    /// Bytes that moved.
    pub transferred: usize,
    /// Sense data, as long as the device sent it.
    pub sense: Vec<u8>,
}

/// Sends one SCSI command (SG_IO) and waits until it ends or `timeout` has passed.
///
/// # Errors
/// The kernel's error if the command was not issued. What came of it else is in the completion.
pub fn sg_io(
    device: BorrowedFd<'_>,
    cdb: &[u8],
    data: Data<'_>,
    timeout: Duration,
) -> io::Result<Completion> {
    let (direction, address, length) = match data {
        Data::Out(bytes) => (c::SG_DXFER_TO_DEV, bytes.as_ptr().cast_mut(), bytes.len()),
        Data::In(bytes) => (c::SG_DXFER_FROM_DEV, bytes.as_mut_ptr(), bytes.len()),
    };
    let mut sense = [0; 64];
    let mut header = c::sg_io_hdr {
        interface_id: c_int::from(b'S'),
        dxfer_direction: direction,
        cmd_len: u8::try_from(cdb.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        mx_sb_len: u8::try_from(sense.len()).unwrap_or(0),
        dxfer_len: u32::try_from(length).map_err(|_| io::ErrorKind::InvalidInput)?,
        dxferp: address.cast(),
        cmdp: cdb.as_ptr().cast_mut(),
        sbp: sense.as_mut_ptr(),
        timeout: milliseconds(timeout),
        ..Default::default()
    };
    // SAFETY:
    // - the header is valid and of the size that the kernel expects (asserted in sedkit-sys)
    // - `cmdp` is the borrowed CDB, which the kernel only reads; `sbp` is the local sense buffer
    // - `dxferp` is the borrowed buffer, only read when the direction is to the device, and
    //   borrowed exclusively when it is from the device
    unsafe { raw::sg_io(device.as_raw_fd(), &raw mut header) }?;
    let residual = usize::try_from(header.resid).unwrap_or(0);
    Ok(Completion {
        status: header.status,
        host_status: header.host_status,
        transferred: length.saturating_sub(residual),
        sense: sense.into_iter().take(header.sb_len_wr.into()).collect(),
    })
}

/// A time limit as the kernel takes it; 0 would mean its default.
pub(super) fn milliseconds(timeout: Duration) -> u32 {
    u32::try_from(timeout.as_millis()).map_or(u32::MAX, |limit| limit.max(1))
}

/// Reads the partition table of a block device again (BLKRRPART).
///
/// # Errors
/// EBUSY if a partition is in use, EINVAL if the device cannot have partitions.
pub fn reread_partition_table(device: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the request takes no argument.
    unsafe { raw::reread_partition_table(device.as_raw_fd()) }?;
    Ok(())
}

/// Size of a block device in bytes (BLKGETSIZE64).
///
/// # Errors
/// ENOTTY if it is no block device.
pub fn size(device: BorrowedFd<'_>) -> io::Result<u64> {
    let mut bytes = 0;
    // SAFETY: the kernel writes one u64, whatever the size in the request number says.
    unsafe { raw::size(device.as_raw_fd(), &raw mut bytes) }?;
    Ok(bytes)
}

/// Logical block size of a block device in bytes (BLKSSZGET).
///
/// # Errors
/// ENOTTY if it is no block device.
pub fn logical_block_size(device: BorrowedFd<'_>) -> io::Result<u32> {
    let mut bytes = 0;
    // SAFETY: the kernel writes one int.
    unsafe { raw::logical_block_size(device.as_raw_fd(), &raw mut bytes) }?;
    u32::try_from(bytes).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// What the kernel needs to unlock a range when the machine resumes.
pub struct OpalSave<'a> {
    /// Number of the range; 0 is the global range.
    pub range: u8,
    /// Who unlocks it: 0 is Admin1, 1 to 9 are User1 to User9.
    pub user: u8,
    /// The range is in single user mode.
    pub single_user: bool,
    /// It is unlocked for reads only.
    pub read_only: bool,
    /// The PIN, 1 to 255 bytes.
    pub key: &'a [u8],
}

/// Hands a range's PIN to the kernel, which keeps it until the next reboot (IOC_OPAL_SAVE).
///
/// # Errors
/// InvalidInput if the PIN is empty or longer than the kernel's field can say; ENOTTY if the
/// kernel has no CONFIG_BLK_SED_OPAL, EOPNOTSUPP if it does not take the device for an Opal drive.
pub fn opal_save(device: BorrowedFd<'_>, save: &OpalSave<'_>) -> io::Result<()> {
    let mut argument = c::opal_lock_unlock::default();
    let opal_key = &mut argument.session.opal_key;
    let len = save.key.len();
    let (Ok(key_len @ 1..), Some(field)) = (u8::try_from(len), opal_key.key.get_mut(..len)) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    field.copy_from_slice(save.key);
    opal_key.key_len = key_len;
    opal_key.lr = save.range;
    argument.session.sum = save.single_user.into();
    argument.session.who = save.user.into();
    argument.l_state = [c::OPAL_RW, c::OPAL_RO][usize::from(save.read_only)];
    // SAFETY: the kernel reads one struct of the size in the request number (asserted below).
    let result = unsafe { raw::opal_save(device.as_raw_fd(), &raw const argument) };
    argument.session.opal_key.key.zeroize();
    Ok(result.map(drop)?)
}

mod raw {
    nix::ioctl_readwrite_bad!(sg_io, sedkit_sys::SG_IO, sedkit_sys::sg_io_hdr);
    nix::ioctl_none!(reread_partition_table, 0x12, 95);
    nix::ioctl_read_bad!(logical_block_size, nix::request_code_none!(0x12, 104), i32);
    const BLKGETSIZE64: nix::sys::ioctl::ioctl_num_type =
        nix::request_code_read!(0x12, 114, size_of::<usize>());
    nix::ioctl_read_bad!(size, BLKGETSIZE64, u64);
    nix::ioctl_write_ptr!(opal_save, b'p', 220, sedkit_sys::opal_lock_unlock);
}

const _: () = {
    let opal_save = nix::request_code_write!(b'p', 220, size_of::<c::opal_lock_unlock>());
    assert!(opal_save as u64 == c::IOC_OPAL_SAVE as u64);
};

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    /// ENOTTY: what a node answers that does not know a request.
    const NO_SUCH_REQUEST: Option<i32> = Some(25);

    fn null() -> File {
        File::options()
            .read(true)
            .write(true)
            .open("/dev/null")
            .unwrap()
    }

    #[test]
    fn requests_on_a_node_of_another_kind_fail_cleanly() {
        let file = null();
        let device = file.as_fd();
        let timeout = Duration::from_secs(1);
        let error = sg_io(device, &[0; 6], Data::In(&mut [0; 36]), timeout).unwrap_err();
        assert_eq!(error.raw_os_error(), NO_SUCH_REQUEST);
        assert_eq!(size(device).unwrap_err().raw_os_error(), NO_SUCH_REQUEST);
        assert_eq!(
            logical_block_size(device).unwrap_err().raw_os_error(),
            NO_SUCH_REQUEST
        );
        assert_eq!(
            reread_partition_table(device).unwrap_err().raw_os_error(),
            NO_SUCH_REQUEST
        );
        let save = save(b"password");
        assert_eq!(
            opal_save(device, &save).unwrap_err().raw_os_error(),
            NO_SUCH_REQUEST
        );
    }

    fn save(key: &[u8]) -> OpalSave<'_> {
        OpalSave {
            range: 0,
            user: 0,
            single_user: false,
            read_only: false,
            key,
        }
    }

    #[test]
    fn keys_that_do_not_fit_the_kernels_field_are_refused() {
        let file = null();
        for key in [&b""[..], &[1; 256], &[1; 300]] {
            let error = opal_save(file.as_fd(), &save(key)).unwrap_err();
            assert_eq!(
                error.kind(),
                io::ErrorKind::InvalidInput,
                "{} bytes",
                key.len()
            );
        }
    }

    #[test]
    fn time_limits_never_become_the_kernels_default() {
        assert_eq!(milliseconds(Duration::ZERO), 1);
        assert_eq!(milliseconds(Duration::from_secs(5)), 5000);
        assert_eq!(milliseconds(Duration::MAX), u32::MAX);
    }

    #[test]
    fn block_requests_have_the_numbers_of_linux_fs_h() {
        // BLKRRPART, BLKSSZGET, BLKGETSIZE64 on the architectures with the generic encoding.
        assert_eq!(nix::request_code_none!(0x12, 95), 0x125f);
        assert_eq!(nix::request_code_none!(0x12, 104), 0x1268);
        assert_eq!(nix::request_code_read!(0x12, 114, 8), 0x8008_1272);
    }
}
