//! Keeps the pages that hold secrets locked in memory for as long as they hold one.
//!
//! Locks on memory do not nest: the first `munlock` of a page undoes every `mlock` before it, and
//! several secrets may share a page. So the secrets on each page are counted, and a page is given
//! up with the last of them. Failures are ignored on purpose: the limit on locked memory is small
//! for ordinary users, and a secret in swappable memory is better than none.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use nix::unistd::{SysconfVar, sysconf};

use crate::sys::memory;

/// Locks the pages under `bytes`, best effort, until [`release`] is called for the same bytes.
pub(super) fn hold(bytes: &[u8]) {
    // Counted before it is locked: whoever gives the page up meanwhile then leaves it locked.
    pages().hold(addresses(bytes));
    if !bytes.is_empty() {
        let _ = memory::lock(bytes);
    }
}

/// Gives up the pages under `bytes` that hold no other secret.
pub(super) fn release(bytes: &[u8]) {
    let start = addresses(bytes).start;
    let mut pages = pages();
    for part in pages.release(addresses(bytes)) {
        if let Some(part) = bytes.get(part.start - start..part.end - start) {
            let _ = memory::unlock(part);
        }
    }
}

fn addresses(bytes: &[u8]) -> Range<usize> {
    let range = bytes.as_ptr_range();
    range.start.addr()..range.end.addr()
}

fn pages() -> MutexGuard<'static, Pages> {
    static PAGES: LazyLock<Mutex<Pages>> = LazyLock::new(|| Mutex::new(Pages::new(page_size())));
    PAGES.lock().unwrap_or_else(PoisonError::into_inner)
}

fn page_size() -> usize {
    const USUAL: usize = 4096;
    let size = sysconf(SysconfVar::PAGE_SIZE).ok().flatten();
    size.and_then(|size| usize::try_from(size).ok())
        .filter(|&size| size > 0)
        .unwrap_or(USUAL)
}

/// How many secrets stand on each page.
struct Pages {
    size: usize,
    secrets: BTreeMap<usize, usize>,
}

impl Pages {
    const fn new(size: usize) -> Self {
        Self {
            size,
            secrets: BTreeMap::new(),
        }
    }

    fn hold(&mut self, bytes: Range<usize>) {
        for page in self.under(&bytes) {
            *self.secrets.entry(page).or_default() += 1;
        }
    }

    /// The parts of `bytes` on pages that hold no secret any more, one part per page.
    fn release(&mut self, bytes: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        for page in self.under(&bytes) {
            if self.forget(page) {
                let start = page * self.size;
                parts.push(bytes.start.max(start)..bytes.end.min(start + self.size));
            }
        }
        parts
    }

    /// Counts one secret less on `page`; whether it was the last.
    fn forget(&mut self, page: usize) -> bool {
        match self.secrets.get_mut(&page) {
            Some(count) if *count > 1 => {
                *count -= 1;
                false
            }
            Some(_) => self.secrets.remove(&page).is_some(),
            None => false,
        }
    }

    /// The numbers of the pages under `bytes`.
    fn under(&self, bytes: &Range<usize>) -> Range<usize> {
        if bytes.is_empty() {
            return 0..0;
        }
        bytes.start / self.size..bytes.end.div_ceil(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start and end of the parts that are given up with `bytes`.
    fn given_up(pages: &mut Pages, bytes: Range<usize>) -> Vec<(usize, usize)> {
        pages
            .release(bytes)
            .into_iter()
            .map(|part| (part.start, part.end))
            .collect()
    }

    #[test]
    fn a_page_is_given_up_with_its_last_secret() {
        let mut pages = Pages::new(4096);
        pages.hold(4096..4128);
        pages.hold(4200..4232);
        assert_eq!(given_up(&mut pages, 4096..4128), []);
        assert_eq!(given_up(&mut pages, 4200..4232), [(4200, 4232)]);
        assert!(pages.secrets.is_empty());
    }

    #[test]
    fn pages_of_one_secret_are_counted_one_by_one() {
        let mut pages = Pages::new(4096);
        pages.hold(8000..8300);
        pages.hold(8100..8110);
        assert_eq!(given_up(&mut pages, 8000..8300), [(8192, 8300)]);
        assert_eq!(given_up(&mut pages, 8100..8110), [(8100, 8110)]);
    }

    #[test]
    fn a_secret_that_ends_on_a_page_boundary_stays_off_the_next() {
        let mut pages = Pages::new(4096);
        pages.hold(8160..8192);
        assert_eq!(pages.secrets.keys().copied().collect::<Vec<_>>(), [1]);
        assert_eq!(given_up(&mut pages, 8160..8192), [(8160, 8192)]);
    }

    #[test]
    fn an_empty_secret_stands_on_no_page() {
        let mut pages = Pages::new(4096);
        pages.hold(4100..4101);
        pages.hold(4100..4100);
        assert_eq!(given_up(&mut pages, 4100..4100), []);
        assert_eq!(given_up(&mut pages, 4100..4101), [(4100, 4101)]);
    }

    #[test]
    fn what_was_not_held_is_not_given_up() {
        assert_eq!(given_up(&mut Pages::new(4096), 8160..8192), []);
    }

    #[test]
    fn the_page_size_is_a_power_of_two() {
        assert!(page_size().is_power_of_two());
    }

    #[test]
    fn pages_of_real_secrets_are_held_and_given_up() {
        let bytes = vec![1; 3 * page_size()];
        // A page in the middle belongs to this allocation alone.
        let page = bytes.as_ptr().addr() / page_size() + 1;
        hold(&bytes);
        assert_eq!(pages().secrets.get(&page), Some(&1));
        release(&bytes);
        assert_eq!(pages().secrets.get(&page), None);
    }
}
