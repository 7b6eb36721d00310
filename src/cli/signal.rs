//! SIGINT and SIGTERM: the first asks the run to end tidily, the second ends it at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::session::Interrupt;

/// What the user or the service manager asks of the run.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    interrupt: Interrupt,
    idle: Arc<AtomicBool>,
}

impl Signals {
    /// Takes over SIGINT and SIGTERM.
    ///
    /// # Errors
    /// What the kernel says, where the handlers cannot be installed.
    pub(crate) fn install() -> io::Result<Self> {
        let interrupt = Interrupt::new();
        let idle = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
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
