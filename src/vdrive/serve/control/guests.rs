//! Who is connected: so many at most, and nobody any longer when the server ends.

use std::collections::BTreeMap;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Connections at once. Whoever comes after them takes the place of the one that came first.
const LIMIT: usize = 16;

/// The connections that are open, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Guests(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    next: u64,
    open: BTreeMap<u64, UnixStream>,
}

impl Guests {
    /// Takes note of a connection until the value is dropped.
    pub(super) fn admit(&self, stream: &UnixStream) -> io::Result<Guest<'_>> {
        let stream = stream.try_clone()?;
        let mut book = self.book();
        while book.open.len() >= LIMIT {
            let Some((_, first)) = book.open.pop_first() else {
                break;
            };
            end(&first);
        }
        let number = book.next;
        book.next += 1;
        book.open.insert(number, stream);
        Ok(Guest {
            guests: self,
            number,
        })
    }

    /// Ends every connection.
    pub(super) fn end_all(&self) {
        for stream in std::mem::take(&mut self.book().open).values() {
            end(stream);
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that is in the book.
#[derive(Debug)]
pub(super) struct Guest<'g> {
    guests: &'g Guests,
    number: u64,
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        self.guests.book().open.remove(&self.number);
    }
}

/// Whoever reads or writes there finds the end; one that is gone already is no matter.
fn end(stream: &UnixStream) {
    let _ = stream.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn whoever_came_first_makes_room() {
        let guests = Guests::default();
        let pairs: Vec<_> = (0..=LIMIT).map(|_| UnixStream::pair().unwrap()).collect();
        let admitted: Vec<_> = pairs.iter().map(|(one, _)| guests.admit(one)).collect();
        assert!(admitted.iter().all(Result::is_ok));
        let is_open = |(_, other): &(UnixStream, UnixStream)| {
            other.set_nonblocking(true).unwrap();
            (&*other).read(&mut [0]).is_err()
        };
        let open: Vec<bool> = pairs.iter().map(is_open).collect();
        assert!(!open[0] && open[1..].iter().all(|open| *open), "{open:?}");
        drop(admitted);
        assert!(guests.book().open.is_empty());
    }
}
