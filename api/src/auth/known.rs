//! A cache of credentials, read from the registry and reread after a short time. Ids and certificates that do not exist
//! are cached as well, so that guessing causes few reads.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hashlink::LruCache;
use kimberly_core::Result;
use kimberly_core::access::{Caller, CertificateName, Credential, CredentialId};
use kimberly_core::ports::Credentials;
use tokio::time::Instant;

/// Maximum number of cached credentials, and of cached ids that do not exist. Guessed ids thus evict no credential.
const MOST: usize = 4_096;

/// The lookup key of a credential.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asked {
    /// The id in a key.
    Key(CredentialId),
    /// The name in a certificate.
    Certificate(CertificateName),
}

/// A credential, and the caller it authenticates.
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
    /// Counts invalidations, so that a credential read before one is not cached after it.
    forgotten: u64,
}

impl Known {
    pub(super) fn new(credentials: Arc<dyn Credentials>, recheck: Duration) -> Self {
        let held = Held { found: LruCache::new(MOST), absent: LruCache::new(MOST), forgotten: 0 };
        Self { credentials, recheck, held: Mutex::new(held) }
    }

    /// Returns the credential of an id or a certificate, as it was at most `recheck` ago.
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
        let cacheable = held.forgotten == before;
        let Some(credential) = read else {
            if cacheable {
                held.found.remove(asked);
                held.absent.insert(asked.clone(), read_at);
            }
            return Ok(None);
        };
        let entry = Entry { caller: Arc::new(Caller::of(&credential)), credential: Arc::new(credential), read_at };
        if cacheable {
            held.absent.remove(asked);
            held.found.insert(asked.clone(), entry.clone());
        }
        Ok(Some(entry))
    }

    /// Removes a credential from the cache, so that the next lookup rereads it.
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
