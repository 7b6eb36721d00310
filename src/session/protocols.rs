//! What a drive speaks beside TCG Storage: the list of its security protocols (00h), and ATA
//! Security where it has that as a protocol (EFh) (\[SPC\] 7.7.1, \[SAT\]).

use super::com::BLOCK;
use super::tper::Tper;
use super::{AtaSecurity, Error, Malformed};
use crate::spec::{ComId, SecurityProtocol};
use crate::wire::security_protocol::SupportedProtocols;

impl Tper {
    /// The security protocols that the drive says it has: one IF-RECV.
    ///
    /// # Errors
    /// [`Error::Transport`] if the drive refuses the command, [`Error::Malformed`] if the list is
    /// cut short.
    pub fn security_protocols(&mut self) -> Result<Vec<SecurityProtocol>, Error> {
        let mut buffer = [0; BLOCK];
        let (protocol, page) = (
            SecurityProtocol::INFORMATION,
            SupportedProtocols::SP_SPECIFIC,
        );
        let bytes = self.receive(protocol, page, &mut buffer)?;
        let list = SupportedProtocols::decode(bytes);
        Ok(list.map_err(|error| Malformed::decode(error, bytes))?.0)
    }

    /// The state of ATA Security by security protocol EFh: one IF-RECV. `None` if the answer is
    /// none.
    ///
    /// # Errors
    /// [`Error::Transport`] if the drive refuses the command.
    pub fn ata_security(&mut self) -> Result<Option<AtaSecurity>, Error> {
        let mut buffer = [0; BLOCK];
        let (protocol, page) = (SecurityProtocol::ATA_SECURITY, AtaSecurity::SP_SPECIFIC);
        let bytes = self.receive(protocol, page, &mut buffer)?;
        Ok(AtaSecurity::parse_protocol(bytes))
    }

    fn receive<'b>(
        &mut self,
        protocol: SecurityProtocol,
        page: ComId,
        buffer: &'b mut [u8; BLOCK],
    ) -> Result<&'b [u8], Error> {
        let received = self.com.if_recv(protocol, page, buffer)?;
        Ok(buffer.get(..received).unwrap_or(buffer))
    }
}
