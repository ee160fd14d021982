//! The embedder process: opens the configured models and serves other processes. Without a model it only serves health
//! checks.

use std::ffi::OsString;
use std::process::ExitCode;

use kimberly_runtime::{Boot, Failure, MainResult, Start};
use kimberly_store::key_store;

use crate::lanes::Meter;
use crate::maintenance::VectorMaintenance;
use crate::models::Models;
use crate::reranker::Reranker;
use crate::{bulk, check, service};

/// Runs the process with these arguments, or one of the programs that commands start.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    if let Some(folder) = check::asked(arguments.iter().cloned()) {
        check::run(&folder)
    } else if let Some(bulk) = bulk::asked(arguments.iter().cloned()) {
        bulk::run(bulk)
    } else {
        let start = Start::new("kimberly-embedder").without_sensitive_key();
        start.with_keys_in(|config| Ok(key_store(config.postgres.database().as_ref())?)).run(arguments, serve)
    }
}

async fn serve(boot: Boot) -> MainResult {
    let listener = boot.listen("embedder.listen", boot.config.embedder.listen).await?;
    let (config, meter) = (boot.config.clone(), Meter::of(boot.metrics.clone()));
    let opened = move || Ok::<_, Failure>((Models::open(&config, &meter)?, Reranker::open(&config)?));
    let opened = tokio::task::spawn_blocking(opened).await;
    let (models, reranker) = opened.unwrap_or_else(|error| Err(Failure::from(error)))?;
    let scores = reranker.as_ref().map(|reranker| format!("; cross-encoder {}", reranker.name())).unwrap_or_default();
    let Some(models) = models else {
        let note = format!("embeddings are off (no model configured){scores}");
        boot.announce(listener.local_addr()?, Some(&note));
        return service::serve(listener, None, reranker, boot.keys.clone(), boot.shutdown.clone()).await;
    };
    let maintenance = VectorMaintenance::open(&boot, &models).await?;
    boot.announce(listener.local_addr()?, Some(&format!("model {}{scores}", models.current().key())));
    let services = Some((models, maintenance.service()));
    let served = async {
        let served = service::serve(listener, services, reranker, boot.keys.clone(), boot.shutdown.clone()).await;
        // If serving ends by itself, stop the rest too.
        boot.shutdown.request();
        served
    };
    let ended = async {
        let ended = maintenance.run(&boot).await;
        boot.shutdown.request();
        ended
    };
    let (served, ended) = tokio::join!(served, ended);
    served.and(ended)
}
