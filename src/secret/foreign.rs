//! Passwords that are no TCG PIN: of ATA Security, and of one vendor's own lock.
//!
//! They never reach a `C_PIN`. They are made here so that a drive whose "hard disk password" was set
//! by a firmware can be told from one that Opal locks, and opened by a tool for ATA Security.

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::salt::{filled, model, serial};
use super::scan_code::scan_codes;
use super::{SaltInput, SchemeError, Secret};

/// Length in bytes of an ATA password (\[ACS\] 4.19: words 1 to 16 of the data).
const ATA_PASSWORD: usize = 32;
/// Scan codes that Lenovo's firmware has room for.
const LENOVO_CODES: usize = 64;
/// Bytes that it keeps of the first digest.
const LENOVO_KEPT: usize = 12;
/// How often WD's programs hash.
const WD_ROUNDS: usize = 1000;

/// SHA-256(SHA-256(scan codes, NUL up to 64)[..12] ‖ words 10–19 ‖ words 27–46 of IDENTIFY DEVICE).
pub(super) fn lenovo_ata(typed: &[u8], input: &SaltInput<'_>) -> Result<Secret, SchemeError> {
    let codes = padded::<LENOVO_CODES>(&scan_codes(typed)?)?;
    let first = Zeroizing::new(<[u8; ATA_PASSWORD]>::from(Sha256::digest(codes)));
    let mut hash = Sha256::new();
    hash.update(&first[..LENOVO_KEPT]);
    hash.update(swapped(&serial(input)?));
    hash.update(swapped(&model(input)?));
    Ok(finished(hash))
}

/// SHA-256(passphrase ‖ model, 40 bytes ‖ serial number, 20 bytes).
pub(super) fn nvme_ata_tool(typed: &[u8], input: &SaltInput<'_>) -> Result<Secret, SchemeError> {
    let mut hash = Sha256::new();
    hash.update(typed);
    hash.update(model(input)?);
    hash.update(serial(input)?);
    Ok(finished(hash))
}

/// The scan codes, and NUL.
pub(super) fn scancode_ata(typed: &[u8]) -> Result<Secret, SchemeError> {
    let password = padded::<ATA_PASSWORD>(&scan_codes(typed)?)?;
    Ok(Secret::from_slice(&*password))
}

/// The bytes, and NUL.
pub(super) fn nul_padded(typed: &[u8]) -> Result<Secret, SchemeError> {
    let password = padded::<ATA_PASSWORD>(typed)?;
    Ok(Secret::from_slice(&*password))
}

/// SHA-256 a thousand times, first over UTF-16LE("WDC." ‖ passphrase).
pub(super) fn wd_kek(typed: &[u8]) -> Result<Secret, SchemeError> {
    let text = text(typed)?;
    let mut hash = Sha256::new();
    for unit in "WDC.".encode_utf16().chain(text.encode_utf16()) {
        hash.update(unit.to_le_bytes());
    }
    let mut key = Zeroizing::new(<[u8; ATA_PASSWORD]>::from(hash.finalize()));
    for _ in 1..WD_ROUNDS {
        *key = Sha256::digest(key.as_slice()).into();
    }
    Ok(Secret::from_slice(&*key))
}

/// The characters of a passphrase.
pub(super) fn text(typed: &[u8]) -> Result<&str, SchemeError> {
    std::str::from_utf8(typed).map_err(|error| SchemeError::NotText {
        position: error.valid_up_to() + 1,
    })
}

/// The digest, as a secret.
pub(super) fn finished(hash: Sha256) -> Secret {
    let digest = Zeroizing::new(<[u8; ATA_PASSWORD]>::from(hash.finalize()));
    Secret::from_slice(&*digest)
}

fn padded<const LENGTH: usize>(bytes: &[u8]) -> Result<Zeroizing<[u8; LENGTH]>, SchemeError> {
    if bytes.len() > LENGTH {
        return Err(SchemeError::TooLong {
            length: bytes.len(),
            max: LENGTH,
        });
    }
    Ok(Zeroizing::new(filled(bytes, 0)))
}

/// Readable strings as IDENTIFY DEVICE has them: the two characters of a word are swapped.
fn swapped(bytes: &[u8]) -> Vec<u8> {
    let word = |pair: &[u8]| pair.iter().rev().copied().collect::<Vec<_>>();
    bytes.chunks(2).flat_map(word).collect()
}
