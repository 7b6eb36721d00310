//! What becomes of a command.

/// A status: SC in bits 7:0, SCT in bits 10:8, DNR in bit 14. The phase bit is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Status(pub(crate) u16);

/// What a completion queue entry says, but for the queue's own fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// Dwords 0 and 1.
    pub result: u64,
    pub status: Status,
}

/// Which way data go before a command can be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transfer {
    /// None, or to the host.
    Nothing,
    /// From the host, that many bytes; known to be within the controller's limits.
    FromHost(usize),
}

/// What becomes of a command that was executed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is done; data for the host, never more than its buffer, and none if it failed.
    Done {
        completion: Completion,
        data: Vec<u8>,
    },
    /// It is answered later, through [`Events`], or never.
    Held,
}

/// What a controller does by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A command that was held is done.
    Complete { cid: u16, completion: Completion },
    /// The queue is gone: end its connection.
    Close,
}

/// Takes what a controller does by itself, from any thread. It must not block for long.
pub(crate) type Events = Box<dyn Fn(Event) + Send + Sync>;
