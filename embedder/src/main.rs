//! The embedder process. It will own the embedding model; until one can be configured, embeddings are off and it does
//! nothing but answer for its health, consuming no jobs.

mod health;

use std::process::ExitCode;

use kimberly_runtime::{Boot, MainResult};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    kimberly_runtime::run("kimberly-embedder", serve)
}

async fn serve(boot: Boot) -> MainResult {
    let listener = boot.listen("embedder.listen", boot.config.embedder.listen).await?;
    boot.announce(listener.local_addr()?, Some("embeddings are off (no model configured)"));
    health::serve(listener, boot.shutdown.clone()).await
}
