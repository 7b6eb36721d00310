//! How a virtual drive is made.

use std::time::Duration;

use zeroize::Zeroizing;

use super::Error;
use super::label::{Label, random_readable_text, random_text};
use super::profile::{Profile, SidPin};
use super::store::Layout;
use super::tper::single_user::SingleUser;
use super::tper::state::{Contents, State, Tries};
use super::tper::{KeepError, first_record};
use super::xts::MediaKey;

/// What a new drive is like. What is left open is chosen at random, so that no two are alike.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CreateOptions {
    /// Bytes of the media: a whole number of logical blocks.
    pub size: u64,
    /// The model.
    pub profile: Profile,
    /// Serial number, at most 20 characters.
    pub serial: Option<String>,
    /// Model name, at most 40 characters.
    pub model: Option<String>,
    /// Firmware revision, at most 8 characters.
    pub firmware: Option<String>,
    /// PIN of MSID, at most 32 characters.
    pub msid: Option<String>,
    /// PIN of PSID, at most 32 characters.
    pub psid: Option<String>,
    /// `DefSessionTimeout`, instead of the profile's; zero is never.
    pub session_timeout: Option<Duration>,
    /// `TryLimit` of the Admins and Users of the Locking SP, instead of the profile's; 0 is no
    /// limit.
    pub try_limit: Option<u64>,
    /// How long each interface command takes.
    pub latency: Duration,
    /// Equal parts of the media that a host sees as NVMe namespaces, 1 to [`MAX_NAMESPACES`].
    pub namespaces: u32,
}

/// The most namespaces that a virtual drive has.
pub const MAX_NAMESPACES: u32 = 16;

const MODEL: &str = "sedkit virtual drive";
const FIRMWARE: &str = "1.0";
/// Characters of the PINs that are chosen at random.
const PIN: usize = 32;

impl CreateOptions {
    /// A drive of `size` bytes with the default profile.
    #[must_use]
    pub fn new(size: u64) -> Self {
        Self {
            size,
            profile: Profile::opal2(),
            serial: None,
            model: None,
            firmware: None,
            msid: None,
            psid: None,
            session_timeout: None,
            try_limit: None,
            latency: Duration::ZERO,
            namespaces: 1,
        }
    }

    /// The dimensions of the drive, and the record of its state.
    pub(super) fn first_record(&self) -> Result<(Layout, Zeroizing<Vec<u8>>), Error> {
        let profile = self.profile()?;
        let block_size = profile.geometry.block_size;
        let blocks = self.size / u64::from(block_size);
        if blocks == 0 || !self.size.is_multiple_of(u64::from(block_size)) {
            return Err(Error::Size {
                size: self.size,
                block_size,
            });
        }
        self.check_namespaces(blocks)?;
        let layout = Layout {
            block_size,
            blocks,
            mbr_bytes: profile.locking.mbr_size,
            data_store_bytes: profile.locking.data_store_size,
        };
        let record = first_record(&self.state(profile, blocks)?)?;
        Ok((layout, record))
    }

    fn check_namespaces(&self, blocks: u64) -> Result<(), Error> {
        let count = self.namespaces;
        if (1..=MAX_NAMESPACES).contains(&count) && blocks.is_multiple_of(u64::from(count)) {
            return Ok(());
        }
        Err(Error::Namespaces { count, blocks })
    }

    fn profile(&self) -> Result<Profile, Error> {
        let mut profile = self.profile.clone();
        if let Some(timeout) = self.session_timeout {
            profile.sessions.default_timeout = millis(timeout);
        }
        if let Some(limit) = self.try_limit {
            profile.tries.locking_sp.limit = limit;
        }
        profile.check()?;
        Ok(profile)
    }

    /// Original factory state.
    fn state(&self, profile: Profile, blocks: u64) -> Result<State, Error> {
        let keys = (0..=profile.locking.ranges).map(|_| MediaKey::generate());
        let keys: Result<Vec<_>, _> = keys.collect();
        Ok(State {
            label: self.label()?,
            latency_us: u64::try_from(self.latency.as_micros()).unwrap_or(u64::MAX),
            blocks,
            namespaces: self.namespaces,
            fault: None,
            admin: Contents::default(),
            locking: Contents::default(),
            active: false,
            initial_pin: initial_pin(&profile),
            // Whoever has changed the PIN of SID has authenticated it.
            sid_authenticated: profile.defects.sid_changed_at_delivery,
            tries: Tries::new(),
            data_stores: vec![profile.locking.data_store_size],
            single_user: SingleUser::default(),
            keys: keys.map_err(KeepError::Random)?,
            removal_interrupted: false,
            pending: Vec::new(),
            profile,
        })
    }

    fn label(&self) -> Result<Label, Error> {
        let serial = || random_text(12).map(|text| format!("VD{text}"));
        let label = Label {
            serial: self.serial.clone().map_or_else(serial, Ok)?,
            model: self.model.clone().unwrap_or_else(|| MODEL.to_owned()),
            firmware: self.firmware.clone().unwrap_or_else(|| FIRMWARE.to_owned()),
            msid: self.msid.clone().map_or_else(|| random_text(PIN), Ok)?,
            psid: self
                .psid
                .clone()
                .map_or_else(|| random_readable_text(PIN), Ok)?,
        };
        label.check()?;
        Ok(label)
    }
}

/// What C_PIN_SID holds when the drive is delivered.
const fn initial_pin(profile: &Profile) -> SidPin {
    if profile.defects.sid_changed_at_delivery {
        return SidPin::VendorUnique;
    }
    profile.initial_pin
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
