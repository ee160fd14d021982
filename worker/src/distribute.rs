//! `kimberly worker distribute`: distributes the tables of users over the nodes of a Citus, for
//! `kimberly postgres distribute`.

use std::path::PathBuf;

use kimberly_crypto::Keys;
use kimberly_store::PgOptions;
use kimberly_store::postgres::distribute;
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
    /// The number of shards of each table.
    shards: u32,
}

/// Distributes the tables, and exits with an exit code of the command line.
pub fn main() -> ! {
    once::run(("kimberly postgres distribute", "distributed"), Plan::work)
}

impl Plan {
    fn work(self, runtime: &Runtime) -> Result<Value, Trouble> {
        let done = runtime.block_on(distribute(self.options()?, self.shards))?;
        Ok(json!({"nodes": done.nodes, "tables": done.tables}))
    }

    /// Completes the plan from the configuration.
    fn options(&self) -> Result<PgOptions, Trouble> {
        let config = once::config(self.config.as_deref())?;
        config.check().map_err(|problems| Trouble::Usage(problems.to_string()))?;
        let none = || Trouble::Usage("no database is configured: set postgres.url".to_owned());
        Ok(PgOptions::at(&config.postgres.database().ok_or_else(none)?, Keys::off()))
    }
}
