//! What needs no session: ComID management, TPER_RESET and Block SID (protocol 02h, \[Core\] 3.3.4.7,
//! \[Opal\] 3.2.3, \[Block SID\] 4.3), and security protocol information (00h, \[SPC\] 7.7.1).

use super::com::BLOCK;
use super::tper::Tper;
use super::{Error, Malformed, MalformedKind};
use crate::spec::protocol::com_id_request;
use crate::spec::{ComId, SecurityProtocol};
use crate::wire::security_protocol::{
    BlockSidRequest, Certificate, ComIdAnswer, ComIdRequest, ComIdResponse, ComIdValidity,
    Compliance, SupportedProtocols, TPER_RESET,
};
use crate::wire::{DecodeError, DecodeErrorKind};

/// First buffer for security protocol information in bytes.
const INFORMATION_BUFFER: usize = 2048;

/// Buffer for what does not fit the first one: a certificate has 64 KiB at most.
const LARGE_INFORMATION_BUFFER: usize = 68 * 1024;

impl Tper {
    /// STACK_RESET: ends every session of the ComID, also those of other programs, and forgets
    /// what was agreed on.
    ///
    /// Some drives do not answer any more afterwards, so this is done only when it is asked for.
    ///
    /// # Errors
    /// [`Error::StackReset`] if the TPer fails at it, [`Error::NoAnswer`] if it does not know it;
    /// otherwise any [`Error`].
    pub fn stack_reset(&mut self) -> Result<(), Error> {
        let com_id = self.com.com_id();
        let request = ComIdRequest::stack_reset(com_id).encode();
        self.com
            .if_send(SecurityProtocol::TCG_MANAGEMENT, com_id, &request)?;
        let succeeded = self.stack_reset_result()?;
        self.reset();
        if succeeded {
            Ok(())
        } else {
            Err(Error::StackReset)
        }
    }

    /// VERIFY_COMID_VALID: the state of the ComID by which the TPer is talked to.
    ///
    /// # Errors
    /// [`Error::NoAnswer`] if the TPer does not know the request; otherwise any [`Error`].
    pub fn verify_com_id(&mut self) -> Result<ComIdValidity, Error> {
        let com_id = self.com.com_id();
        let request = ComIdRequest::verify_com_id_valid(com_id).encode();
        self.com
            .if_send(SecurityProtocol::TCG_MANAGEMENT, com_id, &request)?;
        match self.awaited_com_id_answer(com_id_request::VERIFY_COMID_VALID)? {
            ComIdAnswer::Validity(validity) => Ok(validity),
            _ => Err(Malformed::new(MalformedKind::Method, &[]).into()),
        }
    }

    /// TPER_RESET: ends every session of every ComID, and locks what locks by a programmatic reset.
    ///
    /// # Errors
    /// [`Error::Transport`] if `ProgrammaticResetEnable` is false; otherwise any [`Error`].
    pub fn tper_reset(&mut self) -> Result<(), Error> {
        let (protocol, com_id) = (SecurityProtocol::TCG_MANAGEMENT, ComId::TPER_RESET);
        self.com.if_send(protocol, com_id, &TPER_RESET)?;
        self.reset();
        Ok(())
    }

    /// Block SID Authentication: shuts SID out until a clear event, as long as its PIN is the MSID.
    ///
    /// # Errors
    /// [`Error::Transport`] if SID is blocked already, or if the drive cannot do what is asked for.
    pub fn block_sid(&mut self, request: BlockSidRequest) -> Result<(), Error> {
        let (protocol, com_id) = (SecurityProtocol::TCG_MANAGEMENT, ComId::BLOCK_SID);
        self.com.if_send(protocol, com_id, &request.encode())
    }

    /// The security protocols that the device has.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn supported_protocols(&mut self) -> Result<SupportedProtocols, Error> {
        self.information(SupportedProtocols::SP_SPECIFIC, SupportedProtocols::decode)
    }

    /// The certificate of the device; empty if it has none.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn certificate(&mut self) -> Result<Certificate, Error> {
        self.information(Certificate::SP_SPECIFIC, Certificate::decode)
    }

    /// What the device was certified for.
    ///
    /// # Errors
    /// Any [`Error`].
    pub fn compliance(&mut self) -> Result<Compliance, Error> {
        self.information(Compliance::SP_SPECIFIC, Compliance::decode)
    }

    fn information<T>(
        &mut self,
        page: ComId,
        decode: fn(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<T, Error> {
        let mut bytes = self.fetch_information(page, INFORMATION_BUFFER)?;
        let mut decoded = decode(&bytes);
        if let Err(DecodeError { kind, .. }) = decoded
            && matches!(kind, DecodeErrorKind::Truncated { .. })
        {
            bytes = self.fetch_information(page, LARGE_INFORMATION_BUFFER)?;
            decoded = decode(&bytes);
        }
        decoded.map_err(|error| Malformed::decode(error, &bytes).into())
    }

    fn fetch_information(&mut self, page: ComId, length: usize) -> Result<Vec<u8>, Error> {
        let mut buffer = vec![0; length.min(self.com.receive_limit())];
        let received = self
            .com
            .if_recv(SecurityProtocol::INFORMATION, page, &mut buffer)?;
        buffer.truncate(received);
        Ok(buffer)
    }

    fn stack_reset_result(&mut self) -> Result<bool, Error> {
        match self.awaited_com_id_answer(com_id_request::STACK_RESET)? {
            ComIdAnswer::StackReset { succeeded } => Ok(succeeded),
            _ => Err(Malformed::new(MalformedKind::Method, &[]).into()),
        }
    }

    /// Polls until the answer to a request is there.
    fn awaited_com_id_answer(&mut self, request: u32) -> Result<ComIdAnswer, Error> {
        let mut wait = self.com.wait(self.patience());
        loop {
            match self.com_id_answer()? {
                ComIdAnswer::Pending { code } if code == request => self.com.pause(&mut wait)?,
                ComIdAnswer::NoResponseAvailable => return Err(Error::NoAnswer),
                answer => return Ok(answer),
            }
        }
    }

    fn com_id_answer(&mut self) -> Result<ComIdAnswer, Error> {
        let mut buffer = [0; BLOCK];
        let com_id = self.com.com_id();
        let received = self
            .com
            .if_recv(SecurityProtocol::TCG_MANAGEMENT, com_id, &mut buffer)?;
        let bytes = buffer.get(..received).unwrap_or(&buffer);
        let response = ComIdResponse::decode(bytes);
        Ok(response
            .map_err(|error| Malformed::decode(error, bytes))?
            .answer)
    }
}
