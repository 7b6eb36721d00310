//! `sedkit mbr load`.

use std::fs::File;
use std::io;

use serde::Serialize;

use super::boot::{self, BootFields};
use crate::cli::args::mbr::MbrLoad;
use crate::cli::confirm::{self, Loss};
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::progress::Progress;
use crate::cli::report::Report;
use crate::cli::secret::Acting;
use crate::cli::transfer::{self, Keeps, TableFields};
use crate::cli::{Context, plan, preflight};
use crate::drive::{
    self, Atomicity, BootImage, Contents, Credential, Drive, EraseConsent, ErrorCode, LoadRequest,
    MbrState, MbrSurvey, TableProgress, Verification, WriteReport, ZeroPadded, examine_boot_image,
};

/// The beginnings of files that must be unpacked first.
const PACKED: [(&[u8], &str); 4] = [
    (&[0x1f, 0x8b], "gzip"),
    (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz"),
    (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
    (b"PK\x03\x04", "zip"),
];

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    length: u64,
    written: u64,
    equal: u64,
    verified: bool,
    atomic: bool,
    table: TableFields,
    boot: BootFields,
}

/// Loads an image into the shadow MBR.
pub(super) fn run(args: &MbrLoad, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let authority = acting.authority();
    let mut image = transfer::open(&args.image)?;
    check_unpacked(&mut image)?;
    Ok(drives::on_one(
        &args.device,
        args.actor.login.opening(args.dry_run),
        context,
        |name, drive| {
            let job = Job {
                args,
                name,
                context,
            };
            if args.dry_run.dry_run {
                let calls = drive.plan_load_mbr(image.1, job.atomicity(), authority)?;
                return Ok(plan::done(name, args.actor.login.session.reset, calls));
            }
            preflight::shadow_mbr(drive)?;
            preflight::locking(drive, authority)?;
            let boot = job.look(&mut image, drive)?;
            let survey = drive.survey_mbr(&mut image)?;
            let consent = job.consent(drive, &survey)?;
            let report = acting.with_key(drive, |drive, credential| {
                job.load(&mut image, drive, &survey, consent.as_ref(), credential)
            })?;
            Ok(job.done(drive, &report, &boot))
        },
    ))
}

/// Refuses an image that is packed.
fn check_unpacked(image: &mut (File, u64)) -> Result<(), CliError> {
    let mut beginning = [0; 6];
    if image.length() < 6 || image.read_at(0, &mut beginning).is_err() {
        return Ok(());
    }
    let mut packed = PACKED.iter();
    match packed.find(|(magic, _)| beginning.starts_with(magic)) {
        Some((_, name)) => {
            Err(CliError::usage(format!("the image is packed ({name})"))
                .with_hint("unpack it first"))
        }
        None => Ok(()),
    }
}

/// A load that did not come to its end, and how far it came.
type BrokenOff = (drive::Error, Option<TableProgress>);

/// One image for one drive.
struct Job<'a> {
    args: &'a MbrLoad,
    name: &'a Named,
    context: &'a Context,
}

impl Job<'_> {
    const fn atomicity(&self) -> Atomicity {
        match self.args.atomic {
            true => Atomicity::Whole,
            false => Atomicity::Blocks,
        }
    }

    /// Looks whether firmware may boot the image, and warns if not.
    fn look(&self, image: &mut (File, u64), drive: &Drive) -> Result<BootImage, CliError> {
        let block_size = boot::block_size(self.name, drive);
        let found = examine_boot_image(image, block_size)
            .map_err(|error| CliError::from_chain(Code::Failed, &error))?;
        if !found.flaws.is_empty() || found.blank {
            let path = self.args.image.display();
            let warning = format!("{path}: {}", boot::sentence(&found));
            self.context.output.warning(&warning);
        }
        Ok(found)
    }

    /// Consent, if something else than the image is in the table.
    fn consent(&self, drive: &Drive, survey: &MbrSurvey) -> Result<Option<EraseConsent>, CliError> {
        if survey.occupied.is_none() && self.args.consent.confirm.is_none() {
            return Ok(None);
        }
        self.ask(drive).map(Some)
    }

    fn ask(&self, drive: &Drive) -> Result<EraseConsent, CliError> {
        let losses = ["what is in the shadow MBR now is overwritten".to_owned()];
        let loss = Loss::new(self.name, drive.identity(), &losses);
        confirm::ask(&self.args.consent, &loss, self.context)
    }

    /// Loads; consent is asked for again if the survey has not met what would be overwritten.
    fn load(
        &self,
        image: &mut (File, u64),
        drive: &mut Drive,
        survey: &MbrSurvey,
        consent: Option<&EraseConsent>,
        credential: &Credential,
    ) -> Result<WriteReport, CliError> {
        match self.try_load(image, drive, survey, consent, credential) {
            Err((error, _)) if consent.is_none() && error.code() == ErrorCode::ConsentRequired => {
                let consent = self.ask(drive)?;
                let loaded = self.try_load(image, drive, survey, Some(&consent), credential);
                loaded.map_err(|broken| self.broken_off(broken))
            }
            loaded => loaded.map_err(|broken| self.broken_off(broken)),
        }
    }

    fn try_load(
        &self,
        image: &mut (File, u64),
        drive: &mut Drive,
        survey: &MbrSurvey,
        consent: Option<&EraseConsent>,
        credential: &Credential,
    ) -> Result<WriteReport, BrokenOff> {
        let request = LoadRequest {
            atomicity: self.atomicity(),
            verification: match self.args.no_verify {
                true => Verification::Skipped,
                false => Verification::ReadBack,
            },
            consent: consent.cloned(),
        };
        let mut padded = ZeroPadded::new(Borrowed(image), survey.table.size);
        let contents: &mut dyn Contents<Error = io::Error> = match self.args.zero_rest {
            true => &mut padded,
            false => padded.contents_mut(),
        };
        let mut progress = Progress::new(self.context);
        let loaded = drive.load_mbr(&request, contents, credential, &mut |now| {
            progress.show(now);
        });
        progress.finish();
        loaded.map_err(|error| (error, progress.last()))
    }

    fn broken_off(&self, (error, last): BrokenOff) -> CliError {
        let keeps = match self.args.atomic {
            true => Keeps::Nothing,
            false => Keeps::Blocks,
        };
        transfer::interrupted(error, last, keeps)
    }

    fn done(&self, drive: &Drive, report: &WriteReport, boot: &BootImage) -> Done {
        let fields = Fields {
            changed: report.written > 0,
            length: report.length,
            written: report.written,
            equal: report.equal,
            verified: report.proven,
            atomic: report.atomic,
            table: report.table.into(),
            boot: boot.into(),
        };
        Done::notice(self.text(drive, report), &fields)
    }

    fn text(&self, drive: &Drive, report: &WriteReport) -> String {
        let mut text = format!("{}: ", self.name);
        text += &match (report.written, report.equal) {
            (0, _) => "the image is in the shadow MBR already, nothing was written".to_owned(),
            (written, 0) => format!("loaded {written} bytes into the shadow MBR"),
            (written, equal) => format!(
                "loaded the shadow MBR: {written} bytes written, {equal} were there already"
            ),
        };
        text += match report.proven {
            true => "; every byte was read back",
            false => "; NOT read back (\"sedkit mbr verify\" does that)",
        };
        let rest = report.table.size.saturating_sub(report.length);
        if rest > 0 {
            text += &format!("; the {rest} bytes after it were left as they are (see --zero-rest)");
        }
        if drive.state().mbr == MbrState::Disabled {
            text += "; it is not shown before \"sedkit mbr enable\"";
        }
        text
    }
}

/// An image that stays somebody else's.
struct Borrowed<'a>(&'a mut (File, u64));

impl Contents for Borrowed<'_> {
    type Error = io::Error;

    fn length(&self) -> u64 {
        self.0.length()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<(), io::Error> {
        self.0.read_at(offset, buffer)
    }
}
