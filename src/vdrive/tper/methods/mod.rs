//! The methods of the SPs, one file for each (\[Core\] 5.3.3, 5.3.4, \[Opal\] 5.1).
//!
//! A method that is refused has changed nothing. The order of checks, which decides which of several
//! errors the host sees: access control, read-write session, parameters, state.

mod activate;
mod authenticate;
mod erase;
mod gen_key;
mod get;
mod get_acl;
mod next;
mod random;
mod reactivate;
mod revert;
mod revert_sp;
mod selection;
mod set;

use super::Tper;
use super::access::{self, Grant};
use super::interpreter::Fate;
use super::state::Session;
use super::view::View;
use crate::spec::{MethodStatus, method, uid};
use crate::vdrive::profile::Unauthorised;
use crate::wire::{MethodCall, MethodResponse, Value};

/// What a method gives: its results, or the status with which it failed.
type Results = Result<Vec<Value>, MethodStatus>;

/// A method that is being carried out.
struct Invocation<'a> {
    tper: &'a mut Tper,
    session: &'a mut Session,
    call: &'a MethodCall,
    /// What access control grants.
    grant: Grant,
    /// Bytes of the largest byte string that the host can receive.
    room: u64,
    /// What becomes of the session.
    fate: Fate,
}

impl Invocation<'_> {
    fn view(&self) -> View<'_> {
        self.tper.session_view(self.session)
    }
}

/// Carries out a method, and says what becomes of the session.
pub(super) fn invoke(
    tper: &mut Tper,
    session: &mut Session,
    call: &MethodCall,
    room: u64,
) -> (MethodResponse, Fate) {
    if !call.status.is_success() {
        // The host asks that the method be not carried out.
        return (MethodResponse::failure(call.status), Fate::Open);
    }
    let mut invocation = Invocation {
        tper,
        session,
        call,
        grant: Grant::AllColumns,
        room,
        fate: Fate::Open,
    };
    match dispatch(&mut invocation) {
        Ok(results) => (MethodResponse::success(results), invocation.fate),
        Err(status) => (MethodResponse::failure(status), Fate::Open),
    }
}

fn dispatch(invocation: &mut Invocation<'_>) -> Results {
    let (invoking_id, method_id) = (invocation.call.invoking_id, invocation.call.method_id);
    if invoking_id == uid::ACCESS_CONTROL && method_id == method::GET_ACL {
        return get_acl::get_acl(invocation);
    }
    match authorise(invocation) {
        Some(grant) => invocation.grant = grant,
        None if is_hidden_byte_table(invocation) => return Ok(Vec::new()),
        None => return Err(MethodStatus::NOT_AUTHORIZED),
    }
    let changes = !matches!(
        method_id,
        method::GET | method::NEXT | method::AUTHENTICATE | method::RANDOM
    );
    if changes && !invocation.session.write {
        return Err(MethodStatus::NOT_AUTHORIZED);
    }
    let is_atomic = changes && method_id != method::SET;
    if is_atomic && invocation.session.transaction.is_some() {
        // What these do cannot be undone, so they are not part of a transaction.
        return Err(MethodStatus::FAIL);
    }
    run(invocation)
}

fn run(invocation: &mut Invocation<'_>) -> Results {
    match invocation.call.method_id {
        method::GET => get::get(invocation),
        method::SET => set::set(invocation),
        method::NEXT => next::next(invocation),
        method::AUTHENTICATE => authenticate::authenticate(invocation),
        method::RANDOM => random::random(invocation),
        method::GEN_KEY => gen_key::gen_key(invocation),
        method::ACTIVATE => activate::activate(invocation),
        method::REVERT => revert::revert(invocation),
        method::REVERT_SP => revert_sp::revert_sp(invocation),
        method::REACTIVATE => reactivate::reactivate(invocation),
        method::ERASE => erase::erase(invocation),
        _ => Err(MethodStatus::NOT_AUTHORIZED),
    }
}

/// True if the method would remove data: it is one that does, and would not be refused.
pub(super) fn removes_data(tper: &Tper, session: &Session, call: &MethodCall) -> bool {
    let is_one = match call.method_id {
        method::GEN_KEY | method::ERASE | method::REVERT_SP => true,
        // An inactive Locking SP keeps its data.
        method::REVERT => tper.state().active,
        _ => false,
    };
    let view = tper.session_view(session);
    let association = view.sp().association(call.invoking_id, call.method_id);
    is_one
        && session.write
        && session.transaction.is_none()
        && association.is_some_and(|row| access::authorise(view, session, row).is_some())
}

fn authorise(invocation: &Invocation<'_>) -> Option<Grant> {
    let (view, call) = (invocation.view(), invocation.call);
    let association = view.sp().association(call.invoking_id, call.method_id)?;
    access::authorise(view, invocation.session, association)
}

/// Get of a byte table that the host may not read, where the profile answers it with nothing.
fn is_hidden_byte_table(invocation: &Invocation<'_>) -> bool {
    let (sp, call) = (invocation.view().sp(), invocation.call);
    let behaviour = &invocation.tper.profile().behaviour;
    behaviour.unauthorised_bytes == Unauthorised::LeaveOut
        && call.method_id == method::GET
        && sp.byte_table(call.invoking_id).is_some()
}
