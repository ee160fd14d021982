//! The transaction of a piece.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::admission::{Admission, full_tier};
use super::super::covering::Covering;
use super::super::create_memories::note;
use super::super::embed_later;
use super::super::past;
use super::super::statements::forgotten::Rest;
use super::super::support::entry;
use super::Choices;
use super::forgotten::place;
use super::items::{ImportResult, ItemOutcome, Ready};
use super::room::{Room, Stop};
use crate::access::Caller;
use crate::consent::Uncovered;
use crate::context::Fingerprints;
use crate::error::{Error, Result};
use crate::ids::MemoryId;
use crate::memory::{Memory, MemoryDraft, MemoryReceipt, MemoryRecord, MemoryState, Tier};
use crate::ports::{Ids, ImportProgress, VaultTransaction, WriteContext};
use crate::retention::Full;
use crate::scoring::Scorer;
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;
use crate::versions::kept_bytes;

/// A piece of an import, ready for its transaction.
pub(super) struct Piece {
    pub(super) import: Arc<str>,
    pub(super) first: u64,
    pub(super) len: u64,
    pub(super) items: Vec<(u64, Ready)>,
    /// Items that can never be stored.
    pub(super) refused: Vec<u64>,
    pub(super) choices: Choices,
    pub(super) now: Timestamp,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) defaults: Arc<ServerDefaults>,
    /// Makes the digests of statements.
    pub(super) prints: Fingerprints,
    pub(super) caller: Option<Arc<Caller>>,
    /// Whether sensitive attachments are sealed.
    pub(super) seals: bool,
}

/// The result of the transaction.
pub(super) struct Stored {
    /// First item that this piece handled.
    pub(super) from: u64,
    /// First item that it did not handle.
    pub(super) next: u64,
    pub(super) results: Vec<ImportResult>,
    pub(super) stopped: Option<Error>,
    /// Tiers of the stored memories, one entry per memory.
    pub(super) created: Vec<Tier>,
    /// Share of its quota that each grown tier holds.
    pub(super) shares: Vec<(Tier, f64)>,
}

impl Piece {
    pub(super) async fn run(&self, tx: &mut dyn VaultTransaction) -> Result<Stored> {
        let context = tx.write_context(None).await?;
        let ImportProgress { done, refused } = tx.import_progress(&self.import).await?.unwrap_or_default();
        if done < self.first {
            let expected = format!(
                "the import is at item {done}, but item {} was sent; reopen the import and continue from item {done}",
                self.first
            );
            return Err(Error::out_of_order(expected));
        }
        let from = done.min(self.first + self.len);
        let settings = EffectiveSettings::resolve(&context.settings.settings, &self.defaults);
        let mut gathered = Box::pin(self.gather(tx, &context, &settings, from)).await?;
        let records = std::mem::take(&mut gathered.records);
        let mut shares = Vec::new();
        if !records.is_empty() {
            tx.insert_records(&records, self.now).await?;
            past::store(tx, &records).await?;
            let of = |memory: &Memory| Some((self.digest(&memory.draft)?, memory.id));
            note(tx, &records.iter().filter_map(|record| of(&record.memory)).collect::<Vec<_>>()).await?;
            let tools = (&*self.ids, &*self.defaults);
            embed_later(tx, tools, Some(&context.settings.settings), self.now, None).await?;
            tx.audit(&entry(self.now, "memory.import", None, records.len() as u64)).await?;
            let admission = Admission::ask(tx, &context, settings.clone(), gathered.room.added()).await?;
            admission.follow_up(tx, &*self.ids, self.now, None).await?;
            shares = admission.shares();
        }
        if gathered.next > done {
            let refused = refused + self.refused_within(from, &gathered);
            let progress = ImportProgress { done: gathered.next, refused };
            tx.put_import_progress(&self.import, progress, self.now).await?;
        }
        let created = records.iter().map(|record| record.memory.draft.tier).collect();
        let Gathered { next, results, stopped, .. } = gathered;
        let stopped = match stopped {
            // Computed from the present state, which includes what this piece stored.
            Some(Stop::Full(full)) => Some(full_tier(tx, &settings, context.waiting_meditation, full).await?),
            Some(Stop::Because(error)) => Some(error),
            None => None,
        };
        Ok(Stored { from, next, results, stopped, created, shares })
    }

    /// Counts the items from `from` on that are done but not stored.
    fn refused_within(&self, from: u64, gathered: &Gathered) -> u64 {
        let before = self.refused.iter().filter(|index| (from..gathered.next).contains(index));
        let now = gathered.results.iter().filter(|result| result.outcome.is_err());
        (before.count() + now.count()) as u64
    }

    /// Decides item by item what is stored, up to the first that stops the piece.
    async fn gather(
        &self,
        tx: &mut dyn VaultTransaction,
        context: &WriteContext,
        settings: &EffectiveSettings,
        from: u64,
    ) -> Result<Gathered> {
        let mut known = self.known(tx).await?;
        let mut scorer = Scorer::new(&context.goals, settings.weights.value, &[], self.now.start_of_hour());
        let drafts: Vec<&MemoryDraft> = self.items.iter().map(|(_, item)| item.draft()).collect();
        let covering = Covering::read(tx.as_reader(), &drafts, self.now).await?;
        let mut room = Room::new(context, settings);
        room.archive.0 = room.archive.0.saturating_add(kept_bytes(tx.as_reader()).await?);
        let left = self.not_forgotten(tx, &known).await?;
        let (mut gathered, mut again) = (Gathered::new(room, self.first + self.len), self.again(tx).await?);
        for (index, item) in self.items.iter().filter(|(index, _)| *index >= from) {
            if let Some(there) = item.id_of_record().and_then(|id| known.get(&id)) {
                gathered
                    .results
                    .push(ImportResult { index: *index, outcome: exists(item, there).map(ItemOutcome::Stored) });
                continue;
            }
            if let Some(Rest::Nothing(at)) = left.get(&place(*index)) {
                gathered.results.push(ImportResult { index: *index, outcome: Ok(ItemOutcome::Forgotten(*at)) });
                continue;
            }
            let mut record = match item.record(&mut scorer, &covering) {
                Ok(record) => record,
                Err(uncovered) if !self.choices.skip_uncovered && may_be_covered(item.draft(), &uncovered) => {
                    gathered.stop(*index, Stop::Because(uncovered));
                    break;
                }
                Err(refused) => {
                    gathered.results.push(ImportResult { index: *index, outcome: Err(refused) });
                    continue;
                }
            };
            if let Some(Rest::Text(text)) = left.get(&place(*index)) {
                self.strike(tx, &mut record, text).await?;
            }
            if let Some(outcome) = self.stated(tx, context, &again, (item, &record, &mut gathered.records)).await? {
                gathered.results.push(ImportResult { index: *index, outcome: outcome.map(ItemOutcome::Stored) });
                continue;
            }
            if gathered.takes_name(tx, &record).await? {
                gathered.results.push(ImportResult { index: *index, outcome: Err(Error::NameTaken) });
                continue;
            }
            if let Err(refused) = gathered.room.protect(tx, settings, &record).await? {
                gathered.results.push(ImportResult { index: *index, outcome: Err(refused) });
                continue;
            }
            let taken = match gathered.room.take(item) {
                Err(Stop::Full(full)) => self.archived(tx, settings, (&mut gathered.room, full), &mut record).await?,
                taken => taken,
            };
            if let Err(full) = taken {
                gathered.stop(*index, full);
                break;
            }
            let receipt = MemoryReceipt { masked: item.is_masked(), ..record.memory.receipt() };
            gathered.results.push(ImportResult { index: *index, outcome: Ok(ItemOutcome::Stored(receipt)) });
            if item.id_of_record().is_some() {
                known.insert(record.memory.id, record.clone());
            }
            again.add(item, &record, gathered.records.len());
            gathered.records.push(record);
        }
        Ok(gathered)
    }

    /// Archives a memory whose tier is full, if requested and no meditation makes room for it.
    async fn archived(
        &self,
        tx: &mut dyn VaultTransaction,
        settings: &EffectiveSettings,
        (room, full): (&mut Room, Full),
        record: &mut MemoryRecord,
    ) -> Result<Result<(), Stop>> {
        if !self.choices.fit || record.memory.draft.lasts() {
            return Ok(Err(Stop::Full(full)));
        }
        let movable = match room.movable {
            Some(movable) => movable,
            None => *room.movable.insert(tx.as_reader().movable_bytes().await?),
        };
        let tier = full.tier as usize;
        if full.meditation_helps(settings, movable[tier].saturating_add(room.added_movable[tier])) {
            return Ok(Err(Stop::Full(full)));
        }
        let memory = &mut record.memory;
        memory.state = MemoryState::Archived;
        memory.archived_at = Some(self.now);
        memory.delete_after = Some(self.now.plus(settings.grace.value));
        record.was_archived = true;
        Ok(room.take_in_archive(full.requested))
    }

    /// Returns the records of the piece that exist already.
    async fn known(&self, tx: &mut dyn VaultTransaction) -> Result<HashMap<MemoryId, MemoryRecord>> {
        let ids: Vec<MemoryId> = self.items.iter().filter_map(|(_, item)| item.id_of_record()).collect();
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        Ok(tx.records(&ids).await?.into_iter().map(|record| (record.memory.id, record)).collect())
    }
}

/// Returns the result for a record whose id exists already: its receipt if both say the same, otherwise an error.
fn exists(item: &Ready, there: &MemoryRecord) -> Result<MemoryReceipt> {
    match item {
        Ready::Record(record) if record.says_the_same_as(there) => Ok(there.memory.receipt()),
        _ => Err(Error::MemoryExists { id: there.memory.id }),
    }
}

/// The records to store, and the results so far.
struct Gathered {
    room: Room,
    records: Vec<MemoryRecord>,
    /// Namespaces and names of the active ones.
    names: HashSet<(String, String)>,
    results: Vec<ImportResult>,
    next: u64,
    stopped: Option<Stop>,
}

impl Gathered {
    fn new(room: Room, next: u64) -> Self {
        Self { room, records: Vec::new(), names: HashSet::new(), results: Vec::new(), next, stopped: None }
    }

    /// Reports whether a record's name is taken, in the vault or by an earlier record of the piece.
    async fn takes_name(&mut self, tx: &mut dyn VaultTransaction, record: &MemoryRecord) -> Result<bool> {
        let (state, draft) = (record.memory.state, &record.memory.draft);
        let Some(name) = draft.name.as_ref().filter(|_| state == MemoryState::Active) else { return Ok(false) };
        let known = !self.names.insert((draft.namespace.clone(), name.clone()));
        Ok(known || tx.id_named(&draft.namespace, name).await?.is_some())
    }

    /// Stops the piece before this item.
    fn stop(&mut self, index: u64, why: Stop) {
        self.stopped = Some(why);
        self.next = index;
    }
}

/// Reports whether a consent recorded later can cover a memory that none covers now: not if it names an existing one.
fn may_be_covered(draft: &MemoryDraft, error: &Error) -> bool {
    match error {
        Error::ConsentRequired { why, .. } => draft.consent_id.is_none() || *why == Uncovered::Unknown,
        _ => false,
    }
}
