//! Tells in the audit of the system where that of a vault stands, so that a checkpoint of the system speaks for it, too.

use super::AuditOf;
use crate::audit::{ANCHORED, Actor, AuditHead, anchor_subject};
use crate::error::Result;
use crate::ids::UserId;
use crate::ports::{AuditEntry, SystemAudit};
use crate::usecases::App;
use crate::usecases::audit::checkpoint::head;

impl App {
    /// Tells where the audit of a user's vault stands; nothing if nothing was ever done there.
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
