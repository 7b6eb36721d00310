//! Secrets from the kernel's user keyring (keyrings(7)).

use std::io;

use linux_keyutils::{KeyError, KeyRing, KeyRingIdentifier};
use nix::errno::Errno;

use super::intake::Intake;
use super::{Secret, Source, SourceError};

/// Reads the key of type `user` with this description.
pub(super) fn read(description: &str, origin: &Source) -> Result<Secret, SourceError> {
    let mut intake = Intake::new();
    let outcome = fetch(description, &mut intake);
    outcome.map_err(|error| SourceError::Keyring {
        origin: origin.clone(),
        source: system_error(error),
    })?;
    intake.finish(origin)
}

fn fetch(description: &str, intake: &mut Intake) -> Result<(), KeyError> {
    possess_user_keyring();
    let keyring = KeyRing::from_special_id(KeyRingIdentifier::User, false)?;
    let key = keyring.search(description)?;
    intake.fill(|buffer| key.read(buffer))
}

/// Makes the user keyring one that this process possesses.
///
/// Keys may be read by their possessor alone unless set otherwise, and services have a session
/// keyring from which the user keyring cannot be reached (systemd.exec(5), `KeyringMode=`). Where
/// the link is refused, a key may still be readable without it.
fn possess_user_keyring() {
    if let Ok(process) = KeyRing::from_special_id(KeyRingIdentifier::Process, true) {
        let _ = process.link_keyring_id(KeyRingIdentifier::User);
    }
}

/// What the kernel said, in the system's words.
fn system_error(error: KeyError) -> io::Error {
    let errno = match error {
        KeyError::AccessDenied => Errno::EACCES,
        KeyError::PermissionDenied => Errno::EPERM,
        KeyError::KeyDoesNotExist | KeyError::KeyringDoesNotExist => Errno::ENOKEY,
        KeyError::KeyExpired => Errno::EKEYEXPIRED,
        KeyError::KeyRevoked => Errno::EKEYREVOKED,
        KeyError::KeyRejected => Errno::EKEYREJECTED,
        KeyError::QuotaExceeded => Errno::EDQUOT,
        KeyError::OperationNotSupported => Errno::EOPNOTSUPP,
        KeyError::OutOfMemory => Errno::ENOMEM,
        KeyError::Unknown(number) => Errno::from_raw(number),
        _ => Errno::EINVAL,
    };
    errno.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::MAX_SECRET_LENGTH;

    /// A key that is unlinked again; nothing where the kernel or a sandbox has no keyrings.
    struct TestKey {
        description: String,
    }

    impl TestKey {
        fn add(name: &str, payload: &[u8]) -> Option<Self> {
            let description = format!("sedkit-test:{name}:{}", std::process::id());
            let keyring = KeyRing::from_special_id(KeyRingIdentifier::User, true);
            match keyring.and_then(|keyring| keyring.add_key(&description, payload)) {
                Ok(_) => Some(Self { description }),
                Err(error) => {
                    eprintln!("no user keyring here ({error}): not tested");
                    None
                }
            }
        }

        fn read(&self) -> Result<Vec<u8>, SourceError> {
            let origin = Source::Keyring(self.description.clone());
            read(&self.description, &origin).map(|secret| secret.expose().to_vec())
        }
    }

    impl Drop for TestKey {
        fn drop(&mut self) {
            let keyring = KeyRing::from_special_id(KeyRingIdentifier::User, false).unwrap();
            keyring
                .unlink_key(keyring.search(&self.description).unwrap())
                .unwrap();
        }
    }

    #[test]
    fn a_key_of_the_user_keyring_is_read() {
        if let Some(key) = TestKey::add("read", b"correct horse\n") {
            assert_eq!(key.read().unwrap(), b"correct horse");
        }
    }

    #[test]
    fn an_over_long_key_is_refused() {
        if let Some(key) = TestKey::add("long", &[b'x'; MAX_SECRET_LENGTH + 3]) {
            let error = key.read().unwrap_err();
            assert!(matches!(error, SourceError::TooLong { .. }), "{error:?}");
        }
    }

    #[test]
    fn a_missing_key_is_an_error() {
        let origin = Source::Keyring("sedkit-test:missing".to_owned());
        let error = read("sedkit-test:missing", &origin).unwrap_err();
        let SourceError::Keyring { origin: named, .. } = error else {
            panic!("{error:?}")
        };
        assert_eq!(named, origin);
    }

    #[test]
    fn a_missing_key_is_told_apart() {
        if let Some(key) = TestKey::add("other", b"pin") {
            let origin = Source::Keyring(format!("{}:missing", key.description));
            let error = read(&format!("{}:missing", key.description), &origin).unwrap_err();
            let SourceError::Keyring { source, .. } = error else {
                panic!("{error:?}")
            };
            assert_eq!(source.raw_os_error(), Some(Errno::ENOKEY as i32));
        }
    }
}
