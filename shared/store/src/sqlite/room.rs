//! Free disk space. A reserve is kept: below it nothing is added, so that erasing, revoking and reading, which need
//! little space, go on, and SQLite never meets a full disk where it cannot report it.

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::{NoRoom, refuse_adding, refuse_mapping};

use super::options::SqliteOptions;

impl SqliteOptions {
    /// Refuses additions while free space is below the reserve.
    pub(crate) fn refuse_adding(&self) -> Result<()> {
        refuse_adding(&self.data_dir, self.reserve).map_err(|none| full(&none))
    }

    /// Refuses to open or write a database while a full disk could kill the process.
    pub(crate) fn refuse_mapping(&self) -> Result<()> {
        refuse_mapping(&self.data_dir).map_err(|none| full(&none))
    }
}

fn full(none: &NoRoom) -> Error {
    Error::storage(StorageFailure::Full, none.to_string())
}
