//! The audit of a vault: entries are linked to the chain in the transaction of what they tell.

mod append;
mod chain_old;
mod prune;
mod read;

pub(crate) use append::append;
pub(crate) use chain_old::chain_old;
pub(crate) use prune::prune;
pub(crate) use read::{entries, range};
