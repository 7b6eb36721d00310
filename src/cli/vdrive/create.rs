//! `sedkit vdrive create`.

use std::time::Duration;

use super::show::{LabelFields, label_text};
use super::{about, plain, report};
use crate::cli::args::vdrive::Create;
use crate::cli::error::CliError;
use crate::cli::report::{Answer, Report};
use crate::vdrive::profile::{AtaSecurityState, Neighbours};
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
    let mut options = CreateOptions::new(size(&arguments.size)?);
    options.profile =
        Profile::named(&arguments.profile).map_err(|error| CliError::usage(error.to_string()))?;
    if let Some(block_size) = arguments.block_size {
        options.profile.geometry.block_size = block_size;
    }
    options.profile.neighbours = neighbours(arguments);
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

fn neighbours(arguments: &Create) -> Neighbours {
    let ata_security = AtaSecurityState::named(&arguments.ata_security);
    Neighbours {
        ata_security: ata_security.unwrap_or_default(),
        ieee_1667: arguments.ieee_1667,
    }
}

/// Units of a size, the longest names first.
const UNITS: [(&str, u32); 5] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("", 0)];

/// A number of bytes, with or without a unit.
fn size(text: &str) -> Result<u64, CliError> {
    let parse = |(unit, shift): &(&str, u32)| {
        let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(1 << shift)
    };
    UNITS.iter().find_map(parse).ok_or_else(|| {
        CliError::usage(format!("{text} is no size"))
            .with_hint("a size is a number of bytes, or a number with KiB, MiB, GiB or TiB")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(size("64MiB"), Ok(64 << 20));
        assert_eq!(size("4 KiB"), Ok(4096));
        assert_eq!(size("512"), Ok(512));
        assert_eq!(size("2TiB"), Ok(2 << 40));
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "MiB", "-1", "64MB", "1e6", "99999999999TiB", "64MiBs"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
