//! Memory for secrets and for transfers: whole pages, never dumped, locked on request, wiped.
#![expect(unsafe_code, reason = "memory is mapped by address")]

use std::ffi::c_void;
use std::io;
use std::num::NonZeroUsize;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::slice;

use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mlock, mmap_anonymous, munmap};
use nix::sys::prctl;
use nix::sys::resource::{Resource, setrlimit};
use zeroize::Zeroize;

/// A byte buffer on pages of its own.
///
/// It starts on a page boundary, as direct transfers want it, it is left out of core files, and it
/// is wiped before its pages go back to the kernel. As no other object shares its pages, locking
/// and unlocking one buffer never changes another.
#[derive(Debug)]
pub struct PageBuffer {
    start: NonNull<c_void>,
    len: usize,
}

// SAFETY: the mapping belongs to this value alone, and nothing in it is tied to a thread.
unsafe impl Send for PageBuffer {}
// SAFETY: shared references only read.
unsafe impl Sync for PageBuffer {}

impl PageBuffer {
    /// A buffer of `len` zero bytes.
    ///
    /// # Errors
    /// The kernel's error if there is no memory.
    pub fn new(len: usize) -> io::Result<Self> {
        let length = mapped_length(len);
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: no address is asked for, and the mapping is anonymous: it replaces no other, and
        // no file can shrink under it.
        let start = unsafe { mmap_anonymous(None, length, access, MapFlags::MAP_PRIVATE) }?;
        // A kernel that does not know this advice still has a working buffer.
        // SAFETY: the whole range was mapped above, and this advice does not change its contents.
        let _ = unsafe { madvise(start, length.get(), MmapAdvise::MADV_DONTDUMP) };
        Ok(Self { start, len })
    }

    /// Keeps the buffer out of swap.
    ///
    /// # Errors
    /// The kernel's error, which is ordinary where the limit on locked memory is used up: the
    /// buffer stays usable.
    pub fn lock(&mut self) -> io::Result<()> {
        // SAFETY: the whole range belongs to this value's live mapping.
        Ok(unsafe { mlock(self.start, mapped_length(self.len).get()) }?)
    }
}

/// What is mapped for `len` bytes; the kernel rounds it up to whole pages.
fn mapped_length(len: usize) -> NonZeroUsize {
    NonZeroUsize::new(len).unwrap_or(NonZeroUsize::MIN)
}

impl Deref for PageBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: the range is mapped, readable, initialised with zeros, and borrowed with `self`.
        unsafe { slice::from_raw_parts(self.start.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for PageBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: the range is mapped, writable, initialised, and borrowed exclusively with `self`.
        unsafe { slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.len) }
    }
}

impl Drop for PageBuffer {
    fn drop(&mut self) {
        self.zeroize();
        // Unmapping also unlocks. It cannot fail for a range that this value mapped itself.
        // SAFETY: the range was mapped by `new`, and no borrow of it outlives `self`.
        let _ = unsafe { munmap(self.start, mapped_length(self.len).get()) };
    }
}

/// Keeps this process from ever leaving a core file, and other processes of its user from reading
/// its memory.
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

    /// The kernel's flags of the mapping that holds `buffer`.
    fn vm_flags(buffer: &PageBuffer) -> String {
        let start = format!("{:x}-", buffer.as_ptr().addr());
        let maps = fs::read_to_string("/proc/self/smaps").unwrap();
        maps.lines()
            .skip_while(|line| !line.starts_with(&start))
            .find_map(|line| line.strip_prefix("VmFlags:"))
            .unwrap()
            .to_owned()
    }

    #[test]
    fn buffer_is_zeroed_page_aligned_and_writable() {
        let mut buffer = PageBuffer::new(5000).unwrap();
        assert_eq!(buffer.len(), 5000);
        assert!(buffer.iter().all(|&byte| byte == 0));
        assert_eq!(buffer.as_ptr().addr() % 4096, 0);
        buffer[4999] = 0xa5;
        assert_eq!(buffer[4999], 0xa5);
        assert!(!format!("{buffer:?}").contains("165"), "no contents");
    }

    #[test]
    fn empty_buffer_is_allowed() {
        assert!(PageBuffer::new(0).unwrap().is_empty());
    }

    #[test]
    fn impossible_size_is_an_error() {
        assert!(PageBuffer::new(usize::MAX).is_err());
    }

    #[test]
    fn kernel_neither_dumps_nor_swaps_a_locked_buffer() {
        // An odd size, so that no neighbouring mapping has the same flags and is merged with it.
        let mut buffer = PageBuffer::new(3 * 4096).unwrap();
        let locked = buffer.lock().is_ok();
        let flags = vm_flags(&buffer);
        assert!(flags.split_whitespace().any(|flag| flag == "dd"), "{flags}");
        assert_eq!(
            flags.split_whitespace().any(|flag| flag == "lo"),
            locked,
            "{flags}"
        );
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
