//! Counts the interface commands that pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Error, Facts, Identity, Transport};
use crate::spec::{ComId, SecurityProtocol};

/// How many interface commands were issued, refused ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IfCounts {
    /// IF-SEND.
    pub send: u64,
    /// IF-RECV.
    pub recv: u64,
}

/// A transport that counts what passes through it.
pub struct Counter<T> {
    inner: T,
    handle: CountHandle,
}

/// Reads the counts of a [`Counter`] after the transport has been given away.
#[derive(Clone, Debug, Default)]
pub struct CountHandle(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    send: AtomicU64,
    recv: AtomicU64,
}

impl<T: Transport> Counter<T> {
    /// Wraps a transport, and hands out what reads the counts.
    pub fn new(inner: T) -> (Self, CountHandle) {
        let handle = CountHandle::default();
        let counter = Self {
            inner,
            handle: handle.clone(),
        };
        (counter, handle)
    }
}

impl CountHandle {
    /// The counts so far.
    #[must_use]
    pub fn counts(&self) -> IfCounts {
        IfCounts {
            send: self.0.send.load(Ordering::Relaxed),
            recv: self.0.recv.load(Ordering::Relaxed),
        }
    }
}

impl<T: Transport> Transport for Counter<T> {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.handle.0.send.fetch_add(1, Ordering::Relaxed);
        self.inner.if_send(protocol, com_id, data)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        self.handle.0.recv.fetch_add(1, Ordering::Relaxed);
        self.inner.if_recv(protocol, com_id, buffer)
    }

    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn max_transfer(&self) -> usize {
        self.inner.max_transfer()
    }

    fn facts(&self) -> Facts {
        self.inner.facts()
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Script;
    use super::super::{Bus, InterfaceStatus};
    use super::*;

    #[test]
    fn refused_commands_are_counted_too() {
        let identity = Identity::new(Bus::Virtual, b"M", b"S", b"1");
        let com_id = ComId(0x1004);
        let script = Script::new(identity.clone())
            .send(SecurityProtocol::TCG, com_id, [1, 2, 3])
            .recv(SecurityProtocol::TCG, com_id, [4, 5])
            .recv(SecurityProtocol::TCG, com_id, [])
            .refuse(InterfaceStatus::SequenceError);
        let (counter, handle) = Counter::new(script);
        let mut transport: Box<dyn Transport> = Box::new(counter);
        assert_eq!(handle.counts(), IfCounts { send: 0, recv: 0 });
        transport
            .if_send(SecurityProtocol::TCG, com_id, &[1, 2, 3])
            .unwrap();
        let mut buffer = [0; 4];
        assert_eq!(
            transport
                .if_recv(SecurityProtocol::TCG, com_id, &mut buffer)
                .unwrap(),
            2
        );
        assert_eq!(buffer, [4, 5, 0, 0]);
        transport
            .if_recv(SecurityProtocol::TCG, com_id, &mut buffer)
            .unwrap_err();
        assert_eq!(handle.counts(), IfCounts { send: 1, recv: 2 });
        assert_eq!(transport.identity(), &identity);
    }
}
