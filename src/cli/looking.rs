//! Who looks at what anybody may see: anybody, or an authority with its secret.

use super::args::Looking as Arguments;
use super::error::CliError;
use super::secret::{self, Acting};
use super::{Context, preflight};
use crate::drive::{Credential, Drive};

/// Who needs no secret.
const ANYBODY: &str = "Anybody";

/// Who looks.
pub(crate) struct Looking<'a>(Option<Acting<'a>>);

impl<'a> Looking<'a> {
    /// As the options say.
    pub(crate) fn new(args: &'a Arguments, context: &'a Context) -> Result<Self, CliError> {
        if args.authority.eq_ignore_ascii_case(ANYBODY) {
            return Ok(Self(None));
        }
        let authority = secret::authority(&args.authority).map_err(|error| {
            CliError::usage(format!(
                "{error}; here also {ANYBODY}, which needs no secret"
            ))
        })?;
        let acting = Acting::new(authority, &args.key, &args.scheme, args.session, context)?;
        Ok(Self(Some(acting)))
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
