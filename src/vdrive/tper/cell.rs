//! Cells of table rows, and how they stand in a token stream (\[Core\] 3.2.2.4, 5.1.3).

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::spec::{HalfUid, Uid};
use crate::wire::Value;

/// The value of one cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cell {
    /// Booleans, enumerations and unsigned integers.
    Uint(u64),
    /// Names, PINs and other byte strings.
    Bytes(Octets),
    /// The UID of a row.
    Reference(#[serde(with = "hex_uid")] Uid),
    /// A set of numbers, such as `reset_types`.
    Set(BTreeSet<u64>),
    /// A `BooleanExpr`.
    Expression(Vec<Term>),
    /// A list of byte strings: names, or UIDs of rows.
    Strings(Vec<Octets>),
}

/// One element of a `BooleanExpr` in postfix order (type `ACE_expression`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Term {
    /// True if this authority is authenticated.
    Authority(#[serde(with = "hex_uid")] Uid),
    /// Both operands.
    And,
    /// One of the operands.
    Or,
    /// Not the operand.
    Not,
}

/// Bytes that may be a secret: wiped when dropped, hex in a file, not shown by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Octets(Zeroizing<Vec<u8>>);

impl Cell {
    /// An empty byte string.
    pub(crate) fn empty() -> Self {
        Self::Bytes(Octets::new(&[]))
    }

    /// A byte string.
    pub(crate) fn bytes(bytes: &[u8]) -> Self {
        Self::Bytes(Octets::new(bytes))
    }

    /// A set of numbers.
    pub(crate) fn set(numbers: impl IntoIterator<Item = u64>) -> Self {
        Self::Set(numbers.into_iter().collect())
    }

    /// A list of rows.
    pub(crate) fn uids(uids: impl IntoIterator<Item = Uid>) -> Self {
        let uids = uids.into_iter();
        Self::Strings(uids.map(|uid| Octets::new(&uid.to_bytes())).collect())
    }

    /// The expression that is true if one of the authorities is authenticated.
    pub(crate) fn any_of(authorities: &[Uid]) -> Self {
        let mut terms = Vec::new();
        for (index, &authority) in authorities.iter().enumerate() {
            terms.push(Term::Authority(authority));
            if index > 0 {
                terms.push(Term::Or);
            }
        }
        Self::Expression(terms)
    }

    /// The number, if this is one.
    pub(crate) const fn as_uint(&self) -> Option<u64> {
        match self {
            Self::Uint(number) => Some(*number),
            _ => None,
        }
    }

    /// True if this is the Boolean True.
    pub(crate) const fn is_true(&self) -> bool {
        matches!(self, Self::Uint(1))
    }

    /// The bytes, if this is a byte string.
    pub(crate) fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(octets) => Some(octets.expose()),
            _ => None,
        }
    }

    /// The UID, if this is a reference.
    pub(crate) const fn as_uid(&self) -> Option<Uid> {
        match self {
            Self::Reference(uid) => Some(*uid),
            _ => None,
        }
    }

    /// The numbers, if this is a set.
    pub(crate) const fn as_set(&self) -> Option<&BTreeSet<u64>> {
        match self {
            Self::Set(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The terms, if this is a `BooleanExpr`.
    pub(crate) fn as_expression(&self) -> Option<&[Term]> {
        match self {
            Self::Expression(terms) => Some(terms),
            _ => None,
        }
    }

    /// The cell as it stands in a result of Get.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Uint(number) => Value::Uint(*number),
            Self::Bytes(octets) => Value::bytes(octets.expose()),
            Self::Reference(uid) => Value::from(*uid),
            Self::Set(numbers) => Value::list(numbers.iter().copied().map(Value::Uint)),
            Self::Expression(terms) => Value::list(terms.iter().map(|term| term.to_value())),
            Self::Strings(strings) => {
                Value::list(strings.iter().map(|string| Value::bytes(string.expose())))
            }
        }
    }
}

impl Term {
    /// The term as it stands in a list: named with the half UID of its type.
    fn to_value(self) -> Value {
        match self {
            Self::Authority(uid) => Value::named(HalfUid::AUTHORITY_OBJECT_REF, uid),
            Self::And => Value::named(HalfUid::BOOLEAN_ACE, 0_u64),
            Self::Or => Value::named(HalfUid::BOOLEAN_ACE, 1_u64),
            Self::Not => Value::named(HalfUid::BOOLEAN_ACE, 2_u64),
        }
    }

    /// The term in an element of a list; `None` if it is none.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        let (name, value) = value.as_named()?;
        let name = <[u8; 4]>::try_from(name.as_bytes()?).ok()?;
        if name == HalfUid::AUTHORITY_OBJECT_REF.to_bytes() {
            return value.as_uid().map(Self::Authority);
        }
        if name != HalfUid::BOOLEAN_ACE.to_bytes() {
            return None;
        }
        match value.as_uint()? {
            0 => Some(Self::And),
            1 => Some(Self::Or),
            2 => Some(Self::Not),
            _ => None,
        }
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Uint(number)
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Uint(u64::from(value))
    }
}

impl From<Uid> for Cell {
    fn from(uid: Uid) -> Self {
        Self::Reference(uid)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::bytes(text.as_bytes())
    }
}

impl Octets {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self(Zeroizing::new(bytes.to_vec()))
    }

    pub(crate) fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Octets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{} bytes>", self.0.len())
    }
}

impl Serialize for Octets {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let digit = |nibble: u8| {
            DIGITS
                .get(usize::from(nibble))
                .map_or('0', |&d| char::from(d))
        };
        let mut text = Zeroizing::new(String::with_capacity(2 * self.0.len()));
        for &byte in self.0.iter() {
            text.push(digit(byte >> 4));
            text.push(digit(byte & 0x0f));
        }
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Zeroizing::new(String::deserialize(deserializer)?);
        let bytes = from_hex(&text).ok_or_else(|| serde::de::Error::custom("no hex string"))?;
        Ok(Self(bytes))
    }
}

fn from_hex(text: &str) -> Option<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    for pair in text.as_bytes().chunks(2) {
        let &[high, low] = pair else { return None };
        let (high, low) = (nibble(high)?, nibble(low)?);
        bytes.push(high << 4 | low);
    }
    Some(bytes)
}

fn nibble(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

/// UIDs in a file: sixteen hex digits.
pub(crate) mod hex_uid {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::spec::Uid;

    pub(crate) fn serialize<S: Serializer>(uid: &Uid, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(uid)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Uid, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16)
            .map(Uid)
            .map_err(Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::uid;

    #[test]
    fn expressions_stand_as_half_uid_names() {
        // Reference frame 7.22: Admins OR User1.
        let expression = Cell::any_of(&[uid::ADMINS, uid::USER1]);
        let mut tokens = Vec::new();
        expression.to_value().encode(&mut tokens);
        let expected = [
            0xf0, 0xf2, 0xa4, 0, 0, 0x0c, 0x05, 0xa8, 0, 0, 0, 9, 0, 0, 0, 2, 0xf3, 0xf2, 0xa4, 0,
            0, 0x0c, 0x05, 0xa8, 0, 0, 0, 9, 0, 3, 0, 1, 0xf3, 0xf2, 0xa4, 0, 0, 0x04, 0x0e, 0x01,
            0xf3, 0xf1,
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn sets_stand_in_ascending_order() {
        // Reference appendix B: LockOnReset {0, 3} is f0 00 03 f1.
        let mut tokens = Vec::new();
        Cell::set([3, 0]).to_value().encode(&mut tokens);
        assert_eq!(tokens, [0xf0, 0x00, 0x03, 0xf1]);
    }

    #[test]
    fn cells_survive_the_file() {
        let cells = [
            Cell::from(7_u64),
            Cell::from("Opal"),
            Cell::from(uid::USER1),
            Cell::set([0, 3]),
            Cell::any_of(&[uid::ADMINS, uid::USER1]),
            Cell::Strings(vec![Octets::new(b"Opal")]),
        ];
        for cell in cells {
            let text = serde_json::to_string(&cell).unwrap();
            assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), cell, "{text}");
        }
        assert!(serde_json::from_str::<Octets>("\"abc\"").is_err());
        assert!(serde_json::from_str::<Octets>("\"zz\"").is_err());
    }

    #[test]
    fn debug_shows_no_pin() {
        assert_eq!(format!("{:?}", Cell::from("password")), "Bytes(<8 bytes>)");
    }
}
