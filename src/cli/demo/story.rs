//! The story: what is shown, in which order, and what must be true at each point.

use super::broken;
use super::stage::{Show, Stage, Step};
use crate::cli::error::CliError;
use crate::cli::exit::ExitCode;

const SERIAL: &str = "SEDKITDEMO01";
const PSID: &str = "DEM0PS1D23456789ABCDEFGHJKMNPQRT";
const PASSPHRASE: &str = "Correct7Horse5";
const WRONG: &str = "Correct7House5";
/// More than one block would hold, so that nobody mistakes it for chance.
const DATA: &[u8] = b"The only copy of the quarterly figures: 3.14, 2.72, 1.62\n";

/// Tells the story.
pub(super) fn tell(stage: &mut Stage<'_>) -> Result<(), CliError> {
    stage.secret("passphrase", PASSPHRASE)?;
    stage.secret("wrong", WRONG)?;
    stage.secret("psid", PSID)?;
    beginning(stage)?;
    encryption(stage)?;
    locking(stage)?;
    power_cut(stage)?;
    end(stage)
}

fn beginning(stage: &mut Stage<'_>) -> Result<(), CliError> {
    stage.play(&Step {
        title: "A drive from the factory",
        explanation: "A virtual drive in a file behaves like a real one. Its label shows a PSID.",
        arguments: &[
            "vdrive", "create", "DRIVE", "--serial", SERIAL, "--psid", PSID,
        ],
        ..COMMAND
    })?;
    stage.play(&Step {
        title: "What is it?",
        explanation: "One question, Level 0 Discovery, tells: Opal 2, in the factory state.",
        arguments: &["scan", "vdrive:DRIVE"],
        ..COMMAND
    })?;
    stage.play(&Step {
        title: "Set it up",
        explanation: "Take ownership and turn locking on. The passphrase is one that a firmware's \
                      prompt can type.",
        arguments: &["setup", "vdrive:DRIVE", "--new-key", "file:passphrase"],
        ..COMMAND
    })?;
    Ok(())
}

fn encryption(stage: &mut Stage<'_>) -> Result<(), CliError> {
    stage.play(&Step {
        title: "Write something",
        explanation: "The drive is unlocked, so a host writes as ever.",
        arguments: &["vdrive", "write", "DRIVE", "--lba", "100"],
        input: DATA,
        ..COMMAND
    })?;
    let step = Step {
        title: "Read it",
        explanation: "The host gets its data back.",
        ..READ
    };
    expect(
        &step,
        stage.play(&step)?.starts_with(DATA),
        "the data is not what was written",
    )?;
    let step = Step {
        title: "Look at the medium",
        explanation: "What lies on the medium itself is ciphertext (AES-256-XTS).",
        arguments: &["vdrive", "media", "DRIVE", "--lba", "100"],
        ..READ
    };
    let medium = stage.play(&step)?;
    expect(
        &step,
        !medium.starts_with(DATA) && medium.len() == 512,
        "it is not encrypted",
    )
}

fn locking(stage: &mut Stage<'_>) -> Result<(), CliError> {
    stage.play(&Step {
        title: "Lock it",
        explanation: "No data leaves a locked drive. Discovery proves the lock.",
        arguments: &["lock", "vdrive:DRIVE", "--key", "file:passphrase"],
        ..COMMAND
    })?;
    refused_read(
        stage,
        "Read a locked drive",
        "The drive refuses: a data protection error.",
    )
}

fn power_cut(stage: &mut Stage<'_>) -> Result<(), CliError> {
    stage.play(&Step {
        title: "Unlock it",
        explanation: "The passphrase opens it, and it stays open while it has power.",
        arguments: &["unlock", "vdrive:DRIVE", "--key", "file:passphrase"],
        ..COMMAND
    })?;
    stage.play(&Step {
        title: "Pull the plug",
        explanation: "A drive that loses power locks itself. This is what protects a stolen drive.",
        arguments: &["vdrive", "power-cycle", "DRIVE"],
        ..COMMAND
    })?;
    refused_read(
        stage,
        "Read it after the power cut",
        "Locked again, without a command.",
    )?;
    stage.play(&Step {
        title: "A wrong passphrase",
        explanation: "It is refused, and the drive counts it: after a few it takes none at all. \
                      sedkit makes one attempt per run.",
        arguments: &["unlock", "vdrive:DRIVE", "--key", "file:wrong"],
        exit: ExitCode::NotAuthorized,
        ..COMMAND
    })?;
    stage.play(&Step {
        title: "The right one",
        explanation: "A right passphrase sets the count back to 0.",
        arguments: &["unlock", "vdrive:DRIVE", "--key", "file:passphrase"],
        ..COMMAND
    })?;
    let step = Step {
        title: "The data is back",
        explanation: "Nothing was lost.",
        ..READ
    };
    expect(
        &step,
        stage.play(&step)?.starts_with(DATA),
        "the data is not what was written",
    )
}

fn end(stage: &mut Stage<'_>) -> Result<(), CliError> {
    stage.play(&Step {
        title: "Passphrase lost? The PSID is the last way in",
        explanation: "The PSID from the label reverts the drive to its factory state and destroys \
                      its keys. This needs the serial number as consent.",
        arguments: &[
            "revert",
            "vdrive:DRIVE",
            "--psid",
            "file:psid",
            "--confirm",
            SERIAL,
        ],
        ..COMMAND
    })?;
    let step = Step {
        title: "The data is gone",
        explanation: "The drive can be read again, but the key is another one: noise.",
        ..READ
    };
    expect(
        &step,
        !stage.play(&step)?.starts_with(DATA),
        "the data survived the revert",
    )
}

fn refused_read(
    stage: &mut Stage<'_>,
    title: &'static str,
    explanation: &'static str,
) -> Result<(), CliError> {
    let step = Step {
        title,
        explanation,
        exit: ExitCode::Failed,
        show: Show::Text,
        ..READ
    };
    let output = stage.play(&step)?;
    expect(&step, output.is_empty(), "a locked drive gave out data")
}

fn expect(step: &Step<'_>, holds: bool, otherwise: &str) -> Result<(), CliError> {
    if holds {
        Ok(())
    } else {
        Err(broken(step.title, otherwise))
    }
}

/// A command that succeeds.
const COMMAND: Step<'static> = Step {
    title: "",
    explanation: "",
    arguments: &[],
    input: &[],
    exit: ExitCode::Done,
    show: Show::Text,
};

/// A host's READ of the block with the data.
const READ: Step<'static> = Step {
    arguments: &["vdrive", "read", "DRIVE", "--lba", "100"],
    show: Show::Bytes,
    ..COMMAND
};
