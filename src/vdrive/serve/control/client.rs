//! The client's side of a control socket.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use super::message::{ControlError, Head, MAX_DATA, Place, Request};
use super::path::ControlPath;
use super::stream::Limited;

/// A drive that another process serves, by the path of its file.
///
/// ```
/// use std::time::Duration;
/// use sedkit::vdrive::serve::{Client, Export, Server, ServerOptions};
/// use sedkit::vdrive::{CreateOptions, VirtualDrive};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("drive.img");
/// drop(VirtualDrive::create(&path, &CreateOptions::new(1 << 20))?);
///
/// let limit = Duration::from_secs(10);
/// assert!(Client::find(&path, limit)?.is_none());
/// let options = ServerOptions::new().export(Export::open(&path)?);
/// let server = Server::start(options.nvme_tcp("127.0.0.1:0".parse()?))?;
/// let client = Client::find(&path, limit)?.ok_or("nobody serves it")?;
/// client.power_cycle()?;
/// assert_eq!(client.read(0, 1)?, [0; 512]);
/// server.stop()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    path: ControlPath,
    limit: Duration,
    places: Vec<Place>,
}

impl Client {
    /// Finds the server of a drive's file; nothing where there is none, or none that this user may
    /// ask. `limit` is for each request.
    ///
    /// # Errors
    /// There is one that does not answer.
    pub fn find(drive: &Path, limit: Duration) -> Result<Option<Self>, ControlError> {
        let path = match ControlPath::beside(drive) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            path => path?,
        };
        let Some((head, _)) = ask(&path, limit, Request::Where)? else {
            return Ok(None);
        };
        let Head::Places(places) = head else {
            return Err(ControlError::Malformed);
        };
        Ok(Some(Self {
            path,
            limit,
            places,
        }))
    }

    /// Where the drive is served.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Cuts the power and brings it back.
    ///
    /// # Errors
    /// The server refuses or does not answer.
    pub fn power_cycle(&self) -> Result<(), ControlError> {
        self.order(Request::PowerCycle)
    }

    /// Resets the interface, as [`crate::VirtualDrive::hardware_reset`] does.
    ///
    /// # Errors
    /// The server refuses or does not answer.
    pub fn hardware_reset(&self) -> Result<(), ControlError> {
        self.order(Request::HardwareReset)
    }

    /// What a host's READ gets, of 1 MiB at most.
    ///
    /// # Errors
    /// The server refuses, as a drive refuses a READ, or does not answer.
    pub fn read(&self, lba: u64, count: u64) -> Result<Vec<u8>, ControlError> {
        self.data(Request::Read { lba, count })
    }

    /// The bytes on the medium, 1 MiB of them at most.
    ///
    /// # Errors
    /// The server refuses or does not answer.
    pub fn ciphertext(&self, lba: u64, count: u64) -> Result<Vec<u8>, ControlError> {
        self.data(Request::Media { lba, count })
    }

    /// Most bytes that one request reads.
    #[must_use]
    pub const fn max_bytes() -> u64 {
        MAX_DATA
    }

    fn order(&self, request: Request) -> Result<(), ControlError> {
        match self.ask(request)? {
            (Head::Done, _) => Ok(()),
            _ => Err(ControlError::Malformed),
        }
    }

    fn data(&self, request: Request) -> Result<Vec<u8>, ControlError> {
        let (Head::Data(length), mut stream) = self.ask(request)? else {
            return Err(ControlError::Malformed);
        };
        // The length was checked when the line was read.
        let mut data = vec![0; length];
        stream.read_exact(&mut data)?;
        Ok(data)
    }

    fn ask(&self, request: Request) -> Result<(Head, Limited), ControlError> {
        let gone = || io::Error::from(io::ErrorKind::NotConnected);
        Ok(ask(&self.path, self.limit, request)?.ok_or_else(gone)?)
    }
}

/// Sends one request and reads the first line of the answer; nothing where nobody listens.
fn ask(
    path: &ControlPath,
    limit: Duration,
    request: Request,
) -> Result<Option<(Head, Limited)>, ControlError> {
    let Some(stream) = path.connect(limit)? else {
        return Ok(None);
    };
    let mut stream = Limited::new(stream, limit);
    stream.write_all(format!("{request}\n").as_bytes())?;
    let head = Head::parse(&stream.read_line()?)?;
    Ok(Some((head, stream)))
}
