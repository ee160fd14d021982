//! The audit of a vault, or of the system: entries are linked to the chain in the transaction of what they tell.

mod append;
mod chain_old;
mod log;
mod prune;
mod read;
mod segments;

pub(crate) use append::{To, append};
pub(crate) use chain_old::chain_old;
pub(crate) use log::Log;
pub(crate) use prune::prune;
pub(crate) use read::{entries, range};
pub(crate) use segments::{compact, compact_vault};
