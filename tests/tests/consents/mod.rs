//! Withdrawing a consent, interrupted between any two transactions, and the result.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

use std::sync::Arc;

use kimberly_core::bounds::MAX_ERASED_AT_ONCE;
use kimberly_core::consent::{ConsentDraft, ConsentScope, Retraction, Uncovered};
use kimberly_core::ids::ConsentId;
use kimberly_core::memory::{Feedback, MemoryDraft, MemoryFilter, MemoryPatch, MemoryState, Metadata};
use kimberly_core::ports::{Job, NoObserver};
use kimberly_core::settings::{Origin, ServerDefaults};
use kimberly_core::time::Span;
use kimberly_core::usecases::consents::{GrantConsentInput, RetractConsentInput, Retracted};
use kimberly_core::usecases::{App, CreateInput, ExportInput, MeditateInput, QueryInput, UpdateInput};
use kimberly_core::{Error, MemoryId};
use kimberly_core::{Timestamp, UserId};
use kimberly_store::{SqliteOptions, SqliteStore};
use kimberly_tests::fakes::{CountingIds, FakeClock};

const NOW: Timestamp = Timestamp(1_795_176_000_000_000);

struct World {
    app: App,
    clock: Arc<FakeClock>,
    user: UserId,
    store: SqliteStore,
    _folder: tempfile::TempDir,
}

impl World {
    async fn new(on_retraction: Retraction) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(FakeClock::at(NOW));
        let store = SqliteStore::open(SqliteOptions::new(folder.path()), clock.clone()).await.unwrap();
        let server =
            ServerDefaults { consent_retraction: (on_retraction, Origin::Config), ..ServerDefaults::default() };
        let ids = Arc::new(CountingIds::default());
        let app = App::new(store.vaults(), clock.clone(), ids, Arc::new(server), Arc::new(NoObserver));
        Self { app, clock, user: UserId::parse("ana").unwrap(), store, _folder: folder }
    }

    async fn grant(&self, namespace: &str) -> ConsentId {
        let scope = ConsentScope { namespaces: vec![namespace.to_owned()], ..ConsentScope::default() };
        let draft = ConsentDraft { purpose: "care".to_owned(), scope, ..ConsentDraft::default() };
        let input = GrantConsentInput { draft, ..GrantConsentInput::default() };
        self.app.grant_consent(&self.user, input).await.unwrap().consent.id
    }

    async fn remember(&self, namespace: &str, count: usize) {
        let draft = |n| MemoryDraft {
            content: format!("{namespace} secret {n}"),
            namespace: namespace.to_owned(),
            metadata: Metadata { sensitive: true, ..Metadata::default() },
            ..MemoryDraft::default()
        };
        let drafts: Vec<_> = (0..count).map(draft).collect();
        for drafts in drafts.chunks(MAX_ERASED_AT_ONCE) {
            let input =
                CreateInput { drafts: drafts.to_vec(), batch: true, always_new: true, ..CreateInput::default() };
            self.app.create_memories(&self.user, input).await.unwrap();
        }
    }

    async fn retract(&self, id: ConsentId) -> Retracted {
        let input = RetractConsentInput { id, retraction: None, request_id: String::new(), traceparent: None };
        self.app.retract_consent(&self.user, input).await.unwrap()
    }

    /// The number of memories in an export.
    async fn exported(&self, withheld: bool) -> usize {
        let filter = MemoryFilter { withheld, ..MemoryFilter::default() };
        let mut export = self.app.export_memories(&self.user, ExportInput { filter, cursor: String::new() }).unwrap();
        let mut count = 0;
        while let Some(piece) = export.next().await.unwrap() {
            count += piece.records.len();
        }
        count
    }

    async fn recalled(&self, query: &str) -> usize {
        let input = QueryInput { query: query.to_owned(), top_k: 100, ..QueryInput::default() };
        self.app.query_memories(&self.user, input).await.unwrap().results.len()
    }

    /// Jobs in the outbox.
    async fn jobs(&self) -> Vec<Job> {
        let read = self.app.vaults.read(&self.user, |reader| Box::pin(reader.outbox(10)));
        read.await.unwrap().into_iter().map(|row| row.job).collect()
    }

    /// The counter of memories in any state; must equal a full count.
    async fn items(&self) -> u64 {
        let read = self
            .app
            .vaults
            .read(&self.user, |reader| Box::pin(async move { Ok((reader.usage().await?, reader.recount().await?)) }));
        let (usage, count) = read.await.unwrap();
        assert_eq!(usage, count);
        MemoryState::ALL
            .iter()
            .flat_map(|state| {
                kimberly_core::memory::Tier::ALL.iter().map(|tier| usage.clone().count_mut(*tier, *state).items)
            })
            .sum()
    }
}

#[tokio::test]
async fn a_purge_erases_a_thousand_at_once_and_leaves_the_rest_hidden_to_a_job() {
    for count in [0, 1, MAX_ERASED_AT_ONCE, MAX_ERASED_AT_ONCE + 1] {
        let world = World::new(Retraction::Purge).await;
        let (clinic, home) = (world.grant("clinic").await, world.grant("home").await);
        world.remember("clinic", count).await;
        world.remember("home", 2).await;
        let done = world.retract(clinic).await;
        let erased = count.min(MAX_ERASED_AT_ONCE);
        let left = (count - erased) as u64;
        assert_eq!((done.withheld, done.erased, done.left), (count as u64, erased as u64, left), "{count}");
        assert_eq!(done.consent.retraction, Some(Retraction::Purge));
        assert_eq!((world.exported(true).await, world.recalled("secret").await), (2, 2), "hidden at once");
        assert_eq!(world.jobs().await, if left > 0 { vec![Job::Erase] } else { Vec::new() });
        assert_eq!(world.items().await, 2 + left);
        assert_eq!(world.app.erase_withheld(&world.user).await.unwrap(), left);
        assert_eq!(world.app.erase_withheld(&world.user).await.unwrap(), 0, "repeated, it does nothing");
        assert_eq!(world.items().await, 2);
        assert_eq!(world.retract(home).await.erased, 2, "the other one was not touched");
    }
}

#[tokio::test]
async fn sealing_hides_any_number_until_a_consent_releases_them() {
    for count in [0, 1, MAX_ERASED_AT_ONCE, MAX_ERASED_AT_ONCE + 1] {
        let world = World::new(Retraction::Seal).await;
        let clinic = world.grant("clinic").await;
        world.remember("clinic", count).await;
        let done = world.retract(clinic).await;
        assert_eq!((done.withheld, done.erased, done.left), (count as u64, 0, 0));
        assert_eq!((world.exported(false).await, world.exported(true).await), (0, count));
        assert_eq!((world.recalled("secret").await, world.items().await), (0, count as u64));
        assert_eq!(world.app.erase_withheld(&world.user).await.unwrap(), 0, "a sealed memory is not erased");
        let draft = ConsentDraft { purpose: "care".to_owned(), ..ConsentDraft::default() };
        let input = GrantConsentInput { draft, release_withheld: vec![clinic], ..GrantConsentInput::default() };
        assert_eq!(world.app.grant_consent(&world.user, input).await.unwrap().released, count as u64);
        assert_eq!((world.exported(false).await, world.recalled("secret").await), (count, count.min(100)));
    }
}

#[tokio::test]
async fn what_a_lost_job_left_is_erased_by_the_next_meditation() {
    let world = World::new(Retraction::Purge).await;
    let clinic = world.grant("clinic").await;
    world.remember("clinic", MAX_ERASED_AT_ONCE + 3).await;
    assert_eq!(world.retract(clinic).await.left, 3);
    let run = world.app.meditate(&world.user, MeditateInput::default()).await.unwrap();
    world.app.run_meditation(&world.user, run.meditation.id).await.unwrap();
    assert_eq!(world.items().await, 0);
}

#[tokio::test]
async fn erasing_for_a_user_without_a_vault_makes_none() {
    let world = World::new(Retraction::Purge).await;
    assert_eq!(world.app.erase_withheld(&UserId::parse("nobody").unwrap()).await.unwrap(), 0);
    assert_eq!(world.store.registry().count_users().await.unwrap(), 0);
}

#[tokio::test]
async fn an_expired_consent_allows_nothing_new_and_hides_nothing() {
    let world = World::new(Retraction::Purge).await;
    let end = NOW.plus(Span::days(1));
    let draft = ConsentDraft { purpose: "care".to_owned(), expires_at: Some(end), ..ConsentDraft::default() };
    let input = GrantConsentInput { draft, ..GrantConsentInput::default() };
    let consent = world.app.grant_consent(&world.user, input.clone()).await.unwrap().consent.id;
    let id = world.store_one("a diagnosis").await.unwrap();
    world.clock.advance(Span(end.0 - NOW.0 - 1));
    world.store_one("in time").await.unwrap();
    world.clock.advance(Span(1));
    let why = |refused: Error| match refused {
        Error::ConsentRequired { field, why, .. } => (field, why),
        other => unreachable!("{other}"),
    };
    let late = why(world.store_one("too late").await.unwrap_err());
    assert_eq!(late, ("memory".to_owned(), Uncovered::Expired));
    assert_eq!(world.recalled("diagnosis").await, 1, "stored memories stay");
    let praise = Metadata { user_feedback: Some(Feedback::ThumbsUp), ..Metadata::default() };
    let praise = MemoryDraft { metadata: praise, ..MemoryDraft::default() };
    world.update(id, praise, "metadata.user_feedback").await.unwrap();
    let rewritten = MemoryDraft { content: "another diagnosis".to_owned(), ..MemoryDraft::default() };
    let rewritten = why(world.update(id, rewritten, "content").await.unwrap_err());
    assert_eq!(rewritten.1, Uncovered::Expired, "new text is new");
    let past = world.app.grant_consent(&world.user, input).await.unwrap_err();
    assert!(past.to_string().contains("consent.expires_at"), "{past}");
    assert_eq!(world.retract(consent).await.erased, 2, "it can still be retracted");
}

impl World {
    async fn store_one(&self, content: &str) -> Result<MemoryId, Error> {
        let metadata = Metadata { sensitive: true, ..Metadata::default() };
        let draft = MemoryDraft { content: content.to_owned(), metadata, ..MemoryDraft::default() };
        let input = CreateInput { drafts: vec![draft], always_new: true, ..CreateInput::default() };
        Ok(self.app.create_memories(&self.user, input).await?.remove(0).id)
    }

    async fn update(&self, id: MemoryId, values: MemoryDraft, field: &str) -> Result<(), Error> {
        let patch = MemoryPatch::new(values, &[field.to_owned()]).unwrap();
        let input = UpdateInput { id, patch, etag: String::new(), request_id: String::new(), traceparent: None };
        self.app.update_memory(&self.user, input).await.map(drop)
    }
}
