//! What this process knows of credentials: read from the registry, used for a short time, then read again. Ids and
//! certificates that are not there are known as well, so that guessing reads little.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlink::LruCache;
use kimberly_core::Result;
use kimberly_core::access::{Caller, CertificateName, Credential, CredentialId};
use kimberly_core::ports::Credentials;
use tokio::time::Instant;

/// Credentials known at once, and as many ids that are not there, so that guesses push no credential out.
const MOST: usize = 4_096;

/// What a credential is looked up by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asked {
    /// The id in a key.
    Key(CredentialId),
    /// The name in a certificate.
    Certificate(CertificateName),
}

/// A credential and the caller that it makes.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) credential: Arc<Credential>,
    pub(super) caller: Arc<Caller>,
    read_at: Instant,
}

pub(super) struct Known {
    credentials: Arc<dyn Credentials>,
    recheck: Duration,
    held: Mutex<Held>,
}

struct Held {
    found: LruCache<Asked, Entry>,
    absent: LruCache<Asked, Instant>,
    /// Counts what was forgotten, so that what was read before is not kept after.
    forgotten: u64,
}

impl Known {
    pub(super) fn new(credentials: Arc<dyn Credentials>, recheck: Duration) -> Self {
        let held = Held { found: LruCache::new(MOST), absent: LruCache::new(MOST), forgotten: 0 };
        Self { credentials, recheck, held: Mutex::new(held) }
    }

    /// The credential of an id or a certificate, as it was at most `recheck` ago.
    pub(super) async fn find(&self, asked: &Asked) -> Result<Option<Entry>> {
        let fresh = |at: Instant| at.elapsed() < self.recheck;
        let before = {
            let mut held = self.lock();
            if let Some(entry) = held.found.get(asked).filter(|entry| fresh(entry.read_at)) {
                return Ok(Some(entry.clone()));
            }
            if held.absent.get(asked).is_some_and(|at| fresh(*at)) {
                return Ok(None);
            }
            held.forgotten
        };
        let read_at = Instant::now();
        let read = match asked {
            Asked::Key(id) => self.credentials.by_id(*id).await?,
            Asked::Certificate(name) => self.credentials.by_certificate(name).await?,
        };
        let mut held = self.lock();
        let keep = held.forgotten == before;
        let Some(credential) = read else {
            if keep {
                held.found.remove(asked);
                held.absent.insert(asked.clone(), read_at);
            }
            return Ok(None);
        };
        let entry = Entry { caller: Arc::new(Caller::of(&credential)), credential: Arc::new(credential), read_at };
        if keep {
            held.absent.remove(asked);
            held.found.insert(asked.clone(), entry.clone());
        }
        Ok(Some(entry))
    }

    /// Has a credential read again when it is asked for next.
    pub(super) fn forget(&self, asked: &Asked) {
        let mut held = self.lock();
        held.forgotten += 1;
        held.found.remove(asked);
        held.absent.remove(asked);
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
