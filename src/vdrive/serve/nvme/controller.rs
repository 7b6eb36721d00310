//! A controller: what one host has of a subsystem.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::features::Features;
use super::outcome::{Completion, Event, Events, Status};
use super::registers::{Change, Property, Registers};

/// Asynchronous Event Requests that are held at most: AERL + 1.
pub(super) const MAX_EVENT_REQUESTS: usize = 4;

/// How long a controller may stay disabled.
const DISABLED_LIMIT: Duration = Duration::from_mins(2);
/// How many times the Keep Alive Timeout passes before the host is given up: one that runs slowly
/// is not dead.
const PATIENCE: u32 = 3;

/// Who a host says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Host {
    /// HOSTNQN.
    pub(super) nqn: String,
    /// HOSTID.
    pub(super) id: [u8; 16],
}

/// What a controller is from its beginning.
pub(super) struct Origin {
    /// CNTLID.
    pub(super) id: u16,
    /// The host that made it.
    pub(super) host: Host,
    /// How often the drive's power had been cut.
    pub(super) power_cycles: u64,
}

/// A dynamic controller.
pub(super) struct Controller {
    origin: Origin,
    state: Mutex<State>,
}

/// What changes.
struct State {
    registers: Registers,
    features: Features,
    /// What takes the events of each queue; 0 is the admin queue.
    queues: BTreeMap<u16, Arc<Events>>,
    /// CIDs of the Asynchronous Event Requests that are held.
    event_requests: Vec<u16>,
    /// The last sign of life by which the Keep Alive timer goes.
    heard: Instant,
    /// Nothing can be connected any more.
    is_ended: bool,
}

impl Controller {
    /// A controller whose admin queue `events` belong to.
    pub(super) fn new(origin: Origin, keep_alive: Duration, events: Arc<Events>) -> Self {
        Self {
            origin,
            state: Mutex::new(State {
                registers: Registers::default(),
                features: Features::new(keep_alive),
                queues: BTreeMap::from([(0, events)]),
                event_requests: Vec::new(),
                heard: Instant::now(),
                is_ended: false,
            }),
        }
    }

    /// CNTLID.
    pub(super) const fn id(&self) -> u16 {
        self.origin.id
    }

    /// The host that made it.
    pub(super) const fn host(&self) -> &Host {
        &self.origin.host
    }

    /// How often the drive's power had been cut when it was made.
    pub(super) const fn power_cycles(&self) -> u64 {
        self.origin.power_cycles
    }

    /// A queue is its own: neither has the controller ended, nor was it reset since the queue was
    /// connected.
    pub(super) fn has_queue(&self, queue_id: u16, events: &Arc<Events>) -> bool {
        self.state().has_queue(queue_id, events)
    }

    /// It is enabled and ready for commands.
    pub(super) fn is_ready(&self) -> bool {
        self.state().registers.is_ready()
    }

    /// The value of a property.
    ///
    /// # Errors
    /// Invalid Field.
    pub(super) fn property(&self, property: Property) -> Result<u64, Status> {
        self.state().registers.value(property)
    }

    /// Takes a new Controller Configuration. A reset ends the I/O queues and forgets what was set.
    pub(super) fn configure(&self, configuration: u32) -> Change {
        let mut state = self.state();
        let change = state.registers.configure(configuration);
        let closed = match change {
            Change::Reset => state.reset(),
            Change::Enabled => {
                state.heard = Instant::now();
                Vec::new()
            }
            Change::Nothing | Change::ShutDown => Vec::new(),
        };
        drop(state);
        close(&closed);
        change
    }

    /// Notes that the data are safe, or that they could not be made so.
    pub(super) fn shut_down(&self, is_safe: bool) {
        self.state().registers.shut_down(is_safe);
    }

    /// The features.
    pub(super) fn features(&self) -> Features {
        self.state().features
    }

    /// Changes the features.
    ///
    /// # Errors
    /// Those of `change`.
    pub(super) fn set_features<T>(
        &self,
        change: impl FnOnce(&mut Features) -> Result<T, Status>,
    ) -> Result<T, Status> {
        change(&mut self.state().features)
    }

    /// It has I/O queues.
    pub(super) fn has_io_queues(&self) -> bool {
        self.state().queues.keys().any(|id| *id != 0)
    }

    /// Adds an I/O queue.
    ///
    /// # Errors
    /// Command Sequence Error, if the controller is not ready or has that queue.
    pub(super) fn add_queue(&self, queue_id: u16, events: Arc<Events>) -> Result<(), Status> {
        let mut state = self.state();
        let is_possible = state.registers.is_ready() && !state.is_ended;
        if !is_possible || state.queues.contains_key(&queue_id) {
            return Err(Status::SEQUENCE_ERROR);
        }
        state.queues.insert(queue_id, events);
        Ok(())
    }

    /// A queue leaves.
    pub(super) fn remove_queue(&self, queue_id: u16, events: &Arc<Events>) {
        let mut state = self.state();
        if state.has_queue(queue_id, events) {
            state.queues.remove(&queue_id);
        }
    }

    /// The host is alive: the Keep Alive timer starts anew.
    pub(super) fn keep_alive(&self) {
        self.state().heard = Instant::now();
    }

    /// The host has been silent for too long, or left the controller disabled.
    pub(super) fn is_silent(&self, now: Instant) -> bool {
        let state = self.state();
        let keep_alive = state.features.keep_alive;
        let limit = match state.registers.is_ready() {
            false => DISABLED_LIMIT,
            true if keep_alive.is_zero() => return false,
            true => keep_alive.saturating_mul(PATIENCE),
        };
        now.saturating_duration_since(state.heard) > limit
    }

    /// Holds an Asynchronous Event Request.
    ///
    /// # Errors
    /// Asynchronous Event Request Limit Exceeded.
    pub(super) fn hold(&self, cid: u16) -> Result<(), Status> {
        let mut state = self.state();
        if state.event_requests.len() >= MAX_EVENT_REQUESTS {
            return Err(Status::EVENT_LIMIT_EXCEEDED);
        }
        state.event_requests.push(cid);
        Ok(())
    }

    /// The CID is that of a request that is held.
    pub(super) fn holds(&self, cid: u16) -> bool {
        self.state().event_requests.contains(&cid)
    }

    /// Completes a request that is held as aborted; tells whether there was one.
    pub(super) fn abort(&self, cid: u16) -> bool {
        let mut state = self.state();
        let before = state.event_requests.len();
        state.event_requests.retain(|held| *held != cid);
        let was_held = state.event_requests.len() < before;
        let admin = state.queues.get(&0).filter(|_| was_held).cloned();
        drop(state);
        if let Some(events) = admin {
            let completion = Completion::from(Status::ABORT_REQUESTED);
            events(Event::Complete { cid, completion });
        }
        was_held
    }

    /// Ends it: its queues are told, and nothing is answered any more.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        let queues = std::mem::take(&mut state.queues);
        drop(state);
        close(&queues.into_values().collect::<Vec<_>>());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The queue of that number is the one whose events are these.
    fn has_queue(&self, queue_id: u16, events: &Arc<Events>) -> bool {
        let current = self.queues.get(&queue_id);
        current.is_some_and(|current| Arc::ptr_eq(current, events))
    }

    /// What a controller level reset leaves: the admin queue. Returns the other queues' events.
    fn reset(&mut self) -> Vec<Arc<Events>> {
        self.features = self.features.after_reset();
        self.event_requests.clear();
        self.heard = Instant::now();
        let io_queues = self.queues.split_off(&1);
        io_queues.into_values().collect()
    }
}

/// Ends connections. No lock is held: who takes the event may hold one for which a command waits.
fn close(queues: &[Arc<Events>]) {
    for events in queues {
        events(Event::Close);
    }
}
