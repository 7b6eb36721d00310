//! Boolean expressions of authorities (type `AC_element`, \[Core\] 5.1.3): who satisfies an ACE.
//!
//! On the wire an expression is a list in postfix form, each element a half-UID that tells its type
//! and a value. People read and write `Admins OR (User1 AND NOT User2)`.
//!
//! ```
//! use sedkit::wire::expression::Expression;
//!
//! let expression: Expression = "admins or User1".parse()?;
//! assert_eq!(expression.to_string(), "Admins OR User1");
//! assert_eq!(Expression::decode(&expression.encode()), Some(expression));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::str::FromStr;

use super::Value;
use crate::spec::{HalfUid, Uid, uid};

/// An expression in postfix form. It may be malformed: a drive can send anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expression(pub Vec<Element>);

/// An element of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// An authority, or a class of them.
    Authority(Uid),
    /// An operator.
    Operator(Operator),
}

/// An operator (type `boolean_ACE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Both of two.
    And = 0,
    /// One of two.
    Or = 1,
    /// Not the last one.
    Not = 2,
}

impl Operator {
    const fn name(self) -> &'static str {
        match self {
            Self::And => "AND",
            Self::Or => "OR",
            Self::Not => "NOT",
        }
    }

    const fn from_number(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::And),
            1 => Some(Self::Or),
            2 => Some(Self::Not),
            _ => None,
        }
    }

    /// How tightly it binds.
    const fn strength(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Not => 3,
        }
    }
}

/// Strength of an authority, which needs no parentheses.
const ATOM: u8 = 4;

impl Expression {
    /// Reads an expression: a list of named values, or of half-UIDs and values in turn.
    #[must_use]
    pub fn decode(value: &Value) -> Option<Self> {
        let mut elements = Vec::new();
        let mut values = value.as_list()?.iter();
        while let Some(value) = values.next() {
            let (kind, value) = match value.as_named() {
                Some(named) => named,
                None => (value, values.next()?),
            };
            elements.push(Element::decode(kind, value)?);
        }
        Some(Self(elements))
    }

    /// The expression as hosts send it: a list of named values.
    #[must_use]
    pub fn encode(&self) -> Value {
        Value::list(self.0.iter().map(|element| match *element {
            Element::Authority(authority) => Value::named(HalfUid::AUTHORITY_OBJECT_REF, authority),
            Element::Operator(operator) => Value::named(HalfUid::BOOLEAN_ACE, operator as u64),
        }))
    }

    /// The text with the operators between what they join; `None` if elements are missing or left.
    fn infix(&self) -> Option<String> {
        let mut stack: Vec<(String, u8)> = Vec::new();
        for element in &self.0 {
            let (text, strength) = match *element {
                Element::Authority(authority) => (uid::label(authority), ATOM),
                Element::Operator(Operator::Not) => {
                    let operand = enclosed(stack.pop()?, Operator::Not.strength());
                    (format!("NOT {operand}"), Operator::Not.strength())
                }
                Element::Operator(operator) => {
                    let strength = operator.strength();
                    let (right, left) = (stack.pop()?, stack.pop()?);
                    // What stands on the right of its like was joined first.
                    let right = enclosed(right, strength + 1);
                    let left = enclosed(left, strength);
                    (format!("{left} {} {right}", operator.name()), strength)
                }
            };
            stack.push((text, strength));
        }
        match stack.as_mut_slice() {
            [(text, _)] => Some(std::mem::take(text)),
            _ => None,
        }
    }
}

impl Element {
    fn decode(kind: &Value, value: &Value) -> Option<Self> {
        let kind = <[u8; 4]>::try_from(kind.as_bytes()?).ok()?;
        match HalfUid(u32::from_be_bytes(kind)) {
            HalfUid::AUTHORITY_OBJECT_REF => value.as_uid().map(Self::Authority),
            HalfUid::BOOLEAN_ACE => Operator::from_number(value.as_uint()?).map(Self::Operator),
            _ => None,
        }
    }
}

fn enclosed((text, strength): (String, u8), at_least: u8) -> String {
    match strength < at_least {
        true => format!("({text})"),
        false => text,
    }
}

impl fmt::Display for Expression {
    /// A malformed expression is shown as it stands on the wire.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("nobody");
        }
        if let Some(text) = self.infix() {
            return f.write_str(&text);
        }
        f.write_str("postfix:")?;
        self.0.iter().try_for_each(|element| match *element {
            Element::Authority(authority) => write!(f, " {}", uid::label(authority)),
            Element::Operator(operator) => write!(f, " {}", operator.name()),
        })
    }
}

/// A text that is no expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseExpressionError {
    /// A word is no authority.
    #[error("a word is neither an authority nor AND, OR, NOT")]
    Unknown,
    /// Something is missing, or there is too much.
    #[error("authorities, operators and parentheses do not fit together")]
    Structure,
}

impl FromStr for Expression {
    type Err = ParseExpressionError;

    /// `Admins OR User1`: names or UIDs of authorities, AND before OR, NOT first, parentheses.
    /// `nobody` is the empty expression.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim().eq_ignore_ascii_case("nobody") {
            return Ok(Self::default());
        }
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut parser = Parser::default();
        for word in spaced.split_whitespace() {
            parser.take(word)?;
        }
        parser.finish()
    }
}

/// From infix to postfix: operators wait until what binds less tightly comes.
#[derive(Default)]
struct Parser {
    output: Vec<Element>,
    waiting: Vec<Waiting>,
    has_operand: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Parenthesis,
    Operator(Operator),
}

impl Parser {
    fn take(&mut self, word: &str) -> Result<(), ParseExpressionError> {
        match word.to_ascii_uppercase().as_str() {
            "(" if !self.has_operand => self.waiting.push(Waiting::Parenthesis),
            ")" if self.has_operand => self.close()?,
            "NOT" if !self.has_operand => self.waiting.push(Waiting::Operator(Operator::Not)),
            "AND" if self.has_operand => self.join(Operator::And),
            "OR" if self.has_operand => self.join(Operator::Or),
            "(" | ")" | "NOT" | "AND" | "OR" => return Err(ParseExpressionError::Structure),
            _ if self.has_operand => return Err(ParseExpressionError::Structure),
            _ => {
                let authority = authority(word).ok_or(ParseExpressionError::Unknown)?;
                self.output.push(Element::Authority(authority));
                self.has_operand = true;
            }
        }
        Ok(())
    }

    fn join(&mut self, operator: Operator) {
        while let Some(&Waiting::Operator(before)) = self.waiting.last() {
            if before.strength() < operator.strength() {
                break;
            }
            self.waiting.pop();
            self.output.push(Element::Operator(before));
        }
        self.waiting.push(Waiting::Operator(operator));
        self.has_operand = false;
    }

    fn close(&mut self) -> Result<(), ParseExpressionError> {
        loop {
            match self.waiting.pop() {
                Some(Waiting::Operator(operator)) => self.output.push(Element::Operator(operator)),
                Some(Waiting::Parenthesis) => return Ok(()),
                None => return Err(ParseExpressionError::Structure),
            }
        }
    }

    fn finish(mut self) -> Result<Expression, ParseExpressionError> {
        while let Some(waiting) = self.waiting.pop() {
            match waiting {
                Waiting::Operator(operator) => self.output.push(Element::Operator(operator)),
                Waiting::Parenthesis => return Err(ParseExpressionError::Structure),
            }
        }
        match self.has_operand {
            true => Ok(Expression(self.output)),
            false => Err(ParseExpressionError::Structure),
        }
    }
}

/// An authority by name or by UID.
fn authority(word: &str) -> Option<Uid> {
    let named = uid::named(word);
    let uid = named.or_else(|| Uid::parse(word))?;
    (uid.table() == uid::AUTHORITY && uid.low() != 0).then_some(uid)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::Reader;

    /// Tokens of tcg.md frame 7.22: Admins OR User1.
    const ADMINS_OR_USER1: [u8; 51] = [
        0xf0, 0xf2, 0xa4, 0, 0, 0x0c, 0x05, 0xa8, 0, 0, 0, 9, 0, 0, 0, 2, 0xf3, 0xf2, 0xa4, 0, 0,
        0x0c, 0x05, 0xa8, 0, 0, 0, 9, 0, 3, 0, 1, 0xf3, 0xf2, 0xa4, 0, 0, 0x04, 0x0e, 0x01, 0xf3,
        0xf1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    ];

    fn tokens(expression: &Expression) -> Vec<u8> {
        let mut tokens = Vec::new();
        expression.encode().encode(&mut tokens);
        tokens
    }

    #[test]
    fn the_frame_of_the_reference_reads_admins_or_user1() {
        let value = Value::decode(&mut Reader::new(&ADMINS_OR_USER1)).unwrap();
        let expression = Expression::decode(&value).unwrap();
        assert_eq!(expression.to_string(), "Admins OR User1");
        let parsed: Expression = "Admins OR User1".parse().unwrap();
        assert_eq!(tokens(&parsed), ADMINS_OR_USER1[..42]);
    }

    #[test]
    fn parentheses_stand_where_they_are_needed() {
        for text in [
            "Anybody",
            "Admins OR User1 AND NOT User2",
            "(Admins OR User1) AND User2",
            "Admins AND (User1 AND User2)",
            "NOT (User1 OR User2)",
            "nobody",
            "NOT NOT SID",
        ] {
            let expression: Expression = text.parse().unwrap();
            assert_eq!(expression.to_string(), text);
        }
        let plain: Expression = "((user1)or 0000000900030002)".parse().unwrap();
        assert_eq!(plain.to_string(), "User1 OR User2");
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for text in [
            "",
            "OR",
            "User1 OR",
            "User1 User2",
            "(User1",
            "User1)",
            "NOT",
            "User1 NOT",
            "()",
        ] {
            assert_eq!(
                text.parse::<Expression>(),
                Err(ParseExpressionError::Structure),
                "{text}"
            );
        }
        for text in ["Locking", "User0", "Get OR User1", "Authority"] {
            assert_eq!(
                text.parse::<Expression>(),
                Err(ParseExpressionError::Unknown),
                "{text}"
            );
        }
    }

    #[test]
    fn what_a_drive_sends_otherwise_is_shown_as_it_stands() {
        let operator = Element::Operator(Operator::Or);
        let malformed = Expression(vec![Element::Authority(uid::SID), operator]);
        assert_eq!(malformed.to_string(), "postfix: SID OR");
        let pairs = Value::list([HalfUid::AUTHORITY_OBJECT_REF.into(), uid::user(3).into()]);
        assert_eq!(Expression::decode(&pairs).unwrap().to_string(), "User3");
        for nonsense in [
            Value::Uint(1),
            Value::list([Value::Uint(1)]),
            Value::list([Value::named(1_u64, 2_u64)]),
        ] {
            assert_eq!(Expression::decode(&nonsense), None);
        }
    }

    proptest! {
        #[test]
        fn any_postfix_is_shown_and_what_is_shown_is_read(
            elements in prop::collection::vec(0_u8..5, 0..40)
        ) {
            let element = |kind| match kind {
                0 => Element::Operator(Operator::And),
                1 => Element::Operator(Operator::Or),
                2 => Element::Operator(Operator::Not),
                other => Element::Authority(uid::user(u16::from(other))),
            };
            let expression = Expression(elements.into_iter().map(element).collect());
            prop_assert_eq!(Expression::decode(&expression.encode()), Some(expression.clone()));
            let text = expression.to_string();
            if !text.starts_with("postfix:") {
                prop_assert_eq!(text.parse::<Expression>(), Ok(expression));
            }
        }
    }
}
