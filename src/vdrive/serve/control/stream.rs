//! A connection that ends at a given moment, however slowly the other side sends or reads.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::message::MAX_LINE;

/// A connection with an end.
#[derive(Debug)]
pub(super) struct Limited {
    stream: UnixStream,
    /// Nothing if the clock does not reach so far.
    end: Option<Instant>,
}

impl Limited {
    /// Lets a connection go on for so long at most.
    pub(super) fn new(stream: UnixStream, limit: Duration) -> Self {
        Self {
            stream,
            end: Instant::now().checked_add(limit),
        }
    }

    /// A line, without its end.
    pub(super) fn read_line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        loop {
            let mut byte = [0];
            self.read_exact(&mut byte)?;
            match byte {
                [b'\n'] => break,
                [byte] if line.len() < MAX_LINE => line.push(byte),
                _ => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        String::from_utf8(line).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    /// What is left of the time; a socket takes no limit of zero.
    fn left(&self) -> io::Result<Option<Duration>> {
        let Some(end) = self.end else {
            return Ok(None);
        };
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(Some(left))
    }
}

/// A socket's time limit, which the kernel calls "temporarily unavailable".
fn late(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => io::ErrorKind::TimedOut.into(),
        _ => error,
    }
}

impl Read for Limited {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer).map_err(late)
    }
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes).map_err(late)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(limit: Duration) -> (Limited, UnixStream) {
        let (one, other) = UnixStream::pair().unwrap();
        (Limited::new(one, limit), other)
    }

    #[test]
    fn lines_end_where_they_say() {
        let (mut limited, mut other) = pair(Duration::from_secs(60));
        other.write_all(b"one\n\ntwo").unwrap();
        drop(other);
        assert_eq!(limited.read_line().unwrap(), "one");
        assert_eq!(limited.read_line().unwrap(), "");
        let cut = limited.read_line().unwrap_err();
        assert_eq!(cut.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn lines_without_end_and_lines_of_no_text_are_refused() {
        for hostile in [vec![b'a'; MAX_LINE + 1], b"\xff\n".to_vec()] {
            let (mut limited, mut other) = pair(Duration::from_secs(60));
            other.write_all(&hostile).unwrap();
            let refused = limited.read_line().unwrap_err();
            assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
        }
    }

    #[test]
    fn time_without_end_is_no_limit() {
        let (mut limited, mut other) = pair(Duration::MAX);
        other.write_all(b"line\n").unwrap();
        assert_eq!(limited.read_line().unwrap(), "line");
        assert_eq!(limited.write(b"x").unwrap(), 1);
    }

    #[test]
    fn silence_ends_and_is_called_so() {
        let (mut limited, _other) = pair(Duration::from_millis(10));
        let late = limited.read_line().unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        let late = limited.write(b"x").unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut);
    }
}
