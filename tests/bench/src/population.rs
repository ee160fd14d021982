//! Synthetic users with memories, and their import into a running server.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::{BatchCreateMemoriesRequest, CreateMemoryRequest, MemoryDraft, QueryMemoriesRequest};
use tonic::transport::Channel;

use crate::Result;
use crate::texts::{Language, Turn};

/// The time of every user's first session: 2026-01-01, in Unix seconds.
const BEGINNING: i64 = 1_767_225_600;
const SECONDS_BETWEEN_SESSIONS: i64 = 3 * 86_400;
const SECONDS_BETWEEN_TURNS: i64 = 40;

/// Generates users, memories and questions deterministically.
#[derive(Clone)]
pub(crate) struct Population {
    language: Arc<Language>,
    /// The prefix of user ids, so that measurements do not share users.
    prefix: &'static str,
    /// Memories per user.
    memories: usize,
}

impl Population {
    /// Users with this id prefix and number of memories.
    pub(crate) fn new(language: &Arc<Language>, prefix: &'static str, memories: usize) -> Self {
        Self { language: Arc::clone(language), prefix, memories }
    }

    /// The id of user number `user`.
    pub(crate) fn id(&self, user: usize) -> String {
        format!("{}-{user:05}", self.prefix)
    }

    /// The turns of a user's conversations.
    pub(crate) fn turns(&self, user: usize) -> Vec<Turn> {
        self.language.conversations(user, self.memories)
    }

    /// All memories of a user as one batch.
    pub(crate) fn batch(&self, user: usize) -> BatchCreateMemoriesRequest {
        let memories = self.turns(user).into_iter().enumerate().map(|(position, turn)| draft(position, turn)).collect();
        BatchCreateMemoriesRequest { user_id: self.id(user), memories, request_id: String::new(), always_new: true }
    }

    /// All memories of a user, one request each.
    pub(crate) fn singles(&self, user: usize) -> Vec<CreateMemoryRequest> {
        let batch = self.batch(user);
        let single = |memory| CreateMemoryRequest { user_id: batch.user_id.clone(), memory: Some(memory), ..default() };
        batch.memories.into_iter().map(single).collect()
    }

    /// `count` questions of users out of `users`, in pseudo-random order.
    pub(crate) fn questions(&self, users: Range<usize>, count: usize) -> Vec<QueryMemoriesRequest> {
        let asking: Vec<usize> = (0..count).map(|n| users.start + scatter(n) % users.len()).collect();
        let mut questions: Vec<Option<QueryMemoriesRequest>> = vec![None; count];
        let mut by_user: Vec<usize> = (0..count).collect();
        by_user.sort_by_key(|n| asking[*n]);
        for same_user in by_user.chunk_by(|a, b| asking[*a] == asking[*b]) {
            let user = asking[same_user[0]];
            let turns = self.turns(user);
            for n in same_user {
                let query = self.language.question(&turns, user, *n);
                questions[*n] = Some(QueryMemoriesRequest { user_id: self.id(user), query, ..default() });
            }
        }
        questions.into_iter().flatten().collect()
    }

    /// Imports users' memories, one batch at a time per channel; returns the time without generating texts.
    pub(crate) async fn import(&self, channels: &[Channel], users: Range<usize>) -> Result<Duration> {
        let mut importing = Duration::ZERO;
        let users: Vec<usize> = users.collect();
        // In chunks, so that texts of a thousand users are never in memory at once.
        for chunk in users.chunks(32) {
            let batches: Vec<_> = chunk.iter().map(|user| self.batch(*user)).collect();
            importing += create_all(channels, batches).await?;
        }
        Ok(importing)
    }
}

/// Sends batches, one at a time per channel; returns the time.
pub(crate) async fn create_all(channels: &[Channel], batches: Vec<BatchCreateMemoriesRequest>) -> Result<Duration> {
    let start = Instant::now();
    stream::iter(batches.into_iter().enumerate())
        .map(|(n, batch)| create(channels[n % channels.len()].clone(), batch))
        .buffer_unordered(channels.len())
        .try_collect::<Vec<()>>()
        .await?;
    Ok(start.elapsed())
}

/// Sends one batch.
async fn create(channel: Channel, batch: BatchCreateMemoriesRequest) -> Result<()> {
    MemoryServiceClient::new(channel).batch_create_memories(batch).await?;
    Ok(())
}

fn draft(position: usize, turn: Turn) -> MemoryDraft {
    let seconds = |n: usize, each: i64| i64::try_from(n).unwrap_or(0) * each;
    let happened =
        BEGINNING + seconds(turn.session, SECONDS_BETWEEN_SESSIONS) + seconds(position % 20, SECONDS_BETWEEN_TURNS);
    MemoryDraft {
        content: turn.text,
        speaker: turn.speaker.to_owned(),
        session_id: format!("session-{}", turn.session),
        occurred_at: Some(prost_types::Timestamp { seconds: happened, nanos: 0 }),
        ..default()
    }
}

/// Spreads consecutive numbers over the whole range (Fibonacci hashing).
pub(crate) fn scatter(n: usize) -> usize {
    (n.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33
}

fn default<T: Default>() -> T {
    T::default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_come_from_all_users_and_repeat() {
        let population = Population::new(&Arc::new(Language::new()), "some", 50);
        let questions = population.questions(3..13, 200);
        assert_eq!(questions.len(), 200);
        for user in 3..13 {
            let id = population.id(user);
            let asked = questions.iter().filter(|question| question.user_id == id).count();
            assert!((5..=50).contains(&asked), "{id} asks {asked} times");
        }
        assert_eq!(questions, population.questions(3..13, 200));
    }

    #[test]
    fn a_batch_holds_every_memory_once_in_order() {
        let population = Population::new(&Arc::new(Language::new()), "some", 100);
        let (batch, turns) = (population.batch(1), population.turns(1));
        assert_eq!(batch.memories.len(), 100);
        assert!(batch.memories.iter().zip(&turns).all(|(draft, turn)| draft.content == turn.text));
        assert!(batch.memories.windows(2).all(|pair| {
            let at = |draft: &MemoryDraft| draft.occurred_at.map(|time| time.seconds);
            pair[0].session_id != pair[1].session_id || at(&pair[0]) != at(&pair[1])
        }));
    }
}
