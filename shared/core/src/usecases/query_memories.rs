//! Recalls memories relevant to a query (K-5): filter, words, meaning, context, score.
//!
//! A recall reads snapshots of the vault with few statements: speakers, which words are known, the full-text query, the
//! neighbours of its hits, the winners. Further statements run only where they help: misspelled words and parts of
//! words (a word that no memory holds), memories of a time (the query names one relative to now), the active session's
//! short-term memories (when they are not cached), the newest memories (a query without a word, such as an emoji, that
//! no memory holds). With vectors, one more statement looks up what is near in meaning, under the same filter. The
//! whole answer comes from one snapshot. Only where the query's vector is waited for, words are searched on an earlier
//! snapshot, and once more if something was written since.

mod around;
mod ask_model;
mod both;
mod input;
mod output;
mod rerank;
mod search;
mod semantic;

pub use input::QueryInput;
pub use output::{QueryOutput, Recalled};
pub use semantic::{SemanticRecall, SemanticStatus};

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::App;
use crate::boxed;
use crate::error::Result;
use crate::ids::{Seq, UserId};
use crate::memory::MemoryFilter;
use crate::ports::Touch;
use around::Around;
use both::meanwhile;
use input::CheckedQuery;
use search::ByWords;

impl App {
    /// Recalls from a user's vault. Fails only for input out of bounds, and if the vault cannot be read: any string of 1-8,192
    /// bytes is a query, and a user without memories gets no results. If there are no vectors to be had, recall works without them.
    #[boxed]
    pub async fn query_memories(&self, user: &UserId, input: QueryInput) -> Result<QueryOutput> {
        let started = self.clock.now();
        let query = input.checked(started, &self.defaults)?;
        let mut output = match query.filter.clone() {
            Some(filter) => self.recall_with_model(user, query, filter).await?,
            None => QueryOutput::default(),
        };
        // What a turn says and the record learned from it count once, however many of them were found.
        let found = output.results.iter().flat_map(|one| one.stated_by.iter().copied().chain([one.memory.seq]));
        let found: BTreeSet<Seq> = found.collect();
        output.touches = found.into_iter().map(|seq| Touch { seq, times: 1, at: started }).collect();
        let seconds = self.clock.now().since(started).as_days() * 86_400.0;
        self.observer.recalled(seconds, output.results.len(), output.semantic.name());
        Ok(output)
    }

    /// Recalls by words and vectors. The query's vector is computed elsewhere: if it is not there at once, words are
    /// searched meanwhile, and then the vault is released, because its few readers must not wait for an embedder.
    async fn recall(&self, user: &UserId, query: CheckedQuery, filter: MemoryFilter) -> Result<QueryOutput> {
        let asked = Arc::new((query, filter));
        let around = self.around(user);
        let near = semantic::near(self.semantic.as_ref(), user, &asked.0);
        let (near, words) = meanwhile(near, self.by_words(user, &asked, &around)).await;
        let before = Arc::new(Mutex::new(words.transpose()?));
        let near = Arc::new(near);
        let answer = self.vaults.read(user, move |vault| {
            let before = before.lock().unwrap_or_else(PoisonError::into_inner).take();
            let (asked, near, around) = (Arc::clone(&asked), Arc::clone(&near), around.clone());
            Box::pin(async move { search::answer_from(vault, &asked.0, &asked.1, before, &near, &around).await })
        });
        answer.await
    }

    async fn by_words(
        &self,
        user: &UserId,
        asked: &Arc<(CheckedQuery, MemoryFilter)>,
        around: &Around,
    ) -> Result<ByWords> {
        let (asked, around) = (Arc::clone(asked), around.clone());
        let words = self.vaults.read(user, move |vault| {
            let (asked, around) = (Arc::clone(&asked), around.clone());
            Box::pin(async move { search::words(vault, &asked.0, &asked.1, &around).await })
        });
        words.await
    }
}
