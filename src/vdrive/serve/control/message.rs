//! Requests and answers as lines.

use std::fmt;
use std::io;
use std::net::SocketAddr;

/// Longest line with its end.
pub(super) const MAX_LINE: usize = 1024;
/// Most bytes of data in an answer.
pub(crate) const MAX_DATA: u64 = 1 << 20;

/// What somebody asks of a served drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Where it is served.
    Where,
    /// To cut the power.
    PowerCycle,
    /// To reset the interface.
    HardwareReset,
    /// What a host's READ gets.
    Read { lba: u64, count: u64 },
    /// The bytes on the medium.
    Media { lba: u64, count: u64 },
}

impl Request {
    pub(super) fn parse(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        Some(match words.as_slice() {
            ["where"] => Self::Where,
            ["power-cycle"] => Self::PowerCycle,
            ["hardware-reset"] => Self::HardwareReset,
            ["read", lba, count] => Self::Read {
                lba: lba.parse().ok()?,
                count: count.parse().ok()?,
            },
            ["media", lba, count] => Self::Media {
                lba: lba.parse().ok()?,
                count: count.parse().ok()?,
            },
            _ => return None,
        })
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Where => f.write_str("where"),
            Self::PowerCycle => f.write_str("power-cycle"),
            Self::HardwareReset => f.write_str("hardware-reset"),
            Self::Read { lba, count } => write!(f, "read {lba} {count}"),
            Self::Media { lba, count } => write!(f, "media {lba} {count}"),
        }
    }
}

/// Where a drive is served.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Over NVMe/TCP.
    NvmeTcp {
        /// Where it listens.
        address: SocketAddr,
        /// The subsystem's name.
        nqn: String,
    },
    /// As a SCSI disk of the server's machine.
    Disk {
        /// The disk's name in the kernel's SCSI target.
        name: String,
    },
}

impl Place {
    fn parse(text: &str) -> Option<Self> {
        match text.split(' ').collect::<Vec<_>>().as_slice() {
            ["nvme-tcp", address, nqn] => Some(Self::NvmeTcp {
                address: address.parse().ok()?,
                nqn: (*nqn).to_owned(),
            }),
            ["disk", name] => Some(Self::Disk {
                name: (*name).to_owned(),
            }),
            _ => None,
        }
    }

    fn line(&self) -> String {
        match self {
            Self::NvmeTcp { address, nqn } => format!("nvme-tcp {address} {nqn}"),
            Self::Disk { name } => format!("disk {name}"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NvmeTcp { address, nqn } => write!(f, "over NVMe/TCP at {address} as {nqn}"),
            Self::Disk { name } => write!(f, "as the SCSI disk {name}"),
        }
    }
}

/// Why a server does not do what it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The blocks are locked.
    #[error("data protected")]
    DataProtection,
    /// The command crosses into another locking range, and the drive terminates such commands.
    #[error("the command crosses into another locking range")]
    InvalidParameter,
    /// The blocks lie beyond the end of the drive.
    #[error("the blocks lie beyond the end of the drive")]
    OutOfRange,
    /// More than one answer holds.
    #[error("too many blocks at once")]
    TooMuch,
    /// The server does not know the request.
    #[error("unknown request")]
    Unknown,
    /// The drive's file failed, or something that this program has no word for.
    #[error("the drive failed")]
    Failed,
}

impl Refusal {
    const ALL: [Self; 6] = [
        Self::DataProtection,
        Self::InvalidParameter,
        Self::OutOfRange,
        Self::TooMuch,
        Self::Unknown,
        Self::Failed,
    ];

    fn parse(text: &str) -> Self {
        let known = Self::ALL.into_iter().find(|one| one.to_string() == text);
        known.unwrap_or(Self::Failed)
    }
}

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ControlError {
    /// The server said no.
    #[error("the server of the drive refused")]
    Refused(#[from] Refusal),
    /// The server did not answer in time, or went away.
    #[error("the server of the drive does not answer")]
    Silent(#[from] io::Error),
    /// The answer is none.
    #[error("the server of the drive answered nonsense")]
    Malformed,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It is done.
    Done,
    /// Where the drive is served.
    Places(Vec<Place>),
    /// Bytes of the drive.
    Data(Vec<u8>),
    /// It is not done.
    Refused(Refusal),
}

impl Reply {
    /// The line and what follows it.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Done => b"ok\n".to_vec(),
            Self::Places(places) => {
                let lines: Vec<String> = places.iter().map(Place::line).collect();
                format!("ok {}\n", lines.join("\t")).into_bytes()
            }
            Self::Data(data) => {
                let mut bytes = format!("data {}\n", data.len()).into_bytes();
                bytes.extend_from_slice(data);
                bytes
            }
            Self::Refused(refusal) => format!("error {refusal}\n").into_bytes(),
        }
    }
}

/// The first line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Done,
    Places(Vec<Place>),
    /// So many bytes follow.
    Data(usize),
}

impl Head {
    pub(super) fn parse(line: &str) -> Result<Self, ControlError> {
        match line.split_once(' ') {
            None if line == "ok" => Ok(Self::Done),
            Some(("ok", places)) => {
                // A newer server may know places that have no name here.
                let places = places.split('\t').filter_map(Place::parse).collect();
                Ok(Self::Places(places))
            }
            Some(("data", length)) => {
                let length = length.parse::<u64>().ok();
                let length = length
                    .filter(|length| *length <= MAX_DATA)
                    .and_then(|length| usize::try_from(length).ok());
                length.map(Self::Data).ok_or(ControlError::Malformed)
            }
            Some(("error", text)) => Err(Refusal::parse(text).into()),
            _ => Err(ControlError::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_back_as_they_went() {
        let (lba, count) = (u64::MAX, 7);
        for request in [
            Request::Where,
            Request::PowerCycle,
            Request::HardwareReset,
            Request::Read { lba, count },
            Request::Media { lba, count },
        ] {
            assert_eq!(Request::parse(&request.to_string()), Some(request));
        }
    }

    #[test]
    fn other_lines_are_no_requests() {
        for line in [
            "",
            " ",
            "where ",
            "WHERE",
            "read",
            "read 1",
            "read 1 2 3",
            "read -1 1",
            "media 1 99999999999999999999",
            "power-cycle\0",
        ] {
            assert_eq!(Request::parse(line), None, "{line:?}");
        }
    }

    fn head(reply: &Reply) -> Result<Head, ControlError> {
        let bytes = reply.to_bytes();
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        Head::parse(std::str::from_utf8(&bytes[..end]).unwrap())
    }

    #[test]
    fn answers_come_back_as_they_went() {
        assert_eq!(head(&Reply::Done).unwrap(), Head::Done);
        assert_eq!(head(&Reply::Data(vec![10; 3])).unwrap(), Head::Data(3));
        let places = ["127.0.0.1:4420", "[::1]:1"].map(|address| Place::NvmeTcp {
            address: address.parse().unwrap(),
            nqn: "nqn.2026-01.org.example".to_owned(),
        });
        let name = "disk-1".to_owned();
        let places = [&places[..], &[Place::Disk { name }]].concat();
        let reply = Reply::Places(places.clone());
        assert_eq!(head(&reply).unwrap(), Head::Places(places));
        for refusal in Refusal::ALL {
            let answer = head(&Reply::Refused(refusal));
            assert!(matches!(answer, Err(ControlError::Refused(one)) if one == refusal));
        }
    }

    #[test]
    fn other_lines_are_no_answers() {
        for line in [
            "",
            "OK",
            "okay",
            "data",
            "data x",
            "data 1048577",
            "data -1",
            "err or",
        ] {
            let head = Head::parse(line);
            assert!(matches!(head, Err(ControlError::Malformed)), "{line:?}");
        }
        let unknown = Head::parse("error out of cheese");
        assert!(matches!(
            unknown,
            Err(ControlError::Refused(Refusal::Failed))
        ));
    }
}
