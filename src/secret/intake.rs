//! Reads a bounded number of bytes into memory that is wiped.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use nix::libc::O_NOCTTY;
use zeroize::Zeroizing;

use super::{MAX_SECRET_LENGTH, OpenFiles, Secret, Source, SourceError};

/// Group and others may read. With an access control list the group's bits show what any of its
/// entries allows.
const READABLE_BY_OTHERS: u32 = 0o044;

/// A buffer that never grows: a reallocation would leave a copy behind.
pub(super) struct Intake {
    buffer: Zeroizing<Vec<u8>>,
    filled: usize,
}

impl Intake {
    /// Room for the longest secret, a line end, and one byte that tells that there is more.
    pub(super) fn new() -> Self {
        Self {
            buffer: Zeroizing::new(vec![0; MAX_SECRET_LENGTH + 2]),
            filled: 0,
        }
    }

    /// Reads until the end of `input` or of the buffer; what was read stays when an error comes.
    pub(super) fn read(&mut self, input: &mut impl Read) -> io::Result<()> {
        while let Some(room) = self
            .buffer
            .get_mut(self.filled..)
            .filter(|room| !room.is_empty())
        {
            match input.read(room) {
                Ok(0) => break,
                Ok(length) => self.filled += length,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Has `read` fill the buffer at once and tell how many bytes there are, which may be more.
    pub(super) fn fill<E>(
        &mut self,
        read: impl FnOnce(&mut Zeroizing<Vec<u8>>) -> Result<usize, E>,
    ) -> Result<(), E> {
        self.filled = read(&mut self.buffer)?.min(self.buffer.len());
        Ok(())
    }

    /// Drops one trailing newline, and nothing else.
    pub(super) fn finish(self, origin: &Source) -> Result<Secret, SourceError> {
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if bytes.len() > MAX_SECRET_LENGTH {
            return Err(SourceError::TooLong {
                origin: origin.clone(),
                limit: MAX_SECRET_LENGTH,
            });
        }
        Ok(Secret::from_slice(bytes))
    }
}

/// Reads all of `input`.
pub(super) fn read_all(mut input: impl Read, origin: &Source) -> Result<Secret, SourceError> {
    let mut intake = Intake::new();
    intake
        .read(&mut input)
        .map_err(|source| unreadable(origin, source))?;
    intake.finish(origin)
}

/// The error of a source that the kernel does not let us read.
pub(super) fn unreadable(origin: &Source, source: io::Error) -> SourceError {
    SourceError::Read {
        origin: origin.clone(),
        source,
    }
}

/// Reads a file or a named pipe; the latter waits for its writer.
pub(super) fn read_file(
    path: &Path,
    open_files: OpenFiles,
    origin: &Source,
) -> Result<Secret, SourceError> {
    let found = path
        .metadata()
        .map_err(|source| unreadable(origin, source))?;
    // Before opening, since that has effects on a device and waits on a pipe; and after it, since
    // the path may lead elsewhere by then.
    check_file(path, &found, open_files)?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(O_NOCTTY)
        .open(path);
    let file = file.map_err(|source| unreadable(origin, source))?;
    let opened = file
        .metadata()
        .map_err(|source| unreadable(origin, source))?;
    check_file(path, &opened, open_files)?;
    read_all(file, origin)
}

fn check_file(path: &Path, file: &Metadata, open_files: OpenFiles) -> Result<(), SourceError> {
    if !file.is_file() && !file.file_type().is_fifo() {
        return Err(SourceError::FileType {
            path: path.to_owned(),
        });
    }
    let mode = file.permissions().mode() & 0o7777;
    if open_files == OpenFiles::Refuse && mode & READABLE_BY_OTHERS != 0 {
        return Err(SourceError::OpenFile {
            path: path.to_owned(),
            mode,
        });
    }
    Ok(())
}

/// A handle of our own on an inherited file descriptor.
///
/// Taken through `/proc`, which needs no unsafe code and knows nothing of sockets; a file's
/// position is carried over.
pub(super) fn inherited(descriptor: RawFd) -> io::Result<File> {
    if descriptor == io::stdin().as_raw_fd() {
        return io::stdin().as_fd().try_clone_to_owned().map(File::from);
    }
    let path = format!("/proc/self/fd/{descriptor}");
    let mut file = OpenOptions::new()
        .read(true)
        .custom_flags(O_NOCTTY)
        .open(path)?;
    if file.metadata()?.is_file() {
        file.seek(SeekFrom::Start(position(descriptor)?))?;
    }
    Ok(file)
}

/// Where an inherited file stands (`pos:` in its fdinfo, proc(5)).
fn position(descriptor: RawFd) -> io::Result<u64> {
    let information = std::fs::read_to_string(format!("/proc/self/fdinfo/{descriptor}"))?;
    let position = information
        .lines()
        .find_map(|line| line.strip_prefix("pos:"));
    position
        .and_then(|position| position.trim().parse().ok())
        .ok_or_else(|| io::Error::from(ErrorKind::InvalidData))
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Gives its answers one by one, then the end.
    struct Answers(VecDeque<io::Result<&'static [u8]>>);

    impl Read for Answers {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let bytes = self.0.pop_front().unwrap_or(Ok(b""))?;
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, SourceError> {
        read_all(bytes, &Source::Stdin).map(|secret| secret.expose().to_vec())
    }

    #[test]
    fn exactly_one_newline_is_dropped() {
        let cases: [(&[u8], &[u8]); 8] = [
            (b"pin", b"pin"),
            (b"pin\n", b"pin"),
            (b"pin\n\n", b"pin\n"),
            (b"pin\r\n", b"pin\r"),
            (b" pin \n", b" pin "),
            (b"\npin", b"\npin"),
            (b"a\0b\n", b"a\0b"),
            (b"\n", b""),
        ];
        for (given, expected) in cases {
            assert_eq!(read(given).unwrap(), expected);
        }
    }

    #[test]
    fn length_is_bounded() {
        let longest = vec![b'x'; MAX_SECRET_LENGTH];
        let with_newline = [longest.as_slice(), b"\n"].concat();
        assert_eq!(read(&longest).unwrap(), longest);
        assert_eq!(read(&with_newline).unwrap(), longest);
        for excess in [b"x".as_slice(), b"x\n", b"\n\n", &[b'x'; 10_000]] {
            let error = read(&[longest.as_slice(), excess].concat()).unwrap_err();
            let SourceError::TooLong { limit, .. } = error else {
                panic!("{error:?}")
            };
            assert_eq!(limit, MAX_SECRET_LENGTH);
        }
    }

    #[test]
    fn pieces_are_joined_across_interruptions() {
        let answers = [
            Ok(b"pa".as_slice()),
            Err(ErrorKind::Interrupted.into()),
            Ok(b"ss\n"),
        ];
        let secret = read_all(Answers(answers.into()), &Source::Stdin).unwrap();
        assert_eq!(secret.expose(), b"pass");
    }

    #[test]
    fn errors_are_passed_on_and_keep_what_was_read() {
        let answers = [
            Ok(b"pa".as_slice()),
            Err(ErrorKind::WouldBlock.into()),
            Ok(b"ss"),
        ];
        let mut answers = Answers(answers.into());
        let mut intake = Intake::new();
        assert_eq!(
            intake.read(&mut answers).unwrap_err().kind(),
            ErrorKind::WouldBlock
        );
        intake.read(&mut answers).unwrap();
        assert_eq!(intake.finish(&Source::Stdin).unwrap().expose(), b"pass");
    }
}
