//! A trace of every interface command, whoever sent it: time, drive, and the payload as text.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::shared::{IfCommand, Observer};
use crate::transport::trace::Sink;
use crate::wire::pretty::{Masking, Printer};

/// The trace of one drive, in a place that it may share with others.
#[derive(Clone)]
pub(super) struct Log {
    sink: Arc<Mutex<Sink>>,
    serial: String,
}

impl Log {
    /// A trace of the drive with this serial number.
    pub(super) fn new(sink: Arc<Mutex<Sink>>, serial: &str) -> Self {
        Self {
            sink,
            serial: serial.to_owned(),
        }
    }

    /// Writes one entry: a line, and an indented text below it.
    pub(super) fn entry(&self, head: &str, body: &str) {
        let time = timestamp(SystemTime::now());
        let mut text = format!("{time} {} {head}\n", self.serial);
        for line in body.lines() {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        sink(&text);
    }

    /// Writes what the drive is asked and what it answers; PINs are masked.
    pub(super) fn observer(self) -> Observer {
        let mut printer = Printer::new(Masking::On);
        Box::new(move |command| self.command(&command, &mut printer))
    }

    fn command(&self, command: &IfCommand<'_>, printer: &mut Printer) {
        let &IfCommand {
            is_send,
            protocol,
            com_id,
            result,
        } = command;
        let name = if is_send { "IF-SEND" } else { "IF-RECV" };
        let head = format!("{name} {protocol} ComID {com_id}");
        match result {
            Ok(data) => self.entry(
                &format!("{head}, {} bytes", data.len()),
                &printer.payload(protocol, com_id, data),
            ),
            Err(error) => self.entry(&format!("{head}, failed"), &error.to_string()),
        }
    }
}

/// The time in UTC as RFC 3339 has it, to the millisecond.
fn timestamp(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let milliseconds = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Year, month and day of a number of days after 1 January 1970, in the Gregorian calendar.
///
/// Years begin in March here, so that the day of a leap year is the last one.
const fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::spec::{ComId, SecurityProtocol};
    use crate::transport::{Error, InterfaceStatus};

    #[test]
    fn times_are_those_of_the_calendar() {
        // As `date -u -d @N +%FT%T` prints them.
        let times = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (1_767_225_599, "2025-12-31T23:59:59.000Z"),
        ];
        for (seconds, text) in times {
            assert_eq!(timestamp(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
        let moment = UNIX_EPOCH + Duration::from_millis(1_767_225_600_007);
        assert_eq!(timestamp(moment), "2026-01-01T00:00:00.007Z");
    }

    /// What a trace shows of some commands, without its times.
    fn shown(commands: &[IfCommand<'_>]) -> String {
        let text = Arc::new(Mutex::new(String::new()));
        let sink: Sink = {
            let text = Arc::clone(&text);
            Box::new(move |entry| text.lock().unwrap().push_str(entry))
        };
        let log = Log::new(Arc::new(Mutex::new(sink)), "S1");
        let mut printer = Printer::new(Masking::On);
        for command in commands {
            log.command(command, &mut printer);
        }
        let text = text.lock().unwrap();
        let without_time = |line: &str| match line.strip_prefix("  ") {
            Some(_) => format!("{line}\n"),
            None => format!("{}\n", line.split_once(' ').unwrap().1),
        };
        text.lines().map(without_time).collect()
    }

    #[test]
    fn entries_name_drive_command_and_outcome() {
        let refusal = Error::Interface {
            command: "IF-SEND",
            status: InterfaceStatus::SequenceError,
        };
        let text = shown(&[
            IfCommand {
                is_send: true,
                protocol: SecurityProtocol::TCG,
                com_id: ComId(0x1004),
                result: Err(&refusal),
            },
            IfCommand {
                is_send: false,
                protocol: SecurityProtocol::INFORMATION,
                com_id: ComId(0),
                result: Ok(&[0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 2]),
            },
        ]);
        let expected = "S1 IF-SEND TCG 01 ComID 0x1004, failed\n  \
                        the drive refused IF-SEND: synchronous protocol violation\n\
                        S1 IF-RECV";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains("11 bytes"), "{text}");
    }
}
