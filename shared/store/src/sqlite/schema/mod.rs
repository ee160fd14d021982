//! Schemas by version, and the migrations between versions.
//!
//! To change the schema of a vault, add a step to `VAULT_STEPS`; never change a released step. Files are migrated when
//! they are first opened; a file from a newer build is refused.

pub(crate) mod late;
#[cfg(test)]
mod tests;

use kimberly_core::error::Result;

use super::conn::{Args, Conn};
use super::errors::{self, NEWER};
use super::rows::{Cells, ReadRow as _};
use crate::tables::Dialect;

/// A kind of database file.
pub(crate) struct Schema {
    /// Its name in messages.
    pub(crate) what: &'static str,
    /// The `application_id` of its files.
    application_id: i64,
    /// Step n migrates a file from version n to version n + 1.
    steps: &'static [&'static str],
}

/// A vault.
pub(crate) const VAULT: Schema = Schema { what: "a vault", application_id: 0x4B4D_4256, steps: VAULT_STEPS };
const VAULT_STEPS: &[&str] = &[include_str!("vault_v1.sql"), include_str!("vault_v2.sql")];
/// The registry.
pub(crate) const SYSTEM: Schema = Schema { what: "the registry", application_id: 0x4B4D_4253, steps: SYSTEM_STEPS };
const SYSTEM_STEPS: &[&str] = &[include_str!("system_v1.sql")];

const STAMP: &str = "SELECT (SELECT application_id FROM pragma_application_id), \
     (SELECT user_version FROM pragma_user_version)";

impl Schema {
    /// The version that this build writes.
    pub(crate) fn version(&self) -> i64 {
        i64::try_from(self.steps.len()).unwrap_or_default()
    }

    /// SQL that rewrites a page of the file unchanged.
    pub(crate) fn stamp_again(&self) -> String {
        format!("PRAGMA application_id = {}", self.application_id)
    }

    /// Checks that the file is of this kind and not from a newer build. Returns its version, 0 for a new file.
    pub(crate) async fn check(&self, conn: &mut Conn) -> Result<i64> {
        let (application_id, version) = stamp(conn).await?;
        if version > self.version() {
            let (what, known) = (self.what, self.version());
            return Err(errors::corrupt(format!(
                "the file is {what} of schema version {version}, {NEWER}; this build knows up to \
                 version {known}: upgrade, or restore a backup"
            )));
        }
        if version > 0 && application_id != self.application_id {
            return Err(errors::corrupt(format!("the file is not {}", self.what)));
        }
        Ok(version)
    }

    /// Migrates the file to the version of this build.
    pub(crate) async fn migrate(&self, conn: &mut Conn) -> Result<()> {
        if self.check(conn).await? == self.version() {
            return Ok(());
        }
        conn.run("beginning a migration", "BEGIN IMMEDIATE", Args::new()).await?;
        let done = self.step_up(conn).await;
        let end = if done.is_ok() { "COMMIT" } else { "ROLLBACK" };
        conn.run("ending a migration", end, Args::new()).await?;
        done
    }

    async fn step_up(&self, conn: &mut Conn) -> Result<()> {
        // Checked again, because another process may have migrated the file meanwhile.
        let version = self.check(conn).await?;
        let from = usize::try_from(version).unwrap_or(usize::MAX);
        for (step, to) in self.steps.iter().zip(1_i64..).skip(from) {
            conn.define("changing the schema", &Dialect::Files.filled(step)).await?;
            conn.run("writing the schema version", format!("PRAGMA user_version = {to}"), Args::new()).await?;
        }
        Ok(())
    }
}

async fn stamp(conn: &mut Conn) -> Result<(i64, i64)> {
    let stamp = conn
        .row("reading the version of a file", STAMP, Args::new(), |row| {
            let c = &mut Cells::new(row);
            Ok((c.int()?, c.int()?))
        })
        .await?;
    Ok(stamp.unwrap_or_default())
}
