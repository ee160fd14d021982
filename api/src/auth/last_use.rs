//! Records when credentials were last used. Collects uses in memory and writes them once a minute, never during a call.
//! A killed process loses unwritten uses, which is acceptable for a statistic.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kimberly_core::Timestamp;
use kimberly_core::access::CredentialId;
use kimberly_core::ports::Credentials;
use tokio_util::sync::CancellationToken;

/// Interval between writes.
const EVERY: Duration = Duration::from_mins(1);
/// Maximum duration of the last write when the process stops.
const LAST: Duration = Duration::from_secs(1);

/// Uses that wait to be written, at most one per credential.
#[derive(Default)]
pub(super) struct LastUse(Mutex<HashMap<CredentialId, Timestamp>>);

impl LastUse {
    pub(super) fn note(&self, id: CredentialId, at: Timestamp) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, at);
    }

    pub(super) async fn run(&self, credentials: &dyn Credentials, stop: &CancellationToken) {
        while stop.run_until_cancelled(tokio::time::sleep(EVERY)).await.is_some() {
            self.write(credentials).await;
        }
        if tokio::time::timeout(LAST, self.write(credentials)).await.is_err() {
            tracing::warn!("the last uses of keys were not written in time");
        }
    }

    async fn write(&self, credentials: &dyn Credentials) {
        let uses: Vec<_> =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect();
        if !uses.is_empty()
            && let Err(error) = credentials.used(&uses).await
        {
            tracing::warn!("the last uses of keys were not written: {error}");
        }
    }
}
