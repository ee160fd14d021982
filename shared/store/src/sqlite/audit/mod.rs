//! The audit of a vault or of the system. Entries are appended to the chain in the transaction that they describe.

mod append;
mod log;
mod read;
mod stored;

pub(crate) use append::{To, append};
pub(crate) use log::Log;
pub(crate) use stored::{In, compact_vault};
