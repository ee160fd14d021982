//! Reloads certificates when their files have changed.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use tokio_util::sync::CancellationToken;

use super::{Files, Tls, files};
use crate::stamp::Stamp;

impl Tls {
    /// Checks regularly whether the files have changed, until `stop`. Reports a problem once, and keeps the old files.
    pub(crate) async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let mut seen = self.loaded.clone();
        let mut complained = None;
        while stop.run_until_cancelled(tokio::time::sleep(self.every)).await.is_some() {
            let now = Stamp::of_all(self.files.paths()).await;
            if now == seen {
                continue;
            }
            // A failed reload is retried, as the problem may be temporary.
            match self.reload().await {
                Ok(()) => seen = now,
                Err(problem) if complained.as_ref() != Some(&now) => {
                    self.metrics.add("tls.reload_failed", 1);
                    tracing::warn!(
                        "the TLS files have changed but cannot be used; the old ones stay in use: {problem}"
                    );
                    complained = Some(now);
                }
                Err(_) => {}
            }
        }
    }

    /// Reads the files and uses them from now on. If they are unusable, fails with the problem.
    async fn reload(&self) -> Result<(), String> {
        let files = self.files.clone();
        let loaded = tokio::task::spawn_blocking(move || files::load(&files)).await;
        let config = loaded.unwrap_or_else(|_| Err("reading them panicked".to_owned()))?;
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
        self.metrics.add("tls.reloaded", 1);
        tracing::info!("loaded the changed TLS files beside {}", self.files.certificate.display());
        Ok(())
    }
}

impl Files {
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let clients = self.clients.iter().flat_map(|clients| [Some(&clients.ca), clients.crl.as_ref()]).flatten();
        [&self.certificate, &self.key].into_iter().chain(clients).cloned().collect()
    }
}
