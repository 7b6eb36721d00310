//! Who looks at what anybody may see: anybody, or an authority with its secret.

use super::args::Looking as Arguments;
use super::error::CliError;
use super::secret::{self, Acting};
use super::{Context, preflight};
use crate::drive::{Authority, Credential, Drive};

/// Who needs no secret.
pub(crate) const ANYBODY: &str = "Anybody";

/// Whether nobody is named.
pub(crate) const fn is_anybody(name: &str) -> bool {
    name.eq_ignore_ascii_case(ANYBODY)
}

/// Who looks with a secret, unless somebody else is named.
const ADMIN1: &str = "Admin1";

/// The authority of a name; nothing for anybody.
pub(crate) fn authority(name: &str) -> Result<Option<Authority>, CliError> {
    if is_anybody(name) {
        return Ok(None);
    }
    let authority = secret::authority(name);
    let authority = authority.map_err(|error| {
        CliError::usage(format!(
            "{error}; here also {ANYBODY}, which needs no secret"
        ))
    })?;
    Ok(Some(authority))
}

/// Who looks.
pub(crate) struct Looking<'a>(Option<Acting<'a>>);

impl<'a> Looking<'a> {
    /// As the options say.
    pub(crate) fn new(args: &'a Arguments, context: &'a Context) -> Result<Self, CliError> {
        let named = args.authority.as_deref();
        // A secret that is given is somebody's: it is not left unused.
        let named = named.unwrap_or(match &args.login.key.key {
            Some(_) => ADMIN1,
            None => ANYBODY,
        });
        let acting = |authority| Acting::new(authority, &args.login, context);
        Ok(Self(authority(named)?.map(acting).transpose()?))
    }

    /// Looks at a drive.
    pub(crate) fn look<T>(
        &self,
        drive: &mut Drive,
        mut work: impl FnMut(&mut Drive, Option<&Credential>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let Some(acting) = &self.0 else {
            preflight::active(drive)?;
            return work(drive, None);
        };
        preflight::locking(drive, acting.authority())?;
        acting.with_key(drive, |drive, credential| work(drive, Some(credential)))
    }
}
