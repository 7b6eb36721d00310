//! Many drives at once: which nodes are one drive, and one thread for each drive.
//!
//! ```
//! let lengths = sedkit::fleet::in_parallel(vec!["sda", "nvme0"], |name| name.len());
//! assert_eq!(lengths, [3, 5]);
//! ```

#![forbid(unsafe_code)]

use std::panic;
use std::thread;

mod grouping;

pub use grouping::{is_same_drive, one_per_drive};

/// Does `work` on every drive at the same time, one thread each.
///
/// Results come back in the order in which the drives were given, after the last one is done: what
/// follows may rely on every drive having been worked on.
pub fn in_parallel<T: Send, R: Send>(drives: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let start = |drive| scope.spawn(move || work(drive));
        let running: Vec<_> = drives.into_iter().map(start).collect();
        let result = |thread: thread::ScopedJoinHandle<'_, R>| thread.join();
        running
            .into_iter()
            .map(|thread| result(thread).unwrap_or_else(|payload| panic::resume_unwind(payload)))
            .collect()
    })
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
