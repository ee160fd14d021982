//! `kimberly worker register`: adds the users of all vaults of a data folder to its registry. `kimberly vaults register`
//! starts it, since the command line must not access vaults itself.
//!
//! The plan arrives as one JSON line on stdin, the result goes to stdout as another.

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use kimberly_crypto::{Keys, Loads};
use kimberly_runtime::config::Environment;
use kimberly_runtime::{Config, SystemClock, forbid_inspection, leave};
use kimberly_store::{SqliteOptions, SqliteStore};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::trouble::Trouble;

/// The plan of the command line.
#[derive(Deserialize)]
struct Plan {
    /// The configuration file, if one was named.
    config: Option<PathBuf>,
}

/// Registers the users, and exits with an exit code of the command line.
pub fn main() -> ! {
    forbid_inspection(&Environment::of_process());
    let (line, code) = match work() {
        Ok(done) => (json!({"registered": done}), 0),
        Err(trouble) => {
            let (message, code) = trouble.told();
            (json!({"failed": {"message": message, "code": code}}), code)
        }
    };
    // If the reader is gone, the exit code still says how it ended.
    let _ = writeln!(std::io::stdout().lock(), "{line}");
    leave(code)
}

fn work() -> Result<Value, Trouble> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Trouble::Usage(format!("no plan on stdin: {error}")))?;
    let unread = |_| "the plan on stdin cannot be parsed; `kimberly vaults register` writes it".to_owned();
    let plan: Plan = serde_json::from_str(&line).map_err(unread).map_err(Trouble::Usage)?;
    let options = plan.options()?;
    let folder = options.data_dir.clone();
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Trouble::Failed(format!("no threads: {error}")))?;
    let done = runtime.block_on(SqliteStore::register_vaults(options, Arc::new(SystemClock)))?;
    let left: Vec<Value> = done.left.iter().map(|(folder, why)| json!({"folder": folder, "why": why})).collect();
    Ok(json!({"data_dir": folder, "users": done.users.len(), "known": done.known, "left": left}))
}

impl Plan {
    /// Completes the plan from the configuration.
    fn options(&self) -> Result<SqliteOptions, Trouble> {
        let usage = |problems: kimberly_runtime::config::Problems| Trouble::Usage(problems.to_string());
        let config = Config::load(self.config.as_deref(), &Environment::of_process()).map_err(usage)?.config;
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
