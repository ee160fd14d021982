//! Compacts a session: its oldest turns that no summary covers become one, a batch at a time. The turns stay as they are.
//!
//! Links alone say which summary covers a turn, so a turn is in one summary, however often this runs and wherever it is
//! interrupted. A batch is read outside of the transaction, which then takes the turns that are unchanged. Rules write every
//! summary. Where there is a language model, a job has it reword the summary afterwards, so that no turn waits for a model.

mod again;
mod draft;
mod input;
mod next;
mod reword;
mod work;

pub(super) use next::{covered, covered_ids, made};

pub use input::CompactInput;

use std::collections::HashSet;
use std::sync::Arc;

use super::App;
use super::store_conversation::Stored;
use crate::boxed;
use crate::compacting::{Batches, SummarizedBy};
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::memory::{Detail, Memory};
use next::Conversation;
use work::Work;

/// Fewer turns than this, left when a session ends, need no summary.
const WORTH_IT: usize = 6;
/// Delay in seconds of the rewording job while a caller waits for the model: longer than the model takes for several summaries.
const WAITING_S: u64 = 600;

/// The compacted turns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Summaries that were made and still exist, oldest first.
    pub summaries: Vec<MemoryId>,
    /// Number of turns that they cover.
    pub turns: u64,
    /// The author of their wording; if they differ, the greatest in the order of [`SummarizedBy`].
    pub by: SummarizedBy,
    /// Those that a language model is asked to reword.
    asked: Vec<MemoryId>,
}

impl Compacted {
    /// Reports whether nothing was compacted.
    pub const fn is_empty(&self) -> bool {
        self.turns == 0
    }

    fn add(&mut self, made: Made) {
        self.turns += made.turns;
        self.summaries.retain(|id| !made.erased.contains(id));
        self.summaries.extend(made.summaries);
        self.asked.retain(|id| !made.erased.contains(id));
        self.asked.extend(made.asked);
        self.by = if self.asked.is_empty() { SummarizedBy::Rules } else { SummarizedBy::ModelLater };
    }
}

/// The result of one transaction.
#[derive(Default)]
struct Made {
    summaries: Vec<MemoryId>,
    turns: u64,
    /// Older summaries that were replaced.
    erased: Vec<MemoryId>,
    /// The summary that a language model is asked to reword.
    asked: Option<MemoryId>,
    stored: Vec<Stored>,
}

impl App {
    /// Compacts a session now: all of its turns but the newest. Waits for the language model only if asked to.
    #[boxed]
    pub async fn compact_session(&self, user: &UserId, input: CompactInput) -> Result<Compacted> {
        let waits = input.wait;
        let (session, namespace, keep) = input.checked(self)?;
        let by = Batches::all(self.defaults.compacting.batch, keep, keep + 1);
        let mut done = self.compact(user, (&session, &namespace), by, if waits { WAITING_S } else { 0 }).await?;
        if waits {
            done.by = SummarizedBy::Rules;
            for summary in &done.asked {
                // The job asks later if this fails, or if the model may not be asked now.
                let by = self.reword(user, *summary).await;
                done.by = done.by.max(by.ok().and_then(std::result::Result::ok).unwrap_or(SummarizedBy::ModelLater));
            }
        }
        Ok(done)
    }

    /// Compacts the session of a turn, if it is due.
    #[boxed]
    pub async fn compact_due(&self, user: &UserId, turn: MemoryId) -> Result<Compacted> {
        let defaults = self.defaults.compacting;
        let found = self.vaults.read(user, move |vault| Box::pin(async move { vault.memory(turn).await })).await?;
        let Some(session) = found.as_ref().and_then(|turn| turn.draft.session_id.as_deref()) else {
            return Ok(Compacted::default());
        };
        let namespace = found.as_ref().map_or("", |turn| &turn.draft.namespace);
        self.compact(user, (session, namespace), Batches::whole(defaults.batch, defaults.keep), 0).await
    }

    /// Compacts what is left of a session that ends, in all of its namespaces.
    #[boxed]
    pub async fn compact_ended(&self, user: &UserId, session: &str) -> Result<()> {
        let session = session.trim();
        if session.is_empty() || !self.defaults.compacting.on {
            return Ok(());
        }
        let asked: Arc<str> = session.into();
        let namespaces = self.vaults.read(user, move |vault| {
            let session = Arc::clone(&asked);
            Box::pin(async move { next::namespaces(vault, &session).await })
        });
        let by = Batches::all(self.defaults.compacting.batch, 0, WORTH_IT);
        for namespace in namespaces.await? {
            self.compact(user, (session, &namespace), by, 0).await?;
        }
        Ok(())
    }

    /// Compacts a session batch by batch. Stops early where there is no room for a summary. Skips turns that cannot be
    /// summarized, such as those whose consent has ended. If there is a language model, jobs ask it to reword the
    /// summaries after `asks_in_s` seconds.
    pub(super) async fn compact(
        &self,
        user: &UserId,
        (session, namespace): (&str, &str),
        by: Batches,
        asks_in_s: u64,
    ) -> Result<Compacted> {
        let conversation = Arc::new(Conversation { session: session.to_owned(), namespace: namespace.to_owned() });
        let (mut done, mut passed_over) = (Compacted::default(), Arc::new(HashSet::new()));
        loop {
            let (asked, without) = (Arc::clone(&conversation), Arc::clone(&passed_over));
            let next = self.vaults.read(user, move |vault| {
                let (conversation, without) = (Arc::clone(&asked), Arc::clone(&without));
                Box::pin(async move { next::batch(vault, &conversation, by, &without).await })
            });
            let groups = next.await?;
            if groups.is_empty() {
                return Ok(done);
            }
            for turns in groups {
                let ids: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
                match self.summarize(user, turns, asks_in_s).await {
                    Ok(made) if made.turns > 0 => done.add(made),
                    Ok(_) | Err(Error::ConsentRequired { .. } | Error::LimitReached { .. }) => {
                        Arc::make_mut(&mut passed_over).extend(ids);
                    }
                    Err(Error::QuotaExceeded { .. } | Error::ArchiveFull { .. }) => return Ok(done),
                    Err(error) => return Err(error),
                }
            }
        }
    }

    /// Makes a summary of turns with the same consent and sensitivity.
    async fn summarize(&self, user: &UserId, turns: Vec<Memory>, asks_in_s: u64) -> Result<Made> {
        let work = Arc::new(Work {
            turns,
            asks_in_s: self.language_model.is_some().then_some(asks_in_s),
            now: self.clock.now(),
            ids: Arc::clone(&self.ids),
            defaults: Arc::clone(&self.defaults),
        });
        let running = self.vaults.transact(user, "compact_session", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        let made = self.relieved(user, None, running.await).await?;
        for stored in &made.stored {
            self.note_stored(stored);
        }
        Ok(made)
    }
}

/// Returns the position of a turn in its conversation.
fn position(turn: &Memory) -> i64 {
    match &turn.draft.detail {
        Some(Detail::Turn(detail)) => detail.position,
        _ => 0,
    }
}
