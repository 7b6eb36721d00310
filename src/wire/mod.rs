//! Bytes and values of the TCG Storage protocol: tokens, packets, methods, Level 0 Discovery.
//!
//! The layers, from the bottom:
//!
//! - [`reader`]: a cursor that cannot run past its end;
//! - [`atom`] and [`token`]: the token stream of a Subpacket (\[Core\] 3.2.2);
//! - [`value`]: tokens as a tree of integers, byte strings, lists and named values;
//! - [`call`]: method calls and their answers (\[Core\] 3.2.4);
//! - [`packet`]: ComPacket, Packet and Subpacket (\[Core\] 3.2.3);
//! - [`discovery`]: Level 0 Discovery (\[Core\] 3.3.6);
//! - [`expression`]: Boolean expressions of authorities;
//! - [`security_protocol`]: the protocol list, and the management of ComIDs (\[Core\] 3.3.4);
//! - [`hex`] and [`sedutil_log`]: bytes that people kept as text.
//!
//! Nothing here does I/O, knows the time, or trusts a length. Decoding takes everything that the
//! standards allow and that real drives send; encoding writes the narrow form that drives are known
//! to accept.
//!
//! ```
//! use sedkit::spec::{method, uid};
//! use sedkit::wire::MethodCall;
//!
//! let call = MethodCall::new(uid::THIS_SP, method::RANDOM).argument(32_u64);
//! assert_eq!(MethodCall::decode(&call.encode())?, call);
//! # Ok::<(), sedkit::wire::DecodeError>(())
//! ```

#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing)]

pub mod atom;
pub mod call;
pub mod discovery;
mod error;
pub mod expression;
pub mod hex;
pub mod packet;
pub mod pretty;
pub mod reader;
pub mod security_protocol;
pub mod sedutil_log;
pub mod token;
pub mod value;

pub use call::{MethodCall, MethodResponse};
pub use discovery::Discovery;
pub use error::{DecodeError, DecodeErrorKind};
pub use packet::{ComPacket, Packet, Subpacket};
pub use reader::Reader;
pub use token::Token;
pub use value::Value;
