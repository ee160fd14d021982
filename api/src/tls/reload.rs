//! Takes certificates anew when their files have changed.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use tokio_util::sync::CancellationToken;

use super::{Files, Tls, files};
use crate::stamp::Stamp;

impl Tls {
    /// Looks now and then whether the files have changed, until `stop`. What is wrong is said once, and what was good goes
    /// on.
    pub(crate) async fn watch(self: Arc<Self>, stop: CancellationToken) {
        let mut seen = Stamp::of_all(self.files.paths()).await;
        while stop.run_until_cancelled(tokio::time::sleep(self.every)).await.is_some() {
            let now = Stamp::of_all(self.files.paths()).await;
            if now != seen {
                self.reload().await;
                seen = now;
            }
        }
    }

    /// Reads the files, and uses what they hold from now on if that can be used.
    async fn reload(&self) {
        let files = self.files.clone();
        let loaded = tokio::task::spawn_blocking(move || files::load(&files)).await;
        match loaded.unwrap_or_else(|_| Err("reading them panicked".to_owned())) {
            Ok(config) => {
                *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
                self.metrics.add("tls.reloaded", 1);
                tracing::info!("took the changed certificate in {}", self.files.certificate.display());
            }
            Err(problem) => {
                self.metrics.add("tls.reload_failed", 1);
                tracing::warn!("the files of TLS have changed and cannot be used, so the old ones go on: {problem}");
            }
        }
    }
}

impl Files {
    fn paths(&self) -> [PathBuf; 2] {
        [self.certificate.clone(), self.key.clone()]
    }
}
