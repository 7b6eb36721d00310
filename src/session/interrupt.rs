//! A request to stop, raised from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks whoever talks to a drive to stop at the next safe place: sessions are ended first.
///
/// Cheap to clone; every clone is the same flag. A signal handler may raise it.
///
/// ```
/// use sedkit::session::Interrupt;
///
/// let interrupt = Interrupt::new();
/// let handler = interrupt.clone();
/// handler.raise();
/// assert!(interrupt.is_raised());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that is not raised.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The flag itself, for a signal handler that stores `true` into it.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Asks to stop. Safe in a signal handler.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked to stop.
    #[must_use]
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
