//! `kimberly health`: whether processes of the local configuration serve. For health checks of containers: it opens no
//! file but the configuration and the certificate.

use std::path::PathBuf;

use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use serde_json::json;

use super::doctor::{Finding, Level, processes};
use crate::context::Context;
use crate::error::{CliError, CliResult};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The processes to ask [default: all three]
    #[arg(value_name = "PROCESS", value_parser = ["api", "worker", "embedder"])]
    processes: Vec<String>,
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let loaded = Config::load(self.config.as_deref(), &Environment::of_process());
        let config = loaded.map_err(|problems| CliError::usage(problems.to_string()))?.config;
        let mut findings = processes::check(&config, context.identity.as_ref()).await;
        findings.retain(|of| self.processes.is_empty() || self.processes.iter().any(|name| name == of.about));
        context.out.answer(
            || json!({"findings": findings.iter().map(Finding::to_json).collect::<Vec<_>>()}),
            || findings.iter().map(|finding| finding.to_line(context.out.colour)).collect::<Vec<_>>().join("\n"),
        )?;
        match findings.iter().filter(|finding| finding.level == Level::Bad).count() {
            0 => Ok(()),
            bad => Err(CliError::failed(format!("{bad} of {} processes do not serve", findings.len()))),
        }
    }
}
