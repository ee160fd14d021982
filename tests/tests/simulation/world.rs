//! One user's vault and the simulation's records about it.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use kimberly_core::memory::{MemoryReceipt, MemoryState, Tier};
use kimberly_core::ports::{NoObserver, Registry, Vaults};
use kimberly_core::settings::{EffectiveSettings, Origin, ServerDefaults, UserSettings};
use kimberly_core::time::Span;
use kimberly_core::usage::Usage;
use kimberly_core::usecases::App;
use kimberly_core::{MemoryId, Timestamp, UserId};
use kimberly_store::sqlite::{SqliteOptions, SqliteStore};
use kimberly_tests::corpus::Corpus;
use kimberly_tests::fakes::{CountingIds, FakeClock};
use tempfile::TempDir;

/// The morning of 6 January 2025.
const BIRTH: Timestamp = Timestamp(1_736_146_800_000_000);

/// Quotas in bytes; the built-in ones unless set.
#[derive(Clone, Copy, Default)]
pub(crate) struct Quotas(Option<[u64; 3]>);

impl Quotas {
    /// Quotas that a talkative user fills within weeks.
    pub(crate) const SMALL: Self = Self(Some([32 * 1024, 192 * 1024, 48 * 1024]));

    fn defaults(self) -> ServerDefaults {
        let mut defaults = ServerDefaults::default();
        if let Some([short, long, permanent]) = self.0 {
            defaults.short_term_quota_bytes = (short, Origin::Config);
            defaults.long_term_quota_bytes = (long, Origin::Config);
            defaults.permanent_quota_bytes = (permanent, Origin::Config);
        }
        defaults
    }
}

/// A memory as recorded from receipts alone.
pub(crate) struct Known {
    pub(crate) tier: Tier,
    pub(crate) protected: bool,
    pub(crate) deleted_by_owner: bool,
}

/// A memory at the end of a day.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) state: MemoryState,
    pub(crate) delete_after: Option<Timestamp>,
}

/// The user, their vault, and the records about it.
pub(crate) struct World {
    pub(crate) app: App,
    pub(crate) vaults: Arc<dyn Vaults>,
    pub(crate) registry: Arc<dyn Registry>,
    pub(crate) clock: Arc<FakeClock>,
    pub(crate) settings: EffectiveSettings,
    pub(crate) user: UserId,
    pub(crate) corpus: Corpus,
    /// A separate generator for interruptions, so that both worlds live the same life.
    pub(crate) knife: Corpus,
    pub(crate) day: i64,
    pub(crate) known: HashMap<MemoryId, Known>,
    pub(crate) yesterday: BTreeMap<MemoryId, Seen>,
    pub(crate) writes: u64,
    pub(crate) refused: u64,
    /// Whether there are bulk loads: not with quotas so small that protected memories leave no room for a batch.
    pub(crate) loads_in_bulk: bool,
    /// How often a bulk load waited for a meditation.
    pub(crate) waits: u64,
    pub(crate) restores: u64,
    pub(crate) runs: u64,
    pub(crate) erased: u64,
    pub(crate) archived_by_quota: [u64; 3],
    pub(crate) cut_runs: bool,
    pub(crate) cuts: u64,
    _folder: TempDir,
}

impl World {
    /// A new user.
    pub(crate) async fn new(seed: u64, quotas: Quotas) -> Self {
        let folder =
            tempfile::Builder::new().prefix("kimberly-simulation-").tempdir_in(quick_folder()).expect("a folder");
        let clock = Arc::new(FakeClock::at(BIRTH));
        let options = SqliteOptions::new(folder.path().join("data"));
        let store = SqliteStore::open(options, Arc::clone(&clock) as _).await.expect("a store opens");
        let defaults = quotas.defaults();
        let settings = EffectiveSettings::resolve(&UserSettings::default(), &defaults);
        let (vaults, registry) = (store.vaults(), store.registry());
        let app = App::new(
            Arc::clone(&vaults),
            Arc::clone(&clock) as _,
            Arc::new(CountingIds::default()),
            Arc::new(defaults),
            Arc::new(NoObserver),
        );
        Self {
            app,
            vaults,
            registry,
            clock,
            settings,
            user: UserId::parse("chatty").expect("an id"),
            corpus: Corpus::new(seed),
            knife: Corpus::new(99),
            day: 0,
            known: HashMap::new(),
            yesterday: BTreeMap::new(),
            writes: 0,
            refused: 0,
            loads_in_bulk: quotas.0.is_none(),
            waits: 0,
            restores: 0,
            runs: 0,
            erased: 0,
            archived_by_quota: [0; 3],
            cut_runs: false,
            cuts: 0,
            _folder: folder,
        }
    }

    /// Simulates some days.
    pub(crate) async fn live(&mut self, days: i64) {
        for _ in 0..days {
            self.live_a_day().await;
            self.check_the_day().await;
            self.day += 1;
        }
    }

    /// Moves the clock to an hour and minute of the current day.
    pub(crate) fn at(&self, hour: i64, minute: i64) {
        let midnight = BIRTH.minus(Span::hours(7));
        self.clock.set(midnight.plus(Span::days(self.day)).plus(Span::hours(hour)).plus(Span::seconds(minute * 60)));
    }

    /// Records a receipt.
    pub(crate) fn note(&mut self, receipt: &MemoryReceipt, protected: bool) {
        let known = Known { tier: receipt.tier, protected, deleted_by_owner: false };
        self.known.insert(receipt.id, known);
    }

    /// The counters of the vault.
    pub(crate) async fn usage(&self) -> Usage {
        self.vaults
            .read(&self.user, |reader| Box::pin(async move { reader.usage().await }))
            .await
            .expect("usage is read")
    }
}

/// In memory if possible: the simulation tests decisions, not disks.
fn quick_folder() -> PathBuf {
    let shared_memory = PathBuf::from("/dev/shm");
    if shared_memory.is_dir() { shared_memory } else { std::env::temp_dir() }
}
