//! `sedkit raw`.

use clap::{Args, Subcommand};

use super::{Consent, Device, DryRun, Force, Login, NewScheme};

/// Any object and any method of a drive, by the standard's names
///
/// For what no other command does, and for looking behind those that do. What an object means is not
/// checked: "set" and "call" can lose access and data, and ask for the serial number.
#[derive(Debug, Args)]
pub(crate) struct Raw {
    #[command(subcommand)]
    pub(crate) command: RawCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum RawCommand {
    Get(Get),
    Set(Set),
    Call(Call),
    Next(Next),
    Acl(Acl),
    Dump(Dump),
    Names(Names),
    Msid(Msid),
    Random(Random),
    ComId(ComId),
    Protocols(Protocols),
}

impl RawCommand {
    /// The command's name in JSON and in messages.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Get(_) => "raw get",
            Self::Set(_) => "raw set",
            Self::Call(_) => "raw call",
            Self::Next(_) => "raw next",
            Self::Acl(_) => "raw acl",
            Self::Dump(_) => "raw dump",
            Self::Names(_) => "raw names",
            Self::Msid(_) => "raw msid",
            Self::Random(_) => "raw random",
            Self::ComId(_) => "raw com-id",
            Self::Protocols(_) => "raw protocols",
        }
    }
}

/// With which SP, and as whom.
#[derive(Clone, Debug, Args)]
pub(crate) struct RawSession {
    /// The SP: admin, locking, or a UID [default: the authority's, else the object's]
    #[arg(long, value_name = "SP")]
    pub(crate) sp: Option<String>,
    /// Who acts: any authority, by name or UID [default: Anybody; where --key is given, SID in the
    /// Admin SP and Admin1 in the Locking SP]
    #[arg(long = "as", value_name = "AUTHORITY")]
    pub(crate) authority: Option<String>,
    #[command(flatten)]
    pub(crate) login: Login,
}

/// Show columns of an object, or bytes of a byte table
///
/// OBJECT is a name of the standard, TABLE.ROW, or a UID of 16 hexadecimal digits; columns follow it
/// after a dot, by name or number. Bytes are written as they are; with --json in hexadecimal.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit raw get /dev/nvme0 C_PIN_MSID.PIN\n  \
    sedkit raw get /dev/nvme0 Locking_Range3.RangeStart,RangeLength --as Admin1\n  \
    sedkit raw get /dev/nvme0 0000000900030003 --as Admin1\n  \
    sedkit raw get vdrive:demo.img DataStore --length 512 --as Admin1 --key file:passphrase"
)]
pub(crate) struct Get {
    #[command(flatten)]
    pub(crate) device: Device,
    /// What to show: OBJECT, OBJECT.COLUMN or OBJECT.COLUMN,COLUMN…
    #[arg(value_name = "OBJECT")]
    pub(crate) object: String,
    /// First byte of a byte table
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) offset: u64,
    /// How many bytes of a byte table [default: to its end]
    #[arg(long, value_name = "BYTES")]
    pub(crate) length: Option<u64>,
    /// Show PINs and keys, where a drive gives them out; the MSID is shown anyway
    #[arg(long)]
    pub(crate) show_secrets: bool,
    #[command(flatten)]
    pub(crate) session: RawSession,
}

/// Set columns of an object, all or none, and read them back
///
/// Values are written as their columns need them: numbers, true and false, names or UIDs of objects,
/// names of resets, "Admins OR User1", text. A PIN is given by the SOURCE that it comes from.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit raw set /dev/nvme0 Locking_Range3 ReadLockEnabled=true \
    LockOnReset=power_cycle,programmatic --as Admin1\n  \
    sedkit raw set /dev/nvme0 C_PIN_User3 PIN=prompt --as Admin1\n  \
    sedkit raw set vdrive:demo.img ACE_Locking_Range1_Set_RdLocked \
    'BooleanExpr=Admins OR User1' --as Admin1 --key file:passphrase --confirm SEDKIT0001"
)]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The object
    #[arg(value_name = "OBJECT")]
    pub(crate) object: String,
    /// Columns and their values
    #[arg(value_name = "COLUMN=VALUE", required = true)]
    pub(crate) values: Vec<String>,
    #[command(flatten)]
    pub(crate) new_scheme: NewScheme,
    #[command(flatten)]
    pub(crate) session: RawSession,
    #[command(flatten)]
    pub(crate) change: Change,
}

/// What comes with everything that may change something.
#[derive(Clone, Debug, Args)]
pub(crate) struct Change {
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Call any method of any object
///
/// Arguments are numbers, true, false, "text", hex:00ff, names or UIDs of objects, secret:SOURCE,
/// [lists], and NAME=VALUE for optional parameters, columns and entries of a cell block. Get, Next,
/// GetACL, Random and Authenticate need no consent; Authenticate spends an attempt.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit raw call /dev/nvme0 ThisSP Random 32\n  \
    sedkit raw call /dev/nvme0 AccessControl GetACL Locking_Range1 Set --sp locking\n  \
    sedkit raw call /dev/nvme0 K_AES_256_Range1_Key GenKey --as Admin1\n  \
    sedkit raw call vdrive:demo.img C_PIN_MSID Get '[startColumn=3,endColumn=3]'"
)]
pub(crate) struct Call {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The object; ThisSP for methods of the SP
    #[arg(value_name = "OBJECT")]
    pub(crate) object: String,
    /// The method, by name or UID
    #[arg(value_name = "METHOD")]
    pub(crate) method: String,
    /// Arguments
    #[arg(value_name = "ARGUMENT", allow_negative_numbers = true)]
    pub(crate) arguments: Vec<String>,
    /// Show PINs and keys, where a drive gives them out
    #[arg(long)]
    pub(crate) show_secrets: bool,
    #[command(flatten)]
    pub(crate) session: RawSession,
    #[command(flatten)]
    pub(crate) change: Change,
}

/// List the rows of a table
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit raw next /dev/nvme0 Table\n  \
    sedkit raw next /dev/nvme0 Authority --sp locking")]
pub(crate) struct Next {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The table
    #[arg(value_name = "TABLE")]
    pub(crate) table: String,
    #[command(flatten)]
    pub(crate) session: RawSession,
}

/// Show who may call a method on an object
///
/// Each ACE is shown with its expression and its columns, as far as the authority may see them.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    sedkit raw acl /dev/nvme0 Locking_Range1 Set --as Admin1\n  \
    sedkit raw acl vdrive:demo.img C_PIN_SID Set")]
pub(crate) struct Acl {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The object
    #[arg(value_name = "OBJECT")]
    pub(crate) object: String,
    /// The method
    #[arg(value_name = "METHOD", default_value = "Set")]
    pub(crate) method: String,
    #[command(flatten)]
    pub(crate) session: RawSession,
}

/// Show every table of both SPs with every row, as far as the authority sees
///
/// The SP of the authority is shown to it, the other one to Anybody.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit raw dump /dev/nvme0\n  \
    sedkit raw dump /dev/nvme0 --as Admin1 --json > tables.json\n  \
    sedkit raw dump vdrive:demo.img --sp admin")]
pub(crate) struct Dump {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The first bytes of each byte table, too
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    pub(crate) bytes: u64,
    #[command(flatten)]
    pub(crate) session: RawSession,
}

/// List the names that objects, methods and columns have here
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit raw names\n  sedkit raw names Locking\n  \
    sedkit raw names --columns C_PIN"
)]
pub(crate) struct Names {
    /// Only names with this text in them
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
    /// The columns of a table, with the types of their values
    #[arg(long, value_name = "TABLE", conflicts_with = "text")]
    pub(crate) columns: Option<String>,
}

/// Show the default PIN that the drive shows to anybody
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit raw msid /dev/nvme0")]
pub(crate) struct Msid {
    #[command(flatten)]
    pub(crate) device: Device,
}

/// Write random bytes of the drive's generator to standard output
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit raw random /dev/nvme0 | xxd\n  \
    sedkit raw random vdrive:demo.img --count 64 --json"
)]
pub(crate) struct Random {
    #[command(flatten)]
    pub(crate) device: Device,
    /// How many bytes
    #[arg(long, value_name = "BYTES", default_value_t = 32,
        value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub(crate) count: u32,
}

/// Show the state of the ComID by which the drive is talked to
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit raw com-id /dev/nvme0")]
pub(crate) struct ComId {
    #[command(flatten)]
    pub(crate) device: Device,
}

/// Show the security protocols, the certificate and the certifications of a drive
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit raw protocols /dev/sda\n  \
    sedkit raw protocols /dev/sda --certificate > certificate.der")]
pub(crate) struct Protocols {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Write the certificate (X.509, DER) to standard output
    #[arg(long)]
    pub(crate) certificate: bool,
}
