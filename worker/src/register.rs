//! `kimberly worker register`: adds the users of all vaults of a data folder to its registry, for
//! `kimberly vaults register`.

use std::path::PathBuf;
use std::sync::Arc;

use kimberly_crypto::{Keys, Loads};
use kimberly_runtime::SystemClock;
use kimberly_store::{SqliteOptions, SqliteStore};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::once;
use crate::trouble::Trouble;

/// The plan of the command line.
#[derive(Deserialize)]
struct Plan {
    /// The configuration file, if one was named.
    config: Option<PathBuf>,
}

/// Registers the users, and exits with an exit code of the command line.
pub fn main() -> ! {
    once::run(("kimberly vaults register", "registered"), Plan::work)
}

impl Plan {
    fn work(self, runtime: &Runtime) -> Result<Value, Trouble> {
        let options = self.options()?;
        let folder = options.data_dir.clone();
        let done = runtime.block_on(SqliteStore::register_vaults(options, Arc::new(SystemClock)))?;
        let left: Vec<Value> = done.left.iter().map(|(folder, why)| json!({"folder": folder, "why": why})).collect();
        Ok(json!({"data_dir": folder, "users": done.users.len(), "known": done.known, "left": left}))
    }

    /// Completes the plan from the configuration.
    fn options(&self) -> Result<SqliteOptions, Trouble> {
        let config = once::config(self.config.as_deref())?;
        if let Some(url) = &config.postgres.url {
            return Err(Trouble::Usage(format!("the vaults are in {url}, which keeps the registry beside them")));
        }
        let data = config.data_dir;
        // The owner of a vault is not sealed, so the master ring is enough.
        let keys = if config.encryption.enabled {
            Keys::open(&data, &config.keys.sources(), Loads::MasterOnly)
        } else {
            Keys::off_for(&data)
        };
        let keys = keys.map_err(|error| Trouble::Failed(error.to_string()))?;
        Ok(SqliteOptions { keys, busy_timeout: config.vaults.busy_timeout.0, ..SqliteOptions::new(data) })
    }
}
