//! The TPer of the virtual drive, clause by clause.

mod access;
mod block_sid;
mod byte_tables;
mod com;
mod cookbook;
mod data_removal;
mod frames;
mod keys;
mod level0;
mod life_cycle;
mod namespaces;
mod persistence;
mod resets;
mod single_user;
mod start_session;
mod stream;
mod transactions;
mod tries;
mod walk;
