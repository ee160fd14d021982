//! Takes in messages of a conversation: those that are not stored yet become turns, without what Kimberly itself handed out.
//!
//! One transaction reads what is stored, compares, and adds. Where a tier is full, it makes room: turns of the lowest
//! worth move to the archive and, if that is not enough, the first of the new ones, too.

mod forgotten;
mod input;
mod known;
mod preview;
mod stream;
mod work;

use std::sync::Arc;

use super::App;
use super::idempotency::Key;
use super::store_conversation::Stored;
use crate::boxed;
use crate::context::Fingerprints;
use crate::conversation::{Message, Observed};
use crate::error::Result;
use crate::ids::UserId;
use crate::meditation::runner::observe as observe_changes;
pub use input::ObserveInput;
use known::Matching;
pub use stream::ObserveStream;
use work::{Done, Work};

impl App {
    /// Takes messages in, and returns the outcome of each. Durable when it returns.
    #[boxed]
    pub async fn observe(&self, user: &UserId, input: ObserveInput) -> Result<Observed> {
        let key = self.key(&input.request_id, "conversation.observe", &input)?;
        Ok(self.take_in(user, input.checked()?, 0, Matching::Likely, key).await?.observed)
    }

    /// Takes checked messages in, in one transaction; `first` is the position of the first one in its stream.
    async fn take_in(
        &self,
        user: &UserId,
        input: ObserveInput,
        first: usize,
        matching: Matching,
        key: Option<Key>,
    ) -> Result<Done> {
        let trace = input.traceparent.clone();
        let problem = |(index, message): (usize, &Message)| message.problem().map(|problem| (index, problem));
        let problems = input.messages.iter().enumerate().filter_map(problem).collect();
        let work = Arc::new(Work {
            input,
            first,
            matching,
            key,
            prints: self.fingerprints(user),
            now: self.clock.now(),
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
            caller: self.caller.clone(),
        });
        let running = self.vaults.transact(user, "observe", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let mut done = self.relieved(user, trace.as_deref(), running.await).await?;
        done.observed.problems = problems;
        self.note_stored(&done.stored);
        Ok(done)
    }

    /// Reports to telemetry what a conversation stored.
    pub(super) fn note_stored(&self, stored: &Stored) {
        for (tier, items) in &stored.created {
            self.observer.created(*tier, *items);
        }
        for (tier, share) in &stored.shares {
            self.observer.quota_usage(*tier, *share);
        }
        observe_changes(&*self.observer, &stored.moved);
    }

    /// Returns the keyed digests that recognize what was handed out to a user.
    pub(super) fn fingerprints(&self, user: &UserId) -> Fingerprints {
        Fingerprints::new(&self.token_key, user.as_str())
    }
}
