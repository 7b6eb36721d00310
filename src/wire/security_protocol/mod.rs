//! Payloads that are no ComPackets: security protocol information (00h, \[SPC\] 7.7.1) and the
//! management of ComIDs and of Block SID (02h, \[Core\] 3.3.4, \[Block SID\] 4.3).
//!
//! Everything that a host sends by protocol 02h is 512 bytes here, since some interfaces move
//! nothing smaller and real drives expect it on all.

mod com_id;
mod information;

pub use com_id::{
    ComIdAnswer, ComIdRequest, ComIdResponse, ComIdTime, ComIdValidity, ExtendedComId,
};
pub use information::{Certificate, Compliance, ComplianceDescriptor, Fips140, SupportedProtocols};

use super::{DecodeError, Reader};

/// Bytes of a payload of protocol 02h that a host sends.
pub const PAYLOAD: usize = 512;

/// The payload of TPER_RESET, whose contents a TPer ignores (\[Opal\] 3.2.3).
pub const TPER_RESET: [u8; PAYLOAD] = [0; PAYLOAD];

/// Block SID Authentication (protocol 02h, IF-SEND, SP Specific 0005h).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSidRequest {
    /// Byte 0 bit 0, Clear Events: a hardware reset ends the block, not only a power cycle.
    pub hardware_reset_clears_block: bool,
    /// Byte 1 bit 0, Freeze SPs: freezes the Locking SP too.
    pub freeze_locking_sp: bool,
}

impl BlockSidRequest {
    /// Decodes a request; everything else is reserved.
    ///
    /// # Errors
    /// [`super::DecodeErrorKind::Truncated`] if there are no bytes; a missing byte 1 counts as 0.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let clear_events = reader.u8()?;
        let freeze = reader.peek().unwrap_or(0);
        Ok(Self {
            hardware_reset_clears_block: clear_events & 1 != 0,
            freeze_locking_sp: freeze & 1 != 0,
        })
    }

    /// The payload, padded with zeros.
    #[must_use]
    pub fn encode(self) -> [u8; PAYLOAD] {
        padded([
            u8::from(self.hardware_reset_clears_block),
            u8::from(self.freeze_locking_sp),
        ])
    }
}

/// A payload that begins with `bytes`.
fn padded<const N: usize>(bytes: [u8; N]) -> [u8; PAYLOAD] {
    let mut payload = [0; PAYLOAD];
    for (place, byte) in payload.iter_mut().zip(bytes) {
        *place = byte;
    }
    payload
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn block_sid_has_its_two_bits() {
        let request = BlockSidRequest {
            hardware_reset_clears_block: true,
            freeze_locking_sp: false,
        };
        assert_eq!(request.encode().to_vec(), [&[1][..], &[0; 511]].concat());
        assert_eq!(BlockSidRequest::default().encode(), [0; 512]);
        assert_eq!(BlockSidRequest::decode(&request.encode()), Ok(request));
        let freeze = BlockSidRequest::decode(&[0xfe, 0xff]).unwrap();
        assert!(freeze.freeze_locking_sp && !freeze.hardware_reset_clears_block);
        assert_eq!(BlockSidRequest::decode(&[0x01]), Ok(request));
        assert!(BlockSidRequest::decode(&[]).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_fail_cleanly(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let _ = BlockSidRequest::decode(&bytes);
            let _ = SupportedProtocols::decode(&bytes);
            let _ = Certificate::decode(&bytes);
            let _ = Compliance::decode(&bytes);
            let _ = ExtendedComId::decode(&bytes);
            let _ = ComIdRequest::decode(&bytes);
            if let Ok(response) = ComIdResponse::decode(&bytes) {
                prop_assert_eq!(ComIdResponse::decode(&response.encode()), Ok(response));
            }
        }
    }
}
