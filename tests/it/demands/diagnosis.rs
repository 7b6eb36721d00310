//! Diagnosis: each reason for a refusal is told apart by evidence, with its way out.

use sedkit::drive::{
    AtaSource, Authority, Cause, Credential, Drive, DriveOptions, ErrorCode, Finding, NoTcg,
    SetupPlan, Trouble,
};
use sedkit::secret::Secret;
use sedkit::spec::{ComId, MethodStatus, SecurityProtocol};
use sedkit::transport::script::Script;
use sedkit::transport::{AtaSecurity, Bus, Error, Facts, Identity, InterfaceStatus, Transport};
use sedkit::vdrive::profile::{AtaSecurityState, SidPin};
use sedkit::vdrive::{CreateOptions, VirtualDrive};
use serde_json::Value;

use crate::cli::support::{Bench, MSID, PSID, SERIAL, leave_session_open};

const SETUP: [&str; 4] = ["setup", "vdrive:b", "--new-key", "file:right"];

/// A bench with a drive `b` of its own kind.
fn bench_with(change: impl FnOnce(&mut CreateOptions)) -> Bench {
    let bench = Bench::new();
    let mut options = CreateOptions::new(8 << 20);
    options.serial = Some(SERIAL.to_owned());
    options.msid = Some(MSID.to_owned());
    options.psid = Some(PSID.to_owned());
    change(&mut options);
    VirtualDrive::create(&bench.path("b"), &options).unwrap();
    bench
}

fn block_sid(bench: &Bench, clear_events: u8, freeze: u8) {
    let mut payload = [0; 512];
    (payload[0], payload[1]) = (clear_events, freeze);
    let mut drive = bench.open("b");
    let (protocol, com_id) = (SecurityProtocol::TCG_MANAGEMENT, ComId(0x0005));
    drive.if_send(protocol, com_id, &payload).unwrap();
}

/// The findings of a list in JSON, by code.
fn codes(findings: &Value) -> Vec<&str> {
    let findings = findings.as_array().map(Vec::as_slice).unwrap_or_default();
    findings
        .iter()
        .map(|finding| finding["code"].as_str().unwrap())
        .collect()
}

fn info(bench: &Bench) -> Value {
    bench.json(&["info", "vdrive:b"], 0)["drives"][0].clone()
}

/// The first finding of a refusal, which must be of this code, with evidence and a way out.
#[track_caller]
fn first<'e>(error: &'e Value, code: &str) -> &'e Value {
    let finding = &error["diagnosis"][0];
    assert_eq!(finding["code"], code, "{error:#}");
    for field in ["text", "evidence", "way_out"] {
        assert_ne!(finding[field], "", "{field}");
    }
    finding
}

#[test]
fn d24_blocked_owned_and_vendor_unique_are_told_apart_before_a_pin_is_tried() {
    let blocked = bench_with(|_| {});
    block_sid(&blocked, 1, 0);
    let owned = bench_with(|_| {});
    owned.run(&SETUP).exits(0);
    let vendor = bench_with(|options| options.profile.initial_pin = SidPin::VendorUnique);
    for (bench, code, evidence) in [
        (&blocked, "sid_blocked", "SID Blocked State bit is 1"),
        (&owned, "sid_not_msid", "SID Value State bit is 1"),
        (&vendor, "sid_vendor_unique_at_delivery", "byte 13"),
    ] {
        let told = info(bench);
        let finding = told["diagnosis"].as_array().unwrap().iter();
        let mut finding = finding.filter(|finding| finding["code"] == code);
        let said = finding.next().unwrap()["evidence"].as_str().unwrap();
        assert!(said.contains(evidence), "{said}");
    }
    assert!(!codes(&info(&blocked)["diagnosis"]).contains(&"sid_not_msid"));
    assert!(!codes(&info(&owned)["diagnosis"]).contains(&"sid_blocked"));
    // Nothing is sent to a drive whose SID is blocked.
    let document = blocked.json(&SETUP, 4);
    let drive = &document["drives"][0];
    first(&drive["error"], "sid_blocked");
    assert_eq!(drive["if_commands"]["send"], 0);
}

#[test]
fn d24_refusal_of_sid_says_which_reason_applies() {
    let bench = bench_with(|_| {});
    bench.run(&SETUP).exits(0);
    let passwd = [
        "passwd",
        "vdrive:b",
        "--as",
        "SID",
        "--new-key",
        "file:right",
    ];
    let wrong = [&passwd[..], &["--key", "file:wrong"]].concat();
    let document = bench.json(&wrong, 4);
    let finding = first(&document["drives"][0]["error"], "sid_not_msid");
    assert!(finding["text"].as_str().unwrap().contains("owned"));
    let run = bench.run(&wrong).exits(4);
    run.complains("why: The drive is owned")
        .complains("evidence: Block SID descriptor (0402h)")
        .complains("way out: Use the PIN that was set");
    // A drive that is as it was delivered has another way out.
    let fresh = bench_with(|_| {});
    let document = fresh.json(&wrong, 4);
    let finding = first(&document["drives"][0]["error"], "sid_still_msid");
    assert!(finding["way_out"].as_str().unwrap().contains("msid"));
}

/// A drive that does not tell the truth about itself.
struct Liar<F> {
    inner: VirtualDrive,
    facts: Facts,
    lie: F,
}

impl<F: Fn(SecurityProtocol, ComId, &mut [u8]) + Send> Transport for Liar<F> {
    fn if_send(&mut self, protocol: SecurityProtocol, id: ComId, data: &[u8]) -> Result<(), Error> {
        self.inner.if_send(protocol, id, data)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let received = self.inner.if_recv(protocol, com_id, buffer)?;
        (self.lie)(protocol, com_id, &mut buffer[..received]);
        Ok(received)
    }

    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn max_transfer(&self) -> usize {
        self.inner.max_transfer()
    }

    fn facts(&self) -> Facts {
        self.facts
    }
}

fn liar(
    options: &CreateOptions,
    lie: impl Fn(SecurityProtocol, ComId, &mut [u8]) + Send + 'static,
) -> Drive {
    let inner = VirtualDrive::in_memory(options).unwrap();
    let facts = Facts::default();
    open(Liar { inner, facts, lie }).unwrap()
}

fn open(transport: impl Transport + 'static) -> Result<Drive, sedkit::drive::Error> {
    Drive::open(Box::new(transport), DriveOptions::default())
}

/// Changes bytes of the descriptor with this feature code.
fn patch(discovery: &mut [u8], code: [u8; 2], at: usize, value: u8) {
    let mut start = 48;
    while start + 4 <= discovery.len() {
        if discovery[start..start + 2] == code {
            discovery[start + at] = value;
            return;
        }
        start += 4 + usize::from(discovery[start + 3]);
    }
    panic!("no such descriptor");
}

fn is_discovery(protocol: SecurityProtocol, com_id: ComId) -> bool {
    protocol == SecurityProtocol::TCG && com_id == ComId::LEVEL_0_DISCOVERY
}

fn secret(text: &str) -> Secret {
    Secret::from_slice(text.as_bytes())
}

/// As an Intel 7600p did: SID is said to have the MSID and not to be blocked, and is refused with it.
#[test]
fn d25_refusal_that_discovery_does_not_explain_is_said_to_be_one() {
    let mut options = CreateOptions::new(4 << 20);
    options.profile.initial_pin = SidPin::VendorUnique;
    let mut drive = liar(&options, |protocol, com_id, bytes| {
        if is_discovery(protocol, com_id) {
            patch(bytes, [0x04, 0x02], 4, 0x00);
            patch(bytes, [0x02, 0x03], 13, 0x00);
        }
    });
    assert_eq!(drive.diagnose(), []);
    let error = drive
        .setup(&SetupPlan::default(), &secret("a-new-pin"))
        .unwrap_err();
    let trouble = error.cause().trouble().unwrap();
    assert_eq!(trouble, Trouble::Login(Authority::Sid));
    let findings = drive.explain(trouble);
    assert_eq!(findings, [Finding::SidUnexplained]);
    let text = findings[0].text();
    assert!(text.contains("does not explain"), "{text}");
    for other in ["firmware", "power cycle", "wrong PINs", "PSID"] {
        assert!(findings[0].way_out().contains(other), "{other}");
    }
}

#[test]
fn d26_block_names_the_firmware_s_options_and_the_tpm() {
    let bench = bench_with(|_| {});
    block_sid(&bench, 0, 0);
    let document = bench.json(&SETUP, 4);
    let finding = first(&document["drives"][0]["error"], "sid_blocked");
    let way_out = finding["way_out"].as_str().unwrap();
    for name in ["Block SID", "TCG storage security", "TPM"] {
        assert!(way_out.contains(name), "{way_out}");
    }
    let evidence = |bench: &Bench| info(bench)["diagnosis"][0]["evidence"].clone();
    assert!(
        evidence(&bench)
            .as_str()
            .unwrap()
            .contains("no hardware reset clears")
    );
    let resettable = bench_with(|_| {});
    block_sid(&resettable, 1, 0);
    assert!(
        !evidence(&resettable)
            .as_str()
            .unwrap()
            .contains("no hardware")
    );
}

/// Freezing needs a SID with the default PIN on a drive whose Locking SP is active.
#[test]
fn d26_frozen_locking_sp_is_told_from_a_blocked_sid() {
    let bench = bench_with(|_| {});
    bench.run(&SETUP).exits(0);
    bench.secret("msid", MSID);
    let back = ["passwd", "vdrive:b", "--as", "SID", "--key", "file:right"];
    let new = ["--new-key", "file:msid", "--new-scheme", "raw"];
    bench.run(&[&back[..], &new].concat()).exits(0);
    block_sid(&bench, 0, 1);
    let told = info(&bench);
    let told = codes(&told["diagnosis"]);
    assert!(told.contains(&"locking_frozen") && told.contains(&"sid_blocked"));
    let lock = ["lock", "vdrive:b", "--key", "file:right"];
    let document = bench.json(&lock, 4);
    let drive = &document["drives"][0];
    first(&drive["error"], "locking_frozen");
    assert_eq!(drive["if_commands"]["send"], 0);
    bench.open("b").power_cycle().unwrap();
    assert!(!codes(&info(&bench)["diagnosis"]).contains(&"locking_frozen"));
}

#[test]
fn d28_edrive_and_boot_images_are_seen_on_owned_drives_only() {
    let bench = bench_with(|options| options.profile.neighbours.ieee_1667 = true);
    let told = info(&bench);
    assert_eq!(codes(&told["diagnosis"]), [""; 0]);
    let protocols = told["security_protocols"].as_array().unwrap();
    assert_eq!(protocols[3]["code"], "ee");
    bench.run(&SETUP).exits(0);
    let told = info(&bench);
    assert!(codes(&told["diagnosis"]).contains(&"ieee_1667"), "{told:#}");
    let revert = ["revert", "vdrive:b", "--as", "SID", "--confirm", SERIAL];
    let document = bench.json(&[&revert[..], &["--key", "file:wrong"]].concat(), 4);
    let error = &document["drives"][0]["error"];
    assert_eq!(codes(&error["diagnosis"]), ["sid_not_msid", "ieee_1667"]);
    let way_out = error["diagnosis"][1]["way_out"].as_str().unwrap();
    assert!(way_out.contains("BitLocker") && way_out.contains("PSID"));
}

#[test]
fn d29_failed_activation_names_the_ata_password() {
    let bench = bench_with(|options| {
        options.profile.neighbours.ata_security = AtaSecurityState::Enabled;
    });
    let document = bench.json(&SETUP, 1);
    let error = &document["drives"][0]["error"];
    assert_eq!(error["step"], "activate");
    assert_eq!(error["status"], 0x3f);
    let finding = first(error, "ata_security_enabled");
    assert_eq!(error["hint"], finding["way_out"]);
    assert_eq!(
        finding["evidence"],
        "security protocol EFh, byte 9: enabled"
    );
}

#[test]
fn d29_failed_activation_without_a_password_is_not_blamed_on_one() {
    let mut options = CreateOptions::new(4 << 20);
    options.profile.neighbours.ata_security = AtaSecurityState::Enabled;
    // The interface does not show it.
    let mut drive = liar(&options, |protocol, _, bytes| {
        if protocol == SecurityProtocol::INFORMATION {
            bytes[7] = 3;
        }
    });
    let error = drive
        .setup(&SetupPlan::default(), &secret("a-new-pin"))
        .unwrap_err();
    assert!(matches!(error.cause(), Cause::ActivationFailed));
    let findings = drive.explain(error.cause().trouble().unwrap());
    assert_eq!(findings, [Finding::ActivationUnexplained]);
    assert!(findings[0].way_out().contains("disk password"));
}

/// What IDENTIFY DEVICE told when the drive was opened is not asked for again.
#[test]
fn d29_word_128_is_taken_where_the_interface_has_told_it() {
    let mut facts = Facts::default();
    facts.ata_security = Some(AtaSecurity::default());
    let mut options = CreateOptions::new(4 << 20);
    options.profile.neighbours.ata_security = AtaSecurityState::Enabled;
    let inner = VirtualDrive::in_memory(&options).unwrap();
    let lie = |_, _, _: &mut [u8]| {};
    let mut drive = open(Liar { inner, facts, lie }).unwrap();
    let neighbours = drive.neighbours();
    assert_eq!(neighbours.ata_source, Some(AtaSource::IdentifyDevice));
    assert_eq!(neighbours.finding(), None);
    // Discovery, and the list of protocols.
    assert_eq!(drive.if_counts().recv, 2);
    drive.neighbours();
    assert_eq!(drive.if_counts().recv, 2);
}

#[test]
fn d31_info_shows_ata_security_beside_the_state_of_tcg() {
    for (state, code) in [
        (AtaSecurityState::Locked, Some("ata_security_locked")),
        (AtaSecurityState::Enabled, Some("ata_security_enabled")),
        (AtaSecurityState::Frozen, None),
        (AtaSecurityState::None, None),
    ] {
        let bench = bench_with(|options| options.profile.neighbours.ata_security = state);
        let told = info(&bench);
        assert_eq!(codes(&told["diagnosis"]), Vec::from_iter(code), "{state:?}");
        let security = &told["ata_security"];
        if state == AtaSecurityState::None {
            assert_eq!(*security, Value::Null);
            continue;
        }
        assert_eq!(security["supported"], true);
        assert_eq!(security["enabled"], state.has_password());
        assert_eq!(security["locked"], state == AtaSecurityState::Locked);
        assert_eq!(security["frozen"], state == AtaSecurityState::Frozen);
        assert_eq!(told["state"]["state"], "factory");
        bench
            .run(&["info", "vdrive:b"])
            .exits(0)
            .says("ATA Security: ");
        assert_eq!(bench.is_readable("b"), state != AtaSecurityState::Locked);
    }
}

#[test]
fn d21_too_many_wrong_psids_are_told_from_a_wrong_one() {
    let bench = bench_with(|_| {});
    bench.run(&SETUP).exits(0);
    bench.secret("other", "PSDPSDPSDPSDPSDPSDPSDPSDPSDPSDP2");
    let revert = ["revert", "vdrive:b", "--confirm", SERIAL, "--psid"];
    let wrong = [&revert[..], &["file:other"]].concat();
    for attempt in 1..=5 {
        let document = bench.json(&wrong, 4);
        let finding = first(&document["drives"][0]["error"], "psid_tries").clone();
        let expected = format!("Tries {attempt} of TryLimit 5");
        assert!(finding["evidence"].as_str().unwrap().contains(&expected));
    }
    let right = [&revert[..], &["file:psid"]].concat();
    let document = bench.json(&right, 5);
    let finding = first(&document["drives"][0]["error"], "locked_out");
    assert!(
        finding["evidence"]
            .as_str()
            .unwrap()
            .contains("Tries 5 of TryLimit 5")
    );
    assert!(finding["way_out"].as_str().unwrap().contains("power"));
    assert!(codes(&info(&bench)["diagnosis"]).contains(&"psid_tries"));
    bench.open("b").power_cycle().unwrap();
    bench.run(&right).exits(0);
}

#[test]
fn d36_d58_statuses_of_other_sscs_have_a_meaning() {
    for (status, word) in [
        (MethodStatus::OBSOLETE_0B, "INVALID_FUNCTION"),
        (MethodStatus::OBSOLETE_0D, "INVALID_REFERENCE"),
    ] {
        let error = sedkit::session::Error::Status(status);
        let trouble = Cause::Session(error).trouble().unwrap();
        assert_eq!(trouble, Trouble::Status(status));
        let finding = Finding::Status(status);
        assert!(finding.text().contains(word));
        assert!(finding.way_out().contains("Enterprise"));
    }
    for status in (1..=u8::MAX).map(MethodStatus) {
        let finding = Finding::Status(status);
        assert!(!finding.text().is_empty() && !finding.way_out().is_empty());
        let code = format!("{:02x}h", status.0);
        assert!(finding.evidence().contains(&code), "{code}");
    }
}

/// Crucial drives as their owners found them: the MX500 with ANY and ALL, the MX200 with ALL alone.
#[test]
fn ranges_in_single_user_mode_are_told() {
    for (drive, expected) in [
        ("dta-340-crucial-mx500", true),
        ("dta-64-crucial-mx200", true),
        ("dta-392-seagate-sata-opal", false),
        ("samsung-970-evo-plus", false),
    ] {
        let bytes = crate::vectors::hex(&format!("discovery0/{drive}.hex"));
        let script = no_drive().recv(DISCOVERY.0, DISCOVERY.1, bytes.clone());
        let drive = open(script.recv(DISCOVERY.0, DISCOVERY.1, bytes)).unwrap();
        let found = drive.diagnose();
        let told = found.contains(&Finding::SingleUserMode { all: true });
        assert_eq!(told, expected, "{found:?}");
    }
}

fn no_drive() -> Script {
    Script::new(Identity::new(Bus::Usb, b"M", b"S", b"1"))
}

const DISCOVERY: (SecurityProtocol, ComId) = (SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY);

#[test]
fn d44_no_psid_is_asked_for_where_there_is_no_tcg_drive() {
    let script = no_drive()
        .recv(DISCOVERY.0, DISCOVERY.1, [])
        .refuse(InterfaceStatus::InvalidParameter);
    let handle = script.handle();
    let error = open(script).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotSupported);
    assert_eq!(
        error.cause().trouble(),
        Some(Trouble::NoTcg(NoTcg::Refused))
    );
    handle.finish().unwrap();
    // The drive is opened before the secret is read.
    let bench = Bench::new();
    let revert = ["revert", "/dev/null", "--psid", "file:missing"];
    bench.run(&revert).exits(6).complains("/dev/null");
}

#[test]
fn d50_session_that_a_killed_program_left_is_told_by_its_status() {
    let bench = Bench::locked();
    leave_session_open(&bench, "a");
    let unlock = [
        "unlock",
        "vdrive:a",
        "--key",
        "file:right",
        "--timeout",
        "1",
    ];
    let document = bench.json(&unlock, 7);
    let error = &document["drives"][0]["error"];
    let finding = first(error, "tper_busy");
    assert!(
        finding["evidence"]
            .as_str()
            .unwrap()
            .contains("SP_BUSY (03h)")
    );
    assert!(error["hint"].as_str().unwrap().contains("--stack-reset"));
}

#[test]
fn d50_info_says_that_the_drive_is_busy_and_does_not_wait_for_it() {
    let bench = bench_with(|options| {
        options.profile.sessions.max_sessions = 1;
        options.profile.sessions.default_timeout = 0;
    });
    bench.run(&SETUP).exits(0);
    leave_session_open(&bench, "b");
    let start = std::time::Instant::now();
    let document = bench.json(&["info", "vdrive:b", "--timeout", "60"], 0);
    assert!(start.elapsed().as_secs() < 30, "it waited for the session");
    let told = &document["drives"][0];
    assert!(codes(&told["diagnosis"]).contains(&"tper_busy"), "{told:#}");
    assert_eq!(told["psid_tries"], Value::Null);
}

#[test]
fn d55_no_answer_to_discovery_makes_the_diagnosis_panic() {
    let bytes = crate::vectors::hex("discovery0/dta-392-seagate-sata-opal.hex");
    let mut seed = 0x5eed_u64;
    let mut spoiled = |mut bytes: Vec<u8>| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = usize::try_from(seed >> 33).unwrap() % bytes.len();
        bytes[at] ^= seed.to_be_bytes()[0];
        bytes
    };
    let cut = (1..bytes.len()).map(|length| bytes[..length].to_vec());
    let changed = std::iter::repeat_with(|| spoiled(bytes.clone())).take(500);
    for answer in cut.chain(changed) {
        let script = no_drive().recv(DISCOVERY.0, DISCOVERY.1, answer);
        if let Ok(drive) = open(script) {
            for finding in drive.diagnose() {
                assert!(!finding.text().is_empty() && !finding.evidence().is_empty());
            }
        }
    }
}

#[test]
fn d56_packet_without_contents_is_told_as_no_answer() {
    let options = CreateOptions::new(4 << 20);
    let mut drive = liar(&options, |protocol, com_id, bytes| {
        if protocol == SecurityProtocol::TCG && !is_discovery(protocol, com_id) {
            // OutstandingData, MinTransfer and Length are 0.
            bytes[8..].fill(0);
        }
    });
    let nobody = Credential::new(Authority::Psid, secret(PSID));
    let error = drive.tries(&nobody).unwrap_err();
    assert_eq!(error.cause().trouble(), Some(Trouble::NoAnswer));
    let findings = drive.explain(Trouble::NoAnswer);
    assert_eq!(findings, [Finding::NoAnswer]);
    assert!(findings[0].way_out().contains("reset of the controller"));
}

#[test]
fn d66_allow_tpm_is_named_only_where_the_kernel_blocks_the_command() {
    let trouble = |error| Cause::Session(sedkit::session::Error::Transport(error)).trouble();
    let blocked = Error::Blocked {
        command: "ATA TRUSTED RECEIVE",
    };
    assert_eq!(trouble(blocked), Some(Trouble::NoTcg(NoTcg::KernelBlocks)));
    let finding = Finding::NoTcg(NoTcg::KernelBlocks);
    assert!(finding.way_out().contains("libata.allow_tpm=1"));
    let refused = Error::Interface {
        command: "SECURITY PROTOCOL IN",
        status: InterfaceStatus::InvalidParameter,
    };
    assert_eq!(trouble(refused), None);
    for other in [NoTcg::Refused, NoTcg::NoBytes, NoTcg::Zeros, NoTcg::NoSsc] {
        let finding = Finding::NoTcg(other);
        assert!(!finding.way_out().contains("allow_tpm"), "{other:?}");
        assert!(!finding.text().contains("kernel"), "{other:?}");
    }
}

#[test]
fn d68_answer_of_zeros_is_told_as_one_of_a_bridge() {
    let script = no_drive().recv(DISCOVERY.0, DISCOVERY.1, vec![0; 512]);
    let error = open(script).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Malformed);
    assert_eq!(error.cause().trouble(), Some(Trouble::NoTcg(NoTcg::Zeros)));
    let finding = Finding::NoTcg(NoTcg::Zeros);
    assert_eq!(finding.name(), "all_zero_answer");
    assert!(finding.text().contains("USB bridges"));
}

/// The kernel's own Opal ioctls, which need CONFIG_BLK_SED_OPAL, are used for one thing only.
#[test]
fn d115_nothing_but_resume_needs_the_kernel_s_opal() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source];
    let mut users = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if std::fs::read_to_string(&path)
                .unwrap()
                .contains("ioctl::opal_")
            {
                users.push(path.file_name().unwrap().to_owned());
            }
        }
    }
    assert_eq!(users, ["resume.rs"]);
}
