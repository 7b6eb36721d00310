//! How many interface commands a drive has got.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::spec::SecurityProtocol;

/// Interface commands by security protocol, since the drive was created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats(BTreeMap<u8, Counts>);

/// How many commands there were; refused ones count too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// IF-SEND commands.
    pub send: u64,
    /// IF-RECV commands.
    pub recv: u64,
}

impl Stats {
    /// The commands of one protocol.
    #[must_use]
    pub fn protocol(&self, protocol: SecurityProtocol) -> Counts {
        self.0.get(&protocol.0).copied().unwrap_or_default()
    }

    /// Every protocol that was used, and its commands.
    pub fn protocols(&self) -> impl Iterator<Item = (SecurityProtocol, Counts)> {
        self.0
            .iter()
            .map(|(&protocol, &counts)| (SecurityProtocol(protocol), counts))
    }

    /// The commands of all protocols.
    #[must_use]
    pub fn total(&self) -> Counts {
        self.0
            .values()
            .fold(Counts::default(), |sum, counts| Counts {
                send: sum.send.saturating_add(counts.send),
                recv: sum.recv.saturating_add(counts.recv),
            })
    }

    pub(crate) fn count_send(&mut self, protocol: SecurityProtocol) {
        let counts = self.0.entry(protocol.0).or_default();
        counts.send = counts.send.saturating_add(1);
    }

    pub(crate) fn count_recv(&mut self, protocol: SecurityProtocol) {
        let counts = self.0.entry(protocol.0).or_default();
        counts.recv = counts.recv.saturating_add(1);
    }
}
