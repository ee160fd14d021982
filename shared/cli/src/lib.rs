//! The command line of `kimberly`: client, launcher (`up`) and doctor. It speaks gRPC and has no access to vaults.
//!
//! One file per command in `commands`. Output for people is tables; `--json` prints messages as REST returns them. Exit
//! codes: 0 done, 1 refused or failed, 2 wrong usage, 3 Kimberly cannot be reached.

mod advice;
mod args;
mod client;
mod commands;
mod context;
mod detail;
mod envelope;
mod error;
mod examples;
mod filter;
mod groups;
mod health;
mod ids;
mod input;
mod json;
mod names;
mod output;
mod pages;
mod part_file;
mod patience;
mod program;
mod progress;
mod record;
mod roles;
mod room;
mod spool;
mod text;
mod time;
mod tls;
mod token;
mod view;

use std::process::ExitCode;

/// Runs the command that the arguments of this process name.
pub fn run() -> ExitCode {
    let cli = args::Cli::typed();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            return error::CliError::failed(format!("cannot start threads: {error}; free some memory")).report();
        }
    };
    let ended = runtime.block_on(cli.run());
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}
