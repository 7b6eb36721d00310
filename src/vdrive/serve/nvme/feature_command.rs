//! Set Features and Get Features (\[NVMe\] Set Features command, Get Features command).

use std::time::Duration;

use super::answer::{Answer, Answered};
use super::command::Command;
use super::controller::Controller;
use super::features::{
    EVENT_CONFIGURATION, Features, HOST_IDENTIFIER, KEEP_ALIVE, MAX_IO_QUEUES, QUEUES, WRITE_CACHE,
};
use super::flow::{Flow, Length};
use super::outcome::Status;

/// Bytes of an extended Host Identifier.
const HOST_ID: u64 = 16;

/// Set Features, CDW10 bit 31: SV.
const SAVE: u32 = 1 << 31;
/// Get Features, SEL 011b: what can be done with the feature; only bit 2, changeable, applies.
const CHANGEABLE: u64 = 1 << 2;

/// The data of Get Features.
pub(super) fn get_flow(command: &Command) -> Result<Flow, Status> {
    match (identifier(command), select(command)) {
        (HOST_IDENTIFIER, 0) => Flow::to_host(command, Length::AtLeast(HOST_ID)),
        _ => Ok(Flow::Nothing),
    }
}

/// Set Features. None of the features takes data.
pub(super) fn set(controller: &Controller, command: &Command) -> Answered {
    let value = command.cdw(11);
    let is_known = Features::default().value(identifier(command)).is_some();
    if command.cdw(10) & SAVE != 0 && is_known {
        return Err(Status::FEATURE_NOT_SAVEABLE.into());
    }
    let result = match identifier(command) {
        WRITE_CACHE => controller.set_features(|features| {
            features.write_cache = value & 1 != 0;
            Ok(0)
        })?,
        QUEUES => set_queues(controller, value)?,
        EVENT_CONFIGURATION => controller.set_features(|features| {
            features.event_configuration = value;
            Ok(0)
        })?,
        KEEP_ALIVE => {
            controller.keep_alive();
            controller.set_features(|features| {
                features.keep_alive = Duration::from_millis(value.into());
                Ok(0)
            })?
        }
        // A host of a fabric says who it is by Connect only.
        HOST_IDENTIFIER => return Err(Status::SEQUENCE_ERROR.into()),
        _ => return Err(Status::INVALID_FIELD.into()),
    };
    Ok(Answer::Result(result))
}

/// Get Features.
pub(super) fn get(controller: &Controller, command: &Command) -> Answered {
    let features = match select(command) {
        0 => controller.features(),
        1 | 2 => Features::default(),
        3 => return capabilities(command),
        _ => return Err(Status::INVALID_FIELD.into()),
    };
    match identifier(command) {
        HOST_IDENTIFIER => host_identifier(controller, command),
        identifier => {
            let value = features.value(identifier).ok_or(Status::INVALID_FIELD)?;
            Ok(Answer::Result(value))
        }
    }
}

/// Number of Queues: grants the same number of both kinds, which come in pairs.
fn set_queues(controller: &Controller, value: u32) -> Result<u64, Status> {
    if controller.has_io_queues() {
        return Err(Status::SEQUENCE_ERROR);
    }
    let wanted = [value & 0xffff, value >> 16];
    if wanted.contains(&0xffff) {
        return Err(Status::INVALID_FIELD);
    }
    let wanted = wanted.into_iter().min().unwrap_or_default() + 1;
    let granted = u16::try_from(wanted).map_or(MAX_IO_QUEUES, |wanted| wanted.min(MAX_IO_QUEUES));
    controller.set_features(|features| {
        features.io_queues = granted;
        Ok(features.queues())
    })
}

fn capabilities(command: &Command) -> Answered {
    match identifier(command) {
        HOST_IDENTIFIER => Ok(Answer::Result(0)),
        identifier if Features::default().value(identifier).is_some() => {
            Ok(Answer::Result(CHANGEABLE))
        }
        _ => Err(Status::INVALID_FIELD.into()),
    }
}

/// Host Identifier: the extended one (EXHID) is the only one on a fabric.
fn host_identifier(controller: &Controller, command: &Command) -> Answered {
    match (select(command), command.cdw(11) & 1) {
        (0, 1) => Ok(Answer::Data(controller.host().id.to_vec())),
        (0, _) => Err(Status::INVALID_FIELD.into()),
        _ => Ok(Answer::Result(0)),
    }
}

/// FID.
fn identifier(command: &Command) -> u8 {
    command.cdw(10).to_le_bytes()[0]
}

/// SEL, bits 10:8.
fn select(command: &Command) -> u32 {
    command.cdw(10) >> 8 & 7
}
