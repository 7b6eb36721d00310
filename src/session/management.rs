//! ComID management (protocol 02h): the reset of a ComID's protocol stack (\[Core\] 3.3.4.7).

use super::com::BLOCK;
use super::tper::Tper;
use super::{Error, Malformed, MalformedKind};
use crate::spec::SecurityProtocol;
use crate::spec::protocol::com_id_request;
use crate::wire::security_protocol::{ComIdAnswer, ComIdRequest, ComIdResponse};

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

    fn stack_reset_result(&mut self) -> Result<bool, Error> {
        let mut wait = self.com.wait(self.patience());
        loop {
            match self.com_id_answer()? {
                ComIdAnswer::StackReset { succeeded } => return Ok(succeeded),
                ComIdAnswer::Pending {
                    code: com_id_request::STACK_RESET,
                } => self.com.pause(&mut wait)?,
                ComIdAnswer::NoResponseAvailable => return Err(Error::NoAnswer),
                _ => return Err(Malformed::new(MalformedKind::Method, &[]).into()),
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
