//! Recalls what matters for a query (K-5): filter, words, meaning, context, worth.
//!
//! One snapshot of the vault and few statements: speakers, which words are known, the full-text query, the neighbours of
//! its hits, the winners. Further ones only where they help: misspelled words and parts of words (a word that no memory
//! holds), memories of a time (the query names one relative to now), the active session's short-term memories (when they
//! are not in the cache), the newest memories (a query without a word, such as an emoji, that no memory holds). With
//! vectors one more statement looks up what is near in meaning, under the same filter and on the same snapshot.

mod both;
mod input;
mod search;
mod semantic;

pub use input::QueryInput;
pub use semantic::{SemanticRecall, SemanticStatus};

use std::sync::Arc;

use super::App;
use super::embedding::EmbeddingState;
use crate::embedding::Hold;
use crate::error::Result;
use crate::ids::UserId;
use crate::memory::Memory;
use crate::ports::Touch;
use crate::recall::{Correction, Explanation};

/// A recalled memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// The memory.
    pub memory: Memory,
    /// The final score; comparable within one answer only.
    pub score: f64,
    /// Its parts; only if asked for.
    pub explanation: Option<Explanation>,
}

/// What was recalled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryOutput {
    /// Best first, at most `top_k`; the same for the same vault, query and time.
    pub results: Vec<Recalled>,
    /// Words that no memory holds, and what was searched instead.
    pub corrections: Vec<Correction>,
    /// That these memories were recalled; for the caller to write in batches, off the request's path.
    pub touches: Vec<Touch>,
    /// Whether vectors took part, and if not, why.
    pub semantic: SemanticStatus,
}

impl App {
    /// Recalls from a user's vault. Fails only for input out of bounds and when the vault cannot be read: any string of
    /// 1-8,192 bytes is a query, and a user without memories has none to recall. Vectors that cannot be had are done
    /// without.
    pub async fn query_memories(&self, user: &UserId, input: QueryInput) -> Result<QueryOutput> {
        let started = self.clock.now();
        let query = Arc::new(input.checked(started)?);
        let (user_id, cache, semantic) = (user.clone(), self.sessions.clone(), self.semantic.clone());
        let mut output = self
            .vaults
            .read(user, move |vault| {
                let (query, user, cache, semantic) =
                    (Arc::clone(&query), user_id.clone(), cache.clone(), semantic.clone());
                Box::pin(async move { search::run(vault, &query, &user, &cache, semantic.as_ref()).await })
            })
            .await?;
        if output.semantic == SemanticStatus::NoIndex && self.is_disabled(user).await? {
            output.semantic = SemanticStatus::UserDisabled;
        }
        output.touches =
            output.results.iter().map(|one| Touch { seq: one.memory.seq, times: 1, at: started }).collect();
        let seconds = self.clock.now().since(started).as_days() * 86_400.0;
        self.observer.recalled(seconds, output.results.len(), output.semantic.name());
        Ok(output)
    }

    /// Whether the user has no vectors because they are not to have any.
    async fn is_disabled(&self, user: &UserId) -> Result<bool> {
        let state = self.embedding_status(user).await?.state;
        Ok(matches!(state, EmbeddingState::Held(Hold::UserOff | Hold::OverCap { .. })))
    }
}
