//! SIGINT, SIGTERM and SIGHUP: the first asks the run to end tidily, the second ends it at once.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use signal_hook::low_level::pipe;

use crate::session::Interrupt;

/// What the user or the service manager asks of the run.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    interrupt: Interrupt,
    idle: Arc<AtomicBool>,
}

impl Signals {
    /// Takes over SIGINT, SIGTERM and, unless nohup has it ignored, SIGHUP.
    ///
    /// # Errors
    /// What the kernel says, where the handlers cannot be installed.
    pub(crate) fn install() -> io::Result<Self> {
        let interrupt = Interrupt::new();
        let idle = Arc::new(AtomicBool::new(false));
        for signal in endings() {
            for ends_at_once in [&idle, &interrupt.flag()] {
                let flag = Arc::clone(ends_at_once);
                flag::register_conditional_shutdown(signal, 128 + signal, flag)?;
            }
            flag::register(signal, interrupt.flag())?;
        }
        Ok(Self { interrupt, idle })
    }

    /// Raised by the first signal: whoever talks to a drive closes its session and stops.
    pub(crate) const fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Waits for something while no session is open: the first signal ends the process.
    pub(crate) fn while_idle<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.idle.store(true, Ordering::Relaxed);
        let result = wait();
        self.idle.store(false, Ordering::Relaxed);
        result
    }
}

/// The signals that end a run, while a server waits for nothing else.
#[derive(Debug)]
pub(crate) struct Watch {
    interrupt: Interrupt,
    user: Arc<AtomicBool>,
    alarm: Arc<AtomicBool>,
    wakes: UnixStream,
    waker: Arc<UnixStream>,
}

/// What a signal asks of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// To end: by a signal, or since the alarm was raised.
    End,
    /// SIGUSR1.
    User,
}

impl Signals {
    /// Takes over SIGUSR1 too, and lets a thread sleep until a signal comes.
    ///
    /// # Errors
    /// What the kernel says, where the handlers cannot be installed.
    pub(crate) fn watch(&self) -> io::Result<Watch> {
        let (wakes, waker) = UnixStream::pair()?;
        let user = Arc::new(AtomicBool::new(false));
        flag::register(SIGUSR1, Arc::clone(&user))?;
        // The flags are raised before the waiting thread is woken: handlers run in this order.
        for signal in endings().chain([SIGUSR1]) {
            pipe::register(signal, waker.try_clone()?)?;
        }
        Ok(Watch {
            interrupt: self.interrupt.clone(),
            user,
            alarm: Arc::default(),
            wakes,
            waker: Arc::new(waker),
        })
    }
}

impl Watch {
    /// Raises the alarm, from whatever thread: there is no use in waiting.
    pub(crate) fn alarm(&self) -> impl Fn() + Send + Sync + use<> {
        let (alarm, waker) = (Arc::clone(&self.alarm), Arc::clone(&self.waker));
        move || {
            alarm.store(true, Ordering::Relaxed);
            // If there is no room, enough is there to wake it.
            let _ = (&*waker).write(&[0]);
        }
    }

    /// Sleeps until somebody wants something.
    pub(crate) fn next(&mut self) -> Wish {
        loop {
            if self.interrupt.is_raised() || self.alarm.load(Ordering::Relaxed) {
                return Wish::End;
            }
            if self.user.swap(false, Ordering::Relaxed) {
                return Wish::User;
            }
            // Whatever wakes it, the flags tell why.
            let _ = self.wakes.read(&mut [0; 64]);
        }
    }
}

/// The signals that end a run; SIGHUP only where nobody, as nohup does, has it ignored.
fn endings() -> impl Iterator<Item = i32> {
    let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(hangup)
}

/// Whether the process was started with a signal ignored, by the kernel's mask of them.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal - 1)) != 0)
}
