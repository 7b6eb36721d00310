//! What an expression of an ACE means: who satisfies it (\[Core\] 5.3.4.3).
//!
//! Only expressions that are true for any one of their authorities are understood: every host that is
//! known writes no others, and an expression with And or Not must not be edited by who cannot say
//! what it would then mean.

use crate::session::{self, Session};
use crate::spec::column::ace;
use crate::spec::{MethodStatus, Uid};
use crate::wire::Value;
use crate::wire::expression::{Element, Expression, Operator};

/// An expression that is true if any one of these authorities is authenticated; none of them, never.
/// No authority stands in it twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct AnyOf(Vec<Uid>);

impl AnyOf {
    /// Reads the expression of an ACE; `None` if it is no list of alternatives.
    pub(super) fn read(value: &Value) -> Option<Self> {
        let mut stack: Vec<Self> = Vec::new();
        for element in Expression::decode(value)?.0 {
            match element {
                Element::Authority(authority) => stack.push(Self(vec![authority])),
                Element::Operator(Operator::Or) => {
                    let (second, first) = (stack.pop()?, stack.pop()?);
                    stack.push(first.or(second));
                }
                Element::Operator(Operator::And | Operator::Not) => return None,
            }
        }
        match stack.len() {
            0 | 1 => Some(stack.pop().unwrap_or_default()),
            _ => None,
        }
    }

    fn or(mut self, other: Self) -> Self {
        for authority in other.0 {
            self = self.with(authority);
        }
        self
    }

    /// The same, and this authority.
    #[must_use]
    pub(super) fn with(mut self, authority: Uid) -> Self {
        if !self.0.contains(&authority) {
            self.0.push(authority);
        }
        self
    }

    /// The same without this authority.
    #[must_use]
    pub(super) fn without(mut self, authority: Uid) -> Self {
        self.0.retain(|one| *one != authority);
        self
    }

    /// The same, with this authority in the first place.
    #[must_use]
    pub(super) fn led_by(self, authority: Uid) -> Self {
        Self(vec![authority]).or(self)
    }

    /// Whether an authority stands in it.
    pub(super) fn has(&self, authority: Uid) -> bool {
        self.0.contains(&authority)
    }

    /// Its authorities.
    pub(super) fn authorities(&self) -> &[Uid] {
        &self.0
    }

    /// Whether it is true for the same authorities.
    pub(super) fn is_equivalent(&self, other: &Self) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|one| other.has(*one))
    }

    /// The expression as it is sent: each operator right after its second operand.
    pub(super) fn value(&self) -> Value {
        let mut elements = Vec::new();
        for (index, authority) in self.0.iter().enumerate() {
            elements.push(Element::Authority(*authority));
            if index > 0 {
                elements.push(Element::Operator(Operator::Or));
            }
        }
        Expression(elements).encode()
    }
}

/// The expression of an ACE; `None` if the drive has no such ACE, or shows it to nobody who acts.
pub(super) fn expression(
    session: &mut Session<'_>,
    row: Uid,
) -> Result<Option<Value>, session::Error> {
    let columns = ace::BOOLEAN_EXPR..=ace::BOOLEAN_EXPR;
    match session.get(row, columns) {
        Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => Ok(None),
        found => Ok(found?.value(ace::BOOLEAN_EXPR).cloned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::uid;
    use crate::wire::Reader;

    /// Values of tcg.md frame 7.22 from the list of `BooleanExpr` on: Admins OR User1.
    const ADMINS_OR_USER1: &str = "f0f2a400000c05a80000000900000002f3f2a400000c05a80000000900030001\
                                   f3f2a40000040e01f3f1";

    fn read(hex: &str) -> Option<AnyOf> {
        let bytes = crate::wire::hex::decode(hex).unwrap();
        AnyOf::read(&Value::decode(&mut Reader::new(&bytes)).unwrap())
    }

    fn authority(uid: Uid) -> String {
        format!("f2a400000c05a8{uid}f3")
    }

    fn operator(number: u8) -> String {
        format!("f2a40000040e{number:02x}f3")
    }

    fn list(elements: &[String]) -> String {
        format!("f0{}f1", elements.concat())
    }

    #[test]
    fn the_frame_of_the_standard_is_read_and_written() {
        let expression = read(ADMINS_OR_USER1).unwrap();
        assert_eq!(expression.authorities(), [uid::ADMINS, uid::USER1]);
        let mut bytes = Vec::new();
        expression.value().encode(&mut bytes);
        assert_eq!(crate::wire::hex::encode(&bytes), ADMINS_OR_USER1);
    }

    #[test]
    fn what_other_hosts_write_is_understood() {
        let user = |number| authority(uid::user(number));
        // sedutil and Linux 5: one User twice. Linux 7: a single operand, or Admin1 itself.
        let twice = list(&[user(1), user(1), operator(1)]);
        assert_eq!(read(&twice).unwrap().authorities(), [uid::USER1]);
        let single = list(&[user(3)]);
        assert_eq!(read(&single).unwrap().authorities(), [uid::user(3)]);
        let admin1 = list(&[authority(uid::ADMIN1), user(1), operator(1)]);
        assert_eq!(
            read(&admin1).unwrap().authorities(),
            [uid::ADMIN1, uid::USER1]
        );
        // All operands first is postfix, too.
        let last = list(&[user(1), user(2), user(3), operator(1), operator(1)]);
        let users = [1, 2, 3].map(uid::user);
        assert_eq!(read(&last).unwrap().authorities(), users);
        assert_eq!(read("f0f1"), Some(AnyOf::default()));
    }

    #[test]
    fn what_is_no_alternative_is_not_understood() {
        let user = |number| authority(uid::user(number));
        for elements in [
            vec![user(1), user(2), operator(0)],
            vec![user(1), operator(2)],
            vec![user(1), user(2)],
            vec![user(1), operator(1)],
            vec![operator(1)],
            vec!["01".to_owned()],
            vec!["f2a40000040501f3".to_owned()],
            vec!["f2a400000c0501f3".to_owned()],
        ] {
            assert_eq!(read(&list(&elements)), None, "{elements:?}");
        }
        assert_eq!(read("01"), None);
    }

    #[test]
    fn others_stay_when_one_comes_or_goes() {
        let expression = read(ADMINS_OR_USER1).unwrap();
        let more = expression.clone().with(uid::user(2)).with(uid::user(2));
        assert_eq!(more.authorities(), [uid::ADMINS, uid::USER1, uid::user(2)]);
        let less = more.without(uid::USER1);
        assert_eq!(less.authorities(), [uid::ADMINS, uid::user(2)]);
        let led = AnyOf::default().with(uid::USER1).led_by(uid::ADMINS);
        assert!(led.is_equivalent(&expression) && !led.is_equivalent(&less));
    }
}
