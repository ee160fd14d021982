//! What a statement ends, and what ends it: the records in the same slot, and those that it says were wrong.

use std::collections::BTreeSet;

use super::reading::Reading;
use super::work::{Work, role, said_at};
use crate::context::Digest;
use crate::error::Result;
use crate::extraction::{Candidate, Domain, StatementRow};
use crate::ids::MemoryId;
use crate::links::{Direction, Link, Relation};
use crate::memory::{Memory, Role};
use crate::ports::VaultTransaction;
use crate::reviews::{Decided, Decision, ReviewKind};
use crate::tables::{TableRow as _, find};
use crate::text::words::{fold, words};
use crate::time::Timestamp;

/// The records of a candidate's slot: those stated before it, and those stated later, with since when they hold.
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
        if let (true, Some(wrong)) = (candidate.corrects, &candidate.corrected) {
            let query = Link::of(reading.before.iter().copied(), Direction::In);
            let query = query.is("relation", Relation::DerivedFrom.name());
            let wrong: BTreeSet<String> = words(wrong).map(fold).collect();
            for link in find::<Link>(tx.as_reader(), &query).await? {
                let Some(memory) = tx.memory(link.from).await? else { continue };
                let said: BTreeSet<String> = words(&memory.draft.content).map(fold).collect();
                let is_meant = !wrong.is_empty() && wrong.is_subset(&said) && Domain::of(&memory) == *domain;
                if is_meant && self.holds(&memory) {
                    before.push(memory);
                }
            }
        }
        self.leave_undone(tx, domain.statement(&self.prints, candidate), &mut before).await?;
        let said_at = said_at(&reading.turn);
        let (before, after): (Vec<Memory>, Vec<Memory>) =
            before.into_iter().partition(|memory| holds_since(memory) <= said_at);
        Ok(Replaced {
            before: before.iter().map(|memory| memory.id).collect(),
            after: after.iter().map(|memory| (memory.id, holds_since(memory))).collect(),
        })
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
