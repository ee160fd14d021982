//! Brings back what a deletion took besides the deleted memory. All of it comes back as one, whichever part is restored.

use std::collections::BTreeSet;

use super::super::unsummarize::{Other, unsummarize};
use super::forgotten;
use super::strike::rewrite;
use crate::error::Result;
use crate::ids::MemoryId;
use crate::links::{Link, Relation};
use crate::memory::{Memory, MemoryDraft, MemoryState};
use crate::ports::{VaultReader, VaultTransaction};
use crate::statements::{Struck, Was, is_filler};
use crate::tables::{TableRow as _, delete, find, put};
use crate::time::Timestamp;

/// What comes back with a memory.
#[derive(Debug, Default)]
pub(in crate::usecases) struct Restoring {
    /// Deleted memories that come back as a whole, besides the one asked for.
    pub(in crate::usecases) whole: Vec<Memory>,
    rows: Vec<Struck>,
}

impl Restoring {
    /// Reads what comes back with a memory: what was deleted with it and, if it was a copy or lost a part, what that was
    /// deleted with.
    pub(in crate::usecases) async fn of(reader: &mut dyn VaultReader, memory: &Memory) -> Result<Self> {
        let about = Struck::query().among(&["cause", "memory_id"], [memory.id]);
        let is_live = memory.state == MemoryState::Active;
        let is_meant = |row: &Struck| match row.was {
            Was::Whole => true,
            Was::Text { .. } => row.cause == memory.id || is_live,
            Was::Quote { .. } => row.cause == memory.id,
        };
        let rows = find::<Struck>(reader, &about).await?.into_iter();
        let mut next: Vec<MemoryId> = rows.filter(is_meant).map(|row| row.cause).collect();
        next.push(memory.id);
        let (mut back, mut seen) = (Self::default(), BTreeSet::new());
        while let Some(id) = next.pop() {
            if !seen.insert(id) {
                continue;
            }
            if id != memory.id {
                let Some(copy) = reader.memory(id).await? else { continue };
                if copy.state == MemoryState::Deleted {
                    back.whole.push(copy);
                }
            }
            let rows = find::<Struck>(reader, &Struck::query().is("cause", id)).await?;
            next.extend(rows.iter().filter(|row| row.was == Was::Whole).map(|row| row.memory));
            back.rows.extend(rows);
        }
        back.returned(reader, &seen, (memory.id, is_live)).await
    }

    /// Keeps the rows of memories that stay deleted for another reason, and adds those whose cause came back before.
    async fn returned(
        mut self,
        reader: &mut dyn VaultReader,
        back: &BTreeSet<MemoryId>,
        (asked, is_live): (MemoryId, bool),
    ) -> Result<Self> {
        let mut rows = Vec::new();
        for row in self.rows {
            let owner = reader.memory(row.memory).await?;
            let stays_away = owner.is_none_or(|owner| owner.state == MemoryState::Deleted);
            if back.contains(&row.memory) || !stays_away {
                rows.push(row);
            }
        }
        if !is_live {
            let known: BTreeSet<MemoryId> = back.iter().copied().collect();
            for row in find::<Struck>(reader, &Struck::query().is("memory_id", asked)).await? {
                let cause = reader.memory(row.cause).await?;
                let holds = cause.is_some_and(|cause| cause.state != MemoryState::Deleted);
                if holds && !known.contains(&row.cause) {
                    rows.push(row);
                }
            }
        }
        self.rows = rows;
        Ok(self)
    }

    /// Reports whether nothing comes back.
    pub(in crate::usecases) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Puts texts and quotes back, and drops the originals.
    pub(in crate::usecases) async fn put_back(&self, tx: &mut dyn VaultTransaction, now: Timestamp) -> Result<()> {
        let memories: BTreeSet<MemoryId> = self.rows.iter().map(|row| row.memory).collect();
        let mut waiting = BTreeSet::new();
        for id in memories {
            waiting.extend(self.put_texts_back(tx, id, now).await?.into_iter().map(|start| (id, start)));
        }
        for row in &self.rows {
            if let Was::Text { start, .. } = &row.was
                && waiting.contains(&(row.memory, *start))
            {
                continue;
            }
            if let Was::Quote { of, text } = &row.was {
                let link = Link::named((row.memory, Relation::DerivedFrom, *of));
                let link = find::<Link>(tx.as_reader(), &link).await?.pop();
                if let Some(link) = link.filter(|link| link.evidence.is_none()) {
                    put(tx, &[Link { evidence: Some(text.clone()), ..link }]).await?;
                }
            }
            delete(tx, &row.named()).await?;
        }
        Ok(())
    }

    /// Puts the texts of a memory back where their filler still is, and returns where others start: they are within a
    /// longer filler, or were edited.
    async fn put_texts_back(&self, tx: &mut dyn VaultTransaction, id: MemoryId, now: Timestamp) -> Result<Vec<usize>> {
        let Some(memory) = tx.memory(id).await? else { return Ok(Vec::new()) };
        let (mut content, mut back, mut waiting) = (memory.draft.content.clone(), Vec::new(), Vec::new());
        for row in self.rows.iter().filter(|row| row.memory == id) {
            if let Was::Text { start, text } = &row.was {
                let range = *start..start + text.len();
                if content.get(range.clone()).is_some_and(is_filler) {
                    content.replace_range(range.clone(), text);
                    back.push(range);
                } else {
                    waiting.push(*start);
                }
            }
        }
        if content == memory.draft.content {
            return Ok(waiting);
        }
        unsummarize(tx, id, Other::Edited, now).await?;
        let Some(mut memory) = tx.memory(id).await? else { return Ok(waiting) };
        let restored = MemoryDraft { content: content.clone(), ..memory.draft.clone() };
        forgotten::take_back(tx, &restored, Some(&back)).await?;
        if let Some(by) = forgotten::recognizer(tx.as_reader()).await? {
            memory.draft.content.clone_from(&content);
            forgotten::unmark_sent(&mut memory.draft, &by);
        }
        rewrite(tx, memory, content, now).await?;
        Ok(waiting)
    }
}
