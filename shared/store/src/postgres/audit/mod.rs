//! The audit of a vault, or of the system: entries are linked to the chain in the transaction of what they tell.

mod append;
mod log;
mod read;
mod stored;

pub(crate) use append::{append, append_system};
pub(crate) use log::{Log, compact_system, compact_vault, system_name};
pub(crate) use stored::In;
