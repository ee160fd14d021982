//! Key rotation: when a ring has a new key, rewraps all key files with it.
//!
//! Key files name the key that wrapped them, so progress needs no record: an interrupted pass starts over and skips
//! finished files. The ring records in `system.db` serve the audit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ports::Clock;
use kimberly_crypto::{HeldRing, KeyError, Keys, RingName, Survey};
use kimberly_store::RingNotes;
use tokio_util::sync::CancellationToken;

/// Poll interval for changes of a ring.
const LOOK: Duration = Duration::from_secs(1);
/// Interval between full scans without a change: a key file may have been restored from a backup.
const LOOK_AT_ALL: Duration = Duration::from_hours(1);
/// The pause before retrying failed files.
const AGAIN: Duration = Duration::from_mins(1);
/// Key files per page, between checks for a stop.
const PAGE: usize = 100;

/// Rewraps key files. Any number of workers may do so concurrently.
pub struct Rotation {
    /// The keys, with their rings.
    pub keys: Keys,
    /// The ring records.
    pub notes: RingNotes,
    /// The clock for ring records.
    pub clock: Arc<dyn Clock>,
}

impl Rotation {
    /// Polls until `shutdown` is cancelled.
    pub async fn run(self, shutdown: CancellationToken) {
        let rounds = async {
            let (mut done, mut next) = (Vec::new(), Instant::now());
            loop {
                let held = self.held().await;
                if held != done || Instant::now() >= next {
                    let left = self.round(&held).await;
                    next = Instant::now() + if left { AGAIN } else { LOOK_AT_ALL };
                    done = held;
                }
                tokio::time::sleep(LOOK).await;
            }
        };
        if self.keys.are_on() {
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = rounds => {}
            }
        }
    }

    /// Returns the present rings, reread if a file changed.
    async fn held(&self) -> Vec<HeldRing> {
        let keys = self.keys.clone();
        // Errors of rings are reported elsewhere.
        let _ = off_thread(move || keys.refresh()).await;
        self.keys.rings()
    }

    /// Rewraps everything with the current keys of the rings. Returns whether files are left.
    async fn round(&self, held: &[HeldRing]) -> bool {
        let mut left = false;
        for ring in held {
            match self.bring_to(ring).await {
                Ok(done) => left |= !done,
                Err(error) => {
                    left = true;
                    tracing::warn!(%error, ring = %ring.ring, "keys cannot be rewrapped now; it is retried");
                }
            }
        }
        left
    }

    /// Rewraps everything with the current key of one ring. Returns whether no file is left.
    pub async fn bring_to(&self, held: &HeldRing) -> Result<bool> {
        let (ring, ids) = (held.ring, held.keys.iter().map(ToString::to_string).collect::<Vec<_>>());
        let Some(current) = held.keys.last() else { return Ok(true) };
        self.notes.record(ring.as_str(), &ids, self.clock.now()).await?;
        if self.survey().await?.left(ring, current) > 0 {
            tracing::info!("rewrapping keys with the {ring} key {current}");
            self.rewrap(ring).await?;
        }
        // Counts from the disk again, since users come and go in the meantime.
        let survey = self.survey().await?;
        let left = survey.left(ring, current);
        if left + survey.unreadable > 0 {
            let problem = survey.problems.first().map(String::as_str).unwrap_or_default();
            tracing::warn!(left, unreadable = survey.unreadable, "some key files cannot be rewrapped: {problem}");
            return Ok(false);
        }
        if self.notes.done(ring.as_str(), current.as_str(), survey.files, self.clock.now()).await? {
            tracing::info!(
                "all {} key files are wrapped by the {ring} key {current}; nothing in the data folder needs an older one",
                survey.files
            );
        }
        Ok(true)
    }

    async fn rewrap(&self, ring: RingName) -> Result<()> {
        let mut after = None;
        loop {
            let keys = self.keys.clone();
            let page = off_thread(move || keys.rewrap_some(after.as_deref(), PAGE, ring)).await?;
            for (name, error) in &page.failed {
                tracing::warn!("{name} was not rewrapped: {error}");
            }
            after = page.last;
            if after.is_none() {
                return Ok(());
            }
        }
    }

    async fn survey(&self) -> Result<Survey> {
        let keys = self.keys.clone();
        Ok(off_thread(move || keys.survey()).await?.unwrap_or_default())
    }
}

async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T, KeyError> + Send + 'static) -> Result<T> {
    let failed = |what: String| Error::storage(StorageFailure::Unavailable, what);
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| failed("reading keys panicked".to_owned()))?;
    done.map_err(|error| failed(error.to_string()))
}
