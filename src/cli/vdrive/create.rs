//! `sedkit vdrive create`.

use std::time::Duration;

use super::show::{LabelFields, label_text};
use super::{about, plain, report};
use crate::cli::args::vdrive::Create;
use crate::cli::error::CliError;
use crate::cli::report::{Answer, Report};
use crate::cli::size;
use crate::vdrive::{CreateOptions, Profile, VirtualDrive};

/// Makes a drive and shows its label.
pub(super) fn run(arguments: &Create) -> Result<Report, CliError> {
    let options = options(arguments)?;
    let path = plain(&arguments.path);
    let drive = VirtualDrive::create(path, &options).map_err(|error| about(path, error.into()))?;
    let text = format!(
        "created {}: {} bytes, profile {}\n{}",
        path.display(),
        options.size,
        arguments.profile,
        label_text(drive.label())
    );
    let value = LabelFields::new(drive.label());
    Ok(report(path, drive.label(), Answer::Notice(text), &value))
}

fn options(arguments: &Create) -> Result<CreateOptions, CliError> {
    let profile = profile(arguments)?;
    let size = size(&arguments.size)?.of_blocks(profile.geometry.block_size);
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
    let mut profile = named.map_err(|error| CliError::usage(error.to_string()))?;
    if let Some(block_size) = arguments.block_size {
        profile.geometry.block_size = block_size;
    }
    if let Some(ranges) = arguments.ranges {
        profile.locking.ranges = ranges;
    }
    if let Some(users) = arguments.users {
        profile.locking.users = users;
    }
    Ok(profile)
}

/// A size that somebody typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// So many bytes.
    Bytes(u64),
    /// About so many bytes: it had a unit.
    About(u64),
}

impl Size {
    /// Bytes of a drive with such blocks. What had a unit is rounded down to whole blocks, as 64 MiB
    /// are no whole number of blocks of 520 bytes.
    fn of_blocks(self, block_size: u32) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::About(bytes) => bytes - bytes.checked_rem(block_size.into()).unwrap_or(0),
        }
    }
}

/// A number of bytes, with or without a unit.
fn size(text: &str) -> Result<Size, CliError> {
    let bytes = size::parse(text)?;
    let has_unit = !text.ends_with(|last: char| last.is_ascii_digit());
    Ok(match has_unit {
        true => Size::About(bytes),
        false => Size::Bytes(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("64MiB"), Ok(Size::About(64 << 20)));
        assert_eq!(size("4 KiB"), Ok(Size::About(4096)));
        assert_eq!(size("512"), Ok(Size::Bytes(512)));
        assert_eq!(size("2TiB"), Ok(Size::About(2 << 40)));
    }

    #[test]
    fn a_size_with_a_unit_is_rounded_to_blocks() {
        assert_eq!(Size::About(64 << 20).of_blocks(512), 64 << 20);
        assert_eq!(Size::About(64 << 20).of_blocks(520), 129_055 * 520);
        assert_eq!(Size::Bytes(1000).of_blocks(512), 1000);
    }
}
