//! Security protocol 02h: ComID management, TPER_RESET, Block SID Authentication
//! (\[Core\] 3.3.4, \[Opal\] 3.2.3, \[Block SID\] 4.3).

use super::Tper;
use super::cell::Octets;
use super::com::{INACTIVE, Refusal};
use super::resets::Reset;
use super::state::Block;
use super::tables::SpId;
use crate::spec::protocol::com_id_request;
use crate::spec::{ComId, LifeCycle, column, uid};
use crate::vdrive::profile::Feature;
use crate::wire::Reader;

/// A HANDLE_COMID_REQUEST.
struct Request {
    com_id: ComId,
    extension: u16,
    code: u32,
}

impl Request {
    /// Reads the payload; what follows its first eight bytes is reserved.
    ///
    /// # Errors
    /// Invalid Transfer Length if it has less than 8 or more than 512 bytes.
    fn read(data: &[u8]) -> Result<Self, Refusal> {
        if data.len() > 512 {
            return Err(Refusal::InvalidParameter);
        }
        let mut reader = Reader::new(data);
        let mut read = || {
            Ok::<_, crate::wire::DecodeError>(Self {
                com_id: ComId(reader.u16()?),
                extension: reader.u16()?,
                code: reader.u32()?,
            })
        };
        read().map_err(|_| Refusal::InvalidParameter)
    }

    /// A GET_COMID_RESPONSE.
    fn response(&self, code: u32, data: &[u8]) -> Octets {
        let length = u16::try_from(data.len()).unwrap_or(u16::MAX);
        let mut bytes = Vec::with_capacity(12 + data.len());
        bytes.extend(self.com_id.0.to_be_bytes());
        bytes.extend(self.extension.to_be_bytes());
        bytes.extend(code.to_be_bytes());
        bytes.extend([0; 2]);
        bytes.extend(length.to_be_bytes());
        bytes.extend(data);
        Octets::new(&bytes)
    }
}

/// Request code of "No Response Available".
const NO_RESPONSE: u32 = 0;
/// State of a ComID that cannot be used.
const INVALID: u32 = 0;
/// State of a ComID that no session uses.
const ISSUED: u32 = 2;
/// State of a ComID that a session uses.
const ASSOCIATED: u32 = 3;
/// The three times of VERIFY_COMID_VALID; this TPer has no clock to tell them by.
const NO_TIMES: [u8; 30] = [0; 30];

impl Tper {
    pub(super) fn send_management(&mut self, com_id: ComId, data: &[u8]) -> Result<(), Refusal> {
        match com_id {
            ComId::TPER_RESET => self.tper_reset(data),
            ComId::BLOCK_SID => self.block_sid(data),
            _ if is_function(com_id) => Err(Refusal::InvalidParameter),
            _ if self.stack_index(com_id).is_some() && self.power.is_deaf() => Ok(()),
            _ if self.stack_index(com_id).is_some() => self.handle_com_id(com_id, data),
            _ => self.send_inactive(),
        }
    }

    pub(super) fn receive_management(
        &mut self,
        com_id: ComId,
        room: usize,
    ) -> Result<Vec<u8>, Refusal> {
        if com_id == GET_COM_ID && self.state.profile.communication.com_id_management {
            return Ok(vec![0; 4]);
        }
        if is_function(com_id) {
            return Err(Refusal::InvalidParameter);
        }
        if self.power.is_deaf() {
            return Ok(no_response(com_id, 0).expose().to_vec());
        }
        let index = self.stack_index(com_id);
        let Some(stack) = index.and_then(|index| self.power.stacks.get_mut(index)) else {
            self.send_inactive()?;
            return Ok(no_response(com_id, INACTIVE).expose().to_vec());
        };
        let waiting = stack
            .management
            .take_if(|response| response.expose().len() <= room);
        let response = waiting.or_else(|| stack.management.clone());
        let response = response.unwrap_or_else(|| no_response(com_id, 0));
        Ok(response.expose().to_vec())
    }

    /// HANDLE_COMID_REQUEST. The ComID in the payload selects the stack.
    fn handle_com_id(&mut self, com_id: ComId, data: &[u8]) -> Result<(), Refusal> {
        let request = Request::read(data)?;
        let target = self
            .stack_index(request.com_id)
            .filter(|_| request.extension == 0);
        let response = match (request.code, target) {
            (com_id_request::VERIFY_COMID_VALID, _) => {
                let state = target.map_or(INVALID, |_| self.com_id_state(request.com_id));
                let data = [&state.to_be_bytes()[..], &NO_TIMES].concat();
                request.response(com_id_request::VERIFY_COMID_VALID, &data)
            }
            (com_id_request::STACK_RESET, Some(_)) => {
                self.reset_stack(request.com_id);
                self.power.is_hung = self.state.profile.defects.hangs_after_stack_reset;
                request.response(com_id_request::STACK_RESET, &[0; 4])
            }
            _ => request.response(NO_RESPONSE, &[]),
        };
        let place = target.or_else(|| self.stack_index(com_id));
        if let Some(stack) = place.and_then(|index| self.power.stacks.get_mut(index)) {
            stack.management = Some(response);
        }
        Ok(())
    }

    fn com_id_state(&self, com_id: ComId) -> u32 {
        let mut sessions = self.power.sessions.iter();
        if sessions.any(|session| session.com_id == com_id.0) {
            return ASSOCIATED;
        }
        ISSUED
    }

    /// TPER_RESET (\[Opal\] 3.2.3): the content of the payload does not matter.
    fn tper_reset(&mut self, data: &[u8]) -> Result<(), Refusal> {
        let enable = column::tper_info::PROGRAMMATIC_RESET_ENABLE;
        if data.is_empty() || !self.view(SpId::Admin).is_true(uid::TPER_INFO, enable) {
            return Err(Refusal::InvalidParameter);
        }
        self.reset(Reset::Programmatic);
        Ok(())
    }

    /// Block SID Authentication (\[Block SID\] 4.3).
    fn block_sid(&mut self, data: &[u8]) -> Result<(), Refusal> {
        let bit0 = |index: usize| data.get(index).is_some_and(|byte| byte & 1 != 0);
        let (hardware_reset_clears, freeze) = (bit0(0), bit0(1));
        let block = self.power.block;
        let profile = &self.state.profile;
        let is_known = profile.discovery.has(&Feature::BlockSid);
        let is_unsupported = !is_known || (freeze && !profile.freeze_lock);
        if data.is_empty() || block.sid || block.frozen || is_unsupported {
            return Err(Refusal::InvalidParameter);
        }
        let block = Block {
            sid: self.sid_is_msid(),
            frozen: freeze && self.life_cycle() == LifeCycle::MANUFACTURED,
            hardware_reset_clears,
        };
        if block.sid || block.frozen {
            self.power.block = block;
            // Not even a crash of the machine may lift the block.
            self.edit();
        }
        if block.frozen {
            self.abort_sessions_of(SpId::Locking);
        }
        Ok(())
    }

    /// True if C_PIN_SID holds what C_PIN_MSID shows.
    pub(crate) fn sid_is_msid(&self) -> bool {
        let admin = self.view(SpId::Admin);
        let pin = |c_pin| admin.cell(c_pin, column::c_pin::PIN);
        pin(uid::C_PIN_SID) == pin(uid::C_PIN_MSID)
    }
}

/// True for an SP Specific that does not stand for a ComID: it names a function, or is reserved for
/// one.
const fn is_function(com_id: ComId) -> bool {
    com_id.0 < 0x0010
}

/// GET_COMID_RESPONSE where there is nothing to tell.
fn no_response(com_id: ComId, extension: u16) -> Octets {
    let request = Request {
        com_id,
        extension,
        code: NO_RESPONSE,
    };
    request.response(NO_RESPONSE, &[])
}

/// SP Specific of GET_COMID.
const GET_COM_ID: ComId = ComId(0x0000);
