//! The server: drives, their front ends, and their control sockets.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use super::control::{ControlPath, Handler, Service};
use super::disk::{ServedDisk, SharedAlarm};
use super::error::Error;
use super::export::{Export, Exported};
use super::nvme_tcp::NvmeTcp;
use crate::transport::trace::Sink;

/// What is served, and where.
#[derive(Default)]
pub struct ServerOptions {
    exports: Vec<Export>,
    nvme_tcp: Option<SocketAddr>,
    trace: Option<Sink>,
    alarm: Option<SharedAlarm>,
}

impl ServerOptions {
    /// Nothing, nowhere.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves one more drive.
    #[must_use]
    pub fn export(mut self, export: Export) -> Self {
        self.exports.push(export);
        self
    }

    /// Serves the drives over NVMe/TCP at this address; port 0 is any that is free.
    #[must_use]
    pub const fn nvme_tcp(mut self, address: SocketAddr) -> Self {
        self.nvme_tcp = Some(address);
        self
    }

    /// Shows every interface command and every reset, one text for each. PINs are masked.
    #[must_use]
    pub fn trace(mut self, sink: Sink) -> Self {
        self.trace = Some(sink);
        self
    }

    /// Calls this, on a thread of the server's, if a disk fails while it is served: nobody answers
    /// the kernel any longer. [`Server::stop`] says why. It must not wait for the server.
    #[must_use]
    pub fn alarm(mut self, alarm: impl Fn() + Send + Sync + 'static) -> Self {
        self.alarm = Some(Arc::new(alarm));
        self
    }

    /// Checks that every drive has a place and a name of its own.
    fn check(&self) -> Result<(), Error> {
        let has_place = |export: &Export| self.nvme_tcp.is_some() || export.has_disk();
        if self.exports.is_empty() || !self.exports.iter().all(has_place) {
            return Err(Error::Nothing);
        }
        if self.nvme_tcp.is_some() {
            self.exports.iter().try_for_each(check_block_size)?;
        }
        let mut names = HashSet::new();
        let twice = self
            .exports
            .iter()
            .find(|export| !names.insert(export.nqn()));
        twice.map_or(Ok(()), |export| {
            let nqn = export.nqn().clone();
            Err(Error::SameName { nqn })
        })
    }
}

fn check_block_size(export: &Export) -> Result<(), Error> {
    let block_size = export.block_size();
    match block_size.is_power_of_two() {
        true => Ok(()),
        false => Err(Error::BlockSize {
            nqn: export.nqn().clone(),
            block_size,
        }),
    }
}

/// Drives that are being served. Dropping the value ends it as [`Server::stop`] does.
///
/// ```
/// use std::net::TcpStream;
/// use sedkit::vdrive::serve::{Export, Server, ServerOptions};
/// use sedkit::vdrive::{CreateOptions, VirtualDrive};
///
/// let drive = VirtualDrive::in_memory(&CreateOptions::new(64 << 20))?;
/// let options = ServerOptions::new()
///     .export(Export::new(drive))
///     .nvme_tcp("127.0.0.1:0".parse()?);
/// let server = Server::start(options)?;
/// let address = server.local_addr().ok_or("not over NVMe/TCP")?;
/// let host = TcpStream::connect(address)?;
/// server.power_cycle(0)?;
/// server.stop()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server {
    // In this order they end: nobody asks for anything any longer, connections end, files close.
    controls: Vec<Service>,
    nvme_tcp: Option<NvmeTcp>,
    disks: Vec<ServedDisk>,
    drives: Vec<Arc<Exported>>,
}

impl Server {
    /// Starts to serve. When this returns, everything listens.
    ///
    /// # Errors
    /// There is nothing to serve, or no place to do so. Nothing is served then.
    pub fn start(options: ServerOptions) -> Result<Self, Error> {
        options.check()?;
        let sink = options.trace.map(|sink| Arc::new(Mutex::new(sink)));
        let share = |export: Export| export.share(sink.as_ref());
        let mut drives: Vec<Exported> = options.exports.into_iter().map(share).collect();
        let nvme_tcp = options.nvme_tcp;
        let nvme_tcp = nvme_tcp.map(|address| NvmeTcp::start(address, &mut drives));
        let nvme_tcp = nvme_tcp.transpose()?;
        let alarm = options.alarm.as_ref();
        let disks = drives
            .iter_mut()
            .map(|drive| ServedDisk::start(drive, alarm));
        let disks = disks.collect::<Result<Vec<_>, _>>()?.into_iter().flatten();
        let disks = disks.collect();
        let drives: Vec<Arc<Exported>> = drives.into_iter().map(Arc::new).collect();
        let controls = drives.iter().filter_map(start_control);
        Ok(Self {
            controls: controls.collect::<Result<_, _>>()?,
            nvme_tcp,
            disks,
            drives,
        })
    }

    /// Where NVMe/TCP is served.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.nvme_tcp.as_ref()?.address()
    }

    /// The drives, in the order in which they were given.
    pub fn drives(&self) -> impl Iterator<Item = &Exported> {
        self.drives.iter().map(AsRef::as_ref)
    }

    /// Cuts the power of a drive and brings it back: connections end, locks close.
    ///
    /// # Errors
    /// There is no such drive, or its file failed.
    pub fn power_cycle(&self, index: usize) -> Result<(), Error> {
        Ok(self.drive(index)?.power_cycle()?)
    }

    /// Cuts the power of all drives and brings it back.
    ///
    /// # Errors
    /// A file failed; the power of the other drives was cut all the same.
    pub fn power_cycle_all(&self) -> Result<(), Error> {
        let cycle = |drive: &Arc<Exported>| drive.power_cycle();
        let outcomes: Vec<_> = self.drives.iter().map(cycle).collect();
        Ok(outcomes.into_iter().collect::<Result<(), _>>()?)
    }

    /// Resets a drive's interface as an NVM Subsystem Reset does: connections end, and locks close
    /// that ask for this reset.
    ///
    /// # Errors
    /// There is no such drive, or its file failed.
    pub fn hardware_reset(&self, index: usize) -> Result<(), Error> {
        Ok(self.drive(index)?.hardware_reset()?)
    }

    /// Ends it: connections are closed, data made durable, control sockets removed, files unlocked.
    ///
    /// # Errors
    /// Data could not be made durable, the kernel keeps a disk, or a disk had failed before.
    pub fn stop(mut self) -> Result<(), Error> {
        self.end()
    }

    /// A second time there is nothing left to end.
    fn end(&mut self) -> Result<(), Error> {
        self.controls.clear();
        self.nvme_tcp.take().into_iter().for_each(NvmeTcp::stop);
        let disks: Vec<_> = self.disks.drain(..).map(ServedDisk::stop).collect();
        let drives: Vec<_> = self.drives().map(Exported::flush).collect();
        self.drives.clear();
        disks.into_iter().collect::<Result<(), _>>()?;
        Ok(drives.into_iter().collect::<Result<(), _>>()?)
    }

    fn drive(&self, index: usize) -> Result<&Exported, Error> {
        let drive = self.drives.get(index).map(AsRef::as_ref);
        drive.ok_or(Error::NoDrive { index })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Whoever wants to know what cannot be made durable calls `stop`.
        let _ = self.end();
    }
}

/// The control socket of a drive that lies in a file.
fn start_control(drive: &Arc<Exported>) -> Option<Result<Service, Error>> {
    let path = drive.path()?;
    let failed = |source| Error::Control {
        path: path.to_owned(),
        source,
    };
    let handler: Handler = {
        let drive = Arc::clone(drive);
        Arc::new(move |request| drive.control(request))
    };
    let started = ControlPath::beside(path).and_then(|path| Service::start(&path, handler));
    Some(started.map_err(failed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vdrive::serve::{Client, Face, TcmuError};
    use crate::vdrive::{CreateOptions, VirtualDrive};

    fn export(serial: &str) -> Export {
        let mut options = CreateOptions::new(1 << 20);
        options.serial = Some(serial.to_owned());
        Export::new(VirtualDrive::in_memory(&options).unwrap())
    }

    fn anywhere() -> ServerOptions {
        ServerOptions::new().nvme_tcp("127.0.0.1:0".parse().unwrap())
    }

    #[test]
    fn nothing_or_nowhere_is_not_served() {
        for options in [anywhere(), ServerOptions::new().export(export("A"))] {
            assert!(matches!(Server::start(options), Err(Error::Nothing)));
        }
        let same = anywhere().export(export("A")).export(export("A"));
        assert!(matches!(Server::start(same), Err(Error::SameName { .. })));
    }

    #[test]
    fn blocks_that_nvme_cannot_name_are_not_served() {
        for (block_size, is_served) in [(512, true), (520, false), (1536, false), (4096, true)] {
            let mut options = CreateOptions::new(u64::from(block_size) * 100);
            options.profile.geometry.block_size = block_size;
            let export = Export::new(VirtualDrive::in_memory(&options).unwrap());
            let started = Server::start(anywhere().export(export));
            match started {
                Ok(_) => assert!(is_served, "{block_size}"),
                Err(Error::BlockSize { .. }) => assert!(!is_served, "{block_size}"),
                Err(error) => panic!("{block_size}: {error}"),
            }
        }
    }

    #[test]
    fn drives_are_numbered_as_they_were_given() {
        let options = anywhere().export(export("A")).export(export("B"));
        let server = Server::start(options).unwrap();
        let serials: Vec<&str> = server.drives().map(Exported::serial).collect();
        assert_eq!(serials, ["A", "B"]);
        server.power_cycle(1).unwrap();
        server.hardware_reset(0).unwrap();
        server.power_cycle_all().unwrap();
        let none = server.power_cycle(2);
        assert!(matches!(none, Err(Error::NoDrive { index: 2 })));
        server.stop().unwrap();
    }

    #[test]
    fn a_server_that_cannot_start_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drive");
        drop(VirtualDrive::create(&path, &CreateOptions::new(1 << 20)).unwrap());
        let disk = Export::open(&path).unwrap().with_disk("no name", Face::Sas);
        let Err(Error::Disk { source, .. }) = Server::start(anywhere().export(disk)) else {
            panic!("a disk without a proper name was served");
        };
        assert!(matches!(
            source,
            TcmuError::Name | TcmuError::NotRoot | TcmuError::NoTarget { .. }
        ));
        let limit = std::time::Duration::from_secs(10);
        assert!(Client::find(&path, limit).unwrap().is_none());
        VirtualDrive::open(&path).unwrap();
    }

    #[test]
    fn a_server_that_is_dropped_has_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drive");
        drop(VirtualDrive::create(&path, &CreateOptions::new(1 << 20)).unwrap());
        let server = Server::start(anywhere().export(Export::open(&path).unwrap())).unwrap();
        let address = server.local_addr().unwrap();
        let _host = std::net::TcpStream::connect(address).unwrap();
        drop(server);
        assert!(std::net::TcpStream::connect(address).is_err());
        VirtualDrive::open(&path).unwrap();
    }
}
