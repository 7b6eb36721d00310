//! Whole PDUs out of a stream of bytes.

use std::mem;

use super::digest::Digests;
use super::fatal::Fatal;
use super::pdu::{COMMON_LENGTH, Header, Layout};

/// Gathers the bytes of one PDU after the other. It takes no byte of a PDU that breaks a bound, and
/// keeps no more than one.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    pdu: Vec<u8>,
    stage: Stage,
}

/// How far a PDU has come.
#[derive(Debug, Default)]
enum Stage {
    /// The common header is not complete.
    #[default]
    Common,
    /// The rest of the header, and its digest, are not.
    Header(Layout),
    /// The data are not.
    Data(Layout),
}

impl Assembler {
    /// Takes bytes from the input until a PDU is complete, or the input is empty.
    pub(crate) fn take(
        &mut self,
        input: &mut &[u8],
        digests: Digests,
    ) -> Result<Option<(Layout, Vec<u8>)>, Fatal> {
        while self.fill(input) {
            match mem::take(&mut self.stage) {
                Stage::Common => self.stage = Stage::Header(self.layout(digests)?),
                Stage::Header(layout) if layout.is_header_intact(&self.pdu) => {
                    self.pdu.reserve_exact(layout.length() - self.pdu.len());
                    self.stage = Stage::Data(layout);
                }
                Stage::Header(_) => return Err(Fatal::HEADER_DIGEST),
                Stage::Data(layout) => return Ok(Some((layout, mem::take(&mut self.pdu)))),
            }
        }
        Ok(None)
    }

    /// Gives the memory of a PDU back, for the next one.
    pub(crate) fn recycle(&mut self, mut pdu: Vec<u8>) {
        pdu.clear();
        self.pdu = pdu;
    }

    /// Whether a PDU has begun that is not complete.
    pub(crate) fn is_within_pdu(&self) -> bool {
        !self.pdu.is_empty()
    }

    /// What there is of the header of a PDU that is not complete.
    pub(crate) fn partial_header(&self) -> &[u8] {
        let length = self.pdu.get(2).map_or(0, |hlen| usize::from(*hlen));
        self.pdu.get(..length).unwrap_or(&self.pdu)
    }

    /// How much memory it holds.
    #[cfg(test)]
    pub(crate) fn reserved(&self) -> usize {
        self.pdu.capacity()
    }

    /// Takes what the stage needs; whether it has it all.
    fn fill(&mut self, input: &mut &[u8]) -> bool {
        let target = match &self.stage {
            Stage::Common => COMMON_LENGTH,
            Stage::Header(layout) => layout.headers_length(),
            Stage::Data(layout) => layout.length(),
        };
        let missing = target.saturating_sub(self.pdu.len());
        let (now, rest) = input.split_at(missing.min(input.len()));
        self.pdu.extend_from_slice(now);
        *input = rest;
        now.len() == missing
    }

    fn layout(&self, digests: Digests) -> Result<Layout, Fatal> {
        let common = self.pdu.first_chunk().copied();
        let common = common.unwrap_or([0; COMMON_LENGTH]);
        Layout::new(Header::decode(common), digests)
    }
}
