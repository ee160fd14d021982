//! A day of the user and their agent.

use kimberly_core::error::{Error, Relief};
use kimberly_core::goals::{GoalDraft, GoalKind};
use kimberly_core::memory::{
    Creator, Feedback, MemoryDraft, MemoryFilter, MemoryPatch, MemoryState, Metadata, Outcome, Source, Tier,
};
use kimberly_core::usecases::goals::{CreateGoalInput, DeleteGoalInput};
use kimberly_core::usecases::{
    CreateInput, DeleteInput, EndSessionInput, OutcomeInput, QueryInput, Recalled, RestoreInput, UpdateInput,
};
use kimberly_core::{GoalId, MemoryId};
use rand::Rng as _;

use crate::simulation::world::World;

/// Batches of a bulk load, 100 memories each.
const BATCHES: usize = 30;

/// The hours at which the user talks.
const HOURS: [i64; 4] = [8, 12, 16, 20];

impl World {
    /// Sessions during the day, each followed by the worker, and the night.
    pub(crate) async fn live_a_day(&mut self) {
        self.at(4, 10);
        self.work().await;
        if self.loads_in_bulk && self.day % 150 == 40 {
            self.load_in_bulk().await;
        }
        if self.day % 20 == 5 {
            self.change_goals().await;
        }
        for hour in HOURS {
            self.at(hour, 0);
            self.hold_session(&format!("day {} at {hour}", self.day)).await;
            // The worker is down occasionally.
            if self.corpus.dice().random_bool(0.9) {
                self.at(hour, 50);
                self.work().await;
            }
        }
        if self.day % 7 == 6 {
            self.at(22, 30);
            self.rescue_something().await;
        }
        self.at(23, 0);
        self.work().await;
    }

    /// A session: 15 to 25 memories in a few writes, with queries and feedback, and often an explicit end.
    async fn hold_session(&mut self, session: &str) {
        let mut left = self.corpus.dice().random_range(15..=25);
        let mut minute = 0;
        while left > 0 {
            let count = self.corpus.dice().random_range(2..=8).min(left);
            left -= count;
            minute += 3;
            self.clock.advance(kimberly_core::time::Span::seconds(180));
            let drafts = (0..count).map(|_| self.draft(session)).collect();
            if self.remember(drafts).await.is_some() {
                self.refused += if self.day >= 30 { count } else { 0 };
            }
            if self.corpus.dice().random_bool(0.4) {
                self.ask(session).await;
            }
        }
        assert!(minute < 55, "a session fits in its hour");
        if self.corpus.dice().random_bool(0.7) {
            let input = EndSessionInput { session_id: session.to_owned(), request_id: String::new() };
            self.app.end_session(&self.user, input).await.expect("a session ends");
        }
    }

    fn draft(&mut self, session: &str) -> MemoryDraft {
        let text = self.corpus.text();
        let dice = self.corpus.dice();
        let tier = match dice.random_range(0..100) {
            0..50 => Tier::ShortTerm,
            50..95 => Tier::LongTerm,
            _ => Tier::Permanent,
        };
        let (agent, tagged) = (dice.random_bool(0.2), dice.random_bool(0.5));
        MemoryDraft {
            tier,
            content: text.content,
            metadata: Metadata {
                tags: if tagged { vec![text.topic.to_owned()] } else { Vec::new() },
                source: if agent { Source::Agent } else { Source::Chat },
                ..Metadata::default()
            },
            session_id: Some(session.to_owned()),
            protected: dice.random_bool(0.005),
            created_by: if agent { Creator::Agent } else { Creator::User },
            ..MemoryDraft::default()
        }
    }

    /// Loads like an import, batch by batch without pause: if the tier is full, the meditation named in the refusal
    /// makes room for the same batch.
    async fn load_in_bulk(&mut self) {
        for _ in 0..BATCHES {
            let draft = |_| MemoryDraft { tier: Tier::LongTerm, protected: false, ..self.draft("bulk") };
            let drafts: Vec<MemoryDraft> = (0..100).map(draft).collect();
            match self.remember(drafts.clone()).await {
                None => {}
                Some(Relief::Meditation(_)) => {
                    self.waits += 1;
                    self.work().await;
                    let again = self.remember(drafts).await;
                    assert!(again.is_none(), "day {}: no room after the meditation: {again:?}", self.day);
                }
                Some(Relief::Quota(_)) => self.refused += 100,
            }
        }
    }

    /// Stores memories; if refused, returns what makes room.
    async fn remember(&mut self, drafts: Vec<MemoryDraft>) -> Option<Relief> {
        let protected: Vec<bool> = drafts.iter().map(|draft| draft.protected).collect();
        let count = drafts.len() as u64;
        let input = CreateInput { drafts, batch: true, always_new: true, ..CreateInput::default() };
        let steady = self.day >= 30;
        self.writes += if steady { count } else { 0 };
        match self.app.create_memories(&self.user, input).await {
            Ok(receipts) => {
                for (receipt, protected) in receipts.iter().zip(protected) {
                    self.note(receipt, protected);
                }
                None
            }
            Err(Error::QuotaExceeded { relief, .. }) => Some(relief),
            Err(error) => panic!("day {}: {error}", self.day),
        }
    }

    /// Queries, and reports feedback on the results.
    async fn ask(&mut self, session: &str) {
        let input = QueryInput {
            query: self.corpus.question(),
            top_k: 5,
            filter: MemoryFilter::default(),
            explain: false,
            active_session_id: session.to_owned(),
            reference_time: None,
            ..QueryInput::default()
        };
        let answer = self.app.query_memories(&self.user, input).await.expect("a question is answered");
        self.app.touch(&self.user, answer.touches, Vec::new()).await.expect("touches are written");
        let dice = self.corpus.dice();
        let (report, helpful, rate, forget) =
            (dice.random_bool(0.3), dice.random_bool(0.7), dice.random_bool(0.1), dice.random_bool(0.02));
        let Some(best) = answer.results.into_iter().next() else { return };
        if report {
            let outcome = if helpful { Outcome::Helpful } else { Outcome::NotHelpful };
            let input = OutcomeInput { ids: vec![best.memory.id], outcome, top_k: 0, request_id: String::new() };
            self.app.record_outcome(&self.user, input).await.expect("an outcome is recorded");
        }
        if rate {
            self.rate(&best, helpful).await;
        }
        if forget {
            self.forget(best.memory.id).await;
        }
    }

    async fn rate(&mut self, recalled: &Recalled, helpful: bool) {
        let mut values = recalled.memory.draft.clone();
        values.metadata.user_feedback = Some(if helpful { Feedback::ThumbsUp } else { Feedback::Rating(2) });
        let patch = MemoryPatch::new(values, &["metadata.user_feedback".to_owned()]).expect("a mask");
        let input = UpdateInput {
            id: recalled.memory.id,
            patch,
            etag: recalled.memory.etag(),
            request_id: String::new(),
            traceparent: None,
        };
        match self.app.update_memory(&self.user, input).await {
            Ok(_) | Err(Error::QuotaExceeded { .. }) => {}
            Err(error) => panic!("day {}: {error}", self.day),
        }
    }

    async fn forget(&mut self, id: MemoryId) {
        let input = DeleteInput { id, etag: String::new(), request_id: String::new() };
        self.app.delete_memory(&self.user, input).await.expect("a memory is deleted");
        self.known.get_mut(&id).expect("it was created here").deleted_by_owner = true;
    }

    /// Restores an archived memory within its grace, which must succeed and make it active.
    async fn rescue_something(&mut self) {
        let now = self.app.clock.now();
        let items = self.items().await;
        let inside = |item: &&kimberly_core::meditation::RetentionItem| {
            item.state == MemoryState::Archived && item.delete_after.is_some_and(|end| end > now)
        };
        let candidates: Vec<MemoryId> = items.iter().filter(inside).map(|item| item.id).collect();
        if candidates.is_empty() {
            return;
        }
        let chosen = candidates[self.corpus.dice().random_range(0..candidates.len())];
        let input = RestoreInput { id: chosen, protect: false, request_id: String::new(), traceparent: None };
        match self.app.restore_memory(&self.user, input).await {
            Ok(receipt) => assert_eq!(receipt.state, MemoryState::Active),
            // Only a full tier may prevent a restore.
            Err(Error::QuotaExceeded { .. }) => return,
            Err(error) => panic!("day {}: {chosen} is inside its grace and was not restored: {error}", self.day),
        }
        self.restores += 1;
    }

    /// Replaces a goal by another one.
    async fn change_goals(&mut self) {
        let goals = self
            .vaults
            .read(&self.user, |reader| Box::pin(async move { reader.goals(None, None, 10).await }))
            .await
            .expect("goals are read");
        if goals.len() >= 4 {
            let oldest: GoalId = goals[goals.len() - 1].id;
            let input = DeleteGoalInput { id: oldest, request_id: String::new() };
            self.app.delete_goal(&self.user, input).await.expect("a goal is removed");
        }
        let topic = self.corpus.topic();
        let draft = GoalDraft {
            kind: GoalKind::Project,
            title: format!("Get ahead with {topic}"),
            tags: vec![topic.to_owned()],
            importance: 1.0,
            ..GoalDraft::default()
        };
        let input = CreateGoalInput { draft, request_id: String::new() };
        self.app.create_goal(&self.user, input).await.expect("a goal is added");
    }
}
