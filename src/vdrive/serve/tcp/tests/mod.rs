//! The transport alone: a stub stands for the controller where it can, and bytes are literal or
//! laid out by hand.

mod framing;
mod hostile;
mod session;
mod socket;
mod stub;
mod transfer;
mod vectors;
mod violation;
