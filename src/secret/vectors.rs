//! Checks schemes and salt rules against `tests/vectors/hash-vectors.json`.

use pbkdf2::pbkdf2_hmac;
use serde_json::Value;
use sha1::Sha1;
use sha2::Sha512;

use super::*;

/// The vectors whose scheme satisfies `wanted`; there is at least one.
fn vectors(wanted: impl Fn(&str) -> bool) -> Vec<Value> {
    let text = include_str!("../../tests/vectors/hash-vectors.json");
    let mut document: Value = serde_json::from_str(text).unwrap();
    let Value::Array(mut vectors) = document["vectors"].take() else {
        panic!("no vectors")
    };
    vectors.retain(|vector| wanted(field(vector, "scheme").unwrap()));
    assert!(!vectors.is_empty());
    vectors
}

fn field<'a>(vector: &'a Value, name: &str) -> Option<&'a str> {
    vector[name].as_str()
}

fn hex(vector: &Value, name: &str) -> Vec<u8> {
    let digits = Secret::from_slice(field(vector, name).unwrap().as_bytes());
    parse_hex(&digits).unwrap().expose().to_vec()
}

fn number(vector: &Value, name: &str) -> usize {
    usize::try_from(vector[name].as_u64().unwrap()).unwrap()
}

fn passphrase(vector: &Value) -> Secret {
    let repeat = &vector["passphrase_repeat"];
    let typed = field(vector, "passphrase").map_or_else(
        || {
            field(repeat, "char")
                .unwrap()
                .repeat(number(repeat, "count"))
        },
        str::to_owned,
    );
    Secret::new(typed.into_bytes())
}

/// The salt rule of a vector; the plain schemes name none.
fn salt_rule(vector: &Value) -> SaltRule {
    field(vector, "salt_rule").map_or(SaltRule::Serial, |name| name.parse().unwrap())
}

fn salt_input(vector: &Value) -> SaltInput<'_> {
    SaltInput {
        serial: field(vector, "serial").unwrap_or_default().as_bytes(),
        vendor: field(vector, "t10_vendor").map(str::as_bytes),
        model: field(vector, "model").map(str::as_bytes),
    }
}

fn derive_from(vector: &Value, passphrase: &Secret) -> Result<Secret, SchemeError> {
    let scheme = field(vector, "scheme").unwrap().parse().unwrap();
    derive(
        scheme,
        &salt_rule(vector),
        &salt_input(vector),
        passphrase,
        PinLimits::default(),
    )
}

/// What sedkit must do with a vector's passphrase.
fn expected(vector: &Value) -> Result<Vec<u8>, SchemeError> {
    let untypeable = |position, class| Err(SchemeError::Untypeable { position, class });
    let typed = passphrase(vector);
    let first = |wanted: fn(&u8) -> bool| typed.expose().iter().position(wanted).unwrap() + 1;
    match field(vector, "refused") {
        Some("too_short") => Err(SchemeError::TooShort {
            length: typed.len(),
            min: 8,
        }),
        Some("blank") => untypeable(first(|&byte| byte == b' '), CharacterClass::Blank),
        Some("not_ascii") => untypeable(first(|&byte| byte > 0x7f), CharacterClass::NotAscii),
        Some("control") => untypeable(first(|&byte| byte < b' '), CharacterClass::Control),
        Some(other) => panic!("unknown refusal {other}"),
        None if vector["peer_only"] == Value::Bool(true) => Err(peer_only(vector, &typed)),
        None => Ok(hex(vector, "output")),
    }
}

/// Peers send nothing for an empty passphrase, and cut one that is too long.
fn peer_only(vector: &Value, typed: &Secret) -> SchemeError {
    match (typed.len(), field(vector, "scheme").unwrap()) {
        (0, _) => SchemeError::Empty,
        // What Lenovo's firmware drops without a word.
        (_, "lenovo-ata") => SchemeError::NoScanCode { position: 3 },
        (length, "raw") => SchemeError::PinTooLong { length, max: 32 },
        (length, _) => SchemeError::TooLong { length, max: 256 },
    }
}

fn check(scheme: Scheme, count: usize) {
    let vectors = vectors(|name| name == scheme.name());
    assert_eq!(vectors.len(), count);
    for vector in vectors {
        let pin = derive_from(&vector, &passphrase(&vector));
        let pin = pin.map(|pin| pin.expose().to_vec());
        assert_eq!(pin, expected(&vector), "{}", vector["id"]);
    }
}

#[test]
fn firmware_agrees() {
    check(Scheme::Firmware, 7);
}

#[test]
fn raw_agrees() {
    check(Scheme::Raw, 4);
}

#[test]
fn sedutil_agrees() {
    check(Scheme::Sedutil, 28);
}

#[test]
fn sedutil_sha512_agrees() {
    check(Scheme::SedutilSha512, 11);
}

#[test]
fn sedutil_sha512_75k_agrees() {
    check(Scheme::SedutilSha512With75k, 7);
}

#[test]
fn schemes_of_others_agree() {
    check(Scheme::RawNul32, 2);
    check(Scheme::RawLatin1, 2);
}

#[test]
fn ata_passwords_agree() {
    check(Scheme::LenovoAta, 4);
    check(Scheme::Edk2Ata, 2);
    check(Scheme::ScancodeAta, 4);
    check(Scheme::NvmeAtaTool, 2);
}

#[test]
fn keys_of_wd_agree() {
    check(Scheme::WdKek, 3);
}

/// Where Lenovo's firmware drops characters, sedkit makes the same password without them.
#[test]
fn lenovo_drops_where_sedkit_refuses() {
    let cut = vectors(|name| name == "lenovo-ata")
        .into_iter()
        .filter(|vector| !vector["peer_only"].is_null());
    for vector in cut {
        let typed = passphrase(&vector);
        let kept = typed.expose().iter().copied();
        let kept = kept.filter(|byte| byte.is_ascii_alphanumeric()).collect();
        let pin = derive_from(&vector, &Secret::new(kept)).unwrap();
        assert_eq!(pin.expose(), hex(&vector, "output"), "{}", vector["id"]);
    }
}

#[test]
fn salts_agree() {
    for vector in vectors(|name| name.starts_with("sedutil")) {
        let salt = salt_rule(&vector).salt(&salt_input(&vector)).unwrap();
        assert_eq!(salt.to_vec(), hex(&vector, "salt"), "{}", vector["id"]);
        let given = SaltRule::Hex(salt).salt(&SaltInput::default());
        assert_eq!(given, Ok(salt));
    }
}

/// What a peer makes of an over-long passphrase is what sedkit makes of its beginning.
#[test]
fn peers_cut_where_sedkit_refuses() {
    let cut = vectors(|_| true)
        .into_iter()
        .filter(|vector| !vector["peer_only"].is_null());
    let is_cut = |vector: &Value| {
        field(vector, "output") != Some("") && field(vector, "scheme") != Some("lenovo-ata")
    };
    for vector in cut.filter(is_cut) {
        let typed = passphrase(&vector);
        let kept = if field(&vector, "scheme") == Some("raw") {
            32
        } else {
            256
        };
        let beginning = Secret::from_slice(&typed.expose()[..kept]);
        let pin = derive_from(&vector, &beginning).unwrap();
        assert_eq!(pin.expose(), hex(&vector, "output"), "{}", vector["id"]);
    }
}

#[test]
fn key_derivation_agrees_with_rfc_6070_and_sedcli() {
    let is_kdf = |name: &str| name.starts_with("pbkdf2") || name == "sedcli-kmip-kek";
    for vector in vectors(is_kdf) {
        let expected = hex(&vector, "output");
        let mut key = vec![0; expected.len()];
        let (typed, salt) = (passphrase(&vector), hex(&vector, "salt"));
        let iterations = u32::try_from(number(&vector, "iterations")).unwrap();
        match field(&vector, "scheme").unwrap() {
            "pbkdf2-hmac-sha1" => {
                pbkdf2_hmac::<Sha1>(typed.expose(), &salt, iterations, &mut key);
            }
            _ => pbkdf2_hmac::<Sha512>(typed.expose(), &salt, iterations, &mut key),
        }
        assert_eq!(key, expected, "{}", vector["id"]);
    }
}
