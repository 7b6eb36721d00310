//! A trace of every interface command, whoever sent it: time, drive, and the payload as text.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::shared::{IfCommand, Observer};
use crate::spec::{ComId, SecurityProtocol};
use crate::transport::trace::Sink;
use crate::wire::pretty::{Direction, Masking, Printer};

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
        let mut dialogues = Dialogues::default();
        Box::new(move |command| self.command(&command, &mut dialogues))
    }

    fn command(&self, command: &IfCommand<'_>, dialogues: &mut Dialogues) {
        let &IfCommand {
            direction,
            protocol,
            com_id,
            result,
        } = command;
        let name = match direction {
            Direction::Send => "IF-SEND",
            Direction::Receive => "IF-RECV",
        };
        let head = format!("{name} {protocol} ComID {com_id}");
        match result {
            Ok(data) => self.entry(
                &format!("{head}, {} bytes", data.len()),
                &dialogues.text(direction, protocol, com_id, data),
            ),
            Err(error) => self.entry(&format!("{head}, failed"), &error.to_string()),
        }
    }
}

/// What the printers of a drive's ComIDs have seen. By the call before it, an answer is known to be
/// contents of a byte table, which are shown: it must be the call of the same ComID, and the last
/// thing that was sent there, read or not.
#[derive(Default)]
struct Dialogues(BTreeMap<ComId, Printer>);

impl Dialogues {
    fn text(
        &mut self,
        direction: Direction,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> String {
        let new = || Printer::new(Masking::On);
        let printer = self.0.entry(com_id).or_insert_with(new);
        if direction == Direction::Send {
            *printer = new();
        }
        printer.payload(direction, protocol, com_id, data)
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
    use crate::spec::{Hsn, Tsn, method, uid};
    use crate::transport::{Error, InterfaceStatus};
    use crate::wire::{ComPacket, MethodCall, MethodResponse, Value};

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
        let mut dialogues = Dialogues::default();
        for command in commands {
            log.command(command, &mut dialogues);
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
                direction: Direction::Send,
                protocol: SecurityProtocol::TCG,
                com_id: ComId(0x1004),
                result: Err(&refusal),
            },
            IfCommand {
                direction: Direction::Receive,
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

    fn tcg(direction: Direction, com_id: u16, data: &[u8]) -> IfCommand<'_> {
        IfCommand {
            direction,
            protocol: SecurityProtocol::TCG,
            com_id: ComId(com_id),
            result: Ok(data),
        }
    }

    fn packet(com_id: u16, tokens: &[u8]) -> Vec<u8> {
        let packet = ComPacket::with_tokens(ComId(com_id), Tsn(0x1001), Hsn(105), tokens);
        packet.encode().to_vec()
    }

    #[test]
    fn what_is_sent_to_the_com_id_of_level_0_is_not_shown() {
        // It would pass for the vendor's bytes of a header and for features nobody knows.
        let mut payload = vec![0, 0, 1, 0];
        payload.resize(200, b'P');
        for com_id in [1, 2] {
            let text = shown(&[tcg(Direction::Send, com_id, &payload)]);
            assert!(text.contains("<200 bytes masked>"), "{text}");
            assert!(!text.contains("5050"), "{text}");
        }
    }

    #[test]
    fn an_answer_is_contents_of_a_table_only_to_the_last_call_of_its_com_id() {
        let get = MethodCall::new(uid::MBR, method::GET).argument(Value::list([]));
        let random = MethodCall::new(uid::THIS_SP, method::RANDOM).argument(32_u64);
        let answer = MethodResponse::success(vec![Value::from(&[b'P'; 32][..])]);
        let get = [packet(0x1004, &get.encode()), packet(0x1005, &get.encode())];
        let random = packet(0x1004, &random.encode());
        let answer = packet(0x1004, &answer.encode());
        let of_table = shown(&[
            tcg(Direction::Send, 0x1004, &get[0]),
            tcg(Direction::Receive, 0x1004, &answer),
        ]);
        assert!(of_table.contains("5050"), "{of_table}");
        for between in [
            tcg(Direction::Send, 0x1005, &get[1]),
            tcg(Direction::Send, 0x1004, b"no ComPacket"),
        ] {
            let before = match between.com_id {
                ComId(0x1005) => &random,
                _ => &get[0],
            };
            let text = shown(&[
                tcg(Direction::Send, 0x1004, before),
                between,
                tcg(Direction::Receive, 0x1004, &answer),
            ]);
            assert!(!text.contains("5050"), "{text}");
        }
    }
}
