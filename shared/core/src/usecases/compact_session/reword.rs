//! Has the language model reword a summary, in place of the sentences that rules took. Whatever the outcome, the record
//! notes it (`SummarizedBy`), so each summary is asked about once.

use std::sync::Arc;

use super::super::App;
use super::super::write_back::{Versioning, WriteBack};
use super::draft::fitting;
use super::next::made;
use super::position;
use crate::boxed;
use crate::compacting::{Covers, Spoken, SummarizedBy, by_model, room, spoken};
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Direction, Link};
use crate::memory::{Memory, MemoryState};
use crate::ports::{Ids, Job, NoAnswer, VaultReader, VaultTransaction};
use crate::settings::ServerDefaults;
use crate::tables::find;
use crate::time::Timestamp;

/// Seconds until a model is asked again: one that rests, and one whose calls of the day are used up.
const RESTED_AFTER_S: u64 = 90;
const MORE_CALLS_AFTER_S: u64 = 3_600;

/// A summary as rules wrote it, and its new words.
struct Reword {
    before: Memory,
    /// The model's words; `None` if those of the rules stay.
    text: Option<String>,
    by: SummarizedBy,
    now: Timestamp,
    ids: Arc<dyn Ids>,
    defaults: Arc<ServerDefaults>,
}

impl App {
    /// Asks the language model to reword a summary, if there is a model and the summary is as rules wrote it. Returns
    /// whose words it holds. If the model cannot be asked now, enqueues a job that does it later.
    #[boxed]
    pub async fn reword_summary(&self, user: &UserId, summary: MemoryId) -> Result<SummarizedBy> {
        match self.reword(user, summary).await? {
            Ok(by) => Ok(by),
            Err(after_s) => {
                self.reword_later(user, summary, after_s).await?;
                Ok(SummarizedBy::ModelLater)
            }
        }
    }

    /// Enqueues a job that asks about a summary in `after_s` seconds.
    #[boxed]
    pub async fn reword_later(&self, user: &UserId, summary: MemoryId, after_s: u64) -> Result<()> {
        self.enqueue(user, "reword_later", Job::Summarize { summary_id: summary, after_s }).await
    }

    /// Like `reword_summary`, but enqueues no job: the inner `Err` holds the seconds after which to ask again.
    pub(super) async fn reword(
        &self,
        user: &UserId,
        summary: MemoryId,
    ) -> Result<std::result::Result<SummarizedBy, u64>> {
        let read = self.vaults.read(user, move |vault| Box::pin(async move { covering(vault, summary).await }));
        let (before, turns) = match read.await? {
            Ok(covering) => covering,
            Err(by) => return Ok(Ok(by)),
        };
        let said: Vec<Spoken<'_>> = turns.iter().filter_map(spoken).collect();
        let sensitive = before.draft.metadata.sensitive || turns.iter().any(|turn| turn.draft.metadata.sensitive);
        let asked = self.language_model.as_ref().filter(|_| by_model::is_worth_asking(&said, sensitive));
        let Some(model) = asked else { return Ok(Ok(SummarizedBy::Rules)) };
        let room = fitting(room(&said), self.defaults.draft_limits);
        let text = match model.answer(user, &by_model::task(&said, room)).await {
            Ok(answer) => by_model::summary(&answer, &said, &before.draft.content, room),
            Err(NoAnswer::Failed) => None,
            Err(NoAnswer::Resting) => return Ok(Err(RESTED_AFTER_S)),
            Err(NoAnswer::Budget) => return Ok(Err(MORE_CALLS_AFTER_S)),
        };
        self.rewrite(user, before, text).await.map(Ok)
    }

    async fn rewrite(&self, user: &UserId, before: Memory, text: Option<String>) -> Result<SummarizedBy> {
        let by = if text.is_some() { SummarizedBy::Model } else { SummarizedBy::RulesInstead };
        let (now, ids, defaults) = (self.clock.now(), Arc::clone(&self.ids), Arc::clone(&self.defaults));
        let work = Arc::new(Reword { before, text, by, now, ids, defaults });
        let running = self.vaults.transact(user, "reword_summary", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { work.run(tx).await })
        });
        match self.relieved(user, None, running.await).await {
            // There is no room for the model's words.
            Err(Error::QuotaExceeded { .. } | Error::ArchiveFull { .. }) => Ok(SummarizedBy::RulesInstead),
            by => by,
        }
    }
}

/// A summary with its turns, in the order of the conversation.
type Covering = (Memory, Vec<Memory>);

/// Returns a summary that rules wrote, unchanged since. Otherwise returns whose words it holds: as noted in a
/// changed summary, or rules if the summary or one of its turns is missing.
async fn covering(
    vault: &mut dyn VaultReader,
    summary: MemoryId,
) -> Result<std::result::Result<Covering, SummarizedBy>> {
    let Some(summary) = vault.memory(summary).await? else { return Ok(Err(SummarizedBy::Rules)) };
    if !is_as_written(&summary) {
        return Ok(Err(SummarizedBy::of(&summary.draft)));
    }
    let mut turns = Vec::new();
    for link in find::<Link>(vault, &made(Link::of([summary.id], Direction::Out))).await? {
        let Some(turn) = vault.memory(link.to).await? else { return Ok(Err(SummarizedBy::Rules)) };
        turns.push(turn);
    }
    turns.sort_by_key(|turn| (position(turn), turn.seq));
    Ok(Ok((summary, turns)))
}

fn is_as_written(summary: &Memory) -> bool {
    summary.revision == 1 && summary.state != MemoryState::Deleted && Covers::of(summary).is_some()
}

impl Reword {
    /// Whatever changes, deletes or erases a turn erases its summary first, so an existing one says nothing that was taken back.
    async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<SummarizedBy> {
        let Some(before) = tx.memory(self.before.id).await? else { return Ok(SummarizedBy::Rules) };
        if before.draft != self.before.draft || !is_as_written(&before) {
            return Ok(SummarizedBy::of(&before.draft));
        }
        let mut draft = before.draft.clone();
        if let Some(text) = &self.text {
            draft.content.clone_from(text);
        }
        self.by.note(&mut draft);
        let draft = draft.normalized("summary", self.defaults.draft_limits)?;
        let mut memory = Memory { draft, updated_at: self.now, revision: before.revision + 1, ..before.clone() };
        let context = tx.write_context(None).await?;
        let write = WriteBack {
            action: "conversation.summarize",
            now: self.now,
            ids: &*self.ids,
            defaults: &self.defaults,
            caller: None,
            // No model is asked about what is sensitive.
            seals: false,
            names_consent: false,
            versioning: &Versioning::default(),
            trace: None,
        };
        write.store(tx, &context, &before, &mut memory).await?;
        Ok(self.by)
    }
}
