//! The audit of a vault or of the system. Entries are appended to the chain in the transaction that they describe.

mod append;
mod log;
mod read;
mod stored;

pub(crate) use append::{append, append_system};
pub(crate) use log::{Log, compact_system, compact_vault, system_name};
pub(crate) use stored::In;
