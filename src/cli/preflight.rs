//! What Level 0 Discovery refuses already, before anybody is asked for a secret.

use super::error::CliError;
use crate::drive::{Authority, Cause, Drive, LockingState, MbrState, TableError};
use crate::spec::Ssc;

/// Refuses drives whose SSC is another, or which have no locking.
pub(crate) fn family(drive: &Drive) -> Result<(), CliError> {
    match drive.ssc() {
        ssc @ (Ssc::Enterprise | Ssc::KeyPerIo) => Err(CliError::from(&Cause::Ssc(ssc))),
        _ if drive.state().locking == LockingState::NotSupported => {
            Err(CliError::from(&Cause::NoLocking))
        }
        _ => Ok(()),
    }
}

/// Refuses drives whose Locking SP is not activated.
pub(crate) fn active(drive: &Drive) -> Result<(), CliError> {
    family(drive)?;
    match drive.state().locking {
        LockingState::Inactive => Err(CliError::from(&Cause::NotActivated)),
        _ => Ok(()),
    }
}

/// Refuses drives without a shadow MBR.
pub(crate) fn shadow_mbr(drive: &Drive) -> Result<(), CliError> {
    family(drive)?;
    match drive.state().mbr {
        MbrState::NotSupported => Err(CliError::from(&Cause::Table(TableError::NoShadowMbr))),
        _ => Ok(()),
    }
}

/// Refuses an authority that cannot act on the drive's locks.
pub(crate) fn locking(drive: &Drive, acting: Authority) -> Result<(), CliError> {
    family(drive)?;
    match acting {
        Authority::Admin(_) | Authority::User(_) => present(drive, acting),
        other => Err(CliError::from(&Cause::WrongAuthority(other))),
    }
}

/// Refuses drives that have no keys, and an authority that cannot replace them.
pub(crate) fn erase(drive: &Drive, acting: Authority) -> Result<(), CliError> {
    family(drive)?;
    let locking_feature = drive.discovery().locking();
    if !locking_feature.is_some_and(|locking| locking.media_encryption) {
        return Err(CliError::from(&Cause::NoEncryption));
    }
    locking(drive, acting)
}

/// Refuses drives on which a release would stop half-way.
pub(crate) fn release(drive: &Drive) -> Result<(), CliError> {
    family(drive)?;
    match drive.state() {
        state if state.sid_blocked == Some(true) => Err(CliError::from(&Cause::SidBlocked)),
        state if state.frozen => Err(CliError::from(&Cause::Frozen)),
        _ => Ok(()),
    }
}

/// Refuses an authority that cannot revert the drive.
pub(crate) fn revert(drive: &Drive, acting: Authority) -> Result<(), CliError> {
    family(drive)?;
    match acting {
        Authority::Sid if drive.state().sid_blocked == Some(true) => {
            Err(CliError::from(&Cause::SidBlocked))
        }
        Authority::Sid | Authority::Psid => Ok(()),
        other => Err(CliError::from(&Cause::WrongAuthority(other))),
    }
}

/// Refuses an authority that cannot authenticate now.
pub(crate) fn authentication(drive: &Drive, authority: Authority) -> Result<(), CliError> {
    family(drive)?;
    match authority {
        Authority::Sid if drive.state().sid_blocked == Some(true) => {
            Err(CliError::from(&Cause::SidBlocked))
        }
        Authority::Sid | Authority::Psid => Ok(()),
        Authority::Admin(_) | Authority::User(_) => present(drive, authority),
        other => Err(CliError::from(&Cause::WrongAuthority(other))),
    }
}

/// Refuses an authority whose PIN cannot be changed by who acts.
pub(crate) fn passwd(
    drive: &Drive,
    authority: Authority,
    acting: Authority,
) -> Result<(), CliError> {
    family(drive)?;
    match (authority, acting) {
        (Authority::Sid, Authority::Sid) if drive.state().sid_blocked == Some(true) => {
            Err(CliError::from(&Cause::SidBlocked))
        }
        (Authority::Sid, Authority::Sid) => Ok(()),
        (Authority::Admin(_) | Authority::User(_), Authority::Admin(_)) => {
            present(drive, acting)?;
            present(drive, authority)
        }
        (Authority::User(_), _) if authority == acting => present(drive, authority),
        (authority, acting) => Err(CliError::usage(format!(
            "{acting} cannot change the PIN of {authority}"
        ))
        .with_hint("SID changes its own PIN only; Admins change those of Admins and Users")),
    }
}

/// Refuses authorities of the Locking SP that are not there: it is inactive, or has fewer.
fn present(drive: &Drive, authority: Authority) -> Result<(), CliError> {
    if drive.state().locking == LockingState::Inactive {
        return Err(CliError::from(&Cause::NotActivated));
    }
    let discovery = drive.discovery();
    let ssc = discovery.opal2().or_else(|| discovery.ruby());
    let (number, limit) = match authority {
        Authority::Admin(number) => (number, ssc.and_then(|ssc| ssc.locking_sp_admins)),
        Authority::User(number) => (number, ssc.and_then(|ssc| ssc.locking_sp_users)),
        _ => return Ok(()),
    };
    match limit {
        Some(limit) if number > limit => Err(CliError::usage(format!(
            "the drive has no {authority}: it has {limit} of them"
        ))
        .with_hint("\"sedkit info\" shows how many Admins and Users the drive has")),
        _ => Ok(()),
    }
}
