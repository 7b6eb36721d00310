//! What one port offers: subsystems, one for each drive.

use std::sync::Arc;
use std::time::Instant;

use super::subsystem::Subsystem;

/// All subsystems that one port offers, named by their NQNs.
pub(crate) struct Port {
    subsystems: Vec<Arc<Subsystem>>,
}

impl Port {
    /// Offers one subsystem for each drive.
    pub(crate) fn new(subsystems: Vec<Subsystem>) -> Self {
        Self {
            subsystems: subsystems.into_iter().map(Arc::new).collect(),
        }
    }

    /// Ends every connection of a drive, as loss of power does, and forgets its controllers: to be
    /// called after the drive's power was cycled. `index` counts the subsystems as [`Port::new`]
    /// got them.
    pub(crate) fn lose_power(&self, index: usize) {
        if let Some(subsystem) = self.subsystems.get(index) {
            subsystem.lose_power();
        }
    }

    /// Ends the controllers whose host is silent: to be called about once a second.
    pub(crate) fn tick(&self, now: Instant) {
        for subsystem in &self.subsystems {
            subsystem.end_silent(now);
        }
    }

    /// The subsystem of a name.
    pub(super) fn subsystem(&self, nqn: &str) -> Option<&Arc<Subsystem>> {
        self.subsystems
            .iter()
            .find(|subsystem| subsystem.nqn() == nqn)
    }
}
