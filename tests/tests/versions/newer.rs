//! The version after this one: its store and use cases with one more migration, in the test's process.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use kimberly_core::memory::{MemoryDraft, MemoryState};
use kimberly_core::ports::{Clock, NoObserver};
use kimberly_core::settings::ServerDefaults;
use kimberly_core::usecases::{App, CreateInput, ListInput};
use kimberly_core::{Timestamp, UserId};
use kimberly_crypto::{KeySources, Keys, Loads};
use kimberly_store::conformance::database::{APP, Database};
use kimberly_store::postgres::Migration;
use kimberly_store::{PgKeyStore, PgOptions, PgStore};
use kimberly_tests::System;
use kimberly_tests::fakes::CountingIds;
use kimberly_tests::oracle::Book;

/// A process of the next version.
pub(crate) struct Newer<'d> {
    database: &'d Database,
    app: App,
    /// Its acknowledged writes.
    pub(crate) book: Book,
}

impl<'d> Newer<'d> {
    /// Starts on a system's machine, with its rings; runs the missing migration like any process.
    pub(crate) async fn start(system: &System, database: &'d Database, user: &str, step: Migration) -> Self {
        let options = PgOptions { later_migrations: vec![step], ..database.options() };
        let sources = KeySources { folder: Some(system.keys_dir()), ..KeySources::default() };
        // As in every process, keys come first, and with them the tables.
        let table = PgKeyStore::open(options.clone()).expect("migrating the schema");
        let keys = Keys::open_in(&system.data_dir(), &sources, Loads::Both, Arc::new(table)).expect("the same keys");
        let clock = Arc::new(Real);
        let store = PgStore::open(PgOptions { keys, ..options }, Arc::clone(&clock) as _).await.expect("a store opens");
        let (ids, defaults) = (Arc::new(CountingIds::default()), Arc::new(ServerDefaults::default()));
        let app = App::new(store.vaults(), clock, ids, defaults, Arc::new(NoObserver));
        let book = Book { user: user.to_owned(), memories: [].into(), abandoned: Vec::new(), named: Vec::new() };
        Self { database, app, book }
    }

    /// Writes memories, each with data that only this version knows.
    pub(crate) async fn write(&mut self, count: usize) {
        let user = UserId::parse(&self.book.user).expect("a user");
        for _ in 0..count {
            let content = format!("the next version writes {}", self.book.memories.len());
            let draft = MemoryDraft { content: content.clone(), ..MemoryDraft::default() };
            let input = CreateInput { drafts: vec![draft], always_new: true, ..CreateInput::default() };
            let receipts = self.app.create_memories(&user, input).await.expect("the next version writes");
            let id = receipts.first().expect("a receipt").id;
            let sql = format!(
                "UPDATE kimberly.memories SET mood = 'calm' WHERE user_id = '{user}' AND id = '{}'; \
                 INSERT INTO kimberly.moods (user_id, memory) VALUES ('{user}', '{}')",
                id.0, id.0
            );
            self.database.run_as(APP, &self.book.user, &sql).await;
            self.book.memories.insert(id.to_string(), (content, false));
        }
    }

    /// Its user's memories: ids with contents.
    pub(crate) async fn everything(&self) -> Vec<(String, String)> {
        let user = UserId::parse(&self.book.user).expect("a user");
        let (mut all, mut input) = (Vec::new(), ListInput::default());
        input.filter.states = MemoryState::ALL.to_vec();
        loop {
            let page = self.app.list_memories(&user, input.clone()).await.expect("the next version lists");
            all.extend(page.memories.into_iter().map(|memory| (memory.id.to_string(), memory.draft.content)));
            if page.next.is_empty() {
                return all;
            }
            input.page.token = page.next;
        }
    }
}

/// The real clock.
struct Real;

impl Clock for Real {
    #[expect(clippy::disallowed_methods, reason = "it writes beside processes that go by the real clock")]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
        Timestamp(i64::try_from(since.as_micros()).expect("a time"))
    }
}
