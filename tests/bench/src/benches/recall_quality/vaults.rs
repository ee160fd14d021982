//! A vault per conversation, and its baseline index.

use std::collections::HashMap;
use std::sync::Arc;

use kimberly_core::embedding::Window;
use kimberly_core::memory::{DraftLimits, MemoryDraft};
use kimberly_core::ports::NoObserver;
use kimberly_core::recall::{Fusion, Stage, Weights};
use kimberly_core::settings::{Origin, ServerDefaults};
use kimberly_core::usecases::embedding::VectorUpdater;
use kimberly_core::usecases::{
    App, CreateInput, MeditateInput, QueryInput, QueryOutput, SemanticRecall, SemanticStatus,
};
use kimberly_core::{MemoryId, Timestamp, UserId};
use kimberly_index::{IndexWriter, Options};
use kimberly_store::{SqliteOptions, SqliteStore};
use kimberly_tests::fakes::{CountingIds, FakeClock};
use sqlx::sqlite::SqliteConnection;
use tempfile::TempDir;
use tokio::sync::Mutex;

use super::baseline;
use super::embedded::Embedder;
use super::sets::{Part, Set};
use crate::Result;
use crate::benches::locomo::dataset::{Conversation, Turn};
use crate::benches::locomo::measure::DEPTH;

/// 2026-11-20 at noon UTC, for reproducible results.
const NOW: Timestamp = Timestamp(1_795_176_000_000_000);
/// Some messages contain whole files.
const MAX_CONTENT_BYTES: usize = 1_000_000;
/// Memories per batch.
const BATCH: usize = 250;
/// Minimum relevance of a result that counts as relevant.
const RELEVANT: f64 = 0.5;

/// The vaults of all conversations of a set.
pub(super) struct Vaults {
    pub(super) app: App,
    /// The same with vectors, once they exist.
    with_vectors: Option<App>,
    vectors: Arc<IndexWriter>,
    pub(super) users: Vec<User>,
    pub(super) store: SqliteStore,
    _folder: TempDir,
}

/// The vault of one conversation.
pub(super) struct User {
    pub(super) id: UserId,
    /// The bytes of every memory, in the order of turns.
    pub(super) sizes: Vec<u64>,
    turns: HashMap<MemoryId, usize>,
    index: Mutex<SqliteConnection>,
}

/// Relevance estimates, as shares of the questions.
pub(super) struct Estimates {
    /// First results that are evidence.
    pub(super) first: f64,
    /// Questions whose best result counts as relevant.
    pub(super) right: f64,
    /// The same, asked of another user.
    pub(super) wrong: f64,
}

impl Vaults {
    /// Imports every conversation turn by turn.
    pub(super) async fn of(conversations: &[Conversation]) -> Result<Self> {
        Self::of_some(conversations, |_, _| true).await
    }

    /// Imports the turns that pass, by the numbers of conversation and turn.
    pub(super) async fn of_some(conversations: &[Conversation], passes: impl Fn(usize, usize) -> bool) -> Result<Self> {
        let (clock, folder) = (Arc::new(FakeClock::at(NOW)), tempfile::tempdir()?);
        let store = SqliteStore::open(SqliteOptions::new(folder.path()), clock.clone()).await?;
        let draft_limits = DraftLimits { max_content_bytes: MAX_CONTENT_BYTES };
        let defaults = Arc::new(ServerDefaults { draft_limits, ..ServerDefaults::default() });
        let app = App::new(store.vaults(), clock, Arc::new(CountingIds::default()), defaults, Arc::new(NoObserver));
        let mut users = Vec::new();
        for (number, conversation) in conversations.iter().enumerate() {
            let id = UserId::parse(&format!("user-{number}"))?;
            let (mut turns, mut sizes) = (HashMap::new(), Vec::new());
            let passing: Vec<usize> = (0..conversation.turns.len()).filter(|turn| passes(number, *turn)).collect();
            for batch in passing.chunks(BATCH) {
                let drafts = batch.iter().map(|turn| draft(&conversation.turns[*turn])).collect();
                let input = CreateInput { drafts, batch: true, always_new: true, ..CreateInput::default() };
                for (receipt, turn) in app.create_memories(&id, input).await?.into_iter().zip(batch) {
                    turns.insert(receipt.id, *turn);
                    sizes.push(receipt.size_bytes);
                }
            }
            users.push(User { id, sizes, turns, index: Mutex::new(baseline::index(conversation).await?) });
        }
        let vectors = Arc::new(IndexWriter::new(folder.path(), Options::default()));
        Ok(Self { app, with_vectors: None, vectors, users, store, _folder: folder })
    }

    /// Reads names and their relations in all memories, through a meditation.
    pub(super) async fn read_names(&self) -> Result<()> {
        let steps = ["entities", "link"].map(str::to_owned).to_vec();
        for user in &self.users {
            let run = self.app.meditate(&user.id, MeditateInput { steps: steps.clone(), ..MeditateInput::default() });
            self.app.run_meditation(&user.id, run.await?.meditation.id).await?;
        }
        Ok(())
    }

    /// Syncs the vectors of all users with their vaults, at most `cap` each: like the embedder, but at once.
    pub(super) async fn embed(&mut self, embedder: &Arc<Embedder>, cap: u64) -> Result<()> {
        let mut defaults = ServerDefaults::clone(&self.app.defaults);
        defaults.embedding.on = true;
        defaults.embedding.vector_cap = (cap, Origin::Config);
        defaults.embedding.window = (Window::Always, Origin::Config);
        defaults.embedding.daily_limit = (0, Origin::Config);
        defaults.embedding.weekly_limit = (0, Origin::Config);
        let (vectors, embedder) = (Arc::clone(&self.vectors), Arc::clone(embedder));
        let updater = VectorUpdater {
            vectors: Arc::<IndexWriter>::clone(&vectors),
            model: Arc::<Embedder>::clone(&embedder),
            registry: self.store.registry(),
        };
        let mut app = self.app.clone();
        app.defaults = Arc::new(defaults);
        let app = app.with_semantic(SemanticRecall { vectors, embedder, fusion: Fusion::Sum });
        for user in &self.users {
            while app.sync_vectors(&updater, &user.id, 1).await?.next.is_some() {}
        }
        self.with_vectors = Some(app);
        Ok(())
    }

    /// Turn indices recalled by words only, best first.
    pub(super) async fn by_words(&self, user: usize, question: &str, weights: &Weights) -> Result<Vec<usize>> {
        self.recall(&self.app, user, question, weights).await
    }

    /// The same with vectors; fails if they were not used.
    pub(super) async fn with_vectors(&self, user: usize, question: &str, weights: &Weights) -> Result<Vec<usize>> {
        let app = self.with_vectors.as_ref().ok_or("nothing is embedded")?;
        self.recall(app, user, question, weights).await
    }

    async fn recall(&self, app: &App, user: usize, question: &str, weights: &Weights) -> Result<Vec<usize>> {
        let answer = self.ask(app, user, question, weights).await?;
        let expected = if app.semantic.is_some() { SemanticStatus::Used } else { SemanticStatus::Off };
        // A few questions consist only of quoted words, for which vectors are not requested.
        if ![expected, SemanticStatus::NotNeeded].contains(&answer.semantic) {
            return Err(format!("a query was answered with vectors {}", answer.semantic.name()).into());
        }
        let turns = &self.users[user].turns;
        Ok(answer.results.iter().filter_map(|one| turns.get(&one.memory.id).copied()).collect())
    }

    /// Turn indices of a query's results, best first.
    pub(super) async fn turns(&self, user: usize, input: QueryInput) -> Result<Vec<usize>> {
        let answer = self.app.query_memories(&self.users[user].id, input).await?;
        Ok(answer.results.iter().filter_map(|one| self.users[user].turns.get(&one.memory.id).copied()).collect())
    }

    /// Turn indices by BM25, best first.
    pub(super) async fn bm25(&self, user: usize, question: &str) -> Result<Vec<usize>> {
        baseline::ask(&mut *self.users[user].index.lock().await, question).await
    }

    /// Turn indices recalled without a stage, best first.
    pub(super) async fn without(&self, user: usize, question: &str, stage: Stage) -> Result<Vec<usize>> {
        let input = QueryInput {
            query: question.to_owned(),
            top_k: i32::try_from(DEPTH)?,
            stages: [(stage.name().to_owned(), false)].into(),
            ..QueryInput::default()
        };
        let answer = self.app.query_memories(&self.users[user].id, input).await?;
        let turns = &self.users[user].turns;
        Ok(answer.results.iter().filter_map(|one| turns.get(&one.memory.id).copied()).collect())
    }

    /// Relevance estimates for the questions of a part.
    pub(super) async fn relevance(&self, set: &Set, part: Part) -> Result<Estimates> {
        let members: Vec<usize> = set.of_part(part).map(|(index, _)| index).collect();
        let (mut asked, mut sums) = (0.0, Estimates { first: 0.0, right: 0.0, wrong: 0.0 });
        for (number, (index, conversation)) in set.of_part(part).enumerate() {
            let other = members[(number + 1) % members.len()];
            for question in &conversation.questions {
                let right = self.ask(&self.app, index, &question.text, &Weights::FITTED).await?;
                let wrong = self.ask(&self.app, other, &question.text, &Weights::FITTED).await?;
                let first = right.results.first().and_then(|one| self.users[index].turns.get(&one.memory.id));
                asked += 1.0;
                sums.first += share(first.is_some_and(|turn| question.evidence.contains(&Some(*turn))));
                sums.right += share(is_relevant(&right));
                sums.wrong += share(is_relevant(&wrong));
            }
        }
        Ok(Estimates { first: sums.first / asked, right: sums.right / asked, wrong: sums.wrong / asked })
    }

    async fn ask(&self, app: &App, user: usize, question: &str, weights: &Weights) -> Result<QueryOutput> {
        let input = QueryInput {
            query: question.to_owned(),
            top_k: i32::try_from(DEPTH)?,
            weights: *weights,
            ..QueryInput::default()
        };
        Ok(app.query_memories(&self.users[user].id, input).await?)
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
        session_id: (turn.session > 0).then(|| format!("session_{}", turn.session)),
        occurred_at: Some(Timestamp(seconds * 1_000_000)),
        ..MemoryDraft::default()
    }
}
