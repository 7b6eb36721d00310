//! ComID management (protocol 02h): dynamic ComIDs, the state of a ComID, stack reset (\[Core\]
//! 3.3.4).

use super::{PAYLOAD, padded};
use crate::spec::protocol::com_id_request;
use crate::spec::{ComId, ComIdState};
use crate::wire::{DecodeError, DecodeErrorKind, Reader};

/// A ComID with its extension, which is 0 for static ComIDs (\[Core\] 3.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtendedComId {
    /// The ComID.
    pub com_id: ComId,
    /// The extension.
    pub extension: u16,
}

impl From<ComId> for ExtendedComId {
    /// A static ComID.
    fn from(com_id: ComId) -> Self {
        Self {
            com_id,
            extension: 0,
        }
    }
}

impl ExtendedComId {
    /// The SP Specific field of GET_COMID (protocol 02h, IF-RECV).
    pub const GET_COM_ID: ComId = ComId(0x0000);

    /// Decodes the answer to GET_COMID; `None` if no dynamic ComID is free.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Truncated`] below four bytes.
    pub fn decode(bytes: &[u8]) -> Result<Option<Self>, DecodeError> {
        let id = Self::read(&mut Reader::new(bytes))?;
        Ok(Some(id).filter(|id| *id != Self::from(ComId(0))))
    }

    /// The answer to GET_COMID.
    #[must_use]
    pub fn encode(self) -> [u8; 4] {
        let [a, b] = self.com_id.0.to_be_bytes();
        let [c, d] = self.extension.to_be_bytes();
        [a, b, c, d]
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            com_id: ComId(reader.u16()?),
            extension: reader.u16()?,
        })
    }
}

/// HANDLE_COMID_REQUEST (protocol 02h, IF-SEND, SP Specific is the ComID).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComIdRequest {
    /// Whose stack is meant. The payload decides, not the SP Specific field.
    pub id: ExtendedComId,
    /// One of [`com_id_request`], or something that the TPer won't know.
    pub code: u32,
}

impl ComIdRequest {
    /// Asks for the state of a ComID.
    #[must_use]
    pub fn verify_com_id_valid(id: impl Into<ExtendedComId>) -> Self {
        Self {
            id: id.into(),
            code: com_id_request::VERIFY_COMID_VALID,
        }
    }

    /// Ends every session of a ComID and forgets its host properties.
    #[must_use]
    pub fn stack_reset(id: impl Into<ExtendedComId>) -> Self {
        Self {
            id: id.into(),
            code: com_id_request::STACK_RESET,
        }
    }

    /// Decodes a request; what follows the code is reserved or parameters of Key Per I/O.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Truncated`] below eight bytes, [`DecodeErrorKind::TrailingBytes`] beyond
    /// [`PAYLOAD`]: both are transfer lengths that a TPer refuses.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let request = Self {
            id: ExtendedComId::read(&mut reader)?,
            code: reader.u32()?,
        };
        match bytes.len().checked_sub(PAYLOAD) {
            None | Some(0) => Ok(request),
            Some(more) => Err(DecodeError::new(
                PAYLOAD,
                DecodeErrorKind::TrailingBytes(more),
            )),
        }
    }

    /// The payload, padded with zeros.
    #[must_use]
    pub fn encode(self) -> [u8; PAYLOAD] {
        let mut header = [0; 8];
        let (id, code) = header.split_at_mut(4);
        id.copy_from_slice(&self.id.encode());
        code.copy_from_slice(&self.code.to_be_bytes());
        padded(header)
    }
}

/// GET_COMID_RESPONSE (protocol 02h, IF-RECV, SP Specific is the ComID).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComIdResponse {
    /// Whose stack is meant.
    pub id: ExtendedComId,
    /// The answer.
    pub answer: ComIdAnswer,
}

/// What a TPer answers to a [`ComIdRequest`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComIdAnswer {
    /// No request came before, or it was malformed or unknown.
    NoResponseAvailable,
    /// The request with this code is still being handled: ask again.
    Pending {
        /// The request's code.
        code: u32,
    },
    /// Answer to VERIFY_COMID_VALID.
    Validity(ComIdValidity),
    /// Answer to STACK_RESET.
    StackReset {
        /// True for success.
        succeeded: bool,
    },
    /// Answer to a request that is not handled here.
    Other {
        /// The request's code.
        code: u32,
        /// Its data.
        data: Vec<u8>,
    },
}

/// The state of a ComID, and when it came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComIdValidity {
    /// The state.
    pub state: ComIdState,
    /// Times of allocation, expiry and last reset; `None` if the answer is too short for them.
    pub times: Option<[ComIdTime; 3]>,
}

/// A point of time by the TPer's clock; zeros where it has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComIdTime {
    /// Year.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute.
    pub minute: u8,
    /// Second.
    pub second: u8,
    /// Fraction of a second.
    pub fraction: u16,
}

/// Bytes of the state and of three times.
const VALIDITY: usize = 4 + 3 * 10;

impl ComIdResponse {
    /// Decodes a response; what follows its data is padding.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Truncated`] if the response, or the data of a known answer, is too short.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let id = ExtendedComId::read(&mut reader)?;
        let code = reader.u32()?;
        reader.take(2)?;
        let length = usize::from(reader.u16()?);
        let base = reader.offset();
        let answer =
            ComIdAnswer::decode(code, reader.take(length)?).map_err(|error| error.shifted(base))?;
        Ok(Self { id, answer })
    }

    /// The response, without padding of the transport.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let (code, data) = self.answer.encode();
        let length = u16::try_from(data.len()).unwrap_or(u16::MAX);
        let mut out = self.id.encode().to_vec();
        out.extend(code.to_be_bytes());
        out.extend([0; 2]);
        out.extend(length.to_be_bytes());
        out.extend(data.iter().take(usize::from(length)));
        out
    }
}

impl ComIdAnswer {
    fn decode(code: u32, data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(data);
        match (code, data.len()) {
            (0, 0) => Ok(Self::NoResponseAvailable),
            (_, 0) => Ok(Self::Pending { code }),
            (com_id_request::VERIFY_COMID_VALID, _) => {
                ComIdValidity::read(&mut reader).map(Self::Validity)
            }
            (com_id_request::STACK_RESET, _) => Ok(Self::StackReset {
                succeeded: reader.u32()? == 0,
            }),
            _ => Ok(Self::Other {
                code,
                data: data.to_vec(),
            }),
        }
    }

    fn encode(&self) -> (u32, Vec<u8>) {
        match self {
            Self::NoResponseAvailable => (0, Vec::new()),
            Self::Pending { code } => (*code, Vec::new()),
            Self::Validity(validity) => (com_id_request::VERIFY_COMID_VALID, validity.encode()),
            Self::StackReset { succeeded } => {
                let failure = u32::from(!succeeded);
                (com_id_request::STACK_RESET, failure.to_be_bytes().to_vec())
            }
            Self::Other { code, data } => (*code, data.clone()),
        }
    }
}

impl ComIdValidity {
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let state = ComIdState(reader.u32()?);
        let times = if reader.remaining() < VALIDITY - 4 {
            None
        } else {
            Some([
                ComIdTime::read(reader)?,
                ComIdTime::read(reader)?,
                ComIdTime::read(reader)?,
            ])
        };
        Ok(Self { state, times })
    }

    fn encode(self) -> Vec<u8> {
        let mut out = self.state.0.to_be_bytes().to_vec();
        for time in self.times.iter().flatten() {
            time.encode(&mut out);
        }
        out
    }
}

impl ComIdTime {
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let year = reader.u16()?;
        let [month, day, hour, minute, second] = reader.array()?;
        let fraction = reader.u16()?;
        reader.take(1)?;
        Ok(Self {
            year,
            month,
            day,
            hour,
            minute,
            second,
            fraction,
        })
    }

    fn encode(self, out: &mut Vec<u8>) {
        out.extend(self.year.to_be_bytes());
        out.extend([self.month, self.day, self.hour, self.minute, self.second]);
        out.extend(self.fraction.to_be_bytes());
        out.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked stack reset of a drive whose ComID is 07FEh.
    const STACK_RESET: [u8; 8] = [0x07, 0xfe, 0, 0, 0, 0, 0, 2];
    const STACK_RESET_DONE: [u8; 16] = [0x07, 0xfe, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0];

    fn padded_to_block(bytes: &[u8]) -> Vec<u8> {
        let mut block = bytes.to_vec();
        block.resize(512, 0);
        block
    }

    fn response(answer: ComIdAnswer) -> ComIdResponse {
        ComIdResponse {
            id: ComId(0x07fe).into(),
            answer,
        }
    }

    #[test]
    fn get_com_id_hands_out_a_com_id_or_none() {
        assert_eq!(ExtendedComId::decode(&[0; 512]), Ok(None));
        let id = ExtendedComId {
            com_id: ComId(0x1008),
            extension: 0x0102,
        };
        assert_eq!(id.encode(), [0x10, 0x08, 0x01, 0x02]);
        assert_eq!(ExtendedComId::decode(&id.encode()), Ok(Some(id)));
        assert!(ExtendedComId::decode(&[0x10, 0x08, 0x01]).is_err());
    }

    #[test]
    fn a_stack_reset_has_the_bytes_of_the_standard() {
        let request = ComIdRequest::stack_reset(ComId(0x07fe));
        assert_eq!(request.encode().to_vec(), padded_to_block(&STACK_RESET));
        assert_eq!(ComIdRequest::decode(&request.encode()), Ok(request));
        assert_eq!(ComIdRequest::decode(&STACK_RESET), Ok(request));
        let verify = ComIdRequest::verify_com_id_valid(ComId(0x1004));
        assert_eq!(verify.encode()[..8], [0x10, 0x04, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn requests_of_illegal_lengths_are_errors() {
        for length in 0..8 {
            let error = ComIdRequest::decode(&STACK_RESET[..length]).unwrap_err();
            assert!(matches!(error.kind, DecodeErrorKind::Truncated { .. }));
        }
        let error = ComIdRequest::decode(&[0; 513]).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::TrailingBytes(1));
    }

    #[test]
    fn a_stack_reset_succeeds_fails_or_is_pending() {
        let done = response(ComIdAnswer::StackReset { succeeded: true });
        assert_eq!(
            ComIdResponse::decode(&padded_to_block(&STACK_RESET_DONE)),
            Ok(done.clone())
        );
        assert_eq!(done.encode(), STACK_RESET_DONE);

        let failed = response(ComIdAnswer::StackReset { succeeded: false });
        assert_eq!(failed.encode()[8..], [0, 0, 0, 4, 0, 0, 0, 1]);
        assert_eq!(ComIdResponse::decode(&failed.encode()), Ok(failed));

        let pending = response(ComIdAnswer::Pending { code: 2 });
        assert_eq!(ComIdResponse::decode(&STACK_RESET_DONE[..11]).ok(), None);
        assert_eq!(pending.encode(), [0x07, 0xfe, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0]);
        assert_eq!(ComIdResponse::decode(&pending.encode()), Ok(pending));
    }

    #[test]
    fn nothing_to_answer_is_no_error() {
        let nothing = response(ComIdAnswer::NoResponseAvailable);
        let bytes = [0x07, 0xfe, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(ComIdResponse::decode(&bytes), Ok(nothing.clone()));
        assert_eq!(nothing.encode(), bytes);
    }

    #[test]
    fn validity_has_a_state_and_three_times() {
        let mut bytes = vec![0x07, 0xfe, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x22, 0, 0, 0, 2];
        bytes.extend([0x07, 0xe9, 3, 31, 23, 59, 58, 0x01, 0x02, 0]);
        bytes.extend([0; 20]);
        let allocation = ComIdTime {
            year: 2025,
            month: 3,
            day: 31,
            hour: 23,
            minute: 59,
            second: 58,
            fraction: 0x0102,
        };
        let validity = ComIdValidity {
            state: ComIdState::ISSUED,
            times: Some([allocation, ComIdTime::default(), ComIdTime::default()]),
        };
        let expected = response(ComIdAnswer::Validity(validity));
        assert_eq!(ComIdResponse::decode(&bytes), Ok(expected.clone()));
        assert_eq!(expected.encode(), bytes);
        for length in 0..bytes.len() {
            assert!(ComIdResponse::decode(&bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn short_and_unknown_answers_are_kept() {
        let bytes = [0x07, 0xfe, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, 3];
        let validity = ComIdValidity {
            state: ComIdState::ASSOCIATED,
            times: None,
        };
        let expected = response(ComIdAnswer::Validity(validity));
        assert_eq!(ComIdResponse::decode(&bytes), Ok(expected.clone()));
        assert_eq!(expected.encode(), bytes);

        let clear = response(ComIdAnswer::Other {
            code: 3,
            data: vec![0, 0, 0, 2],
        });
        assert_eq!(ComIdResponse::decode(&clear.encode()), Ok(clear));
        let short = [0x07, 0xfe, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0];
        let error = ComIdResponse::decode(&short).unwrap_err();
        assert_eq!(
            (error.offset, error.kind),
            (12, DecodeErrorKind::Truncated { missing: 2 })
        );
    }
}
