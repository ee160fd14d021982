//! `recalibrate`: moves the importance of a memory by one. This is no edit, so its etag and its times stay. Its
//! owner undoes the move by giving an importance, which then stays.

use async_trait::async_trait;

use super::why::{self, AGE, BEFORE, RETRIEVED};
use super::{Applying, Refused, Rules};
use crate::error::Result;
use crate::meditation::{Change, Reason};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::retention::Recalibration;
use crate::tables::{TableRow as _, find, put};
use crate::time::Timestamp;

/// The new importance.
pub(in crate::meditation) const IMPORTANCE: &str = "importance";

/// The rules of `recalibrate`.
pub(super) struct Recalibrate;

#[async_trait]
impl Rules for Recalibrate {
    fn numbers(&self) -> &'static [&'static str] {
        &[AGE, BEFORE, RETRIEVED, IMPORTANCE]
    }

    fn audit(&self) -> Option<&'static str> {
        Some("memory.recalibrate")
    }

    fn explain(&self, change: &Change) -> String {
        format!("{}: its importance becomes {}", why::sentence(change.reason, change), change.body.count(IMPORTANCE))
    }

    fn holds(&self, change: &Change, memory: &Memory, _: Timestamp) -> bool {
        let draft = &memory.draft;
        let as_it_was = u64::from(draft.importance.unsigned_abs()) == change.body.count(BEFORE);
        let used = change.reason == Reason::NeverRetrieved && memory.access_count > change.body.count(RETRIEVED);
        memory.state == MemoryState::Active && as_it_was && !used && !draft.lasts()
    }

    async fn apply(&self, tx: &mut dyn VaultTransaction, changes: &[&Change], when: Applying<'_>) -> Result<Refused> {
        for change in changes {
            let Some(mut memory) = tx.memory(change.memory_id()).await? else { continue };
            let was = memory.draft.importance;
            memory.draft.importance = i32::try_from(change.body.count(IMPORTANCE)).unwrap_or(was);
            let known =
                find::<Recalibration>(tx.as_reader(), &Recalibration::query().is("memory_id", memory.id)).await?;
            tx.update_memory(&memory, None).await?;
            let row = Recalibration {
                memory: memory.id,
                at: when.at,
                given: known.first().map_or(was, |known| known.given),
                importance: memory.draft.importance,
                retrieved: memory.access_count,
            };
            put(tx, &[row]).await?;
        }
        Ok(Refused::new())
    }
}
