//! `sedkit vdrive serve`.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc::{O_NOCTTY, O_NONBLOCK};
use serde::Serialize;

use super::{about, plain};
use crate::cli::Context;
use crate::cli::args::vdrive::Serve;
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::failure::io_code;
use crate::cli::output::{Output, printable};
use crate::cli::report::{Answer, DriveReport, Report, fields};
use crate::cli::served::{self, Reached};
use crate::cli::signal::Wish;
use crate::transport::trace::Sink;
use crate::vdrive::serve::{Export, Exported, Face, Nqn, Place, Server, ServerOptions};
use crate::vdrive::{self, StoreError, VirtualDrive};

/// Where NVMe/TCP is served if no port is given: the port that IANA has for it.
const PORT: u16 = 4420;

/// Serves drives until a signal ends it, or a disk fails.
pub(super) fn run(arguments: &Serve, context: &Context) -> Result<Report, CliError> {
    let mut options = ServerOptions::new();
    if let Some(address) = nvme_tcp_address(arguments)? {
        options = options.nvme_tcp(address);
    }
    for export in exports(arguments, context)? {
        options = options.export(export);
    }
    if let Some(path) = &arguments.trace {
        let file = trace_file(path).map_err(|error| about(path, error))?;
        options = options.trace(trace(file, path, context.output));
    }
    let failed = |error| CliError::from_chain(Code::Failed, &error);
    let mut watch = context.signals.watch().map_err(failed)?;
    let server = Server::start(options.alarm(watch.alarm()))?;
    warn(&server, context.output);
    context
        .output
        .deliver("vdrive serve", &mut report(&server))?;
    while watch.next() == Wish::User {
        if let Err(error) = server.power_cycle_all() {
            context.output.warning(&CliError::from(error).message);
        }
    }
    Ok(Report {
        error: server.stop().err().map(CliError::from),
        is_delivered: true,
        ..Report::default()
    })
}

/// All drives, open, or none.
fn exports(arguments: &Serve, context: &Context) -> Result<Vec<Export>, CliError> {
    let names = names(arguments)?;
    one_for_each("--tcmu", arguments.tcmu.len(), arguments)?;
    let face = if arguments.sat { Face::Sat } else { Face::Sas };
    let mut places = HashSet::new();
    let mut exports = Vec::new();
    for (index, path) in arguments.paths.iter().enumerate() {
        let mut export = open(path, &mut places, context)?;
        if let Some(nqn) = names.get(index) {
            export = export.with_nqn(nqn.clone());
        }
        if let Some(name) = arguments.tcmu.get(index) {
            export = export.with_disk(name, face);
        }
        exports.push(export);
    }
    Ok(exports)
}

fn open(
    name: &OsString,
    places: &mut HashSet<PathBuf>,
    context: &Context,
) -> Result<Export, CliError> {
    let path = plain(name);
    // What cannot be found fails in the opening.
    if let Ok(place) = path.canonicalize()
        && !places.insert(place)
    {
        return Err(about(path, CliError::usage("the drive is named twice")));
    }
    match served::reach(path, context) {
        Ok(Reached::Open(drive)) => Ok(Export::opened(path, *drive)),
        Ok(Reached::Served(server)) => Err(about(path, served::in_service(&server))),
        Err(error) => Err(about(path, error)),
    }
}

/// The names that were given: none, or one for each drive.
fn names(arguments: &Serve) -> Result<Vec<Nqn>, CliError> {
    one_for_each("--nqn", arguments.nqn.len(), arguments)?;
    let parse = |text: &String| {
        let parsed: Result<Nqn, _> = text.parse();
        parsed.map_err(|error| CliError::usage(format!("{text}: {error}")))
    };
    arguments.nqn.iter().map(parse).collect()
}

fn one_for_each(option: &str, count: usize, arguments: &Serve) -> Result<(), CliError> {
    let drives = arguments.paths.len();
    if count == 0 || count == drives {
        return Ok(());
    }
    let hint = format!("give {option} once for each drive, or not at all");
    Err(CliError::usage(format!("{count} {option} for {drives} drives")).with_hint(hint))
}

/// Where to serve over NVMe/TCP, which is done unless something else is asked for.
fn nvme_tcp_address(arguments: &Serve) -> Result<Option<SocketAddr>, CliError> {
    match &arguments.nvme_tcp {
        Some(text) => address(text).map(Some),
        None if arguments.tcmu.is_empty() => Ok(Some((Ipv4Addr::LOCALHOST, PORT).into())),
        None => Ok(None),
    }
}

/// An address, a port of this machine's own, or both.
fn address(text: &str) -> Result<SocketAddr, CliError> {
    let port = text.parse().map(|port| (Ipv4Addr::LOCALHOST, port).into());
    let host = || text.parse().map(|host: IpAddr| (host, PORT).into());
    let address = port.or_else(|_| text.parse()).or_else(|_| host());
    address.map_err(|_| {
        CliError::usage(format!("{text} is no address to listen at"))
            .with_hint("an address is a port, such as 4420, or ADDR:PORT, such as 127.0.0.1:4420 or [::1]:4420")
    })
}

/// Opens what the trace is appended to: a file, which is for its owner only if it is new, a pipe or
/// a terminal.
fn trace_file(path: &Path) -> Result<File, CliError> {
    if is_drive(path) {
        let refused = CliError::usage("a trace would destroy the virtual drive in this file");
        return Err(refused.with_hint("give --trace a file of its own"));
    }
    let failed = |error: io::Error| CliError::from_chain(io_code(error.kind()), &error);
    // A pipe that nobody reads fails at once rather than to wait for a reader.
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    let file = options.custom_flags(O_NONBLOCK | O_NOCTTY).open(path);
    let file = file.map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let kind = metadata.file_type();
    if !(kind.is_file() || kind.is_fifo() || file.is_terminal()) {
        return Err(CliError::usage(
            "a trace needs a file, a pipe or a terminal",
        ));
    }
    // From now on a reader that is slow is waited for.
    fcntl(&file, FcntlArg::F_SETFL(OFlag::O_APPEND)).map_err(|error| failed(error.into()))?;
    Ok(file)
}

/// Appends to a file. The trace shows no PIN, but all else that hosts do.
fn trace(mut file: File, path: &Path, output: Output) -> Sink {
    let path = path.to_owned();
    let mut is_lost = false;
    Box::new(move |text| {
        let written = file.write_all(printable(text).as_bytes());
        if let (Err(error), false) = (&written, is_lost) {
            output.warning(&format!("{}: {error}: the trace has a gap", path.display()));
        }
        is_lost = written.is_err();
    })
}

/// Whether a file has a virtual drive, a damaged or a served one too.
fn is_drive(path: &Path) -> bool {
    path.is_file()
        && !matches!(
            VirtualDrive::inspect(path),
            Err(vdrive::Error::Store(
                StoreError::Foreign | StoreError::Io { .. }
            ))
        )
}

fn warn(server: &Server, output: Output) {
    if let Some(address) = server.local_addr().filter(|at| !at.ip().is_loopback()) {
        output.warning(&format!(
            "whoever reaches {address} can read and write the drives"
        ));
    }
}

/// A served drive in JSON.
#[derive(Serialize)]
struct DriveFields {
    nvme_tcp: Option<NvmeTcp>,
    tcmu: Option<String>,
}

#[derive(Serialize)]
struct NvmeTcp {
    address: String,
    port: u16,
    nqn: String,
    connect: String,
}

/// The server in JSON.
#[derive(Serialize)]
struct ServerFields {
    pid: u32,
}

fn report(server: &Server) -> Report {
    let pid = process::id();
    let text = format!("serving; kill -USR1 {pid} power-cycles, kill {pid} ends it");
    Report {
        text: Answer::Notice(text),
        fields: fields(&ServerFields { pid }),
        ..Report::of_drives(server.drives().map(drive).collect())
    }
}

fn drive(exported: &Exported) -> DriveReport {
    let path = exported.path().unwrap_or(Path::new("")).display();
    let nvme_tcp = exported.places().find_map(nvme_tcp);
    let tcmu = exported.places().find_map(disk);
    let mut text = format!("{path}: serial {}", exported.serial());
    if let Some(NvmeTcp {
        address,
        port,
        nqn,
        connect,
    }) = &nvme_tcp
    {
        text.push_str(&format!(
            "\n  NVMe/TCP  {address} port {port}\n  NQN       {nqn}\n  host      {connect}"
        ));
    }
    if let Some(name) = &tcmu {
        text.push_str(&format!("\n  SCSI disk {name}"));
    }
    DriveReport {
        serial: Some(exported.serial().to_owned()),
        model: Some(exported.model().to_owned()),
        fields: fields(&DriveFields { nvme_tcp, tcmu }),
        text: Answer::Data(text),
        ..DriveReport::new(format!("vdrive:{path}"))
    }
}

fn nvme_tcp(place: &Place) -> Option<NvmeTcp> {
    let Place::NvmeTcp { address, nqn } = place else {
        return None;
    };
    let host = reachable(address.ip());
    let port = address.port();
    Some(NvmeTcp {
        address: address.ip().to_string(),
        port,
        nqn: nqn.clone(),
        connect: format!("nvme connect -t tcp -a {host} -s {port} -n {}", quoted(nqn)),
    })
}

fn disk(place: &Place) -> Option<String> {
    match place {
        Place::Disk { name } => Some(name.clone()),
        _ => None,
    }
}

/// Where this machine reaches a server that listens at an address.
const fn reachable(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(address) if address.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(address) if address.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        address => address,
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:%/@+=".contains(&byte);
    if word.bytes().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_this_machine_s_own_and_addresses_as_given() {
        for (text, address_) in [
            ("4421", "127.0.0.1:4421"),
            ("0.0.0.0:4420", "0.0.0.0:4420"),
            ("[::1]:1", "[::1]:1"),
            ("192.0.2.1", "192.0.2.1:4420"),
            ("::1", "[::1]:4420"),
        ] {
            assert_eq!(address(text).unwrap(), address_.parse().unwrap(), "{text}");
        }
        for text in ["", "70000", "localhost:1", "127.0.0.1:", "demo.img"] {
            assert_eq!(address(text).unwrap_err().code, Code::Usage, "{text}");
        }
    }

    #[test]
    fn names_survive_a_shell() {
        assert_eq!(quoted("nqn.2026-01.a:B%20"), "nqn.2026-01.a:B%20");
        assert_eq!(quoted("nqn.2026-01.a:$x'y"), r"'nqn.2026-01.a:$x'\''y'");
    }

    #[test]
    fn hosts_connect_to_an_address_that_exists() {
        let place = |address: &str| Place::NvmeTcp {
            address: address.parse().unwrap(),
            nqn: "nqn.2026-01.a".to_owned(),
        };
        let connect = |address| nvme_tcp(&place(address)).unwrap().connect;
        let expected = "nvme connect -t tcp -a 127.0.0.1 -s 4420 -n nqn.2026-01.a";
        assert_eq!(connect("127.0.0.1:4420"), expected);
        assert_eq!(connect("0.0.0.0:4420"), expected);
        assert_eq!(
            connect("[::]:1"),
            "nvme connect -t tcp -a ::1 -s 1 -n nqn.2026-01.a"
        );
    }
}
