//! The transport alone: a stub stands for the controller, and bytes are literal or laid out by
//! hand.

mod framing;
mod stub;
mod transfer;
mod vectors;
mod violation;
