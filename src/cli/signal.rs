//! SIGINT and SIGTERM: the first asks the run to end tidily, the second ends it at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A flag that becomes true when the user or the service manager asks the program to end.
///
/// Sessions are closed before the program ends on the first signal. A second signal while the flag
/// is already set ends the process at once, with the exit code that a shell gives for the signal.
///
/// # Errors
/// What the kernel says, where the handlers cannot be installed.
pub(crate) fn install() -> io::Result<Arc<AtomicBool>> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&asked))?;
        flag::register(signal, Arc::clone(&asked))?;
    }
    Ok(asked)
}
