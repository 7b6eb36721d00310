//! Who a SCSI node is: INQUIRY, its vital product data, and IDENTIFY DEVICE where it is translated.

use super::scsi_link::{Port, Route, Sender, pass_through};
use crate::sys::ioctl::Data;
use crate::transport::ata::{self, Command, IdentifyDevice};
use crate::transport::scsi::{self, Inquiry, page};
use crate::transport::{Bus, Error, Identity, SerialSource};

/// What was found out about a node.
#[derive(Debug)]
pub(super) struct Probe {
    /// Who the drive is.
    pub(super) identity: Identity,
    /// What IDENTIFY DEVICE said, where it was answered.
    pub(super) identify: Option<IdentifyDevice>,
}

/// Room for the pages that are read here; only the ATA Information page is longer.
const PAGE_LENGTH: u16 = 252;
/// Length of the ATA Information page.
const ATA_INFORMATION_LENGTH: u16 = 572;

/// Asks the device who it is. `None` if it is no disk.
pub(super) fn probe<P: Port>(sender: &mut Sender<P>, bus: Bus) -> Result<Option<Probe>, Error> {
    let mut data = [0; Inquiry::LENGTH as usize];
    let cdb = scsi::inquiry(Inquiry::LENGTH);
    let length = sender.run(scsi::name::INQUIRY, &cdb, &mut Data::In(&mut data))?;
    let inquiry = data.get(..length).and_then(Inquiry::parse);
    let Some(inquiry) = inquiry.filter(Inquiry::is_disk) else {
        return Ok(None);
    };
    let pages = read_page(sender, page::SUPPORTED, PAGE_LENGTH).unwrap_or_default();
    let mut read = |page: u8, length| {
        let is_supported = pages.contains(&page);
        is_supported
            .then(|| read_page(sender, page, length))
            .flatten()
    };
    let serial = read(page::SERIAL_NUMBER, PAGE_LENGTH).unwrap_or_default();
    let names = read(page::DEVICE_IDENTIFICATION, PAGE_LENGTH).unwrap_or_default();
    let information = read(page::ATA_INFORMATION, ATA_INFORMATION_LENGTH);
    let identify = information
        .and_then(|page| IdentifyDevice::parse(scsi::identify_data(&page)?))
        .or_else(|| identify_device(sender, &inquiry, bus));
    let wwn = scsi::world_wide_name(&names);
    let identity = identity(&inquiry, identify.as_ref(), bus, &serial, wwn);
    Ok(Some(Probe { identity, identify }))
}

/// The body of a page of vital product data; `None` if the device refuses it.
fn read_page<P: Port>(sender: &mut Sender<P>, page: u8, length: u16) -> Option<Vec<u8>> {
    let mut data = vec![0; length.into()];
    let cdb = scsi::inquiry_page(page, length);
    let length = sender
        .run(scsi::name::INQUIRY, &cdb, &mut Data::In(&mut data))
        .ok()?;
    scsi::page_body(page, data.get(..length)?).map(<[u8]>::to_vec)
}

/// Asks a drive behind a translation layer with IDENTIFY DEVICE.
///
/// Drives that are neither ATA nor behind a USB bridge are not asked. A bridge that answers with
/// zeros does not pass ATA commands on, and its drive is then talked to as a SCSI one.
fn identify_device<P: Port>(
    sender: &mut Sender<P>,
    inquiry: &Inquiry,
    bus: Bus,
) -> Option<IdentifyDevice> {
    if inquiry.vendor != scsi::ATA_VENDOR && bus != Bus::Usb {
        return None;
    }
    let command = Command::identify_device();
    [Route::Ata16, Route::Ata12].into_iter().find_map(|route| {
        let mut data = [0; 512];
        let cdb = pass_through(route, &command);
        sender
            .run(ata::name::IDENTIFY_DEVICE, &cdb, &mut Data::In(&mut data))
            .ok()?;
        IdentifyDevice::parse(&data)
    })
}

/// IDENTIFY DEVICE knows the whole strings, which INQUIRY cuts; both are kept as they came.
fn identity(
    inquiry: &Inquiry,
    identify: Option<&IdentifyDevice>,
    bus: Bus,
    serial: &[u8],
    wwn: Option<String>,
) -> Identity {
    let bus = match (bus, identify) {
        (Bus::Usb, _) => Bus::Usb,
        (_, Some(_)) => Bus::Ata,
        (bus, None) => bus,
    };
    let mut identity = match identify {
        Some(identify) => Identity::new(bus, &identify.model, &identify.serial, &identify.firmware),
        None => Identity::new(bus, &inquiry.product, serial, &inquiry.revision),
    };
    if identify.is_some() {
        identity.serial_source = SerialSource::AtaIdentify;
    }
    let ata_name = identify.and_then(|identify| identify.world_wide_name);
    identity.wwn = wwn.or_else(|| ata_name.map(|name| format!("{name:016x}")));
    identity.vendor = Some(inquiry.vendor.to_vec());
    identity
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::scsi_link::tests::{Reply, ScriptedPort};
    use super::*;

    const INQUIRY: &[u8] = &[0x12, 0, 0, 0, 36, 0];
    const IDENTIFY_16: &[u8] = &[0x85, 0x08, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0];
    const IDENTIFY_12: &[u8] = &[0xa1, 0x08, 0x0e, 0, 1, 0, 0, 0, 0, 0xec, 0, 0];

    fn inquiry(device_type: u8, names: &str) -> Reply {
        let mut bytes = vec![device_type, 0, 6, 2, 31, 0, 0, 0];
        bytes.extend(names.bytes());
        assert_eq!(bytes.len(), 36);
        Reply::Data(bytes)
    }

    fn page_cdb(page: u8) -> [u8; 6] {
        match page {
            page::ATA_INFORMATION => [0x12, 1, page, 0x02, 0x3c, 0],
            _ => [0x12, 1, page, 0, 252, 0],
        }
    }

    fn page(number: u8, body: &[u8]) -> Reply {
        let [high, low] = u16::try_from(body.len()).unwrap().to_be_bytes();
        let mut bytes = vec![0, number, high, low];
        bytes.extend(body);
        Reply::Data(bytes)
    }

    fn identify_data() -> [u8; 512] {
        ata::tests::identify_data(
            b"      S21PNSAG123456",
            b"Samsung SSD 850 PRO 256GB               ",
        )
    }

    /// Probes the device behind a script and checks that everything expected was sent.
    fn run(port: ScriptedPort, bus: Bus) -> Option<Probe> {
        let mut sender = Sender {
            port,
            timeout: Duration::from_secs(1),
        };
        let probe = probe(&mut sender, bus).unwrap();
        assert!(sender.port.is_finished());
        probe
    }

    #[test]
    fn sas_drive_needs_no_ata_command() {
        let port = ScriptedPort::default()
            .then(INQUIRY, inquiry(0, "SEAGATE ST4000NM0145    E002"))
            .then(&page_cdb(0), page(0, &[0x00, 0x80, 0x83]))
            .then(&page_cdb(0x80), page(0x80, b"ZC1123450000C8123456"))
            .then(
                &page_cdb(0x83),
                page(
                    0x83,
                    &[1, 3, 0, 8, 0x50, 0, 0xc5, 0, 0xa1, 0xb2, 0xc3, 0xd4],
                ),
            );
        let probe = run(port, Bus::Scsi).unwrap();
        let mut expected = Identity::new(
            Bus::Scsi,
            b"ST4000NM0145    ",
            b"ZC1123450000C8123456",
            b"E002",
        );
        expected.vendor = Some(b"SEAGATE ".to_vec());
        expected.wwn = Some("5000c500a1b2c3d4".to_owned());
        assert_eq!((probe.identity, probe.identify), (expected, None));
    }

    #[test]
    fn sata_drive_is_known_from_its_information_page() {
        let mut information = vec![0; 56];
        information.extend(identify_data());
        let port = ScriptedPort::default()
            .then(INQUIRY, inquiry(0, "ATA     Samsung SSD 850 1B6Q"))
            .then(&page_cdb(0), page(0, &[0x00, 0x80, 0x89]))
            .then(&page_cdb(0x80), page(0x80, b"      S21PNSAG123456"))
            .then(&page_cdb(0x89), page(0x89, &information));
        let probe = run(port, Bus::Ata).unwrap();
        let identity = probe.identity;
        assert_eq!(identity.bus, Bus::Ata);
        assert_eq!(identity.model, b"Samsung SSD 850 PRO 256GB               ");
        assert_eq!(identity.serial, b"      S21PNSAG123456");
        assert_eq!(identity.firmware, b"SVT02B6Q");
        assert_eq!(identity.vendor.as_deref(), Some(&b"ATA     "[..]));
        assert_eq!(identity.wwn.as_deref(), Some("5002538d01234567"));
        assert!(probe.identify.unwrap().trusted_computing);
    }

    #[test]
    fn sata_drive_without_that_page_is_asked_directly() {
        let port = ScriptedPort::default()
            .then(INQUIRY, inquiry(0, "ATA     Samsung SSD 850 1B6Q"))
            .then(&page_cdb(0), Reply::Sense(5, 0x24, 0))
            .then(IDENTIFY_16, Reply::Sense(5, 0x20, 0))
            .then(IDENTIFY_12, Reply::Data(identify_data().to_vec()));
        let probe = run(port, Bus::Ata).unwrap();
        assert_eq!(probe.identity.serial_text(), "S21PNSAG123456");
    }

    #[test]
    fn bridge_that_answers_with_zeros_is_treated_as_scsi() {
        let port = ScriptedPort::default()
            .then(INQUIRY, inquiry(0, "JMicron Generic         0204"))
            .then(&page_cdb(0), page(0, &[0x00, 0x80]))
            .then(&page_cdb(0x80), page(0x80, b"DD56419883914"))
            .then(IDENTIFY_16, Reply::Data(vec![0; 512]))
            .then(IDENTIFY_12, Reply::Data(vec![0; 512]));
        let probe = run(port, Bus::Usb).unwrap();
        assert_eq!(probe.identity.bus, Bus::Usb);
        assert_eq!(probe.identity.serial, b"DD56419883914");
        assert_eq!(probe.identify, None);
    }

    #[test]
    fn other_devices_are_no_disks() {
        let port =
            ScriptedPort::default().then(INQUIRY, inquiry(5, "HL-DT-STDVDRAM GH24     1.00"));
        assert!(run(port, Bus::Scsi).is_none());
        let short = ScriptedPort::default().then(INQUIRY, Reply::Data(vec![0; 5]));
        assert!(run(short, Bus::Scsi).is_none());
    }

    #[test]
    fn refused_inquiry_is_an_error() {
        let port = ScriptedPort::default().then(INQUIRY, Reply::Sense(2, 0x04, 0));
        let mut sender = Sender {
            port,
            timeout: Duration::from_secs(1),
        };
        let error = probe(&mut sender, Bus::Scsi).unwrap_err().to_string();
        assert!(
            error.starts_with("the drive refused INQUIRY: sense 2/04/00, NOT READY"),
            "{error}"
        );
    }
}
