//! `sedkit mbr verify`.

use serde::Serialize;

use crate::cli::args::mbr::MbrVerify;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::looking::Looking;
use crate::cli::progress::Progress;
use crate::cli::report::Report;
use crate::cli::transfer::{self, TableFields};
use crate::cli::{Context, preflight};
use crate::drive::{Comparison, TableName};

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    equal: bool,
    length: u64,
    first_difference: Option<u64>,
    table: TableFields,
}

/// Compares the shadow MBR with an image.
pub(super) fn run(args: &MbrVerify, context: &Context) -> Result<Report, CliError> {
    let looking = Looking::new(&args.looking, context)?;
    let mut image = transfer::open(&args.image)?;
    let session = args.looking.login.session;
    Ok(drives::on_one(
        &args.device,
        session,
        context,
        |name, drive| {
            preflight::shadow_mbr(drive)?;
            let mut progress = Progress::new(context);
            let found = looking.look(drive, |drive, credential| {
                let mut show = |now| progress.show(now);
                let mbr = TableName::Mbr;
                Ok(drive.compare_table(mbr, 0, &mut image, credential, &mut show)?)
            })?;
            progress.finish();
            Ok(done(name, &found))
        },
    ))
}

fn done(name: &Named, found: &Comparison) -> Done {
    let fields = Fields {
        equal: found.first_difference.is_none(),
        length: found.length,
        first_difference: found.first_difference,
        table: found.table.into(),
    };
    let error = found.first_difference.map(|offset| {
        CliError::new(
            Code::Finding,
            format!("the shadow MBR differs from the image, first at byte {offset}"),
        )
        .with_hint("\"sedkit mbr load\" writes what differs, and nothing else")
    });
    let text = match found.first_difference {
        None => format!("{name}: all {} bytes are in the shadow MBR", found.length),
        Some(_) => format!("{name}: the image is not in the shadow MBR"),
    };
    Done::notice(text, &fields).with_error(error)
}
