//! Secrets from a helper program: how an escrow plugs in.

use std::io::ErrorKind;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::intake::{Intake, unreadable};
use super::{Secret, Source, SourceError};

/// How often a helper that has nothing to say yet is asked again.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs `command` in a shell and takes its standard output.
///
/// Standard error is ours, so that the helper can say what is wrong; standard input is empty, since
/// ours may be the source of another secret. A helper that is still running at the time limit is
/// killed; processes that it started are not.
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
        // Without effect on one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

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
