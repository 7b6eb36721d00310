//! libnvme: which nodes are one drive, Identify, and Security Send and Receive.
#![expect(unsafe_code, reason = "libnvme is a C library")]

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int};
use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::{self, NonNull};
use std::time::Duration;

use sedkit_sys as c;

use super::ioctl::milliseconds;

/// An NVM subsystem: the nodes of one drive, by their kernel names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subsystem {
    /// NVMe Qualified Name.
    pub nqn: String,
    /// Controllers, such as `nvme0`, which are also the paths to the drive.
    pub controllers: Vec<String>,
    /// Namespaces, such as `nvme0n1`.
    pub namespaces: BTreeSet<String>,
}

/// Every NVM subsystem of this machine: none where libnvme finds no tree, or an empty one.
#[must_use]
pub fn topology() -> Vec<Subsystem> {
    let mut subsystems = Vec::new();
    // SAFETY: a null name means that no configuration file is read.
    let Some(tree) = NonNull::new(unsafe { c::nvme_scan(ptr::null()) }).map(Tree) else {
        return subsystems;
    };
    for host in tree.root().list(c::nvme_first_host, c::nvme_next_host) {
        let items = host.list(c::nvme_first_subsystem, c::nvme_next_subsystem);
        subsystems.extend(items.iter().map(Item::describe));
    }
    subsystems
}

/// libnvme's tree of hosts, subsystems, controllers and namespaces.
struct Tree(NonNull<c::nvme_root>);

impl Tree {
    fn root(&self) -> Item<'_, c::nvme_root> {
        Item(self.0, PhantomData)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // SAFETY: the root came from nvme_scan and is freed once; items borrow from `self`.
        unsafe { c::nvme_free_tree(self.0.as_ptr()) };
    }
}

/// An object of a [`Tree`], which keeps it alive. Its methods are given libnvme's own getters only.
struct Item<'tree, T>(NonNull<T>, PhantomData<&'tree Tree>);

/// How libnvme hands out a string that the object owns, starts a list, and goes on in a list.
type Text<T> = unsafe extern "C" fn(*mut T) -> *const c_char;
type First<T, U> = unsafe extern "C" fn(*mut T) -> *mut U;
type Next<T, U> = unsafe extern "C" fn(*mut T, *mut U) -> *mut U;

impl<'tree, T> Item<'tree, T> {
    fn list<U>(&self, first: First<T, U>, next: Next<T, U>) -> Vec<Item<'tree, U>> {
        let mut items = Vec::new();
        // SAFETY: the object is live.
        let mut current = NonNull::new(unsafe { first(self.0.as_ptr()) });
        while let Some(item) = current {
            items.push(Item(item, PhantomData));
            // SAFETY: both objects are live, and `item` stands in the list of `self`.
            current = NonNull::new(unsafe { next(self.0.as_ptr(), item.as_ptr()) });
        }
        items
    }

    fn text(&self, getter: Text<T>) -> String {
        // SAFETY: the object is live.
        let text = unsafe { getter(self.0.as_ptr()) };
        if text.is_null() {
            return String::new();
        }
        // SAFETY: libnvme's strings end with NUL and live as long as the tree.
        let text = unsafe { CStr::from_ptr(text) };
        text.to_string_lossy().into_owned()
    }
}

impl Item<'_, c::nvme_subsystem> {
    fn describe(&self) -> Subsystem {
        let list = self.list(c::nvme_subsystem_first_ctrl, c::nvme_subsystem_next_ctrl);
        // With native multipath the namespaces hang on the subsystem, else on the controllers.
        let mut namespaces = self.list(c::nvme_subsystem_first_ns, c::nvme_subsystem_next_ns);
        for controller in &list {
            namespaces.extend(controller.list(c::nvme_ctrl_first_ns, c::nvme_ctrl_next_ns));
        }
        let controllers = list.iter().map(|item| item.text(c::nvme_ctrl_get_name));
        let namespaces = namespaces.iter().map(|item| item.text(c::nvme_ns_get_name));
        Subsystem {
            nqn: self.text(c::nvme_subsystem_get_nqn),
            controllers: controllers.collect(),
            namespaces: namespaces.collect(),
        }
    }
}

/// Why an admin command brought nothing.
#[derive(Debug)]
pub enum Failure {
    /// The controller's status: code in bits 7:0, code type in bits 10:8, "do not retry" in bit 14.
    Status(u16),
    /// It could not be issued.
    Os(io::Error),
}

/// The admin queue of the controller behind an open node.
#[derive(Clone, Copy, Debug)]
pub struct AdminQueue<'fd> {
    /// A controller or a namespace.
    pub node: BorrowedFd<'fd>,
    /// The time limit of each command.
    pub timeout: Duration,
}

impl AdminQueue<'_> {
    /// Sends `data` with Security Send, to no namespace in particular.
    ///
    /// # Errors
    /// The controller's status, or the kernel's error.
    pub fn security_send(&self, secp: u8, spsp: u16, data: &[u8]) -> Result<(), Failure> {
        let [spsp1, spsp0] = spsp.to_be_bytes();
        let mut args = c::nvme_security_send_args {
            data: data.as_ptr().cast_mut().cast(),
            args_size: args_size::<c::nvme_security_send_args>(),
            fd: self.node.as_raw_fd(),
            timeout: milliseconds(self.timeout),
            tl: length(data)?,
            data_len: length(data)?,
            spsp0,
            spsp1,
            secp,
            ..Default::default()
        };
        // SAFETY:
        // - the struct is valid, its size is stated in it, and a null `result` asks for none
        // - `data` and `data_len` are the borrowed buffer, which a send command only reads
        outcome(unsafe { c::nvme_security_send(&raw mut args) })
    }

    /// Fills `data` with Security Receive.
    ///
    /// # Errors
    /// As [`AdminQueue::security_send`].
    pub fn security_receive(&self, secp: u8, spsp: u16, data: &mut [u8]) -> Result<(), Failure> {
        let [spsp1, spsp0] = spsp.to_be_bytes();
        let mut args = c::nvme_security_receive_args {
            data: data.as_mut_ptr().cast(),
            args_size: args_size::<c::nvme_security_receive_args>(),
            fd: self.node.as_raw_fd(),
            timeout: milliseconds(self.timeout),
            al: length(data)?,
            data_len: length(data)?,
            spsp0,
            spsp1,
            secp,
            ..Default::default()
        };
        // SAFETY:
        // - the struct is valid, its size is stated in it, and a null `result` asks for none
        // - `data` and `data_len` are the exclusively borrowed buffer
        outcome(unsafe { c::nvme_security_receive(&raw mut args) })
    }

    /// Asks who the controller is, or what the namespace with the given identifier is.
    ///
    /// # Errors
    /// As [`AdminQueue::security_send`].
    pub fn identify(&self, namespace: Option<u32>) -> Result<Box<[u8; 4096]>, Failure> {
        let mut data: Box<[u8; 4096]> = Box::new([0; _]);
        let mut args = c::nvme_identify_args {
            data: data.as_mut_ptr().cast(),
            args_size: args_size::<c::nvme_identify_args>(),
            fd: self.node.as_raw_fd(),
            timeout: milliseconds(self.timeout),
            cns: namespace.map_or(c::NVME_IDENTIFY_CNS_CTRL, |_| c::NVME_IDENTIFY_CNS_NS),
            nsid: namespace.unwrap_or(0),
            ..Default::default()
        };
        // SAFETY:
        // - the struct is valid, its size is stated in it, and a null `result` asks for none
        // - `data` has the 4096 bytes that every Identify returns
        outcome(unsafe { c::nvme_identify(&raw mut args) })?;
        Ok(data)
    }
}

/// The size that libnvme wants to see in an argument struct.
fn args_size<T>() -> c_int {
    c_int::try_from(size_of::<T>()).unwrap_or(0)
}

fn length(data: &[u8]) -> Result<u32, Failure> {
    u32::try_from(data.len()).map_err(|_| Failure::Os(io::ErrorKind::InvalidInput.into()))
}

/// libnvme answers 0, a positive NVMe status, or -1 with errno.
fn outcome(code: c_int) -> Result<(), Failure> {
    match u16::try_from(code) {
        Ok(0) => Ok(()),
        Ok(status) => Err(Failure::Status(status)),
        Err(_) => Err(Failure::Os(io::Error::last_os_error())),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn machine_without_nvme_has_an_empty_topology() {
        // Some versions of libnvme answer an empty tree there, some none: both must survive.
        let known = std::fs::read_dir("/sys/class/nvme").map_or(0, Iterator::count);
        let found: usize = topology().iter().map(|item| item.controllers.len()).sum();
        assert_eq!(found, known);
    }

    #[test]
    fn node_without_nvme_is_an_error_of_the_kernel() {
        let file = File::open("/dev/null").unwrap();
        let queue = AdminQueue {
            node: file.as_fd(),
            timeout: Duration::from_secs(1),
        };
        let mut buffer = [0; 512];
        let failures = [
            queue.security_send(1, 1, &buffer).unwrap_err(),
            queue.security_receive(1, 1, &mut buffer).unwrap_err(),
            queue.identify(None).unwrap_err(),
            queue.identify(Some(1)).unwrap_err(),
        ];
        for failure in failures {
            let Failure::Os(error) = failure else {
                panic!("{failure:?}");
            };
            // ENOTTY, and not EINVAL: libnvme accepted the argument structs.
            assert_eq!(error.raw_os_error(), Some(25));
        }
    }

    #[test]
    fn positive_codes_are_statuses_of_the_controller() {
        assert!(outcome(0).is_ok());
        assert!(matches!(outcome(0x400c), Err(Failure::Status(0x400c))));
        assert!(matches!(outcome(-1), Err(Failure::Os(_))));
    }
}
