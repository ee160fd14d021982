//! `kimberly doctor`: checks what is visible from outside; each finding says what to do.

mod database;
mod finding;
mod folder;
mod keys;
pub(super) mod processes;
mod queue;
mod vaults;

use std::path::{Path, PathBuf};

use kimberly_crypto::{refuse_lost_keys, refuse_lost_registry};
use kimberly_runtime::Config;
use kimberly_runtime::config::Environment;
use serde_json::json;

use crate::context::Context;
use crate::error::{CliError, CliResult};
use crate::token::{is_on_loopback, is_served_at};
pub(super) use database::shown as database;
pub(super) use finding::{Finding, Level};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Configuration file [default: `KIMBERLY_CONFIG`, else kimberly.toml here if there is one]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Args {
    pub(crate) async fn run(self, context: &Context) -> CliResult {
        let mut findings = vec![Finding::ok("kimberly", format!("version {}", kimberly_runtime::VERSION))];
        let config = configuration(self.config.as_deref(), &mut findings);
        findings.push(clock());
        let is_configured_here = is_served_at(&context.server, config.api.listen);
        if is_configured_here || is_on_loopback(&context.server) {
            findings.extend(folder::check(&config.data_dir, config.vaults.reserve.0));
            findings.extend(database::check(&config));
            findings.extend(registry(&config));
            findings.extend(keys::check(&config));
        }
        if is_configured_here {
            findings.extend(processes::check(&config, context.identity.as_ref()).await);
        } else {
            findings.push(elsewhere(&context.server, &config));
        }
        findings.extend(queue::check(context).await);
        findings.extend(vaults::check(context).await);
        context.out.answer(
            || json!({"findings": findings.iter().map(Finding::to_json).collect::<Vec<_>>()}),
            || findings.iter().map(|finding| finding.to_line(context.out.colour)).collect::<Vec<_>>().join("\n"),
        )?;
        match findings.iter().filter(|finding| finding.level == Level::Bad).count() {
            0 => Ok(()),
            1 => Err(CliError::failed("one problem found")),
            n => Err(CliError::failed(format!("{n} problems found"))),
        }
    }
}

/// Reports a data folder that lost its registry or all keys, on which no process starts.
fn registry(config: &Config) -> Option<Finding> {
    if config.postgres.url.is_some() {
        return None;
    }
    let looked = refuse_lost_registry(&config.data_dir);
    let looked =
        looked.and_then(|()| if config.encryption.enabled { refuse_lost_keys(&config.data_dir) } else { Ok(()) });
    looked.err().map(|lost| Finding::bad("registry", lost.to_string()))
}

/// Reports another server than the configured one: the addresses of its worker and embedder are unknown.
fn elsewhere(server: &str, config: &Config) -> Finding {
    let here = config.api.listen;
    Finding::ok(
        "asked",
        format!(
            "checked {server} only; its worker and embedder were not, because the configuration here is for {here}"
        ),
    )
}

/// The configuration, or the defaults if it is invalid, so that the other checks can run.
fn configuration(file: Option<&Path>, findings: &mut Vec<Finding>) -> Config {
    match Config::load(file, &Environment::of_process()) {
        Ok(loaded) => {
            let from =
                loaded.file.as_ref().map_or_else(|| "built-in defaults".to_owned(), |file| file.display().to_string());
            findings.push(Finding::ok("configuration", from));
            findings.extend(loaded.warnings().into_iter().map(|warning| Finding::warn("weights", warning)));
            findings.extend(loaded.data_folder_note.clone().map(|note| Finding::warn("data folder", note)));
            loaded.config
        }
        Err(problems) => {
            findings.push(Finding::bad("configuration", problems.to_string()));
            Config::default()
        }
    }
}

/// A clock that shows a time before 2025 was never set.
fn clock() -> Finding {
    const START_OF_2025: i64 = 1_735_689_600;
    let now = crate::time::now_seconds();
    let shown = crate::time::minute(Some(&prost_types::Timestamp { seconds: now, nanos: 0 }));
    if now < START_OF_2025 {
        Finding::bad("clock", format!("it shows {shown} UTC; set it, because ages and grace windows depend on it"))
    } else {
        Finding::ok("clock", format!("{shown} UTC"))
    }
}
