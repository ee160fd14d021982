//! Resolves a contradiction: decides which of two memories holds. The other one ends as by an invalidation, and can be
//! restored in the same way.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::add;
use crate::boxed;
use crate::error::{Error, Result};
use crate::ids::{MemoryId, UserId};
use crate::links::{Ending, Link, LinkDraft, Relation, evidence_problem};
use crate::memory::SourceType;
use crate::ports::VaultTransaction;
use crate::tables::{TableRow as _, find, put};
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::idempotency::{self, Key};
use crate::usecases::supersede::{end, hold_again};
use crate::usecases::support::{entry, load};

/// Action in the audit log.
const ACTION: &str = "contradiction.resolve";

/// The memory that is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// The one that the link starts from.
    KeepFrom,
    /// The one that the link leads to.
    KeepTo,
    /// Both: they do not exclude each other.
    KeepBoth,
}
crate::memory::names!(Resolution { KeepFrom => "keep_from", KeepTo => "keep_to", KeepBoth => "keep_both" });

/// A contradiction to resolve, and how.
#[derive(Clone, Debug, Serialize)]
pub struct ResolveInput {
    /// The memory that the link starts from.
    pub from: MemoryId,
    /// The memory that the link leads to.
    pub to: MemoryId,
    /// The one that is true.
    pub resolution: Resolution,
    /// The reason; empty for none.
    pub reason: String,
    /// Makes the write idempotent; empty for none.
    #[serde(skip)]
    pub request_id: String,
}

/// Result of resolving a contradiction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// The memory that no longer holds, and until when it did; `None` where both hold.
    pub ended: Option<(MemoryId, Timestamp)>,
}

impl App {
    /// Resolves a contradiction. Fails with [`Error::NotFound`] if a memory does not exist, and with
    /// [`Error::Conflict`] if no link says that the two contradict each other.
    #[boxed]
    pub async fn resolve_contradiction(&self, user: &UserId, input: ResolveInput) -> Result<Resolved> {
        if let Some(problem) = evidence_problem(&input.reason) {
            return Err(Error::invalid("reason", problem));
        }
        let key = self.key(&input.request_id, ACTION, &input)?;
        let (from, now) = (input.from, self.clock.now());
        let work = Arc::new((input, key));
        let running = self.vaults.transact_existing(user, "resolve_contradiction", move |tx| {
            let work = Arc::clone(&work);
            Box::pin(async move { resolve(tx, &work.0, work.1.as_ref(), now).await })
        });
        running.await?.ok_or_else(|| Error::memory_not_found(from))
    }
}

async fn resolve(
    tx: &mut dyn VaultTransaction,
    input: &ResolveInput,
    key: Option<&Key>,
    now: Timestamp,
) -> Result<Resolved> {
    let context = tx.write_context(key.map(Key::request_id)).await?;
    if let Some(answer) = idempotency::replay(key, context.prior.as_ref())? {
        return Ok(answer);
    }
    for id in [input.from, input.to] {
        load(tx, id).await?;
    }
    let link = Link::named((input.from, Relation::Contradicts, input.to));
    let Some(link) = find::<Link>(tx.as_reader(), &link).await?.pop() else {
        let problem = "is not linked to from_id by RELATION_CONTRADICTS; ListContradictions names those that are";
        return Err(Error::conflict("to_id", problem));
    };
    let said = (input.reason.as_str(), SourceType::UserResolved);
    let resolved = match input.resolution {
        Resolution::KeepFrom => supersede(tx, (input.from, input.to), said, now).await?,
        Resolution::KeepTo => supersede(tx, (input.to, input.from), said, now).await?,
        Resolution::KeepBoth => keep_both(tx, &input.reason, link, now).await?,
    };
    tx.audit(&entry(now, ACTION, Some(input.from.to_string()), 1)).await?;
    idempotency::remember(key, tx, &resolved, now).await?;
    Ok(resolved)
}

/// Makes both hold, even one that ended in favour of the other before.
pub(in crate::usecases) async fn keep_both(
    tx: &mut dyn VaultTransaction,
    reason: &str,
    link: Link,
    now: Timestamp,
) -> Result<Resolved> {
    take_back(tx, (link.from, link.to), now).await?;
    take_back(tx, (link.to, link.from), now).await?;
    let evidence = (!reason.is_empty()).then(|| reason.to_owned()).or_else(|| link.evidence.clone());
    put(tx, &[Link { source: SourceType::UserResolved, evidence, verified_at: Some(now), ..link }]).await?;
    Ok(Resolved::default())
}

/// Undoes that `kept` is valid instead of `lost`, if a contradiction was decided that way.
async fn take_back(tx: &mut dyn VaultTransaction, (kept, lost): (MemoryId, MemoryId), now: Timestamp) -> Result<()> {
    let link = Link::named((kept, Relation::Supersedes, lost));
    let Some(link) = find::<Link>(tx.as_reader(), &link).await?.pop() else { return Ok(()) };
    let ended = Ending::query().is("memory_id", lost).is("at", link.created_at);
    if find::<Ending>(tx.as_reader(), &ended).await?.is_empty() {
        return Ok(());
    }
    hold_again(tx, (kept, lost), (link.created_at, None), now).await
}

/// Makes `kept` valid instead of `lost`, with a reason and the source of the decision.
pub(crate) async fn supersede(
    tx: &mut dyn VaultTransaction,
    (kept, lost): (MemoryId, MemoryId),
    (why, source): (&str, SourceType),
    now: Timestamp,
) -> Result<Resolved> {
    // Undo an earlier decision for the other one.
    take_back(tx, (lost, kept), now).await?;
    let before = load(tx, lost).await?;
    let until = end(tx, &before, now).await?;
    put(tx, &[Ending { memory: lost, at: now, until: Some(until), why: why.to_owned() }]).await?;
    let draft = LinkDraft { evidence: why.to_owned(), ..LinkDraft::new(kept, Relation::Supersedes, lost) };
    add(tx, &[LinkDraft { source: Some(source), ..draft }.into_link(now)]).await?;
    Ok(Resolved { ended: Some((lost, until)) })
}
