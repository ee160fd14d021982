//! `kimberly rings`: the keys that encrypt the data. Showing them queries the server; changes are made here, on the
//! machine with the ring files.

mod copied;
mod retire;
mod rotate;
mod show;

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use kimberly_crypto::{RingLocation, RingName};
use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;

use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Add a new key to a ring, and wait until everything is rewrapped; resumes an interrupted rotation
    Rotate(rotate::Args),
    /// Remove old keys that nothing needs any more from a ring
    Retire(retire::Args),
    /// Record that the ring's current file was copied elsewhere
    Copied(copied::Args),
}

/// The ring.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum RingArg {
    /// The ring that everything depends on
    Master,
    /// The ring of sensitive memories
    Sensitive,
}

/// A ring on this machine.
#[derive(clap::Args)]
struct OnHere {
    /// The ring
    #[arg(value_enum)]
    ring: RingArg,
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        match self.command {
            None => show::run(context).await,
            Some(Command::Rotate(args)) => args.run(context).await,
            Some(Command::Retire(args)) => args.run(context),
            Some(Command::Copied(args)) => args.run(context),
        }
    }
}

impl OnHere {
    /// The ring's source, and the data folder.
    fn find(&self) -> CliResult<(RingLocation, PathBuf)> {
        let config = configuration(self.config.as_deref())?;
        let data = config.data_dir.clone();
        if !config.encryption.enabled {
            return Err(CliError::failed(
                "encryption is off: there are no rings; encryption.enabled = true turns it on for a new data folder",
            ));
        }
        let rings = config.keys.sources().rings(&data).map_err(|error| CliError::failed(error.to_string()))?;
        let rings = rings.ok_or_else(|| {
            let data = data.display();
            CliError::failed(format!(
                "{data} has no keys yet: the first start creates them; name another folder with KIMBERLY_DATA_DIR"
            ))
        })?;
        let [master, sensitive] = rings;
        let location = match self.ring.name() {
            RingName::Master => master,
            RingName::Sensitive => sensitive,
        };
        Ok((location, data))
    }
}

impl RingArg {
    fn name(self) -> RingName {
        match self {
            Self::Master => RingName::Master,
            Self::Sensitive => RingName::Sensitive,
        }
    }
}

/// The configuration of the processes on this machine.
pub(crate) fn configuration(file: Option<&Path>) -> CliResult<Config> {
    let loaded = Config::load(file, &Environment::of_process());
    Ok(loaded.map_err(|problems| CliError::usage(problems.to_string()))?.config)
}
