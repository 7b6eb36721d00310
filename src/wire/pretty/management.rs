//! Payloads that are no ComPackets.

use super::Page;
use super::values::abbreviated;
use crate::spec::protocol::com_id_request;
use crate::spec::{ComId, SecurityProtocol};
use crate::wire::DecodeError;
use crate::wire::security_protocol::{
    BlockSidRequest, Certificate, ComIdAnswer, ComIdResponse, ComIdTime, ComIdValidity,
    ExtendedComId, SupportedProtocols,
};

/// Security protocol information.
pub(super) fn information(sp_specific: ComId, data: &[u8]) -> String {
    match sp_specific {
        SupportedProtocols::SP_SPECIFIC => written("security protocols", |page| {
            for protocol in SupportedProtocols::decode(data)?.0 {
                page.line(format_args!("{:02x}h {protocol}", protocol.0));
            }
            Ok(())
        }),
        Certificate::SP_SPECIFIC => written("certificate", |page| {
            let certificate = Certificate::decode(data)?;
            page.line(format_args!("{}", abbreviated(&certificate.0)));
            Ok(())
        }),
        _ => written("security protocol information", |page| {
            page.line(format_args!("{}", abbreviated(data)));
            Ok(())
        }),
    }
}

/// ComID management, TPER_RESET and Block SID.
pub(super) fn management(com_id: ComId, data: &[u8]) -> String {
    match com_id {
        ComId::TPER_RESET => written("TPER_RESET", |_| Ok(())),
        ComId::BLOCK_SID => written("Block SID Authentication", |page| {
            let request = BlockSidRequest::decode(data)?;
            let (clear, freeze) = (
                request.hardware_reset_clears_block,
                request.freeze_locking_sp,
            );
            page.line(format_args!("hardware_reset_clears_block = {clear}"));
            page.line(format_args!("freeze_locking_sp = {freeze}"));
            Ok(())
        }),
        ExtendedComId::GET_COM_ID => written("GET_COMID", |page| {
            match ExtendedComId::decode(data)? {
                Some(id) => print_id(page, id),
                None => page.line(format_args!("no ComID is free")),
            }
            Ok(())
        }),
        _ => written("ComID management", |page| {
            let response = ComIdResponse::decode(data)?;
            print_id(page, response.id);
            print_answer(page, &response.answer);
            Ok(())
        }),
    }
}

/// A protocol that is not decoded here; its payload may be an ATA password.
pub(super) fn other(protocol: SecurityProtocol, data: &[u8]) -> String {
    let title = format!("security protocol {:02x}h", protocol.0);
    written(&title, |page| {
        page.line(format_args!("<{} bytes masked>", data.len()));
        Ok(())
    })
}

fn written(title: &str, write: impl FnOnce(&mut Page) -> Result<(), DecodeError>) -> String {
    let mut page = Page::default();
    page.line(format_args!("{title}"));
    page.nested(|page| {
        if let Err(error) = write(page) {
            page.line(format_args!("error: {error}"));
        }
    });
    page.finish()
}

fn print_id(page: &mut Page, id: ExtendedComId) {
    let (com_id, extension) = (id.com_id, id.extension);
    page.line(format_args!(
        "ComID = {com_id}, extension = {extension:#06x}"
    ));
}

fn print_answer(page: &mut Page, answer: &ComIdAnswer) {
    match answer {
        ComIdAnswer::NoResponseAvailable => page.line(format_args!("no response available")),
        // A request and an answer that is not ready have the same bytes.
        ComIdAnswer::Pending { code } => {
            page.line(format_args!("{}: requested or pending", request(*code)));
        }
        ComIdAnswer::StackReset { succeeded: true } => {
            page.line(format_args!("STACK_RESET: success"));
        }
        ComIdAnswer::StackReset { succeeded: false } => {
            page.line(format_args!("STACK_RESET: failure"));
        }
        ComIdAnswer::Validity(validity) => print_validity(page, validity),
        ComIdAnswer::Other { code, data } => {
            // Nobody knows what it is, and a host may have sent it here by mistake.
            let length = data.len();
            page.line(format_args!("{}: <{length} bytes masked>", request(*code)));
        }
    }
}

fn print_validity(page: &mut Page, validity: &ComIdValidity) {
    page.line(format_args!("VERIFY_COMID_VALID: {}", validity.state));
    let names = ["allocation", "expiry", "last reset"];
    for (name, time) in names.iter().zip(validity.times.iter().flatten()) {
        print_time(page, name, *time);
    }
}

fn print_time(page: &mut Page, name: &str, time: ComIdTime) {
    let ComIdTime {
        year,
        month,
        day,
        hour,
        minute,
        second,
        ..
    } = time;
    if time != ComIdTime::default() {
        page.line(format_args!(
            "{name} = {year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"
        ));
    }
}

fn request(code: u32) -> String {
    match code {
        com_id_request::VERIFY_COMID_VALID => "VERIFY_COMID_VALID".to_owned(),
        com_id_request::STACK_RESET => "STACK_RESET".to_owned(),
        _ => format!("request {code}"),
    }
}
