//! Each quirk by itself: what it makes the TPer do, and that without it the TPer keeps to the
//! standard.

mod encoding;
mod level0;
mod ownership;
mod packets;
mod ranges;
mod sessions;
mod single_user;
mod timing;
