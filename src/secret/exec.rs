//! Secrets from a helper program: how an escrow plugs in.

use std::io::ErrorKind;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::intake::{Intake, unreadable};
use super::{Secret, Source, SourceError};

/// How often a helper that has nothing to say yet is asked again.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs `command` in a shell and takes its standard output.
///
/// Standard error is ours, so that the helper can say what is wrong; standard input is empty, since
/// ours may be the source of another secret. A helper that is still running at the time limit is
/// killed, with all that it started. It shares our process group, so that it may ask at the
/// terminal and that Ctrl-C ends it with us.
pub(super) fn run(
    command: &str,
    time_limit: Duration,
    origin: &Source,
) -> Result<Secret, SourceError> {
    let mut helper = Helper::start(command, time_limit)?;
    let secret = helper.output(origin)?;
    let status = helper.end(origin)?;
    if !status.success() {
        return Err(SourceError::Helper { status });
    }
    Ok(secret)
}

/// A running helper; killed when dropped.
struct Helper {
    child: Child,
    output: ChildStdout,
    started: Instant,
    time_limit: Duration,
}

impl Helper {
    fn start(command: &str, time_limit: Duration) -> Result<Self, SourceError> {
        let mut child = Command::new("/bin/sh")
            .args(["-c", command])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| SourceError::Start { source })?;
        let output = child
            .stdout
            .take()
            .expect("standard output was asked to be a pipe");
        let helper = Self {
            child,
            output,
            started: Instant::now(),
            time_limit,
        };
        // Reads then return at once, so that the time limit is seen.
        fcntl(&helper.output, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).map_err(|errno| {
            SourceError::Start {
                source: errno.into(),
            }
        })?;
        Ok(helper)
    }

    /// All that the helper writes.
    fn output(&mut self, origin: &Source) -> Result<Secret, SourceError> {
        let mut intake = Intake::new();
        loop {
            match intake.read(&mut self.output) {
                Ok(()) => return intake.finish(origin),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.pause()?,
                Err(source) => return Err(unreadable(origin, source)),
            }
        }
    }

    /// Waits until the helper has ended.
    fn end(&mut self, origin: &Source) -> Result<ExitStatus, SourceError> {
        loop {
            let ended = self
                .child
                .try_wait()
                .map_err(|source| unreadable(origin, source))?;
            match ended {
                Some(status) => return Ok(status),
                None => self.pause()?,
            }
        }
    }

    fn pause(&self) -> Result<(), SourceError> {
        if self.started.elapsed() >= self.time_limit {
            return Err(SourceError::HelperTimedOut {
                limit: self.time_limit,
            });
        }
        sleep(PAUSE);
        Ok(())
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let is_running = matches!(self.child.try_wait(), Ok(None));
        if let Some(process) = i32::try_from(self.child.id()).ok().filter(|_| is_running) {
            kill_tree(Pid::from_raw(process));
            let _ = self.child.wait();
        }
    }
}

/// Kills a process and all below it.
///
/// Each is stopped before its children are listed: a stopped process starts none, and leaves the
/// numbers of those that end unused.
fn kill_tree(process: Pid) {
    let _ = kill(process, Signal::SIGSTOP);
    for child in children(process) {
        kill_tree(child);
    }
    let _ = kill(process, Signal::SIGKILL);
}

/// The children of a process (proc(5)), or none where the kernel does not list them.
fn children(process: Pid) -> Vec<Pid> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task"));
    let mut children = Vec::new();
    for thread in threads.into_iter().flatten().flatten() {
        let list = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        let numbers = list
            .split_whitespace()
            .filter_map(|number| number.parse().ok());
        children.extend(numbers.map(Pid::from_raw));
    }
    children
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::OpenOptionsExt;
    use std::os::unix::process::ExitStatusExt;

    use nix::libc::O_NONBLOCK;

    use super::*;
    use crate::secret::MAX_SECRET_LENGTH;

    const LONG: Duration = Duration::from_secs(60);

    fn run_for(command: &str, time_limit: Duration) -> Result<Vec<u8>, SourceError> {
        let origin = Source::Exec(command.to_owned());
        run(command, time_limit, &origin).map(|secret| secret.expose().to_vec())
    }

    #[test]
    fn standard_output_is_the_secret() {
        assert_eq!(
            run_for("printf 'correct horse\\n'", LONG).unwrap(),
            b"correct horse"
        );
        assert_eq!(run_for("printf 'a\\n\\n'", LONG).unwrap(), b"a\n");
        assert_eq!(run_for("printf a; printf b", LONG).unwrap(), b"ab");
    }

    #[test]
    fn standard_input_is_empty() {
        assert_eq!(run_for("cat; echo end", LONG).unwrap(), b"end");
    }

    #[test]
    fn a_failing_helper_gives_no_secret() {
        let error = run_for("echo pin; exit 3", LONG).unwrap_err();
        let SourceError::Helper { status } = error else {
            panic!("{error:?}")
        };
        assert_eq!(status.code(), Some(3));
        let error = run_for("echo pin; kill -9 $$", LONG).unwrap_err();
        let SourceError::Helper { status } = error else {
            panic!("{error:?}")
        };
        assert_eq!(status.signal(), Some(9));
    }

    #[test]
    fn an_unknown_command_is_a_failure() {
        let error = run_for("/nonexistent/sedkit-helper 2>/dev/null", LONG).unwrap_err();
        let SourceError::Helper { status } = error else {
            panic!("{error:?}")
        };
        assert_eq!(status.code(), Some(127));
    }

    #[test]
    fn a_silent_helper_is_killed() {
        let started = Instant::now();
        let limit = Duration::from_millis(20);
        let error = run_for("sleep 60", limit).unwrap_err();
        assert!(matches!(error, SourceError::HelperTimedOut { limit: given } if given == limit));
        assert!(started.elapsed() < LONG);
    }

    #[test]
    fn a_helper_that_does_not_end_is_killed() {
        let command = "echo pin; exec >/dev/null; sleep 60";
        let error = run_for(command, Duration::from_millis(100)).unwrap_err();
        assert!(
            matches!(error, SourceError::HelperTimedOut { .. }),
            "{error:?}"
        );
    }

    #[test]
    fn all_that_a_helper_started_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("alive");
        let path = pipe.to_str().unwrap();
        let command = format!("mkfifo {path}; (sleep 60; :) 3<>{path} >/dev/null; echo pin");
        let error = run_for(&command, Duration::from_millis(100)).unwrap_err();
        assert!(
            matches!(error, SourceError::HelperTimedOut { .. }),
            "{error:?}"
        );
        let mut writer = File::options();
        writer.write(true).custom_flags(O_NONBLOCK);
        // Nobody reads the pipe any more (fifo(7): ENXIO).
        let is_read = || writer.open(&pipe).is_ok();
        let started = Instant::now();
        while is_read() && started.elapsed() < LONG {
            sleep(PAUSE);
        }
        assert!(!is_read());
    }

    #[test]
    fn an_endless_helper_is_stopped() {
        let error = run_for("yes 2>/dev/null", LONG).unwrap_err();
        assert!(
            matches!(
                error,
                SourceError::TooLong {
                    limit: MAX_SECRET_LENGTH,
                    ..
                }
            ),
            "{error:?}"
        );
    }

    #[test]
    fn no_time_limit_is_too_long_to_count() {
        assert_eq!(
            run_for("sleep 0.01; echo pin", Duration::MAX).unwrap(),
            b"pin"
        );
    }
}
