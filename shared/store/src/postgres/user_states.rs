//! The in-memory state of a vault in this process: a lock that queues its writers without one connection each, cached
//! columns and full text for recall, and the seals of sensitive memories. Caches are compared with the counters of the
//! reader's snapshot, so writes of other processes are seen at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kimberly_core::UserId;
use kimberly_crypto::Keys;

use super::reader::{Speakers, Vocabulary};
use super::text::Postings;
use super::works::Waiting;
use crate::cache::{Budget, VaultCache};
use crate::columns::Columns;
use crate::sealed::{Analyser, Seals, WordsCache};

/// Maximum number of vaults held; above it, the least recently used are evicted.
const MOST: usize = 4_096;
/// Idle time after which a vault may be evicted when the budget is tight. More recently used ones stay: with more
/// vaults in use than fit, each would otherwise be loaded and evicted before its next use.
const GIVES_WAY: Duration = Duration::from_mins(1);

/// Number of uses between checks of the budget.
const USES: u64 = 64;

/// The state of one user.
pub(crate) struct UserState {
    /// The incarnation of a vault with its state: after a purge the user may have another vault with other keys.
    of: Mutex<(u64, Arc<OfVault>)>,
    user: UserId,
    common: Arc<Common>,
    /// Works waiting to be run.
    pub(crate) waiting: Waiting,
    /// Held by the task that runs them in this process.
    pub(crate) writing: Arc<tokio::sync::Mutex<()>>,
    /// Milliseconds from the start to the last use.
    used: AtomicU64,
}

/// The shared part of the state of all vaults.
struct Common {
    budget: Arc<Budget>,
    keys: Keys,
    analyser: Arc<Analyser>,
}

/// The state of all vaults.
pub(crate) struct UserStates {
    common: Arc<Common>,
    held: Mutex<Held>,
    uses: AtomicU64,
    started: Instant,
    /// Number of times that the server was found on a new timeline ([`super::pool::Pool::histories`]).
    histories: Arc<AtomicU64>,
}

#[derive(Default)]
struct Held {
    vaults: HashMap<UserId, Arc<UserState>>,
    /// The timeline that the state belongs to.
    history: u64,
}

/// The state of one vault. Columns, full text and vocabulary are for readers, and valid for the counters in their stamps.
pub(crate) struct OfVault {
    /// Columns for recall.
    pub(crate) columns: VaultCache<Columns>,
    /// The full text.
    pub(crate) postings: VaultCache<Postings>,
    /// The speakers.
    pub(crate) speakers: VaultCache<Speakers>,
    /// The number of changes at the last search ([`Stamp::changes`](crate::cache::Stamp::changes)).
    pub(crate) searched: AtomicI64,
    /// The vocabulary of a vault that is too large to cache its full text; built on the first misspelled word.
    pub(crate) vocabulary: VaultCache<Vocabulary>,
    /// Seals and opens its sensitive memories, and caches their words.
    pub(crate) seals: Arc<Seals>,
}

impl OfVault {
    fn new(user: &UserId, common: &Common) -> Self {
        let Common { budget, keys, analyser } = common;
        let words = WordsCache::new(Arc::clone(budget));
        Self {
            columns: VaultCache::new(Arc::clone(budget)),
            postings: VaultCache::new(Arc::clone(budget)),
            speakers: VaultCache::new(Arc::clone(budget)),
            searched: AtomicI64::new(-1),
            vocabulary: VaultCache::new(Arc::clone(budget)),
            seals: Arc::new(Seals::new(user, keys.clone(), Arc::clone(analyser), words)),
        }
    }
}

impl OfVault {
    /// Evicts words from before this number of changes: no later snapshot can use them. Those of sealed memories are kept
    /// unless some were erased, as most of them can be used again.
    pub(crate) fn forget_before(&self, changes: i64, erased: bool) {
        self.postings.forget_before(changes);
        self.vocabulary.forget_before(changes);
        if erased {
            self.seals.words.forget_before(changes);
        }
    }
}

impl UserState {
    /// Returns the state of this incarnation of the vault.
    pub(crate) fn of(&self, incarnation: u64) -> Arc<OfVault> {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.0 != incarnation {
            *of = (incarnation, Arc::new(OfVault::new(&self.user, &self.common)));
        }
        Arc::clone(&of.1)
    }

    /// Drops the state of a vault that is gone.
    pub(crate) fn forget(&self) {
        // No vault has the incarnation 0.
        drop(self.of(0));
    }
}

impl UserStates {
    /// Creates it with a budget in bytes for all caches.
    pub(crate) fn new(bytes: usize, keys: Keys, analyser: Arc<Analyser>, histories: Arc<AtomicU64>) -> Self {
        let common = Arc::new(Common { budget: Arc::new(Budget::new(bytes)), keys, analyser });
        let (held, uses, started) = (Mutex::default(), AtomicU64::new(0), Instant::now());
        Self { common, held, uses, started, histories }
    }

    /// Returns the state for a user.
    pub(crate) fn of(&self, user: &UserId) -> Arc<UserState> {
        let now = self.now();
        let mut held = self.held();
        // Not on every use, because it visits all vaults, and if a few large ones fill the budget nothing is evicted.
        let looks = self.uses.fetch_add(1, Ordering::Relaxed).is_multiple_of(USES);
        if held.vaults.len() >= MOST {
            held.forget_oldest();
        } else if looks && self.common.budget.is_tight() {
            held.forget_until(self.before(GIVES_WAY));
        }
        if let Some(state) = held.vaults.get(user) {
            state.used.store(now, Ordering::Relaxed);
            return Arc::clone(state);
        }
        let state = Arc::new(UserState {
            of: Mutex::new((0, Arc::new(OfVault::new(user, &self.common)))),
            user: user.clone(),
            common: Arc::clone(&self.common),
            waiting: Waiting::default(),
            writing: Arc::default(),
            used: AtomicU64::new(now),
        });
        held.vaults.insert(user.clone(), Arc::clone(&state));
        state
    }

    /// Evicts vaults that were idle this long: no notification arrives if another process purges a user.
    pub(crate) fn forget_idle(&self, idle: Duration) {
        let until = self.before(idle);
        self.held().forget_until(until);
    }

    /// Returns the number of vaults kept.
    pub(crate) fn len(&self) -> usize {
        self.held().vaults.len()
    }

    /// Returns the time that long ago, in milliseconds since the start; 0 if before it.
    fn before(&self, time: Duration) -> u64 {
        self.now().saturating_sub(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// Returns the milliseconds since the start.
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns the state for the server's current timeline: on another one, equal counters may stand for other memories.
    fn held(&self) -> MutexGuard<'_, Held> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let history = self.histories.load(Ordering::Acquire);
        if held.history != history {
            held.history = history;
            held.vaults.values().for_each(|state| state.forget());
        }
        held
    }
}

impl Held {
    /// Evicts the least recently used eighth of the vaults.
    fn forget_oldest(&mut self) {
        let mut times: Vec<u64> = self.vaults.values().map(|state| state.used.load(Ordering::Relaxed)).collect();
        times.sort_unstable();
        self.forget_until(times.get(times.len() / 8).copied().unwrap_or_default());
    }

    /// Evicts vaults that were not used after `time`.
    fn forget_until(&mut self, time: u64) {
        // Vaults in use stay. A second lock for the same vault would only let two writers run, one of which would wait.
        self.vaults.retain(|_, state| Arc::strong_count(state) > 1 || state.used.load(Ordering::Relaxed) > time);
    }
}
