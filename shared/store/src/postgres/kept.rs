//! What this process keeps of vaults in memory: a lock that lets its writers come one after the other without each
//! holding a connection, columns and full text for recall, and what seals sensitive memories. They are checked against the counters of the reader's own snapshot, so
//! that what another process wrote is seen at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use kimberly_core::UserId;
use kimberly_crypto::Keys;

use super::reader::{Speakers, Vocabulary};
use super::text::Postings;
use super::works::Waiting;
use crate::columns::Columns;
use crate::keep::{Budget, Keeper};
use crate::sealed::{Analyser, KeptWords, Seals};

/// Most vaults of which anything is kept; above it those used least recently are forgotten.
const MOST: usize = 4_096;
/// What was not used for so long gives way where there is no room for more. What was used since stays: with more vaults in use than
/// there is room for, each would otherwise be read whole and forgotten before it is asked for again.
const GIVES_WAY: Duration = Duration::from_mins(1);

/// How many uses lie between two looks whether there is room.
const USES: u64 = 64;

/// What is kept of one vault.
pub(crate) struct Kept {
    /// Of the vault with a mark: a user who was purged may have another one now, with other keys.
    of: Mutex<(u64, Arc<OfVault>)>,
    user: UserId,
    common: Arc<Common>,
    /// Works that wait to be begun.
    pub(crate) waiting: Waiting,
    /// Held by the one who carries them out in this process.
    pub(crate) writing: Arc<tokio::sync::Mutex<()>>,
    /// Milliseconds from the start to the last use.
    used: AtomicU64,
}

/// What all vaults have in common.
struct Common {
    budget: Arc<Budget>,
    keys: Keys,
    analyser: Arc<Analyser>,
}

/// What is kept of all vaults.
pub(crate) struct KeptVaults {
    common: Arc<Common>,
    held: Mutex<Held>,
    uses: AtomicU64,
    started: Instant,
    /// How often the server was found to have begun another history ([`super::pool::Pool::histories`]).
    histories: Arc<AtomicU64>,
}

#[derive(Default)]
struct Held {
    vaults: HashMap<UserId, Arc<Kept>>,
    /// The history that it is of.
    history: u64,
}

/// What is kept of a vault; columns, full text and vocabulary are for readers, and valid for counters that they name.
pub(crate) struct OfVault {
    /// Columns for recall.
    pub(crate) columns: Keeper<Columns>,
    /// The full text.
    pub(crate) postings: Keeper<Postings>,
    /// Who speaks.
    pub(crate) speakers: Keeper<Speakers>,
    /// How much had changed when it was searched last ([`Stamp::changes`]).
    pub(crate) searched: AtomicI64,
    /// Held by the reader who makes the full text.
    pub(crate) making: tokio::sync::Mutex<()>,
    /// Words of a vault that is too large for its full text to be kept, where one was ever misspelled.
    pub(crate) vocabulary: Keeper<Vocabulary>,
    /// What seals and opens its sensitive memories, and the words of those.
    pub(crate) seals: Arc<Seals>,
}

impl OfVault {
    fn new(user: &UserId, common: &Common) -> Self {
        let Common { budget, keys, analyser } = common;
        let words = KeptWords::new(Arc::clone(budget));
        Self {
            columns: Keeper::new(Arc::clone(budget)),
            postings: Keeper::new(Arc::clone(budget)),
            speakers: Keeper::new(Arc::clone(budget)),
            searched: AtomicI64::new(-1),
            making: tokio::sync::Mutex::default(),
            vocabulary: Keeper::new(Arc::clone(budget)),
            seals: Arc::new(Seals::new(user, keys.clone(), Arc::clone(analyser), words)),
        }
    }
}

impl Kept {
    /// What is kept of the vault with this mark.
    pub(crate) fn of(&self, mark: u64) -> Arc<OfVault> {
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        if of.0 != mark {
            *of = (mark, Arc::new(OfVault::new(&self.user, &self.common)));
        }
        Arc::clone(&of.1)
    }

    /// Forgets what is kept of a vault that is gone.
    pub(crate) fn forget(&self) {
        // Of no vault.
        drop(self.of(0));
    }
}

impl KeptVaults {
    /// Within a bound on the bytes of what is kept for readers.
    pub(crate) fn new(bytes: usize, keys: Keys, analyser: Arc<Analyser>, histories: Arc<AtomicU64>) -> Self {
        let common = Arc::new(Common { budget: Arc::new(Budget::new(bytes)), keys, analyser });
        let (held, uses, started) = (Mutex::default(), AtomicU64::new(0), Instant::now());
        Self { common, held, uses, started, histories }
    }

    /// What is kept of a user's vault.
    pub(crate) fn of(&self, user: &UserId) -> Arc<Kept> {
        let now = self.now();
        let mut held = self.held();
        // Not at every use, as it looks at all of them, and where a few large ones fill the room nothing goes.
        let looks = self.uses.fetch_add(1, Ordering::Relaxed).is_multiple_of(USES);
        if held.vaults.len() >= MOST {
            held.forget_oldest();
        } else if looks && self.common.budget.is_tight() {
            held.forget_until(self.before(GIVES_WAY));
        }
        if let Some(kept) = held.vaults.get(user) {
            kept.used.store(now, Ordering::Relaxed);
            return Arc::clone(kept);
        }
        let kept = Arc::new(Kept {
            of: Mutex::new((0, Arc::new(OfVault::new(user, &self.common)))),
            user: user.clone(),
            common: Arc::clone(&self.common),
            waiting: Waiting::default(),
            writing: Arc::default(),
            used: AtomicU64::new(now),
        });
        held.vaults.insert(user.clone(), Arc::clone(&kept));
        kept
    }

    /// Forgets what was not used for so long: nobody tells this process of a user who was purged by another one.
    pub(crate) fn forget_idle(&self, idle: Duration) {
        let until = self.before(idle);
        self.held().forget_until(until);
    }

    /// Of how many vaults something is kept.
    pub(crate) fn len(&self) -> usize {
        self.held().vaults.len()
    }

    /// So long ago, in milliseconds since the start; 0 if that was before it.
    fn before(&self, time: Duration) -> u64 {
        self.now().saturating_sub(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    /// Milliseconds since the start.
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// What is kept of the history that the server has now: in another one the same counters may stand for other memories.
    fn held(&self) -> MutexGuard<'_, Held> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let history = self.histories.load(Ordering::Acquire);
        if held.history != history {
            held.history = history;
            held.vaults.values().for_each(|kept| kept.forget());
        }
        held
    }
}

impl Held {
    /// Forgets the eighth of the vaults that were not used for longest.
    fn forget_oldest(&mut self) {
        let mut times: Vec<u64> = self.vaults.values().map(|kept| kept.used.load(Ordering::Relaxed)).collect();
        times.sort_unstable();
        self.forget_until(times.get(times.len() / 8).copied().unwrap_or_default());
    }

    /// Forgets vaults that were not used since.
    fn forget_until(&mut self, time: u64) {
        // One in use stays: a second lock beside it would let two write at once, which only costs a wait.
        self.vaults.retain(|_, kept| Arc::strong_count(kept) > 1 || kept.used.load(Ordering::Relaxed) > time);
    }
}
