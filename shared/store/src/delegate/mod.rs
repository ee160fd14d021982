//! The ports of a vault, implemented once for both backends. These have modules of the same names, whose functions have
//! the same arguments and results; methods that differ are in the backends.

mod reader;
mod transaction;

pub(crate) use reader::vault_reader;
pub(crate) use transaction::vault_transaction;
