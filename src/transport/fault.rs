//! A transport that disturbs what a TPer answers, by a seed, so that every run can be repeated.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Error, Facts, Identity, Transport};
use crate::spec::{ComId, SecurityProtocol};

mod answer;
mod random;

use random::SplitMix64;

/// A way in which an answer, or for [`FaultKind::DropSend`] a command, is spoilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Fewer bytes arrive.
    Truncate,
    /// One to eight bits are inverted.
    BitFlips,
    /// TSN and HSN of the Packet are those of another session.
    WrongSession,
    /// The TPer says for a while that it is still at work.
    Stall,
    /// From now on the TPer says for ever that it is still at work.
    EndlessOutstanding,
    /// The length of the ComPacket, of the Packet, of the Subpacket, or of Level 0 Discovery is 0.
    ZeroLength,
    /// The answer to a method has no status list.
    MissingStatus,
    /// The answer is 10,000 lists, one in the other.
    DeepLists,
    /// The answer before this one comes again.
    Duplicate,
    /// The command never reaches the TPer.
    DropSend,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Truncate,
        Self::BitFlips,
        Self::WrongSession,
        Self::Stall,
        Self::EndlessOutstanding,
        Self::ZeroLength,
        Self::MissingStatus,
        Self::DeepLists,
        Self::Duplicate,
        Self::DropSend,
    ];
}

/// What is disturbed, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultPlan {
    /// The seed: the same one disturbs the same dialogue in the same way.
    pub seed: u64,
    /// How many of 1,000 commands are disturbed.
    pub per_mille: u64,
    /// What may happen to them, each as likely as the others.
    pub kinds: Vec<FaultKind>,
}

impl FaultPlan {
    /// One command in ten is disturbed, in any way but by being dropped.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let kinds = FaultKind::ALL
            .into_iter()
            .filter(|kind| *kind != FaultKind::DropSend);
        Self {
            seed,
            per_mille: 100,
            kinds: kinds.collect(),
        }
    }
}

/// A transport that disturbs what passes through it.
///
/// What is sent is left as it is.
pub struct Fault<T> {
    inner: T,
    plan: FaultPlan,
    random: SplitMix64,
    handle: FaultHandle,
    stalls: u64,
    is_stuck: bool,
    staged: Option<Vec<u8>>,
    previous: Vec<u8>,
}

/// Tells how often a [`Fault`] has struck, after the transport has been given away.
#[derive(Clone, Debug, Default)]
pub struct FaultHandle(Arc<AtomicU64>);

impl FaultHandle {
    /// How many commands have been disturbed so far.
    #[must_use]
    pub fn faults(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The longest stall, in answers.
const MAX_STALLS: u64 = 20;

impl<T: Transport> Fault<T> {
    /// Wraps a transport, and hands out what counts the faults.
    pub fn new(inner: T, plan: FaultPlan) -> (Self, FaultHandle) {
        let handle = FaultHandle::default();
        let fault = Self {
            inner,
            random: SplitMix64::new(plan.seed),
            plan,
            handle: handle.clone(),
            stalls: 0,
            is_stuck: false,
            staged: None,
            previous: Vec::new(),
        };
        (fault, handle)
    }

    /// Decides whether to strike, and how, among the kinds that fit.
    fn draw(&mut self, fits: impl Fn(FaultKind) -> bool) -> Option<FaultKind> {
        if self.random.below(1000) >= self.plan.per_mille {
            return None;
        }
        let kinds = self.plan.kinds.iter().copied().filter(|kind| fits(*kind));
        let kinds: Vec<_> = kinds.collect();
        let chosen = self.random.index(kinds.len())?;
        let kind = kinds.get(chosen).copied()?;
        self.handle.0.fetch_add(1, Ordering::Relaxed);
        Some(kind)
    }

    /// What a TPer answers that is still at work, or that has more than the buffer takes.
    fn pending(&mut self, com_id: ComId, buffer: &mut [u8]) -> Option<usize> {
        if self.is_stuck || self.stalls > 0 {
            self.stalls = self.stalls.saturating_sub(1);
            return Some(answer::outstanding(buffer, com_id, 1, 0));
        }
        let staged = self.staged.take()?;
        Some(answer::copy(buffer, &staged))
    }

    /// Lets the fault strike that needs no answer of the TPer, or fetches its answer and spoils it.
    fn strike(
        &mut self,
        kind: FaultKind,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        match kind {
            FaultKind::Stall => {
                self.stalls = self.random.below(MAX_STALLS);
                return Ok(answer::outstanding(buffer, com_id, 1, 0));
            }
            FaultKind::EndlessOutstanding => {
                self.is_stuck = true;
                return Ok(answer::outstanding(buffer, com_id, 1, 0));
            }
            FaultKind::Duplicate if !self.previous.is_empty() => {
                return Ok(answer::copy(buffer, &self.previous));
            }
            _ => {}
        }
        let length = self.fetch(protocol, com_id, buffer)?;
        let Some(bytes) = buffer.get_mut(..length) else {
            return Ok(length);
        };
        Ok(match kind {
            FaultKind::Truncate => {
                let kept = self.random.index(length).unwrap_or(0);
                bytes.get_mut(kept..).unwrap_or_default().fill(0);
                kept
            }
            FaultKind::DeepLists => self.stage_deep_lists(com_id, buffer),
            kind => {
                answer::spoil(
                    kind,
                    is_com_packet(protocol, com_id),
                    bytes,
                    &mut self.random,
                );
                length
            }
        })
    }

    fn fetch(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let length = self.inner.if_recv(protocol, com_id, buffer)?;
        let length = length.min(buffer.len());
        self.previous = buffer.get(..length).unwrap_or_default().to_vec();
        Ok(length)
    }

    /// Replaces an answer by deep lists, which the host must fetch with a larger buffer if its own
    /// is too small.
    fn stage_deep_lists(&mut self, com_id: ComId, buffer: &mut [u8]) -> usize {
        let deep = answer::deep_lists(&self.previous, com_id);
        if deep.len() <= buffer.len() {
            return answer::copy(buffer, &deep);
        }
        let size = u32::try_from(deep.len()).unwrap_or(u32::MAX);
        self.staged = Some(deep);
        answer::outstanding(buffer, com_id, size, size)
    }
}

/// True for answers that are ComPackets.
fn is_com_packet(protocol: SecurityProtocol, com_id: ComId) -> bool {
    protocol == SecurityProtocol::TCG && com_id != ComId::LEVEL_0_DISCOVERY
}

impl<T: Transport> Transport for Fault<T> {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        match self.draw(|kind| kind == FaultKind::DropSend) {
            Some(_) => Ok(()),
            None => self.inner.if_send(protocol, com_id, data),
        }
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let has_packets = is_com_packet(protocol, com_id);
        if let Some(length) = has_packets.then(|| self.pending(com_id, buffer)).flatten() {
            return Ok(length);
        }
        let fits = |kind| match kind {
            FaultKind::DropSend => false,
            FaultKind::Truncate | FaultKind::BitFlips | FaultKind::ZeroLength => true,
            _ => has_packets,
        };
        match self.draw(fits) {
            Some(kind) => self.strike(kind, protocol, com_id, buffer),
            None => self.fetch(protocol, com_id, buffer),
        }
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
mod tests;
