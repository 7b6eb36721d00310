//! What the host side does about a quirk, counted in IF commands and in attempts at a PIN.

use std::sync::{Arc, Mutex};

use sedkit::secret::Secret;
use sedkit::session::{Tper, TperOptions};
use sedkit::spec::{ComId, SecurityProtocol, Ssc, uid};
use sedkit::transport::{Error, Identity, Transport};
use sedkit::vdrive::VirtualDrive;

use super::add;
use crate::support::{MSID, options};

/// The lengths of the buffers of IF-RECVs.
type Lengths = Arc<Mutex<Vec<usize>>>;

/// A way to a drive that notes what is asked for.
struct Watched {
    drive: VirtualDrive,
    lengths: Lengths,
    max_transfer: usize,
}

impl Transport for Watched {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.drive.if_send(protocol, com_id, data)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        self.lengths.lock().unwrap().push(buffer.len());
        self.drive.if_recv(protocol, com_id, buffer)
    }

    fn identity(&self) -> &Identity {
        self.drive.identity()
    }

    fn max_transfer(&self) -> usize {
        self.max_transfer
    }
}

/// A TPer with quirks, and what is asked of it. A path to it carries so many bytes at once.
fn tper(quirks: &[&str], max_transfer: usize) -> (Tper, Lengths) {
    let mut options = options();
    add(&mut options, quirks);
    let lengths = Lengths::default();
    let watched = Watched {
        drive: VirtualDrive::in_memory(&options).unwrap(),
        lengths: Arc::clone(&lengths),
        max_transfer,
    };
    let mut tper = Tper::new(Box::new(watched), TperOptions::default());
    tper.select(ComId(0x1000), Ssc::Opal2);
    (tper, lengths)
}

#[test]
fn a_session_timeout_is_found_out_without_a_pin() {
    // Demands D57. Refused; anybody without and with it, ended; repeated with it: 5 exchanges, and
    // one more for each session after that.
    let (mut tper, _) = tper(&["session-timeout-required"], 65_536);
    let sid = Secret::new(MSID.to_vec());
    let session = tper.start_session(uid::ADMIN_SP, Some((uid::SID, &sid)));
    session.unwrap().end().unwrap();
    assert_eq!((tper.if_counts().send, tper.if_counts().recv), (6, 6));
    let session = tper.start_session(uid::ADMIN_SP, Some((uid::SID, &sid)));
    session.unwrap().end().unwrap();
    assert_eq!((tper.if_counts().send, tper.if_counts().recv), (8, 8));
}

#[test]
fn a_wrong_pin_is_sent_once_whatever_the_session_needs() {
    // TryLimit is 5: after four attempts the right PIN is still taken.
    for quirks in [&[][..], &["session-timeout-required"], &["empty-answers=3"]] {
        let (mut tper, _) = tper(quirks, 65_536);
        let wrong = Secret::new(b"wrong".to_vec());
        for _ in 0..4 {
            let refused = tper.start_session(uid::ADMIN_SP, Some((uid::SID, &wrong)));
            assert!(refused.is_err());
        }
        let sid = Secret::new(MSID.to_vec());
        let session = tper.start_session(uid::ADMIN_SP, Some((uid::SID, &sid)));
        session.unwrap().end().unwrap();
    }
}

#[test]
fn an_answer_that_comes_late_is_fetched() {
    // Demands D56: at most eight times, in less than 100 ms.
    let (mut late, _) = tper(&["empty-answers=8"], 65_536);
    let session = late.start_session(uid::ADMIN_SP, None);
    session.unwrap().end().unwrap();
    let (mut never, lengths) = tper(&["empty-answers=9"], 65_536);
    assert!(never.start_session(uid::ADMIN_SP, None).is_err());
    assert!(lengths.lock().unwrap().len() >= 9);
}

#[test]
fn no_receive_is_larger_than_tper_and_path_allow() {
    // Demands D47: a drive that echoes anything must not make the host ask for it.
    for (quirks, max_transfer, largest) in [
        (
            &["echo-host-properties", "max-receive=65536"][..],
            1 << 20,
            65_536,
        ),
        (&["echo-host-properties"], 4096, 4096),
        (&["small-packets"], 1 << 20, 2048),
        (&["one-property"], 1 << 20, 65_536),
    ] {
        let (mut tper, lengths) = tper(quirks, max_transfer);
        tper.exchange_properties().unwrap();
        let session = tper.start_session(uid::ADMIN_SP, None).unwrap();
        session.end().unwrap();
        let asked = lengths.lock().unwrap().iter().copied().max();
        assert_eq!(asked, Some(largest), "{quirks:?}");
    }
}
