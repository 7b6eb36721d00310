//! Access control: who may invoke what (\[Core\] 5.3.4.3, 5.3.2.7, 5.3.2.8).
//!
//! The answer comes from the rows of AccessControl and ACE alone. Nothing here knows a method or a
//! table by name.

use std::collections::BTreeSet;

use super::cell::Term;
use super::state::Session;
use super::tables::Association;
use super::view::View;
use crate::spec::{Uid, column, uid};

/// What the satisfied ACEs of an access control list grant together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// Every column.
    AllColumns,
    /// These columns.
    Columns(BTreeSet<u64>),
}

impl Grant {
    /// True if the column is granted.
    pub(crate) fn covers(&self, column: u64) -> bool {
        match self {
            Self::AllColumns => true,
            Self::Columns(columns) => columns.contains(&column),
        }
    }

    /// What both grant together. An ACE whose column set is empty grants all of them.
    fn and(self, columns: &BTreeSet<u64>) -> Self {
        match self {
            Self::Columns(granted) if !columns.is_empty() => {
                Self::Columns(granted.union(columns).copied().collect())
            }
            _ => Self::AllColumns,
        }
    }
}

/// What the session may do with the method of this association; `None` if it may not invoke it.
pub(crate) fn authorise(
    view: View<'_>,
    session: &Session,
    association: &Association,
) -> Option<Grant> {
    grant(view, session, &association.acl)
}

/// True if the session may read the access control list of this association.
pub(crate) fn may_get_acl(view: View<'_>, session: &Session, association: &Association) -> bool {
    grant(view, session, &association.get_acl_acl).is_some()
}

fn grant(view: View<'_>, session: &Session, acl: &[Uid]) -> Option<Grant> {
    let mut granted: Option<Grant> = None;
    for &ace in acl.iter().filter(|ace| is_satisfied(view, session, **ace)) {
        let columns = view.cell(ace, column::ace::COLUMNS);
        let columns = columns.as_ref().and_then(|cell| cell.as_set().cloned());
        let so_far = granted.unwrap_or(Grant::Columns(BTreeSet::new()));
        granted = Some(so_far.and(&columns.unwrap_or_default()));
    }
    granted
}

fn is_satisfied(view: View<'_>, session: &Session, ace: Uid) -> bool {
    let expression = view.cell(ace, column::ace::BOOLEAN_EXPR);
    let terms = expression.as_ref().and_then(|cell| cell.as_expression());
    terms.is_some_and(|terms| evaluate(terms, |authority| holds(view, session, authority)))
}

/// Evaluates a postfix expression. One that is empty or not well formed is False.
fn evaluate(terms: &[Term], holds: impl Fn(Uid) -> bool) -> bool {
    let mut stack = Vec::with_capacity(terms.len());
    for term in terms {
        let result = match term {
            Term::Authority(authority) => Some(holds(*authority)),
            Term::Not => stack.pop().map(|operand: bool| !operand),
            Term::And => stack.pop().zip(stack.pop()).map(|(b, a)| a && b),
            Term::Or => stack.pop().zip(stack.pop()).map(|(b, a)| a || b),
        };
        let Some(result) = result else { return false };
        stack.push(result);
    }
    matches!(stack.as_slice(), [true])
}

/// True if the authority is authenticated in the session, or is a class that has such a member.
/// Anybody is authenticated in every session (\[Core\] 5.3.4.1.2.1).
fn holds(view: View<'_>, session: &Session, authority: Uid) -> bool {
    let is_member = |member: u64| {
        view.cell(Uid(member), column::authority::CLASS)
            .is_some_and(|class| class.as_uid() == Some(authority))
    };
    authority == uid::ANYBODY
        || session.authorities.contains(&authority.0)
        || (view.is_true(authority, column::authority::IS_CLASS)
            && session.authorities.iter().any(|member| is_member(*member)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Uid = Uid(1);
    const B: Uid = Uid(2);

    fn is_true(terms: &[Term], authenticated: &[Uid]) -> bool {
        evaluate(terms, |authority| authenticated.contains(&authority))
    }

    #[test]
    fn expressions_are_evaluated_in_postfix_order() {
        let (a, b) = (Term::Authority(A), Term::Authority(B));
        assert!(is_true(&[a, b, Term::Or], &[B]));
        assert!(!is_true(&[a, b, Term::And], &[B]));
        assert!(is_true(&[a, b, Term::And], &[A, B]));
        assert!(is_true(&[a, Term::Not], &[B]));
        assert!(is_true(&[a, a, Term::Or], &[A]));
        assert!(!is_true(&[a, b, Term::Or, b, Term::Not, Term::And], &[B]));
    }

    #[test]
    fn malformed_and_empty_expressions_are_false() {
        let a = Term::Authority(A);
        for terms in [&[][..], &[Term::Or], &[a, Term::And], &[a, a], &[Term::Not]] {
            assert!(!is_true(terms, &[A]), "{terms:?}");
        }
    }

    #[test]
    fn grants_are_united_and_an_empty_set_is_all() {
        let set = |columns: &[u64]| columns.iter().copied().collect::<BTreeSet<_>>();
        let both = Grant::Columns(set(&[3])).and(&set(&[5]));
        assert!(both.covers(3) && both.covers(5) && !both.covers(4));
        assert_eq!(both.and(&set(&[])), Grant::AllColumns);
        assert_eq!(Grant::AllColumns.and(&set(&[3])), Grant::AllColumns);
    }
}
