//! Commands that wait for their data from the host.
//!
//! A command gets one R2T for all its data. How many bytes may be on their way at a time is
//! limited: a command beyond that waits for its R2T until others have theirs. Memory is taken when
//! data arrive, not when they are asked for.

use std::collections::VecDeque;

use super::answer::ReadyToTransfer;
use super::fatal::Fatal;
use super::pdu::{DataHeader, Payload, field, size};
use crate::vdrive::serve::nvme::Command;

/// How many commands may wait: as many as a queue has entries.
pub(crate) const MAX_COMMANDS: usize = 128;
/// How many bytes may be on their way at a time.
pub(crate) const MAX_BYTES: usize = 2 << 20;

/// The commands of one connection that wait for data.
#[derive(Debug, Default)]
pub(crate) struct Transfers {
    waiting: VecDeque<Wanted>,
    granted: Vec<Granted>,
    granted_bytes: usize,
    last_tag: u16,
}

/// A command, and how many bytes it wants.
#[derive(Debug)]
struct Wanted {
    command: Command,
    length: u32,
}

/// A command whose data have been asked for.
#[derive(Debug)]
struct Granted {
    wanted: Wanted,
    tag: u16,
    data: Vec<u8>,
    is_intact: bool,
}

/// A command that has all its data.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Complete {
    pub command: Command,
    pub data: Vec<u8>,
    /// Whether every part of them agreed with its digest.
    pub is_intact: bool,
}

impl Transfers {
    /// Takes in a command that wants data.
    pub(crate) fn begin(&mut self, command: Command, length: u32) -> Result<(), Fatal> {
        if self.waiting.len() + self.granted.len() >= MAX_COMMANDS {
            return Err(Fatal::LIMIT);
        }
        self.waiting.push_back(Wanted { command, length });
        Ok(())
    }

    /// The next demand that the limits allow.
    pub(crate) fn grant(&mut self) -> Option<ReadyToTransfer> {
        let length = self.waiting.front()?.length;
        let fits = self.granted_bytes + size(length) <= MAX_BYTES;
        if !fits && !self.granted.is_empty() {
            return None;
        }
        let wanted = self.waiting.pop_front()?;
        let tag = self.new_tag();
        let cccid = wanted.command.cid();
        self.granted_bytes += size(length);
        self.granted.push(Granted {
            wanted,
            tag,
            data: Vec::new(),
            is_intact: true,
        });
        Some(ReadyToTransfer {
            cccid,
            ttag: tag,
            length,
        })
    }

    /// Takes data in; the command, when it has them all.
    pub(crate) fn receive(
        &mut self,
        header: DataHeader,
        payload: Payload<'_>,
    ) -> Result<Option<Complete>, Fatal> {
        let is_it = |granted: &Granted| granted.tag == header.ttag;
        let index = self.granted.iter().position(is_it);
        let index = index.ok_or(Fatal::field(field::TTAG))?;
        let granted = self.granted.get_mut(index);
        let is_complete = granted.map_or(Ok(false), |granted| granted.receive(header, payload))?;
        Ok(is_complete.then(|| self.finish(index)))
    }

    /// Whether a command with that identifier is among them.
    pub(crate) fn has(&self, cid: u16) -> bool {
        let granted = self.granted.iter().map(|granted| &granted.wanted);
        let mut all = self.waiting.iter().chain(granted);
        all.any(|wanted| wanted.command.cid() == cid)
    }

    /// Whether any data are on their way.
    pub(crate) fn is_expecting(&self) -> bool {
        !self.granted.is_empty()
    }

    /// How much memory the data hold.
    #[cfg(test)]
    pub(crate) fn reserved(&self) -> usize {
        let capacity = |granted: &Granted| granted.data.capacity();
        self.granted.iter().map(capacity).sum()
    }

    fn finish(&mut self, index: usize) -> Complete {
        let granted = self.granted.swap_remove(index);
        self.granted_bytes -= size(granted.wanted.length);
        Complete {
            command: granted.wanted.command,
            data: granted.data,
            is_intact: granted.is_intact,
        }
    }

    /// A tag that no data on their way have. Tags come round late, so that late data find nobody.
    fn new_tag(&mut self) -> u16 {
        loop {
            self.last_tag = self.last_tag.wrapping_add(1);
            let is_used = |granted: &Granted| granted.tag == self.last_tag;
            if !self.granted.iter().any(is_used) {
                return self.last_tag;
            }
        }
    }
}

impl Granted {
    /// Takes data in; whether they are complete. They come in order, without gaps.
    fn receive(&mut self, header: DataHeader, payload: Payload<'_>) -> Result<bool, Fatal> {
        let total = size(self.wanted.length);
        let end = self.data.len() + payload.bytes.len();
        if header.cccid != self.wanted.command.cid() {
            return Err(Fatal::field(field::CCCID));
        }
        if payload.bytes.is_empty() || size(header.length) != payload.bytes.len() {
            return Err(Fatal::field(field::DATAL));
        }
        if size(header.offset) != self.data.len() || end > total {
            return Err(Fatal::OUT_OF_RANGE);
        }
        if header.is_last != (end == total) {
            return Err(Fatal::SEQUENCE);
        }
        self.data.reserve_exact(total - self.data.len());
        self.data.extend_from_slice(payload.bytes);
        self.is_intact &= payload.is_intact;
        Ok(end == total)
    }
}
