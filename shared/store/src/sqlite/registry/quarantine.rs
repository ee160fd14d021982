//! Lists the vaults in quarantine for operators. What blocks a vault is the marker file in its folder.

use kimberly_core::UserId;
use kimberly_core::audit::{Actor, AuditEntry};
use kimberly_core::damage::{Damage, Quarantined, Tally};
use kimberly_core::error::Result;
use kimberly_core::ports::By;
use kimberly_core::time::Timestamp;
use rusqlite::Row;

use super::audit::Change;
use super::users::user;
use super::{RegistryPort, SystemDb};
use crate::registry::told;
use crate::sqlite::conn::Args;
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, ReadRow as _};

const PUT: &str = "INSERT INTO quarantine (user_id, damage, since) VALUES (?, ?, ?) ON CONFLICT (user_id) DO NOTHING";
const LIFT: &str = "DELETE FROM quarantine WHERE user_id = ?";
const LIST: &str = "SELECT user_id, damage, since FROM quarantine WHERE user_id > ? ORDER BY user_id LIMIT +?";

const TALLY: &str = "SELECT count(*), count(*) FILTER (WHERE since > ?1), coalesce(max(since), ?1) FROM quarantine";

impl SystemDb {
    /// Lists and audits a vault in quarantine once; returns whether it was new.
    pub(crate) async fn quarantine(&self, user: &UserId, damage: Damage, at: Timestamp) -> Result<bool> {
        let args = Args::new().with(user.as_str()).with(damage.as_str()).with(at.0);
        let subject = Some(format!("{}/{damage}", user.folder_name()));
        let entry =
            AuditEntry { at, actor: Actor::System, action: "vault.quarantine", refused: None, subject, count: 1 };
        let change = Change { doing: "recording a damaged vault", sql: PUT, args };
        Ok(self.change(Some(change), &[entry]).await? > 0)
    }

    pub(crate) async fn quarantined(&self, after: Option<&UserId>, limit: usize) -> Result<Vec<Quarantined>> {
        let args = Args::new().with(after.map_or("", UserId::as_str)).with(sql_limit(limit));
        let mut lease = self.reader().await?;
        let read = |row: &Row<'_>| {
            let c = &mut Cells::new(row);
            Ok(Quarantined { user: user(c.str()?)?, damage: Damage::of(c.str()?), since: c.time()? })
        };
        lease.conn()?.rows("reading damaged vaults", LIST, args, read).await
    }

    pub(crate) async fn tally(&self, after: Timestamp) -> Result<Tally> {
        let mut lease = self.reader().await?;
        let read = |row: &Row<'_>| {
            let c = &mut Cells::new(row);
            Ok(Tally { all: c.count()?, news: c.count()?, latest: c.time()? })
        };
        let tally = lease.conn()?.row("counting damaged vaults", TALLY, Args::new().with(after.0), read).await?;
        Ok(tally.unwrap_or_default())
    }
}

impl RegistryPort {
    /// Removes a vault from the list, and audits it.
    pub(crate) async fn release_vault(&self, user: &UserId, by: &By) -> Result<()> {
        let change = Change { doing: "recording an undamaged vault", sql: LIFT, args: Args::new().with(user.as_str()) };
        let entries = vec![told(by, "vault.release", &user.folder_name())];
        RegistryPort::change(self, Some(change), entries).await.map(drop)
    }
}
