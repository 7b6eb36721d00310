//! Hands a PIN to the kernel, which unlocks the drive again when the machine resumes.

use std::io::{self, ErrorKind};

use super::device::Named;
use super::error::CliError;
use super::exit::Code;
use crate::drive::{Authority, Credential, UnlockRequest};
use crate::spec::RangeNumber;
use crate::transport::linux::{OpalSave, SystemRoot, save_for_resume};

/// Gives the kernel the PIN for ranges of a drive. Whether the PIN is right shows at resume.
pub(crate) fn save(
    named: &Named,
    request: &UnlockRequest,
    ranges: &[RangeNumber],
    credential: &Credential,
) -> Result<(), CliError> {
    let names = named.block_names();
    let name = names.first().ok_or_else(|| {
        CliError::new(
            Code::NotSupported,
            "the kernel has no block device of this drive",
        )
        .with_hint("--save-for-resume is for drives that stay attached while the machine sleeps")
    })?;
    let user = user(credential.authority)?;
    let (read_only, key) = (request.read_only, credential.pin.expose());
    for range in ranges {
        let range = u8::try_from(range.0).map_err(|_| refused(&ErrorKind::InvalidInput.into()))?;
        let save = OpalSave {
            range,
            user,
            single_user: false,
            read_only,
            key,
        };
        save_for_resume(&SystemRoot::default(), name, &save).map_err(|error| refused(&error))?;
    }
    Ok(())
}

/// The kernel knows Admin1 and the first nine users.
fn user(authority: Authority) -> Result<u8, CliError> {
    match authority {
        Authority::Admin(1) => Ok(0),
        Authority::User(number @ 1..=9) => Ok(u8::try_from(number).unwrap_or(0)),
        other => Err(
            CliError::usage(format!("the kernel cannot act as {other} at resume"))
                .with_hint("act as Admin1, or as one of User1 to User9"),
        ),
    }
}

fn refused(error: &io::Error) -> CliError {
    let refusal = CliError::new(
        Code::Failed,
        format!("unlocked, but the kernel did not take the PIN for resume: {error}"),
    );
    refusal.with_hint(match (error.kind(), error.raw_os_error()) {
        (ErrorKind::InvalidInput, _) => "the kernel takes PINs of 1 to 255 bytes",
        (_, Some(ENOTTY)) => {
            "the kernel was built without CONFIG_BLK_SED_OPAL, so that it cannot unlock drives at \
             resume; everything else works without it"
        }
        (_, Some(EOPNOTSUPP | ENOTSUPP)) => {
            "the kernel does not take the drive for an Opal one: it must reach it over NVMe, or a \
             SATA port of its own; SAS drives are none to it"
        }
        _ => "the kernel's log (dmesg) may tell more",
    })
}

/// There is no such ioctl: "Inappropriate ioctl for device".
const ENOTTY: i32 = 25;
const EOPNOTSUPP: i32 = 95;
/// What older kernels, as 6.1, answer in place of it.
const ENOTSUPP: i32 = 524;

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(number: i32) -> String {
        refused(&io::Error::from_raw_os_error(number)).hint.unwrap()
    }

    #[test]
    fn d112_errno_25_is_explained_by_the_kernel_s_configuration() {
        let error = refused(&io::Error::from_raw_os_error(25));
        assert!(error.message.contains("os error 25"), "{error}");
        assert!(hint(25).contains("without CONFIG_BLK_SED_OPAL"));
        // A kernel that has it, and takes the drive for none, is another matter.
        for number in [95, 524] {
            assert!(hint(number).contains("Opal"), "{number}");
            assert!(!hint(number).contains("CONFIG"), "{number}");
        }
        assert!(hint(5).contains("dmesg"));
    }
}
