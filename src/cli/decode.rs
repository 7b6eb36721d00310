//! `sedkit decode`: explains captured bytes without a drive.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::args::decode::{Decode, Kind};
use super::discovery;
use super::error::CliError;
use super::exit::Code;
use super::report::{Answer, Report};
use crate::wire::discovery::Discovery;
use crate::wire::pretty::{Masking, Printer};
use crate::wire::sedutil_log::{self, Block, BlockKind, Direction};
use crate::wire::{ComPacket, DecodeError, hex};

/// The largest file that is looked at, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// Explains a file.
pub(crate) fn run(arguments: &Decode) -> Result<Report, CliError> {
    let file = read(&arguments.file)?;
    let masking = if arguments.show_secrets {
        Masking::Off
    } else {
        Masking::On
    };
    let printer = Printer::new(masking);
    Ok(match arguments.kind {
        Kind::Discovery => decode_discovery(&bytes(&file)?, &printer),
        Kind::Packets => decode_packets(&bytes(&file)?, printer),
        Kind::SedutilLog => decode_log(&String::from_utf8_lossy(&file), printer)?,
    })
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, CliError> {
    let mut bytes = Zeroizing::new(Vec::new());
    let result = match path.as_os_str() == "-" {
        true => bounded(io::stdin().lock(), &mut bytes),
        false => File::open(path).and_then(|file| bounded(file, &mut bytes)),
    };
    let failed = |error: io::Error| {
        let code = super::failure::io_code(error.kind());
        CliError::new(code, format!("{}: {error}", path.display()))
    };
    result.map_err(failed)?;
    match bytes.len() {
        0 => Err(CliError::new(
            Code::Malformed,
            format!("{} is empty", path.display()),
        )),
        _ => Ok(bytes),
    }
}

fn bounded(source: impl Read, bytes: &mut Vec<u8>) -> io::Result<()> {
    source.take(MAX_FILE).read_to_end(bytes).map(|_| ())
}

/// The captured bytes, from hex where the file is text.
fn bytes(file: &[u8]) -> Result<Cow<'_, [u8]>, CliError> {
    hex::decode_file(file).map_err(|error| {
        CliError::from_chain(Code::Malformed, &error)
            .with_hint("the file looks like text, so it should hold hex")
    })
}

fn decode_discovery(bytes: &[u8], printer: &Printer) -> Report {
    match Discovery::decode(bytes) {
        Ok(found) => plain(
            discovery::text(&found),
            json!({"discovery": discovery::json(&found)}),
        ),
        Err(error) => failed(
            printer.discovery(bytes),
            json!({"discovery": null}),
            malformed(error),
        ),
    }
}

fn decode_packets(bytes: &[u8], mut printer: Printer) -> Report {
    let (mut text, mut packets, mut error) = (String::new(), Vec::new(), None);
    for piece in ComPacket::split(bytes) {
        let offset = offset_in(bytes, piece);
        let printed = printer.com_packet(piece);
        let decoded = ComPacket::decode(piece);
        text += &format!("offset {offset:#06x}:\n{printed}");
        packets.push(packet_json(offset, &decoded, &printed));
        error = error.or(decoded.err().map(|error| error.shifted(offset)));
    }
    let fields = json!({"packets": packets});
    match error {
        None => plain(text, fields),
        Some(error) => failed(text, fields, malformed(error)),
    }
}

/// Where a part of the capture begins in it.
fn offset_in(capture: &[u8], part: &[u8]) -> usize {
    part.as_ptr().addr().saturating_sub(capture.as_ptr().addr())
}

fn packet_json(offset: usize, decoded: &Result<ComPacket, DecodeError>, text: &str) -> Value {
    let mut object = json!({"offset": offset, "text": text, "error": null});
    match decoded {
        Ok(packet) => {
            object["com_id"] = packet.com_id.0.into();
            object["outstanding_data"] = packet.outstanding_data.into();
            object["min_transfer"] = packet.min_transfer.into();
            object["sessions"] = packet
                .packets
                .iter()
                .map(|packet| json!({"tsn": packet.tsn.0, "hsn": packet.hsn.0}))
                .collect();
        }
        Err(error) => object["error"] = error.to_string().into(),
    }
    object
}

fn decode_log(log: &str, mut printer: Printer) -> Result<Report, CliError> {
    let blocks = sedutil_log::decode(log);
    if blocks.is_empty() {
        return Err(
            CliError::new(Code::Malformed, "no hex dump was found in the log")
                .with_hint("run sedutil-cli with -vvvvv; fewer v show no buffers"),
        );
    }
    let (mut text, mut objects) = (String::new(), Vec::new());
    for block in &blocks {
        let printed = print_block(block, &mut printer);
        text += &format!("line {}: {}\n{printed}", block.line, block.heading);
        objects.push(json!({
            "line": block.line,
            "heading": block.heading,
            "length": block.bytes.len(),
            "kind": kind_name(block.kind()),
            "direction": block.direction().map(direction_name),
            "text": printed,
        }));
    }
    Ok(plain(text, json!({"blocks": objects})))
}

fn print_block(block: &Block, printer: &mut Printer) -> String {
    match block.kind() {
        BlockKind::Discovery => printer.discovery(&block.bytes),
        BlockKind::ComPacket => printer.com_packet(&block.bytes),
        BlockKind::Unknown => format!("  {} bytes of another kind\n", block.bytes.len()),
    }
}

const fn kind_name(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Discovery => "discovery",
        BlockKind::ComPacket => "com_packet",
        BlockKind::Unknown => "unknown",
    }
}

const fn direction_name(direction: Direction) -> &'static str {
    match direction {
        Direction::Sent => "sent",
        Direction::Received => "received",
    }
}

fn plain(text: String, fields: Value) -> Report {
    Report::plain(Answer::Data(text), object(fields))
}

fn failed(text: String, fields: Value, error: CliError) -> Report {
    Report {
        error: Some(error),
        ..plain(text, fields)
    }
}

fn object(fields: Value) -> Map<String, Value> {
    match fields {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn malformed(error: DecodeError) -> CliError {
    CliError::from_chain(Code::Malformed, &error)
        .with_hint("what could be made of the bytes before that is shown")
}
