//! What a session does with the tokens of a Packet: methods, transactions, end of session
//! (\[Core\] 3.2.2.4, 3.3.8, 3.3.7.1.5).

use zeroize::Zeroizing;

use super::Tper;
use super::dialect::{Dialect, MAX_TRAILING};
use super::methods;
use super::parser::{self, Item, Limits, Place, Violation};
use super::properties::HostProperties;
use super::state::{Session, Transaction};
use crate::spec::{MethodStatus, Uid};
use crate::vdrive::profile::{Behaviour, Profile};
use crate::wire::token::byte;
use crate::wire::{MethodCall, MethodResponse, Value, atom};

/// What becomes of a session after a Packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It goes on.
    Open,
    /// The host ended it.
    Ended,
    /// The TPer ends it.
    Aborted,
}

/// The answer to a Packet, and what becomes of its session.
pub(crate) struct Outcome {
    /// The tokens of the answer; none if there is nothing to say.
    pub(crate) tokens: Zeroizing<Vec<u8>>,
    /// What becomes of the session.
    pub(crate) fate: Fate,
}

impl Outcome {
    /// The session is aborted, and nothing is said.
    pub(crate) fn aborted() -> Self {
        Self {
            tokens: Zeroizing::new(Vec::new()),
            fate: Fate::Aborted,
        }
    }
}

/// What the TPer takes in one stream.
pub(crate) const fn limits(profile: &Profile) -> Limits {
    Limits {
        token: profile.communication.max_ind_token,
        methods: profile.communication.max_methods,
    }
}

/// Carries out the tokens of one Packet.
pub(crate) fn run(tper: &mut Tper, session: &mut Session, tokens: &[u8]) -> Outcome {
    let stream = parser::parse(tokens, limits(tper.profile()));
    let refusal = match stream.violation {
        None => None,
        Some(violation) => match refusal(violation, &tper.profile().behaviour) {
            Some(status) => Some(status),
            None => return Outcome::aborted(),
        },
    };
    if exceeds_one_transaction(session, &stream.items) {
        return Outcome::aborted();
    }
    let mut answer = Answer::new(&session.host, tper.profile());
    for item in &stream.items {
        match carry_out(tper, session, item, &mut answer) {
            Step::Next => {}
            Step::Stop(fate) => return answer.outcome(fate),
        }
    }
    if let Some(status) = refusal {
        answer.push_response(&MethodResponse::failure(status));
    }
    answer.outcome(Fate::Open)
}

/// The status of the method that a violation spoils; `None` if it aborts the session.
fn refusal(violation: Violation, behaviour: &Behaviour) -> Option<MethodStatus> {
    match violation {
        Violation::Unexpected(Place::Header) if !behaviour.header_violation_aborts => {
            Some(MethodStatus::NOT_AUTHORIZED)
        }
        Violation::Unexpected(Place::Parameters) if !behaviour.parameter_violation_aborts => {
            Some(MethodStatus::INVALID_PARAMETER)
        }
        _ => None,
    }
}

/// MaxTransactionLimit is 1: a second Start Transaction aborts the session (certification test
/// ETC-09).
fn exceeds_one_transaction(session: &Session, items: &[Item]) -> bool {
    let mut depth = u32::from(session.transaction.is_some());
    for item in items {
        match item {
            Item::StartTransaction(0) => depth += 1,
            Item::EndTransaction(_) => depth = 0,
            _ => {}
        }
        if depth > 1 {
            return true;
        }
    }
    false
}

enum Step {
    Next,
    Stop(Fate),
}

fn carry_out(tper: &mut Tper, session: &mut Session, item: &Item, answer: &mut Answer) -> Step {
    match item {
        Item::EndOfSession => {
            answer.tokens.push(byte::END_OF_SESSION);
            Step::Stop(Fate::Ended)
        }
        Item::StartTransaction(status) => {
            let status = start_transaction(tper, session, *status);
            answer.push_transaction(byte::START_TRANSACTION, u64::from(status.0));
            Step::Next
        }
        Item::EndTransaction(status) => {
            let status = end_transaction(tper, session, *status);
            answer.push_transaction(byte::END_TRANSACTION, status);
            Step::Next
        }
        Item::Call(call) => run_method(tper, session, call, answer),
    }
}

fn run_method(
    tper: &mut Tper,
    session: &mut Session,
    call: &MethodCall,
    answer: &mut Answer,
) -> Step {
    let (response, fate) = methods::invoke(tper, session, call, answer.room());
    let fits = answer.push_response(&response);
    match fate {
        Fate::Open if fits => Step::Next,
        fate => Step::Stop(fate),
    }
}

fn start_transaction(tper: &Tper, session: &mut Session, status: u64) -> MethodStatus {
    if status != 0 || session.transaction.is_some() {
        return MethodStatus::TRANSACTION_FAILURE;
    }
    session.transaction = Some(Transaction {
        contents: tper.state().contents(session.sp).clone(),
        pins: std::collections::BTreeSet::new(),
        staged: super::byte_store::Extents::default(),
    });
    MethodStatus::SUCCESS
}

/// Commits for status 0, rolls back for any other; returns the status of the answer.
fn end_transaction(tper: &mut Tper, session: &mut Session, status: u64) -> u64 {
    let Some(transaction) = session.transaction.take() else {
        return u64::from(MethodStatus::TRANSACTION_FAILURE.0);
    };
    if status != 0 {
        return ROLLED_BACK;
    }
    for c_pin in &transaction.pins {
        tper.forget_tries(Uid(*c_pin));
    }
    tper.commit(session.sp, transaction);
    u64::from(MethodStatus::SUCCESS.0)
}

const ROLLED_BACK: u64 = 1;

/// The tokens of an answer, as long as the host can receive them.
struct Answer {
    tokens: Zeroizing<Vec<u8>>,
    budget: u64,
    max_token: u64,
    dialect: Dialect,
}

impl Answer {
    fn new(host: &HostProperties, profile: &Profile) -> Self {
        let trailing = profile.defects.trailing.byte();
        let reserve = trailing.map_or(0, |_| MAX_TRAILING);
        Self {
            tokens: Zeroizing::new(Vec::new()),
            budget: host.token_budget(profile).saturating_sub(reserve),
            max_token: host.max_token(profile),
            dialect: Dialect::of_methods(&profile.defects),
        }
    }

    /// The largest byte string that a result may have.
    fn room(&self) -> u64 {
        self.budget.min(self.max_token)
    }

    /// Appends a response. If the host cannot receive it, RESPONSE_OVERFLOW takes its place, and
    /// false is returned.
    fn push_response(&mut self, response: &MethodResponse) -> bool {
        let tokens = self.dialect.write(response.encode());
        let length = size(self.tokens.len()).saturating_add(size(tokens.len()));
        let fits = length <= self.budget && response.results.iter().all(|value| self.takes(value));
        let overflow = MethodResponse::failure(MethodStatus::RESPONSE_OVERFLOW);
        let tokens = match fits {
            true => tokens,
            false => self.dialect.write(overflow.encode()),
        };
        self.tokens.extend_from_slice(&tokens);
        fits
    }

    /// True if the host can receive every token of the value.
    fn takes(&self, value: &Value) -> bool {
        match value {
            Value::Uint(_) | Value::Int(_) => true,
            Value::Bytes(bytes) => size(atom::encoded_bytes_len(bytes.len())) <= self.max_token,
            Value::List(values) => values.iter().all(|value| self.takes(value)),
            Value::Named(name, value) => self.takes(name) && self.takes(value),
        }
    }

    fn push_transaction(&mut self, token: u8, status: u64) {
        self.tokens.push(token);
        atom::encode_uint(&mut self.tokens, status);
    }

    fn outcome(self, fate: Fate) -> Outcome {
        Outcome {
            tokens: self.tokens,
            fate,
        }
    }
}

fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
