//! Anchors the heads of vaults' audits in the system's audit, so that a checkpoint of the system covers them too, and
//! reads the anchors of a vault.

use super::AuditOf;
use crate::audit::{ANCHORED, Actor, Anchor, AuditEntry, AuditHead, PURGED, anchor, anchor_subject};
use crate::boxed;
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{AuditQuery, AuditReader, Purges, SystemAudit};
use crate::usecases::App;
use crate::usecases::audit::checkpoint::head;

/// Entries per query.
const AT_ONCE: usize = 2_000;
/// Newest purges of a user to look at: one may be under way, and the one before it is done.
const PURGES: usize = 2;

impl App {
    /// Anchors the head of a user's audit in the system's audit; does nothing for an empty audit.
    #[boxed]
    pub async fn anchor_audit(&self, user: &UserId, system: &dyn SystemAudit) -> Result<()> {
        let of = AuditOf::User(user.clone());
        let log = of.log().await?;
        let genesis = AuditHead::genesis(&log);
        let head = of.read(self, move |reader| Box::pin(async move { head(reader, genesis).await })).await?;
        if head == genesis {
            return Ok(());
        }
        let entry = AuditEntry {
            at: self.clock.now(),
            actor: Actor::System,
            action: ANCHORED,
            refused: None,
            subject: Some(anchor_subject(&log, &head)),
            count: 1,
        };
        system.append(vec![entry]).await
    }
}

/// Returns the anchors that the system's audit holds for the user's current vault. A purged user starts over with a
/// chain of the same name, so anchors from before the purge belong to another vault. A receipt counts only if the
/// system's chain holds the entry that it names: planting a receipt hides no anchors.
pub(super) async fn anchors(system: &dyn SystemAudit, purges: &dyn Purges, user: &UserId) -> Result<Vec<Anchor>> {
    let purges = purges.list(Some(user), None, PURGES).await?;
    let last_told = purges.into_iter().find_map(|purge| purge.told);
    let log = crate::audit::vault_log(user);
    let read = system.read(move |reader| {
        let log = log.clone();
        Box::pin(async move {
            let after = match last_told {
                Some(told) if tells_a_purge(reader, told).await? => told.no,
                _ => 0,
            };
            told_of(reader, &log, after).await
        })
    });
    read.await
}

async fn tells_a_purge(reader: &mut dyn AuditReader, told: AuditHead) -> Result<bool> {
    let after = told.no.saturating_sub(1);
    let query = AuditQuery { after, limit: 1, ..AuditQuery::default() };
    let found = reader.audit_entries(&query).await?;
    Ok(found.iter().any(|entry| entry.head() == told && entry.action == PURGED))
}

async fn told_of(reader: &mut dyn AuditReader, log: &str, after: u64) -> Result<Vec<Anchor>> {
    let mut anchors = Vec::new();
    let action = Some(ANCHORED.to_owned());
    let mut query = AuditQuery { after, action, limit: AT_ONCE, ..AuditQuery::default() };
    loop {
        let entries = reader.audit_entries(&query).await?;
        for entry in &entries {
            // An anchor that cannot be read was tampered with; verifying the system's own chain reports it.
            if let Some((of, head)) = entry.subject.as_deref().and_then(anchor)
                && of == log
            {
                anchors.push(Anchor { entry: entry.no, head });
            }
        }
        match entries.last() {
            Some(last) if entries.len() >= AT_ONCE => query.after = last.no,
            _ => return Ok(anchors),
        }
    }
}
