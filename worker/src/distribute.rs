//! `kimberly worker distribute`: distributes the tables of users over the nodes of a Citus. `kimberly postgres distribute`
//! starts it, since the command line must not access vaults itself.
//!
//! The plan arrives as one JSON line on stdin, the result goes to stdout as another.

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use kimberly_crypto::Keys;
use kimberly_runtime::config::Environment;
use kimberly_runtime::{Config, forbid_inspection, leave};
use kimberly_store::PgOptions;
use kimberly_store::postgres::distribute;
use serde::Deserialize;
use serde_json::{Value, json};

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
    forbid_inspection(&Environment::of_process());
    let (line, code) = match work() {
        Ok(done) => (json!({"distributed": done}), 0),
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
    let unread = |_| "the plan on stdin cannot be parsed; `kimberly postgres distribute` writes it".to_owned();
    let plan: Plan = serde_json::from_str(&line).map_err(unread).map_err(Trouble::Usage)?;
    let options = plan.options()?;
    let runtime = tokio::runtime::Runtime::new().map_err(|error| Trouble::Failed(format!("no threads: {error}")))?;
    let done = runtime.block_on(distribute(options, plan.shards))?;
    Ok(json!({"nodes": done.nodes, "tables": done.tables}))
}

impl Plan {
    /// Completes the plan from the configuration.
    fn options(&self) -> Result<PgOptions, Trouble> {
        let usage = |problems: kimberly_runtime::config::Problems| Trouble::Usage(problems.to_string());
        let config = Config::load(self.config.as_deref(), &Environment::of_process()).map_err(usage)?.config;
        config.check().map_err(usage)?;
        let none = || Trouble::Usage("no database is configured: set postgres.url".to_owned());
        Ok(PgOptions::at(&config.postgres.database().ok_or_else(none)?, Keys::off()))
    }
}
