//! Level 0 Discovery, which anybody may ask for at any time (\[Core\] 3.3.6).

use super::com::BLOCK;
use super::tper::Tper;
use super::{Discovery, Error, Malformed, MalformedKind};
use crate::spec::{ComId, SecurityProtocol};

/// First buffer for Level 0 Discovery in bytes: the largest response known has 0x1a0.
const DISCOVERY_BUFFER: usize = 2048;

impl Tper {
    /// Level 0 Discovery: one IF-RECV, and a second one if the response is larger than the first
    /// buffer (\[Core\] 3.3.6).
    ///
    /// # Errors
    /// [`Error::Transport`] if the drive does not know the command, [`Error::NoAnswer`] if it
    /// answers no bytes, [`Error::Malformed`] if it answers zeros or anything else.
    pub fn discover(&mut self) -> Result<Discovery, Error> {
        let discovery = self.fetch_discovery(DISCOVERY_BUFFER)?;
        if discovery.missing == 0 {
            return Ok(discovery);
        }
        let total = usize::try_from(discovery.length).unwrap_or(usize::MAX);
        self.fetch_discovery(total.saturating_add(size_of::<u32>()))
    }

    fn fetch_discovery(&mut self, length: usize) -> Result<Discovery, Error> {
        let limit = self.com.receive_limit();
        let length = length.min(limit).next_multiple_of(BLOCK);
        let mut buffer = vec![0; length.min(limit)];
        let com_id = ComId::LEVEL_0_DISCOVERY;
        let received = self
            .com
            .if_recv(SecurityProtocol::TCG, com_id, &mut buffer)?;
        let bytes = buffer.get(..received).unwrap_or(&buffer);
        if bytes.is_empty() {
            return Err(Error::NoAnswer);
        }
        if bytes.iter().all(|&byte| byte == 0) {
            return Err(Malformed::new(MalformedKind::Zeros, bytes).into());
        }
        Discovery::decode(bytes).map_err(|error| Malformed::decode(error, bytes).into())
    }
}
