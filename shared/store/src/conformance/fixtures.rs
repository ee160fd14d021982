//! Fixtures of claims: users, memories, and short ways to store them.

use std::collections::BTreeMap;
use std::sync::Arc;

use kimberly_core::UserId;
use kimberly_core::error::Result;
use kimberly_core::ids::{GoalId, MeditationId, MemoryId, Seq};
use kimberly_core::meditation::kinds::{Applying, Body, carry_out, standing};
use kimberly_core::meditation::{Asked, Change, Kind, Meditation, MeditationStatus, Reason, Subject, Trigger};
use kimberly_core::memory::{Memory, MemoryDraft, MemoryFilter, MemoryState, Metadata};
use kimberly_core::ports::{BoxFuture, LexicalQuery, LexicalTerm, NewMemory, VaultReader, VaultTransaction};
use kimberly_core::scoring::{SCORING_VERSION, ScoreRecord, Signals, Weights};
use kimberly_core::text::TextTraits;
use kimberly_core::time::{Span, Timestamp};
use kimberly_core::usage::Usage;
use uuid::Uuid;

use super::Bed;

/// The time that fixtures count from.
pub const START: Timestamp = Timestamp(1_800_000_000_000_000);

/// Returns `START` plus some seconds.
pub fn at(seconds: i64) -> Timestamp {
    START.plus(Span::seconds(seconds))
}

/// Returns a user.
pub fn user(name: &str) -> UserId {
    UserId::parse(name).unwrap()
}

/// Returns the id for a number.
pub fn memory_id(n: u128) -> MemoryId {
    MemoryId(Uuid::from_u128(n))
}

/// Returns a run's id.
pub fn run_id(n: u128) -> MeditationId {
    MeditationId(Uuid::from_u128(n))
}

/// Returns a goal's id.
pub fn goal_id(n: u128) -> GoalId {
    GoalId(Uuid::from_u128(n))
}

tokio::task_local! {
    /// Set while a claim runs that makes all memories sensitive.
    static ALL_SENSITIVE: ();
}

/// Runs a claim with drafts that are sensitive by default.
pub async fn all_sensitive(claim: impl Future<Output = ()>) {
    ALL_SENSITIVE.scope((), claim).await;
}

/// Returns a draft with this content.
pub fn draft(content: &str) -> MemoryDraft {
    let sensitive = ALL_SENSITIVE.try_with(|()| ()).is_ok();
    let metadata = Metadata { version: "v1".to_owned(), sensitive, ..Metadata::default() };
    MemoryDraft { content: content.to_owned(), metadata, ..MemoryDraft::default() }
}

/// Returns a score with its record.
pub fn score(value: f64, n: i64) -> ScoreRecord {
    ScoreRecord {
        version: SCORING_VERSION.to_owned(),
        scored_at: at(n),
        score: value,
        signals: Signals { relevance_to_goals: 0.1, emotional_weight: 0.7, predictive_value: 0.5, recency_freq: 1.0 },
        weights: Weights::new([0.4, 0.3, 0.2, 0.1]),
        inputs: BTreeMap::new(),
        best_goal: None,
    }
}

/// Returns a record after a round trip through its compact form.
pub fn as_stored(record: &ScoreRecord) -> ScoreRecord {
    ScoreRecord::from_compact(&record.to_compact()).unwrap()
}

/// Returns a memory to insert, with id and creation time from `n`.
pub fn new_memory(n: u32, draft: MemoryDraft) -> NewMemory {
    NewMemory {
        author: String::new(),
        id: memory_id(n.into()),
        size_bytes: draft.content.len() as u64,
        sentiment: -0.125,
        traits: TextTraits {
            words: n % 50,
            asks: n & 1 == 0,
            is_question: n & 2 == 0,
            names_time: n & 4 == 0,
            directs: n & 8 == 0,
            rules: TextTraits::RULES,
        },
        score: score(f64::from(n % 10) / 10.0, i64::from(n)),
        created_at: at(i64::from(n)),
        draft,
    }
}

/// Returns a run that was requested.
pub fn run(n: u128) -> Meditation {
    Meditation {
        id: run_id(n),
        status: MeditationStatus::Scheduled,
        trigger: Trigger::Request,
        full: false,
        asked: Asked::default(),
        steps: vec!["score".to_owned()],
        processed: 0,
        archived: 0,
        pruned: 0,
        archived_bytes: 0,
        pruned_bytes: 0,
        created_at: START,
        started_at: None,
        finished_at: None,
        as_of: START,
        generation: 0,
        expected_plan: None,
        error: None,
        tiers: Vec::new(),
        scoring_version: SCORING_VERSION.to_owned(),
    }
}

/// Returns a decision about a memory in its current state.
pub fn decide(memory: &Memory, kind: Kind) -> Change {
    let standing = Body::standing(memory.draft.tier, memory.state, memory.size_bytes, memory.score);
    let subjects = vec![Subject { id: memory.id.0, seq: memory.seq }];
    Change { step: "retain", kind, subjects, reason: Reason::OverQuota, body: standing }
}

/// Returns a query for any of these words.
pub fn any_of(words: &[&str]) -> LexicalQuery {
    let any = words.iter().map(|word| LexicalTerm { words: vec![(*word).to_owned()], prefix: false }).collect();
    LexicalQuery { any, ..LexicalQuery::default() }
}

/// Returns a filter for memories in any state.
pub fn any_state() -> MemoryFilter {
    MemoryFilter { states: MemoryState::ALL.to_vec(), ..MemoryFilter::default() }
}

impl Bed {
    /// Reads with a function.
    pub async fn read<T, F>(&self, who: &str, work: F) -> T
    where
        T: Send + 'static,
        F: for<'r> FnMut(&'r mut dyn VaultReader) -> BoxFuture<'r, Result<T>> + Send + 'static,
    {
        self.vaults.read(&user(who), work).await.unwrap()
    }

    /// Writes with a function.
    pub async fn write<T, F>(&self, who: &str, work: F) -> T
    where
        T: Send + 'static,
        F: for<'t> FnMut(&'t mut dyn VaultTransaction) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        self.vaults.transact(&user(who), "test", work).await.unwrap()
    }

    /// Inserts memories; a new vault numbers them 1, 2, 3 ...
    pub async fn insert(&self, who: &str, memories: Vec<NewMemory>) -> Vec<Seq> {
        let memories = Arc::new(memories);
        self.write(who, move |tx| {
            let memories = Arc::clone(&memories);
            Box::pin(async move { tx.insert_memories(&memories).await })
        })
        .await
    }

    /// Inserts drafts, with ids and creation times from 1.
    pub async fn remember(&self, who: &str, drafts: impl IntoIterator<Item = MemoryDraft>) -> Vec<Seq> {
        self.insert(who, (1..).zip(drafts).map(|(n, draft)| new_memory(n, draft)).collect()).await
    }

    /// Returns a memory by its fixture number.
    pub async fn memory(&self, who: &str, n: u128) -> Option<Memory> {
        self.read(who, move |r| Box::pin(r.memory(memory_id(n)))).await
    }

    /// Returns the numbers of memories that a query finds, best first.
    pub async fn found(&self, who: &str, query: LexicalQuery) -> Vec<i64> {
        let hits = self
            .read(who, move |r| {
                let query = query.clone();
                Box::pin(async move { r.lexical(&query, 100).await })
            })
            .await;
        hits.iter().map(|hit| hit.seq.0).collect()
    }

    /// Returns usage by counters, and asserts that it equals a full count.
    pub async fn usage(&self, who: &str) -> Usage {
        let (usage, count) =
            self.read(who, |r| Box::pin(async move { Ok((r.usage().await?, r.recount().await?)) })).await;
        assert_eq!(usage, count, "counters differ from a full count");
        usage
    }

    /// Does one page of rebuilding the index, in a transaction of its own.
    pub async fn rebuild_page(&self, who: &str, run: u128, after: Option<Seq>) -> Result<Option<Seq>> {
        let (who, run) = (user(who), Uuid::from_u128(run));
        let page = self.vaults.transact(&who, "test", move |tx| Box::pin(tx.rebuild_index(run, after)));
        page.await
    }

    /// Rebuilds the index page by page, with `between` after each one but the last; returns the number of pages.
    pub async fn rebuild(&self, who: &str, between: impl AsyncFn(usize)) -> usize {
        let (mut after, mut pages) = (None, 0);
        loop {
            after = self.rebuild_page(who, 1, after).await.unwrap();
            pages += 1;
            if after.is_none() {
                return pages;
            }
            between(pages).await;
        }
    }

    /// Sets a state with fixed times.
    pub async fn set_state(&self, who: &str, seq: Seq, state: MemoryState) {
        let times = (state != MemoryState::Active).then(|| (at(1_000), at(2_000)));
        self.write(who, move |tx| {
            Box::pin(async move { tx.set_state(seq, state, times.map(|t| t.0), times.map(|t| t.1), at(1_000)).await })
        })
        .await;
    }

    /// Applies decisions under a run, which is created if missing.
    pub async fn decide(&self, who: &str, n: u128, decisions: Vec<Change>, when: Timestamp) -> Vec<Change> {
        self.write(who, move |tx| {
            let decisions = decisions.clone();
            Box::pin(async move {
                if tx.meditation(run_id(n)).await?.is_none() {
                    tx.put_meditation(&run(n)).await?;
                }
                let standing = standing(tx, &decisions).await?;
                let applying = Applying { at: when, delete_after: when.plus(Span::days(30)), making: None };
                carry_out(tx, run_id(n), decisions, &standing, applying).await
            })
        })
        .await
    }
}
