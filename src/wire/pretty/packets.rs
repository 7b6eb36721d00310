//! ComPacket, Packet and Subpacket, whole or damaged.

use super::{Page, Printer};
use crate::wire::packet::{COM_PACKET_HEADER, PACKET_HEADER, SUBPACKET_HEADER};
use crate::wire::{ComPacket, DecodeError, Packet, Reader, Subpacket};

impl Printer {
    pub(super) fn print_com_packet(&mut self, page: &mut Page, data: &[u8]) {
        match ComPacket::decode(data) {
            Ok(com_packet) => self.print_decoded(page, &com_packet),
            Err(error) => {
                page.line(format_args!("ComPacket of {} bytes", data.len()));
                page.nested(|page| {
                    page.line(format_args!("error: {error}"));
                    self.print_damaged(page, data);
                });
            }
        }
    }

    fn print_decoded(&mut self, page: &mut Page, com_packet: &ComPacket) {
        let (com_id, extension) = (com_packet.com_id, com_packet.extension);
        let (outstanding, min) = (com_packet.outstanding_data, com_packet.min_transfer);
        page.line(format_args!(
            "ComPacket ComID {com_id}, extension {extension:#06x}"
        ));
        page.nested(|page| {
            if outstanding != 0 || min != 0 {
                page.line(format_args!(
                    "OutstandingData = {outstanding}, MinTransfer = {min}"
                ));
            }
            match (com_packet.packets.is_empty(), extension, outstanding) {
                (true, 0xffff, _) => page.line(format_args!("the ComID is inactive")),
                (true, _, 1) => page.line(format_args!("the answer is not ready")),
                (true, _, 0) => page.line(format_args!("no answer")),
                (true, ..) => page.line(format_args!("the buffer is too small for the answer")),
                _ => {}
            }
            for packet in &com_packet.packets {
                self.print_packet(page, packet);
            }
        });
    }

    fn print_packet(&mut self, page: &mut Page, packet: &Packet) {
        let (tsn, hsn) = (packet.tsn, packet.hsn);
        page.line(format_args!("Packet TSN {tsn}, HSN {hsn}"));
        page.nested(|page| {
            let (seq, ack_type) = (packet.seq_number, packet.ack_type);
            if seq != 0 || ack_type != 0 {
                let acknowledgement = packet.acknowledgement;
                page.line(format_args!(
                    "SeqNumber = {seq}, AckType = {ack_type}, Acknowledgement = {acknowledgement}"
                ));
            }
            for subpacket in &packet.subpackets {
                print_other_subpacket(page, subpacket);
            }
            self.print_stream(page, &packet.tokens());
        });
    }

    /// Prints the tokens of a ComPacket whose lengths are wrong or whose end is missing.
    fn print_damaged(&mut self, page: &mut Page, data: &[u8]) {
        if let Ok(tokens) = damaged_tokens(data) {
            self.print_stream(page, tokens);
        }
    }
}

/// What is there of the tokens of the first Subpacket.
fn damaged_tokens(data: &[u8]) -> Result<&[u8], DecodeError> {
    let mut reader = Reader::new(data);
    reader.take(COM_PACKET_HEADER + PACKET_HEADER + SUBPACKET_HEADER - 4)?;
    let length = usize::try_from(reader.u32()?).unwrap_or(usize::MAX);
    reader.take(length.min(reader.remaining()))
}

fn print_other_subpacket(page: &mut Page, subpacket: &Subpacket) {
    match subpacket {
        Subpacket::Data(_) => {}
        Subpacket::Credit(credit) => page.line(format_args!("Credit = {credit}")),
        Subpacket::Unknown { kind, data } => {
            let kind = format!("{kind:#06x}");
            page.line(format_args!(
                "Subpacket of kind {kind}: <{} bytes masked>",
                data.len()
            ));
        }
    }
}
