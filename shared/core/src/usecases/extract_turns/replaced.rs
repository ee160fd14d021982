//! What a statement ends, and what ends it: the records in the same slot, and those that it says were wrong.

use std::collections::BTreeSet;

use super::reading::Reading;
use super::work::{Work, role, said_at};
use crate::context::Digest;
use crate::error::Result;
use crate::extraction::{Candidate, Domain, StatementRow};
use crate::ids::{MemoryId, Seq};
use crate::memory::{Memory, MemoryFilter, MemoryState, RecordKind, Role, SourceType};
use crate::ports::{LexicalQuery, LexicalTerm, VaultTransaction};
use crate::reviews::{Decided, Decision, ReviewKind};
use crate::statements::{Change, Ending};
use crate::tables::{TableRow as _, find};
use crate::time::Timestamp;

/// The kinds of records that an ending may end.
const STATED: [RecordKind; 4] = [RecordKind::Fact, RecordKind::Preference, RecordKind::Decision, RecordKind::Knowledge];
/// Most words by which records of the same are looked for, and most records that are compared.
const MOST_WORDS: usize = 12;
const MOST_FOUND: usize = 64;

/// The records that a candidate replaces, and those stated later that replace it, with since when they hold.
#[derive(Default)]
pub(super) struct Replaced {
    pub(super) before: BTreeSet<MemoryId>,
    pub(super) after: Vec<(MemoryId, Timestamp)>,
}

impl Work {
    /// Returns the records that no longer hold, or that hold instead: those in the same slot, and those that a correction
    /// says were wrong. Only a person's own words end anything.
    pub(super) async fn replaced(
        &self,
        tx: &mut dyn VaultTransaction,
        domain: &Domain,
        reading: &Reading,
        candidate: &Candidate,
    ) -> Result<Replaced> {
        if role(reading) != Role::User {
            return Ok(Replaced::default());
        }
        let mut before = Vec::new();
        if let Some(slot) = domain.slot(&self.prints, candidate) {
            before = self.holding(tx, slot).await?;
        }
        before.extend(self.outdated(tx, domain, reading, candidate).await?);
        before.sort_by_key(|memory| memory.id);
        before.dedup_by_key(|memory| memory.id);
        self.leave_undone(tx, domain.statement(&self.prints, candidate), &mut before).await?;
        let said_at = said_at(&reading.turn);
        let (before, after): (Vec<Memory>, Vec<Memory>) =
            before.into_iter().partition(|memory| holds_since(memory) <= said_at);
        Ok(Replaced {
            before: before.iter().map(|memory| memory.id).collect(),
            after: after.iter().map(|memory| (memory.id, holds_since(memory))).collect(),
        })
    }

    /// Returns the records that a statement says hold no longer: it ends what they say, or says it with another value. Only
    /// what was learned from the same speaker about the same subject ends so; what a person wrote down or protects does not.
    async fn outdated(
        &self,
        tx: &mut dyn VaultTransaction,
        domain: &Domain,
        reading: &Reading,
        candidate: &Candidate,
    ) -> Result<Vec<Memory>> {
        let ending = Ending::of(&candidate.content).filter(|_| candidate.ends);
        let change = match &candidate.corrected {
            Some(wrong) => Change::of_correction(&candidate.content, wrong),
            None => Change::of(&candidate.content),
        };
        let mut words = ending.as_ref().map_or_else(Vec::new, |ending| ending.words(MOST_WORDS));
        words.extend(change.as_ref().map_or_else(Vec::new, |change| change.words(MOST_WORDS)));
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let any = words.iter().map(|word| LexicalTerm::word(word)).collect();
        let filter = MemoryFilter {
            kinds: STATED.to_vec(),
            states: vec![MemoryState::Active],
            namespaces: vec![domain.namespace().to_owned()],
            ..MemoryFilter::default()
        };
        let query = LexicalQuery { any, all: Vec::new(), filter };
        let hits = tx.as_reader().lexical(&query, MOST_FOUND).await?;
        let mut outdated = tx.memories(&hits.into_iter().map(|hit| hit.seq).collect::<Vec<Seq>>()).await?;
        let about = candidate.subject.to_lowercase();
        outdated.retain(|memory| {
            let same = memory.draft.subject.as_deref().is_some_and(|subject| subject.to_lowercase() == about)
                && memory.draft.speaker == reading.turn.draft.speaker
                && memory.draft.source_type == Some(SourceType::Extraction)
                && !memory.draft.lasts();
            let said = memory.draft.content.as_str();
            let ends = || ending.as_ref().is_some_and(|ending| ending.ends(said));
            let changes = || change.as_ref().is_some_and(|change| change.replaces(said));
            same && self.holds(memory) && Domain::of(memory) == *domain && (ends() || changes())
        });
        Ok(outdated)
    }

    /// Leaves out the records that these very words ended once, where a person undid that.
    async fn leave_undone(
        &self,
        tx: &mut dyn VaultTransaction,
        statement: Digest,
        before: &mut Vec<Memory>,
    ) -> Result<()> {
        if before.is_empty() {
            return Ok(());
        }
        let said = find::<StatementRow>(tx.as_reader(), &StatementRow::stating(statement)).await?;
        let said = said.into_iter().map(|row| row.memory);
        let query = Decision::query().is("kind", ReviewKind::Replaced.name()).among(&["other_id"], said);
        let decisions: Vec<Decision> = find(tx.as_reader(), &query).await?;
        let undone =
            |one: &Decision, memory: &Memory| one.id.first == memory.id && matches!(one.decided, Decided::Applied(_));
        before.retain(|memory| !decisions.iter().any(|one| undone(one, memory)));
        Ok(())
    }
}

/// Returns since when a record holds, as far as is known.
fn holds_since(memory: &Memory) -> Timestamp {
    memory.draft.valid_from.unwrap_or_else(|| said_at(memory))
}
