//! What a range shall have, as the command line says it.

use crate::cli::args::range::Settings;
use crate::cli::error::CliError;
use crate::drive::{LockOnReset, RangeSettings};

/// The settings that options give; what they do not mention stays as it is.
pub(super) fn read(args: &Settings) -> Result<RangeSettings, CliError> {
    Ok(RangeSettings {
        read_lock_enabled: args.read_lock_enabled,
        write_lock_enabled: args.write_lock_enabled,
        lock_on_reset: lock_on_reset(&args.lock_on_reset)?,
        common_name: args.name.clone(),
    })
}

fn lock_on_reset(names: &[String]) -> Result<Option<LockOnReset>, CliError> {
    if names.is_empty() {
        return Ok(None);
    }
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    let resets = match (has("none"), has("power-cycle")) {
        (true, _) if names.iter().any(|name| name != "none") => Err("none stands alone"),
        (true, _) => Ok(LockOnReset::Nothing),
        (false, false) => Err("drives take other resets beside power-cycle only"),
        (false, true) => Ok(match (has("hardware"), has("programmatic")) {
            (false, false) => LockOnReset::PowerCycle,
            (false, true) => LockOnReset::PowerCycleAndProgrammatic,
            (true, false) => LockOnReset::PowerCycleAndHardware,
            (true, true) => LockOnReset::PowerCycleHardwareAndProgrammatic,
        }),
    };
    let hint = "write power-cycle, power-cycle,programmatic or the like";
    resets
        .map(Some)
        .map_err(|reason| CliError::usage(format!("--lock-on-reset: {reason}")).with_hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<LockOnReset> {
        let names: Vec<String> = text.split(',').map(str::to_owned).collect();
        lock_on_reset(&names).ok().flatten()
    }

    #[test]
    fn resets_are_a_set_with_the_power_cycle() {
        assert_eq!(read("power-cycle"), Some(LockOnReset::PowerCycle));
        let both = Some(LockOnReset::PowerCycleAndProgrammatic);
        assert_eq!(read("programmatic,power-cycle"), both);
        let all = Some(LockOnReset::PowerCycleHardwareAndProgrammatic);
        assert_eq!(read("hardware,programmatic,power-cycle"), all);
        assert_eq!(read("none"), Some(LockOnReset::Nothing));
        assert_eq!(read("hardware"), None);
        assert_eq!(read("none,power-cycle"), None);
        assert_eq!(lock_on_reset(&[]).unwrap(), None);
    }
}
