//! Each conversation as one user's vault, and its bare index beside it.

use std::collections::HashMap;
use std::sync::Arc;

use kimberly_core::memory::{DraftLimits, MemoryDraft};
use kimberly_core::ports::NoObserver;
use kimberly_core::recall::Weights;
use kimberly_core::settings::ServerDefaults;
use kimberly_core::usecases::{App, CreateInput, QueryInput, QueryOutput};
use kimberly_core::{MemoryId, Timestamp, UserId};
use kimberly_store::{SqliteOptions, SqliteStore};
use kimberly_tests::fakes::{CountingIds, FakeClock};
use sqlx::sqlite::SqliteConnection;
use tempfile::TempDir;
use tokio::sync::Mutex;

use super::baseline;
use super::sets::{Part, Set};
use crate::Result;
use crate::benches::locomo::dataset::{Conversation, Turn};
use crate::benches::locomo::measure::DEPTH;

/// 2026-11-20 at noon UTC: the same answers on every day.
const NOW: Timestamp = Timestamp(1_795_176_000_000_000);
/// Some messages hold whole files.
const MAX_CONTENT_BYTES: usize = 1_000_000;
/// Memories of one batch.
const BATCH: usize = 250;
/// From which relevance a result counts as relevant.
const RELEVANT: f64 = 0.5;

/// Vaults of all conversations of a set.
pub(super) struct Vaults {
    app: App,
    users: Vec<User>,
    _store: SqliteStore,
    _folder: TempDir,
}

struct User {
    id: UserId,
    turns: HashMap<MemoryId, usize>,
    index: Mutex<SqliteConnection>,
}

/// What estimates of relevance say, as shares of the questions.
pub(super) struct Told {
    /// First results that are evidence.
    pub(super) first: f64,
    /// Questions whose best result counts as relevant.
    pub(super) right: f64,
    /// The same, asked of another user.
    pub(super) wrong: f64,
}

impl Vaults {
    /// Has every conversation remembered, turn by turn.
    pub(super) async fn of(conversations: &[Conversation]) -> Result<Self> {
        let (clock, folder) = (Arc::new(FakeClock::at(NOW)), tempfile::tempdir()?);
        let store = SqliteStore::open(SqliteOptions::new(folder.path()), clock.clone()).await?;
        let draft_limits = DraftLimits { max_content_bytes: MAX_CONTENT_BYTES };
        let defaults = Arc::new(ServerDefaults { draft_limits, ..ServerDefaults::default() });
        let app = App::new(store.vaults(), clock, Arc::new(CountingIds::default()), defaults, Arc::new(NoObserver));
        let mut users = Vec::new();
        for (number, conversation) in conversations.iter().enumerate() {
            let id = UserId::parse(&format!("user-{number}"))?;
            let mut turns = HashMap::new();
            for batch in conversation.turns.chunks(BATCH) {
                let drafts = batch.iter().map(draft).collect();
                let input = CreateInput { drafts, batch: true, ..CreateInput::default() };
                for receipt in app.create_memories(&id, input).await? {
                    turns.insert(receipt.id, turns.len());
                }
            }
            users.push(User { id, turns, index: Mutex::new(baseline::index(conversation).await?) });
        }
        Ok(Self { app, users, _store: store, _folder: folder })
    }

    /// Indices of turns that Kimberly recalls, best first.
    pub(super) async fn recall(&self, user: usize, question: &str, weights: &Weights) -> Result<Vec<usize>> {
        let answer = self.ask(user, question, weights).await?;
        let turns = &self.users[user].turns;
        Ok(answer.results.iter().filter_map(|one| turns.get(&one.memory.id).copied()).collect())
    }

    /// Indices of turns by BM25, best first.
    pub(super) async fn bm25(&self, user: usize, question: &str) -> Result<Vec<usize>> {
        baseline::ask(&mut *self.users[user].index.lock().await, question).await
    }

    /// What the estimates say of the questions of a part.
    pub(super) async fn relevance(&self, set: &Set, part: Part) -> Result<Told> {
        let members: Vec<usize> = set.of_part(part).map(|(index, _)| index).collect();
        let (mut asked, mut told) = (0.0, Told { first: 0.0, right: 0.0, wrong: 0.0 });
        for (place, (index, conversation)) in set.of_part(part).enumerate() {
            let other = members[(place + 1) % members.len()];
            for question in &conversation.questions {
                let right = self.ask(index, &question.text, &Weights::FITTED).await?;
                let wrong = self.ask(other, &question.text, &Weights::FITTED).await?;
                let first = right.results.first().and_then(|one| self.users[index].turns.get(&one.memory.id));
                asked += 1.0;
                told.first += share(first.is_some_and(|turn| question.evidence.contains(&Some(*turn))));
                told.right += share(is_relevant(&right));
                told.wrong += share(is_relevant(&wrong));
            }
        }
        Ok(Told { first: told.first / asked, right: told.right / asked, wrong: told.wrong / asked })
    }

    async fn ask(&self, user: usize, question: &str, weights: &Weights) -> Result<QueryOutput> {
        let input = QueryInput {
            query: question.to_owned(),
            top_k: i32::try_from(DEPTH)?,
            weights: *weights,
            ..QueryInput::default()
        };
        Ok(self.app.query_memories(&self.users[user].id, input).await?)
    }
}

fn is_relevant(answer: &QueryOutput) -> bool {
    answer.results.iter().take(10).any(|one| one.relevance >= RELEVANT)
}

fn share(is: bool) -> f64 {
    f64::from(u8::from(is))
}

fn draft(turn: &Turn) -> MemoryDraft {
    let seconds = turn.session_at + i64::try_from(turn.position).unwrap_or(0);
    MemoryDraft {
        content: turn.text.clone(),
        speaker: Some(turn.speaker.clone()).filter(|name| !name.is_empty()),
        session_id: Some(format!("session_{}", turn.session)),
        occurred_at: Some(Timestamp(seconds * 1_000_000)),
        ..MemoryDraft::default()
    }
}
