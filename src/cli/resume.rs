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
    match error.kind() {
        ErrorKind::InvalidInput => refusal.with_hint("the kernel takes PINs of 1 to 255 bytes"),
        _ => refusal.with_hint(
            "the kernel must be built with CONFIG_BLK_SED_OPAL, and reach the drive over NVMe or a \
             port that libata allows TCG commands on",
        ),
    }
}
