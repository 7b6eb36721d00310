//! Where the journal of PINs that are about to change is kept.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::drive::Journal;

/// Where root keeps it.
const OF_ROOT: &str = "/var/lib/sedkit";

/// What is said where no note could be written.
pub(crate) const FAILED: &str = "the folder of notes about interrupted runs could not be written \
    (see FILES in the manual): had this run been interrupted, the next one would need --tries 2";

/// The journal of whoever runs the program; `None` if there is no place for one.
pub(crate) fn find() -> Option<Journal> {
    folder(nix::unistd::geteuid().is_root(), variable).map(Journal::new)
}

fn folder(is_root: bool, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    if let Some(folder) = variable("SEDKIT_STATE_DIR").filter(|folder| !folder.is_empty()) {
        return Some(folder.into());
    }
    if is_root {
        return Some(OF_ROOT.into());
    }
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")));
    state.map(|state| state.join("sedkit"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the command line is where the environment is read"
)]
fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(is_root: bool, variables: &[(&str, &str)]) -> Option<PathBuf> {
        folder(is_root, |name| {
            let found = variables.iter().find(|(given, _)| *given == name);
            found.map(|(_, value)| value.into())
        })
    }

    #[test]
    fn the_folder_is_that_of_root_or_of_the_user() {
        let home = ("HOME", "/users/u");
        assert_eq!(found(true, &[home]), Some("/var/lib/sedkit".into()));
        let of_user = Some("/users/u/.local/state/sedkit".into());
        assert_eq!(found(false, &[home]), of_user);
        let relative = ("XDG_STATE_HOME", "state");
        assert_eq!(found(false, &[home, relative]), of_user);
        let state = ("XDG_STATE_HOME", "/state");
        assert_eq!(found(false, &[home, state]), Some("/state/sedkit".into()));
        let given = ("SEDKIT_STATE_DIR", "/given");
        assert_eq!(found(true, &[home, given]), Some("/given".into()));
        assert_eq!(found(false, &[]), None);
    }
}
