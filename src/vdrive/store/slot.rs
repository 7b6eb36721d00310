//! A value that is replaced as a whole: two slots, of which the newest whole one counts.
//!
//! Each slot begins with a header, integers little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | which value this is |
//! | 8–15 | generation; the greater is the newer |
//! | 16–23 | bytes of the value |
//! | 24–39 | boot of the host in which it was written; zero where that does not matter |
//! | 40–71 | SHA-256 of the bytes before and of the value |
//! | 72–127 | zero |
//!
//! A new value goes into the slot that does not count, in one write. Until that write is whole its
//! checksum does not hold, and the other slot goes on counting.

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use super::StoreError;
use super::disk::{Disk, size};

/// Bytes of a slot.
pub(super) const SLOT_BYTES: u64 = 16 << 20;
/// The longest value.
pub(super) const LIMIT: usize = (16 << 20) - HEADER_BYTES;
const HEADER_BYTES: usize = 128;
/// What is left of a longer value is overwritten with zeros up to this length, beyond it a hole is
/// punched: file systems wait for the device when they punch what was written a moment ago.
const PADDING: u64 = 1 << 18;
const CHECKSUM_AT: usize = 40;

/// The boot of the host in which something was written.
pub(super) type Boot = [u8; 16];

/// Which value a pair of slots keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    State,
    Power,
}

impl Kind {
    const fn magic(self) -> &'static [u8; 8] {
        match self {
            Self::State => b"sedSTATE",
            Self::Power => b"sedPOWER",
        }
    }

    const fn operation(self) -> &'static str {
        match self {
            Self::State => "write the state of the virtual drive",
            Self::Power => "write the power state of the virtual drive",
        }
    }
}

/// What a whole slot holds.
pub(super) struct Value {
    pub(super) bytes: Zeroizing<Vec<u8>>,
    pub(super) boot: Boot,
}

/// A pair of slots.
pub(super) struct Slots {
    kind: Kind,
    start: u64,
    /// The slot that counts.
    current: usize,
    generation: u64,
    /// Bytes of each slot that may be other than zero.
    used: [u64; 2],
}

impl Slots {
    /// A pair of slots that were never written, at this offset.
    pub(super) const fn new(kind: Kind, start: u64) -> Self {
        Self {
            kind,
            start,
            current: 1,
            generation: 0,
            used: [0; 2],
        }
    }

    /// Finds the newest whole slot. There is none if both are torn or were never written.
    pub(super) fn load(
        disk: &dyn Disk,
        kind: Kind,
        start: u64,
    ) -> Result<(Self, Option<Value>), StoreError> {
        let mut slots = Self {
            used: [SLOT_BYTES; 2],
            ..Self::new(kind, start)
        };
        let mut newest = None;
        for slot in 0..2 {
            let Some((generation, value)) = slots.read(disk, slot)? else {
                continue;
            };
            slots.used[slot] = size(HEADER_BYTES + value.bytes.len());
            if newest.is_none() || generation > slots.generation {
                slots.current = slot;
                slots.generation = generation;
                newest = Some(value);
            }
        }
        Ok((slots, newest))
    }

    /// Writes a new value, of [`LIMIT`] bytes at most, into the slot that does not count. The caller syncs, if that is wanted,
    /// and then says which way it went: [`Slots::commit`] or [`Slots::abandon`].
    pub(super) fn write(
        &mut self,
        disk: &mut dyn Disk,
        boot: &Boot,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let spare = self.spare();
        let mut image = self.image(boot, bytes);
        let length = image.len();
        let used = std::mem::replace(&mut self.used[spare], SLOT_BYTES);
        let remainder = used.saturating_sub(size(length));
        if remainder > PADDING {
            disk.punch(self.offset(spare) + size(length), remainder)
                .map_err(StoreError::io(self.kind.operation()))?;
        } else {
            image.resize(length + usize::try_from(remainder).unwrap_or_default(), 0);
        }
        disk.write(self.offset(spare), &image)
            .map_err(StoreError::io(self.kind.operation()))?;
        self.used[spare] = size(length);
        Ok(())
    }

    /// Lets the value that was just written count.
    pub(super) const fn commit(&mut self) {
        self.current = self.spare();
        self.generation = self.generation.saturating_add(1);
    }

    /// Makes sure that a value that was not written well, or not durably, never counts. If even
    /// that fails there is nothing left to do: the write's own error is what the caller sees.
    pub(super) fn abandon(&mut self, disk: &mut dyn Disk) {
        let _ = disk.write(self.offset(self.spare()), &[0; HEADER_BYTES]);
    }

    /// Wipes the slot that does not count.
    pub(super) fn wipe_spare(&mut self, disk: &mut dyn Disk) -> Result<(), StoreError> {
        let spare = self.spare();
        disk.punch(self.offset(spare), SLOT_BYTES)
            .map_err(StoreError::io(self.kind.operation()))?;
        self.used[spare] = 0;
        Ok(())
    }

    const fn spare(&self) -> usize {
        1 - self.current
    }

    fn offset(&self, slot: usize) -> u64 {
        self.start + size(slot) * SLOT_BYTES
    }

    /// Header and value as they are written.
    fn image(&self, boot: &Boot, bytes: &[u8]) -> Zeroizing<Vec<u8>> {
        let mut image = Zeroizing::new(Vec::with_capacity(HEADER_BYTES + bytes.len()));
        image.extend_from_slice(self.kind.magic());
        image.extend_from_slice(&self.generation.saturating_add(1).to_le_bytes());
        image.extend_from_slice(&size(bytes.len()).to_le_bytes());
        image.extend_from_slice(boot);
        let checksum = checksum(&image, bytes);
        image.extend_from_slice(&checksum);
        image.resize(HEADER_BYTES, 0);
        image.extend_from_slice(bytes);
        image
    }

    /// Generation and value of a slot, if it is whole.
    fn read(&self, disk: &dyn Disk, slot: usize) -> Result<Option<(u64, Value)>, StoreError> {
        let failed = StoreError::io("read the state of the virtual drive");
        let mut header = [0; HEADER_BYTES];
        disk.read(self.offset(slot), &mut header).map_err(&failed)?;
        let [generation, length] = [8, 16].map(|offset| u64_at(&header, offset));
        let length = usize::try_from(length)
            .ok()
            .filter(|&length| length <= LIMIT);
        let (true, Some(length)) = (header.starts_with(self.kind.magic()), length) else {
            return Ok(None);
        };
        let mut bytes = Zeroizing::new(vec![0; length]);
        disk.read(self.offset(slot) + size(HEADER_BYTES), &mut bytes)
            .map_err(&failed)?;
        let whole = header[CHECKSUM_AT..].starts_with(&checksum(&header[..CHECKSUM_AT], &bytes));
        let boot = std::array::from_fn(|index| header[24 + index]);
        Ok(whole.then_some((generation, Value { bytes, boot })))
    }
}

fn checksum(header: &[u8], bytes: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(header)
        .chain_update(bytes)
        .finalize()
        .into()
}

fn u64_at(header: &[u8; HEADER_BYTES], offset: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|index| header[offset + index]))
}
