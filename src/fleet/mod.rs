//! Many drives at once: one thread for each.
//!
//! ```
//! let lengths = sedkit::fleet::in_parallel(vec!["sda", "nvme0"], |name| name.len());
//! assert_eq!(lengths, [3, 5]);
//! ```

#![forbid(unsafe_code)]

use std::panic;
use std::thread::{self, ScopedJoinHandle};

/// Does `work` on every drive at the same time, one thread each.
///
/// Results come back in the order in which the drives were given, after the last one is done: what
/// follows may rely on every drive having been worked on.
pub fn in_parallel<T: Send, R: Send>(drives: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let start = |drive| scope.spawn(move || work(drive));
        let running: Vec<_> = drives.into_iter().map(start).collect();
        running.into_iter().map(result).collect()
    })
}

/// A panic of a thread is one of whoever started it.
fn result<R>(thread: ScopedJoinHandle<'_, R>) -> R {
    thread
        .join()
        .unwrap_or_else(|payload| panic::resume_unwind(payload))
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_keep_the_order_of_the_drives() {
        let numbers: Vec<u32> = (0..50).collect();
        let doubled: Vec<u32> = numbers.iter().map(|number| number * 2).collect();
        assert_eq!(in_parallel(numbers, |number| number * 2), doubled);
    }

    #[test]
    fn all_drives_are_worked_on_at_the_same_time() {
        let together = Barrier::new(24);
        in_parallel(vec![(); 24], |()| together.wait());
    }
}
