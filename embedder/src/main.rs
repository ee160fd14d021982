//! The embedder process: opens the configured model and answers other processes. Without a model it does nothing but
//! answer for its health.

use std::process::ExitCode;

use kimberly_embedder::models::Models;
use kimberly_embedder::{check, service};
use kimberly_runtime::{Boot, Failure, MainResult};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match check::asked(std::env::args_os().skip(1)) {
        Some(folder) => check::run(&folder),
        None => kimberly_runtime::run("kimberly-embedder", serve),
    }
}

async fn serve(boot: Boot) -> MainResult {
    let listener = boot.listen("embedder.listen", boot.config.embedder.listen).await?;
    let config = boot.config.clone();
    let models = tokio::task::spawn_blocking(move || Models::open(&config))
        .await
        .unwrap_or_else(|error| Err(Failure::from(error)))?;
    let note = models.as_ref().map_or_else(
        || "embeddings are off (no model configured)".to_owned(),
        |models| format!("model {}", models.current().key()),
    );
    boot.announce(listener.local_addr()?, Some(&note));
    service::serve(listener, models, boot.shutdown.clone()).await
}
