//! Recall quality on small hand-made vaults: the domain and the real store in one process, with a fixed clock. With
//! `KIMBERLY_TEST_BACKEND=postgres` the store is Postgres, with the same results.
#![expect(clippy::unwrap_used, reason = "a helper of tests fails the test that calls it")]

mod assistant;
mod by_model;
mod conversation;
mod fallbacks;
mod meaning;
mod privacy;
mod relevance;
mod session;
mod stages;

use std::any::Any;
use std::sync::Arc;

use kimberly_core::consent::ConsentDraft;
use kimberly_core::memory::{MemoryDraft, Metadata, Tier};
use kimberly_core::ports::{NoObserver, Registry};
use kimberly_core::settings::{ServerDefaults, UserSettings};
use kimberly_core::usecases::consents::GrantConsentInput;
use kimberly_core::usecases::settings::{SettingsPatch, UpdateSettingsInput};
use kimberly_core::usecases::{App, CreateInput, QueryInput, QueryOutput};
use kimberly_core::{MemoryId, Timestamp, UserId};
use kimberly_store::conformance::database::Database;
use kimberly_store::{PgStore, SqliteOptions, SqliteStore};
use kimberly_tests::fakes::{CountingIds, FakeClock};
use kimberly_tests::system::on_postgres;

/// 2026-11-20, a Friday, at noon UTC.
const NOW: Timestamp = Timestamp(1_795_176_000_000_000);
const DAY: i64 = 86_400_000_000;

/// A vault and its use cases.
struct Vault {
    app: App,
    user: UserId,
    registry: Arc<dyn Registry>,
    _store: Box<dyn Any>,
}

impl Vault {
    async fn new() -> Self {
        let clock = Arc::new(FakeClock::at(NOW));
        let (vaults, registry, store): (_, _, Box<dyn Any>) = if on_postgres() {
            let database = Database::with_tables().await;
            let store = Box::pin(PgStore::open(database.options(), clock.clone())).await.unwrap();
            (store.vaults(), store.registry(), Box::new((store, database)))
        } else {
            let folder = tempfile::tempdir().unwrap();
            let store = SqliteStore::open(SqliteOptions::new(folder.path()), clock.clone()).await.unwrap();
            (store.vaults(), store.registry(), Box::new((store, folder)))
        };
        let defaults = Arc::new(ServerDefaults::default());
        let app = App::new(vaults, clock, Arc::new(CountingIds::default()), defaults, Arc::new(NoObserver));
        Self { app, user: UserId::parse("ann").unwrap(), registry, _store: store }
    }

    /// A vault with these texts, in order.
    async fn of(texts: &[&str]) -> Self {
        let vault = Self::new().await;
        vault.remember(texts.iter().map(|text| plain(text)).collect()).await;
        vault
    }

    async fn remember(&self, drafts: Vec<MemoryDraft>) -> Vec<MemoryId> {
        if drafts.iter().any(|draft| draft.metadata.sensitive) {
            let draft = ConsentDraft { purpose: "tests".to_owned(), ..ConsentDraft::default() };
            let input = GrantConsentInput { draft, ..GrantConsentInput::default() };
            self.app.grant_consent(&self.user, input).await.unwrap();
        }
        let input = CreateInput { drafts, batch: true, always_new: true, ..CreateInput::default() };
        let receipts = self.app.create_memories(&self.user, input).await.unwrap();
        receipts.into_iter().map(|receipt| receipt.id).collect()
    }

    async fn turn_embeddings_off(&self) {
        let values = UserSettings { embedding_enabled: Some(false), ..UserSettings::default() };
        let patch = SettingsPatch::new(values, &["embedding_enabled".to_owned()]).unwrap();
        let input = UpdateSettingsInput { patch, etag: String::new(), request_id: String::new() };
        self.app.update_settings(&*self.registry, &self.user, input).await.unwrap();
    }

    async fn query(&self, input: QueryInput) -> QueryOutput {
        self.app.query_memories(&self.user, input).await.unwrap()
    }

    /// The recalled texts, best first.
    async fn recall(&self, query: &str) -> Vec<String> {
        texts(&self.query(asking(query)).await)
    }
}

fn plain(text: &str) -> MemoryDraft {
    MemoryDraft { content: text.to_owned(), ..MemoryDraft::default() }
}

/// A statement by a speaker in a session, this many days ago.
fn said(session: &str, speaker: &str, days_ago: i64, text: &str) -> MemoryDraft {
    MemoryDraft {
        session_id: Some(session.to_owned()),
        speaker: Some(speaker.to_owned()),
        occurred_at: Some(Timestamp(NOW.0 - days_ago * DAY)),
        ..plain(text)
    }
}

fn short_term(session: &str, text: &str) -> MemoryDraft {
    MemoryDraft { tier: Tier::ShortTerm, session_id: Some(session.to_owned()), ..plain(text) }
}

fn sensitive(session: &str, text: &str) -> MemoryDraft {
    MemoryDraft {
        session_id: Some(session.to_owned()),
        metadata: Metadata { sensitive: true, ..Metadata::default() },
        ..plain(text)
    }
}

fn asking(query: &str) -> QueryInput {
    QueryInput { query: query.to_owned(), explain: true, ..QueryInput::default() }
}

fn texts(output: &QueryOutput) -> Vec<String> {
    output.results.iter().map(|one| one.memory.draft.content.clone()).collect()
}

/// How the first result was found.
fn first_found_by(output: &QueryOutput) -> Vec<&'static str> {
    output.results[0].explanation.unwrap().found_by.names()
}
