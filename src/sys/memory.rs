//! Memory for secrets: kept out of swap and out of core files, wiped after use.
#![expect(unsafe_code, reason = "memory is locked by address")]

use std::ffi::c_void;
use std::io;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;

use nix::sys::mman::{MmapAdvise, madvise, mlock, munlock};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::{SysconfVar, sysconf};
use zeroize::Zeroize;

/// Keeps the pages under `bytes` out of swap and out of core files.
///
/// Locks do not nest: one [`unlock`] of a page undoes every lock of it.
///
/// # Errors
/// The kernel's error, which is ordinary where the limit on locked memory is used up. Even then the
/// pages stay out of core files.
pub fn lock(bytes: &[u8]) -> io::Result<()> {
    change(bytes, MmapAdvise::MADV_DONTDUMP, mlock)
}

/// Undoes [`lock`] for the pages under `bytes`.
///
/// # Errors
/// The kernel's error.
pub fn unlock(bytes: &[u8]) -> io::Result<()> {
    change(bytes, MmapAdvise::MADV_DODUMP, munlock)
}

type Change = unsafe fn(NonNull<c_void>, usize) -> nix::Result<()>;

fn change(bytes: &[u8], advice: MmapAdvise, change: Change) -> io::Result<()> {
    let Some((start, length)) = pages(bytes) else {
        return Ok(());
    };
    // A kernel that does not know the advice can still lock.
    // SAFETY: pages under borrowed bytes are mapped, and neither advice changes them.
    let _ = unsafe { madvise(start, length, advice) };
    // SAFETY: pages under borrowed bytes are mapped.
    Ok(unsafe { change(start, length) }?)
}

/// Start and length of the whole pages under `bytes`; `None` if there are none.
fn pages(bytes: &[u8]) -> Option<(NonNull<c_void>, usize)> {
    let page = page_size();
    let start = bytes.as_ptr().map_addr(|start| start / page * page);
    let end = bytes.as_ptr_range().end.addr().next_multiple_of(page);
    let start = NonNull::new(start.cast_mut().cast()).filter(|_| !bytes.is_empty())?;
    Some((start, end - start.addr().get()))
}

fn page_size() -> usize {
    let size = sysconf(SysconfVar::PAGE_SIZE).unwrap_or_default();
    usize::try_from(size.unwrap_or(4096)).unwrap_or(4096)
}

/// A byte buffer that starts on a page boundary, as direct transfers want it, and is wiped.
/// No other object shares its pages, so that it may be locked and unlocked by itself.
pub struct PageBuffer {
    bytes: Vec<u8>,
    used: Range<usize>,
}

impl PageBuffer {
    /// A buffer of `len` zero bytes, locked where the limit on locked memory allows it.
    pub fn new(len: usize) -> Self {
        let page = page_size();
        let bytes = vec![0; len.next_multiple_of(page) + page];
        let start = bytes.as_ptr().addr().next_multiple_of(page) - bytes.as_ptr().addr();
        let used = start..start + len;
        let buffer = Self { bytes, used };
        let _ = lock(&buffer);
        buffer
    }
}

impl Deref for PageBuffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.bytes[self.used.clone()]
    }
}

impl DerefMut for PageBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.used.clone()]
    }
}

impl Drop for PageBuffer {
    fn drop(&mut self) {
        self.zeroize();
        let _ = unlock(self);
    }
}

/// Keeps this process from leaving a core file, and others of its user from reading its memory.
///
/// # Errors
/// The kernel's error if it refuses; neither setting needs a privilege.
pub fn disable_core_dumps() -> io::Result<()> {
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    Ok(prctl::set_dumpable(false)?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use nix::sys::resource::getrlimit;

    use super::*;

    /// The kernel's flags of the mapping that holds `bytes`.
    fn vm_flags(bytes: &[u8]) -> Vec<String> {
        let address = bytes.as_ptr().addr();
        let holds = |line: &str| {
            let range = line
                .split(' ')
                .next()
                .and_then(|range| range.split_once('-'));
            let number = |text: &str| usize::from_str_radix(text, 16).ok();
            let range = range.and_then(|(start, end)| Some(number(start)?..number(end)?));
            range.is_some_and(|range| range.contains(&address))
        };
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        let mut lines = maps.lines().skip_while(|line| !holds(line));
        let flags = lines
            .find_map(|line| line.strip_prefix("VmFlags:"))
            .unwrap();
        flags.split_whitespace().map(str::to_owned).collect()
    }

    fn has(flags: &[String], flag: &str) -> bool {
        flags.iter().any(|found| found == flag)
    }

    #[test]
    fn buffer_is_zeroed_page_aligned_and_writable() {
        for len in [1, 5000, 8192] {
            let mut buffer = PageBuffer::new(len);
            assert_eq!(buffer.len(), len);
            assert!(buffer.iter().all(|&byte| byte == 0));
            assert_eq!(buffer.as_ptr().addr() % page_size(), 0);
            buffer[len - 1] = 0xa5;
            assert_eq!(buffer[len - 1], 0xa5);
        }
    }

    #[test]
    fn empty_buffer_is_allowed() {
        assert!(PageBuffer::new(0).is_empty());
    }

    #[test]
    fn kernel_neither_dumps_nor_swaps_locked_bytes() {
        let bytes = vec![1; 5 * page_size()];
        let locked = lock(&bytes).is_ok();
        let flags = vm_flags(&bytes);
        assert!(has(&flags, "dd"), "{flags:?}");
        assert_eq!(has(&flags, "lo"), locked, "{flags:?}");
        unlock(&bytes).unwrap();
        let flags = vm_flags(&bytes);
        assert!(!has(&flags, "dd") && !has(&flags, "lo"), "{flags:?}");
    }

    #[test]
    fn pages_are_whole() {
        let page = page_size();
        let buffer = PageBuffer::new(3 * page);
        let at = |range: Range<usize>| {
            let (start, length) = pages(&buffer[range]).unwrap();
            (start.addr().get() - buffer.as_ptr().addr(), length)
        };
        assert_eq!(at(0..1), (0, page));
        assert_eq!(at(page - 1..page + 1), (0, 2 * page));
        assert_eq!(at(page..2 * page), (page, page));
        assert_eq!(pages(&buffer[5..5]), None);
    }

    #[test]
    fn no_bytes_are_locked_and_unlocked() {
        lock(&[]).unwrap();
        unlock(&[]).unwrap();
    }

    #[test]
    fn core_dumps_can_be_switched_off() {
        // In a process of its own, as the setting would change what other tests see in /proc.
        let child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--ignored",
                "--exact",
                "sys::memory::tests::core_dumps_are_off_in_the_child",
            ])
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&child.stdout);
        assert!(output.contains("1 passed"), "{output}");
    }

    #[test]
    #[ignore = "run by core_dumps_can_be_switched_off"]
    fn core_dumps_are_off_in_the_child() {
        disable_core_dumps().unwrap();
        assert_eq!(getrlimit(Resource::RLIMIT_CORE).unwrap(), (0, 0));
        assert!(!prctl::get_dumpable().unwrap());
    }
}
