//! Undoes what was decided about an item.

use super::{memories, replaced};
use crate::access::Operation;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Direction, Link, LinkDraft, Relation};
use crate::memory::{Memory, MemoryState};
use crate::ports::VaultTransaction;
use crate::reviews::{Decided, Decision, ReviewChange, ReviewId, ReviewKind};
use crate::settings::EffectiveSettings;
use crate::tables::{delete, find, put};
use crate::time::Timestamp;
use crate::usecases::merge::{replacements, take_back};
use crate::usecases::supersede::hold_again;
use crate::usecases::support::{entry, load};
use crate::usecases::{App, RestoreInput, embed_later};

/// Action in the audit log.
const ACTION: &str = "review.undo";

impl App {
    /// Undoes a dismissal, or a change that can be undone; reports whether there was one.
    #[boxed]
    pub async fn undo_review(&self, user: &UserId, id: ReviewId, traceparent: Option<String>) -> Result<bool> {
        let now = self.clock.now();
        let gone = self.vaults.read(user, move |reader| {
            Box::pin(async move {
                let decision = find::<Decision>(reader, &Decision::named(&id)).await?.pop();
                let removed = decision.filter(|one| removes(one.decided));
                let Some(decision) = removed else { return Ok(None) };
                let memory = reader.memory(id.first).await?.filter(|memory| memory.state != MemoryState::Active);
                match memory {
                    Some(memory) if !decision.holds_for(std::slice::from_ref(&memory)) => Err(changed_since()),
                    memory => Ok(memory),
                }
            })
        });
        if let Some(memory) = gone.await? {
            let restore = RestoreInput { id: memory.id, protect: false, request_id: String::new(), traceparent };
            self.restore_memory(user, restore).await?;
        }
        let app = self.clone();
        let running = self.vaults.transact_existing(user, "undo_review", move |tx| {
            let app = app.clone();
            Box::pin(async move { undo(tx, &app, id, now).await })
        });
        running.await?.ok_or_else(|| Error::memory_not_found(id.first))
    }
}

fn removes(decided: Decided) -> bool {
    matches!(decided, Decided::Applied(ReviewChange::Archive | ReviewChange::Forget))
}

fn changed_since() -> Error {
    Error::conflict("id", "cannot be undone, because its memories changed since; update them one by one")
}

async fn undo(tx: &mut dyn VaultTransaction, app: &App, id: ReviewId, now: Timestamp) -> Result<bool> {
    let memories = memories(tx, &id).await?;
    let Some(decision) = find::<Decision>(tx.as_reader(), &Decision::named(&id)).await?.pop() else {
        return Ok(false);
    };
    match decision.decided {
        Decided::Dismissed | Decided::Applied(ReviewChange::Archive | ReviewChange::Forget) => {}
        Decided::Applied(ReviewChange::Promote | ReviewChange::Merge) => {
            let sources = unmake(tx, app, &decision, now).await?;
            if !sources.is_empty() {
                // No meditation repeats a merge that was undone, and no review proposes it while the records stay as they are.
                tx.audit(&entry(now, ACTION, Some(id.first.to_string()), 1)).await?;
                put(tx, &[Decision::about(id, Decided::Dismissed, &sources, now)]).await?;
                return Ok(true);
            }
        }
        Decided::Applied(ReviewChange::Confirm) => {
            let problem = "cannot be undone, because a confirmation is final; set another confidence with UpdateMemory";
            return Err(Error::conflict("id", problem));
        }
        Decided::Applied(_) if !decision.holds_for(&memories) => {
            return Err(changed_since());
        }
        Decided::Applied(change) if id.kind == ReviewKind::Replaced => {
            replaced::end_again(tx, (&id, change), &decision, now).await?;
        }
        Decided::Applied(ReviewChange::KeepBoth) => contradict_again(tx, &id).await?,
        Decided::Applied(ReviewChange::KeepFirst) => {
            hold_again(tx, (id.first, id.second), (decision.at, decision.until), now).await?;
        }
        Decided::Applied(ReviewChange::KeepSecond) => {
            hold_again(tx, (id.second, id.first), (decision.at, decision.until), now).await?;
        }
    }
    delete(tx, &Decision::named(&id)).await?;
    tx.audit(&entry(now, ACTION, Some(id.first.to_string()), 1)).await?;
    Ok(true)
}

/// Deletes what was made, unless it was changed since. If it was deleted or erased, nothing is left to do. Returns
/// the records that it replaced.
async fn unmake(tx: &mut dyn VaultTransaction, app: &App, decision: &Decision, now: Timestamp) -> Result<Vec<Memory>> {
    if !app.caller.as_ref().is_none_or(|caller| caller.grant.allows(Operation::Delete)) {
        return Err(Error::Denied);
    }
    let settings = tx.write_context(None).await?.settings.settings;
    let resolved = EffectiveSettings::resolve(&settings, &app.defaults);
    let Some(made) = made_by(tx, decision).await? else { return Ok(Vec::new()) };
    let released = take_back(tx, made, (ACTION, &resolved), now).await?;
    embed_later(tx, (&*app.ids, &*app.defaults), Some(&settings), now, None).await?;
    let mut sources = Vec::with_capacity(released.len());
    for id in released {
        sources.push(load(tx, id).await?);
    }
    sources.sort_by_key(|source| (source.created_at, source.seq));
    Ok(sources)
}

/// Returns the record that a decision made.
async fn made_by(tx: &mut dyn VaultTransaction, decision: &Decision) -> Result<Option<MemoryId>> {
    let first = decision.id.first;
    let links = if decision.decided == Decided::Applied(ReviewChange::Merge) {
        replacements(tx.as_reader(), &[first]).await?
    } else {
        let query = Link::of([first], Direction::In).is("relation", Relation::DerivedFrom.name()).with_withheld();
        find::<Link>(tx.as_reader(), &query).await?
    };
    Ok(links.into_iter().find(|link| link.created_at == decision.at).map(|link| link.from))
}

/// Makes the link say again that both cannot be true.
async fn contradict_again(tx: &mut dyn VaultTransaction, id: &ReviewId) -> Result<()> {
    let named = Link::named((id.first, Relation::Contradicts, id.second));
    let Some(link) = find::<Link>(tx.as_reader(), &named).await?.pop() else { return Ok(()) };
    let source = LinkDraft::new(id.first, Relation::Contradicts, id.second).into_link(link.created_at).source;
    put(tx, &[Link { source, verified_at: None, ..link }]).await
}
