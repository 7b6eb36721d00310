//! `sedkit vdrive create`.

use std::time::Duration;

use super::show::{LabelFields, label_text};
use super::{about, plain, report};
use crate::cli::args::vdrive::Create;
use crate::cli::error::CliError;
use crate::cli::report::{Answer, Report};
use crate::cli::size::Size;
use crate::vdrive::profile::{AtaSecurityState, Neighbours};
use crate::vdrive::{CreateOptions, Profile, VirtualDrive};

/// Makes a drive and shows its label.
pub(super) fn run(arguments: &Create) -> Result<Report, CliError> {
    let options = options(arguments)?;
    let path = plain(&arguments.path);
    let drive = VirtualDrive::create(path, &options).map_err(|error| about(path, error.into()))?;
    let text = format!(
        "created {}: {} bytes, profile {}{}\n{}",
        path.display(),
        options.size,
        arguments.profile,
        super::show::quirks_text(&arguments.quirk),
        label_text(drive.label())
    );
    let value = LabelFields::new(drive.label());
    Ok(report(path, drive.label(), Answer::Notice(text), &value))
}

fn options(arguments: &Create) -> Result<CreateOptions, CliError> {
    let profile = profile(arguments)?;
    let size = Size::parse(&arguments.size)?.of_blocks(profile.geometry.block_size);
    let mut options = CreateOptions::new(size);
    options.profile = profile;
    options.serial.clone_from(&arguments.serial);
    options.model.clone_from(&arguments.model);
    options.msid.clone_from(&arguments.msid);
    options.psid.clone_from(&arguments.psid);
    options.session_timeout = arguments.session_timeout.map(Duration::from_millis);
    options.namespaces = arguments.namespaces;
    options.try_limit = arguments.try_limit;
    options.latency = Duration::from_millis(arguments.latency);
    Ok(options)
}

/// The profile that was asked for, with what was asked to be different.
fn profile(arguments: &Create) -> Result<Profile, CliError> {
    let named = Profile::named(&arguments.profile);
    let mut profile = named.map_err(|error| usage(&error))?;
    for quirk in &arguments.quirk {
        profile.add_quirk(quirk).map_err(|error| usage(&error))?;
    }
    if let Some(block_size) = arguments.block_size {
        profile.geometry.block_size = block_size;
    }
    profile.neighbours = neighbours(arguments);
    if let Some(ranges) = arguments.ranges {
        profile.locking.ranges = ranges;
    }
    if let Some(users) = arguments.users {
        profile.locking.users = users;
    }
    Ok(profile)
}

fn neighbours(arguments: &Create) -> Neighbours {
    let ata_security = AtaSecurityState::named(&arguments.ata_security);
    Neighbours {
        ata_security: ata_security.unwrap_or_default(),
        ieee_1667: arguments.ieee_1667,
    }
}

fn usage(error: &impl ToString) -> CliError {
    CliError::usage(error.to_string())
        .with_hint("sedkit vdrive profiles lists the profiles and the quirks")
}
