//! A drive behind an NVMe controller: Security Send and Security Receive through libnvme.

use std::fs::File;
use std::os::fd::AsFd;
use std::time::Duration;

use super::Namespace;
use crate::spec::{ComId, SecurityProtocol};
use crate::sys::nvme::{AdminQueue, Failure};
use crate::transport::nvme::{self, IdentifyController, IdentifyNamespace, name};
use crate::transport::{Bus, Error, Identity};

/// An open NVMe node.
pub(super) struct NvmeLink {
    file: File,
    path: String,
    timeout: Duration,
    controller: IdentifyController,
}

impl NvmeLink {
    /// Asks the controller who it is.
    pub(super) fn open(file: File, path: String, timeout: Duration) -> Result<Self, Error> {
        let queue = AdminQueue {
            node: file.as_fd(),
            timeout,
        };
        let data = queue
            .identify(None)
            .map_err(|failure| error(name::IDENTIFY, failure))?;
        let controller = IdentifyController::parse(&data);
        Ok(Self {
            file,
            path,
            timeout,
            controller,
        })
    }

    fn queue(&self) -> AdminQueue<'_> {
        AdminQueue {
            node: self.file.as_fd(),
            timeout: self.timeout,
        }
    }

    /// Serial, model and firmware of the controller, and the name of the first namespace.
    pub(super) fn identity(&self) -> Identity {
        let controller = &self.controller;
        let (model, serial, firmware) =
            (&controller.model, &controller.serial, &controller.firmware);
        let mut identity = Identity::new(Bus::Nvme, model, serial, firmware);
        identity.wwn = self
            .identify_namespace(1)
            .and_then(|namespace| namespace.name);
        identity
    }

    /// The longest transfer that the controller takes, where it states one.
    pub(super) fn limit(&self) -> Option<usize> {
        self.controller.max_transfer
    }

    /// True if the controller has the security commands.
    pub(super) fn has_security(&self) -> bool {
        self.controller.has_security
    }

    /// What a namespace is.
    pub(super) fn namespace(&self, name: &str, nsid: u32) -> Option<Namespace> {
        let facts = self.identify_namespace(nsid)?;
        Some(Namespace {
            name: name.to_owned(),
            nsid,
            blocks: facts.blocks,
            block_size: facts.block_size,
            wwn: facts.name,
        })
    }

    fn identify_namespace(&self, nsid: u32) -> Option<IdentifyNamespace> {
        if nsid > self.controller.namespaces {
            return None;
        }
        let data = self.queue().identify(Some(nsid)).ok()?;
        Some(IdentifyNamespace::parse(&data))
    }

    pub(super) fn send(
        &self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.check()?;
        let result = self.queue().security_send(protocol.0, com_id.0, data);
        result.map_err(|failure| self.error(name::SECURITY_SEND, failure))
    }

    /// Fills the whole buffer: NVMe does not say how much of it the drive wrote.
    pub(super) fn receive(
        &self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &mut [u8],
    ) -> Result<usize, Error> {
        self.check()?;
        let result = self.queue().security_receive(protocol.0, com_id.0, data);
        result.map_err(|failure| self.error(name::SECURITY_RECEIVE, failure))?;
        Ok(data.len())
    }

    fn check(&self) -> Result<(), Error> {
        if !self.has_security() {
            return Err(self.not_supported());
        }
        Ok(())
    }

    /// A controller that has no such command has no security commands, whatever it stated.
    fn error(&self, command: &'static str, failure: Failure) -> Error {
        match error(command, failure) {
            Error::Interface {
                status: nvme::INVALID_OPCODE,
                ..
            } => self.not_supported(),
            error => error,
        }
    }

    fn not_supported(&self) -> Error {
        Error::NotSupported {
            path: self.path.clone(),
        }
    }
}

fn error(command: &'static str, failure: Failure) -> Error {
    match failure {
        Failure::Status(field) => Error::Interface {
            command,
            status: nvme::status(field),
        },
        Failure::Os(source) => Error::Io { command, source },
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn status_keeps_the_name_of_the_command() {
        let error = error(name::SECURITY_SEND, Failure::Status(0x400c));
        assert_eq!(
            error.to_string(),
            "the drive refused Security Send: synchronous protocol violation (NVMe status 0/0ch, \
             Command Sequence Error)"
        );
    }

    #[test]
    fn node_without_nvme_cannot_be_opened() {
        let file = File::open("/dev/null").unwrap();
        let result = NvmeLink::open(file, "/dev/null".to_owned(), Duration::from_secs(1));
        let Err(Error::Io { command, source }) = result else {
            panic!("opened");
        };
        assert_eq!(command, "Identify");
        assert_eq!(source.kind(), io::Error::from_raw_os_error(25).kind());
    }
}
