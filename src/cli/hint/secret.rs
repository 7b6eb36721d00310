//! What to do where a secret cannot be had, or makes no PIN.

use crate::secret::{SaltError, SchemeError, SourceError};

/// What to do where a source gave no secret.
pub(crate) fn for_source(error: &SourceError) -> Option<String> {
    let text = match error {
        SourceError::OpenFile { path, .. } => {
            return Some(format!(
                "chmod 600 {}, or add --allow-open-file",
                path.display()
            ));
        }
        SourceError::Mismatch => "type the new passphrase twice alike; nothing was changed",
        SourceError::NoTerminal { .. } => {
            "name a SOURCE by the option of this secret (--key, --new-key, --psid, …): stdin, fd:N, \
             file:PATH, cred:NAME, keyring:DESCRIPTION, exec:COMMAND or hex-file:PATH"
        }
        SourceError::Consumed { .. } => "give each secret a source of its own: fd:3, file:PATH",
        _ => return None,
    };
    Some(text.to_owned())
}

/// What to do where a scheme does not take a passphrase.
pub(crate) fn for_scheme(error: &SchemeError) -> Option<String> {
    let text = match error {
        SchemeError::TooShort { .. } | SchemeError::Untypeable { .. } => {
            "firmware prompts take 8 to 32 printable ASCII characters without blanks; the scheme \
             raw takes any bytes, for drives that no firmware prompt opens"
        }
        SchemeError::TooLong { .. } | SchemeError::PinTooLong { .. } => {
            "nothing is ever cut: choose a shorter one, or a scheme that hashes"
        }
        SchemeError::Salt(error) => for_salt(error),
        _ => {
            "give another passphrase, or another scheme: --scheme for the present one, --new-scheme"
        }
    };
    Some(text.to_owned())
}

const fn for_salt(error: &SaltError) -> &'static str {
    match error {
        SaltError::NoVendor | SaltError::Vendor { .. } => {
            "SCSI and SATA drives have one, and \"sedkit hash\" takes --vendor; any salt can be given \
             with --salt hex:…"
        }
        SaltError::NoModel => "\"sedkit hash\" takes --model",
        SaltError::NoSerial => {
            "name the drive, or give the serial number with --serial, or the salt with --salt hex:…"
        }
    }
}
