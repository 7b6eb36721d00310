//! Numbers that must not be mixed up, each as its own type.

use std::fmt;

/// A ComID: the 16-bit port of a TPer's protocol stack (\[Core\] 3.3.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComId(pub u16);

impl ComId {
    /// Level 0 Discovery (protocol 01h).
    pub const LEVEL_0_DISCOVERY: Self = Self(0x0001);
    /// TPER_RESET (protocol 02h, \[Opal\] 3.2.3).
    pub const TPER_RESET: Self = Self(0x0004);
    /// Block SID Authentication (protocol 02h, \[Block SID\] 4.3).
    pub const BLOCK_SID: Self = Self(0x0005);
}

/// The host's session number: chosen by the host, never 0 (\[Core\] 3.3.7).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hsn(pub u32);

/// The TPer's session number: 0 for the session manager, 1000h and above for sessions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tsn(pub u32);

impl Hsn {
    /// The session manager's number.
    pub const SESSION_MANAGER: Self = Self(0);
}

impl Tsn {
    /// The session manager's number.
    pub const SESSION_MANAGER: Self = Self(0);
    /// The first number that a TPer may give to a session.
    pub const FIRST: Self = Self(0x1000);
}

/// The number of a Locking range: 0 is the Global range, N is `Locking_RangeN`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RangeNumber(pub u16);

impl RangeNumber {
    /// The Global range: every LBA that no other range holds.
    pub const GLOBAL: Self = Self(0);
}

macro_rules! number_format {
    ($($name:ident, $format:literal;)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, $format, self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

number_format! {
    ComId, "{:#06x}";
    Hsn, "{:#x}";
    Tsn, "{:#x}";
    RangeNumber, "{}";
}
