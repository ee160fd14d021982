//! Caches facts that a recall needs besides words, for one version of a vault: its speakers, and which declared tables
//! are empty. An unchanged vault is not queried for them again.

use std::sync::{Arc, LazyLock};

use kimberly_core::error::Result;
use kimberly_core::tables::{self, Table};

use super::{Access, words};
use crate::cache::{CacheEntry, CacheLookup, Stamp};
use crate::slots::{COMMITS, RECALL};
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

/// For each declared table, whether it has rows.
static HELD: LazyLock<String> = LazyLock::new(|| {
    let held: Vec<_> = tables::ALL.iter().map(|table| format!("EXISTS (SELECT 1 FROM {})", table.name)).collect();
    format!("SELECT {}", held.join(" || "))
});

/// The cached facts.
pub(crate) struct Known {
    commits: u64,
    speakers: Vec<(i64, String)>,
    /// Names of tables without rows.
    empty: Vec<&'static str>,
}

impl CacheEntry for Known {
    fn stamp(&self) -> Stamp {
        stamp(self.commits)
    }

    fn bytes(&self) -> usize {
        let names: usize = self.speakers.iter().map(|(_, name)| name.len()).sum();
        size_of::<Self>() + names + size_of_val(&*self.speakers) + size_of_val(&*self.empty)
    }
}

/// Any commit may change any of the facts.
fn stamp(commits: u64) -> Stamp {
    Stamp { changes: i64::try_from(commits).unwrap_or(i64::MAX), ..Stamp::default() }
}

/// Returns the number of commits in the snapshot.
pub(super) async fn commits<M>(access: &mut Access<'_, M>) -> Result<u64> {
    if let Some(commits) = access.commits {
        return Ok(commits);
    }
    let sql = format!("SELECT items FROM counters WHERE slot = {COMMITS}");
    let commits = access.conn.row("reading the version", sql, Args::new(), |row| Cells::new(row).count()).await?;
    let commits = commits.ok_or_else(|| errors::corrupt("the counters are missing"))?;
    // Not cached for write transactions, which are about to change the version.
    access.commits = access.known.map(|_| commits);
    Ok(commits)
}

/// Returns the number of changes in the snapshot that recall or a graph of entities sees, other than new memories.
pub(super) async fn evidence_changes(conn: &mut Conn) -> Result<u64> {
    let sql = format!("SELECT items + bytes FROM counters WHERE slot = {RECALL}");
    let changes = conn.row("reading the version", sql, Args::new(), |row| Cells::new(row).count()).await?;
    changes.ok_or_else(|| errors::corrupt("the counters are missing"))
}

/// Returns the speakers. If the version was read before, all facts are cached for it.
pub(super) async fn speakers<M>(access: &mut Access<'_, M>) -> Result<Vec<(i64, String)>> {
    let cache = access.known.filter(|cache| cache.is_promising());
    let Some((cache, commits)) = cache.zip(access.commits) else { return words::speakers(access.conn).await };
    let known = match cache.at(stamp(commits)) {
        CacheLookup::Fresh(known) => known,
        CacheLookup::Older(_) | CacheLookup::Nothing | CacheLookup::Unfit => {
            let speakers = words::speakers(access.conn).await?;
            let known = Arc::new(Known { commits, speakers, empty: empty(access.conn).await? });
            cache.put(&known);
            known
        }
    };
    let speakers = known.speakers.clone();
    access.here = Some(known);
    Ok(speakers)
}

/// Reports whether a table is known to be empty.
pub(super) fn is_empty<M>(access: &Access<'_, M>, table: &Table) -> bool {
    access.here.as_ref().is_some_and(|known| known.empty.contains(&table.name))
}

async fn empty(conn: &mut Conn) -> Result<Vec<&'static str>> {
    let held = conn.row("checking for rows", HELD.as_str(), Args::new(), |row| Cells::new(row).text()).await?;
    let held = held.unwrap_or_default();
    if held.len() != tables::ALL.len() {
        return Err(errors::corrupt("some tables were not checked"));
    }
    Ok(tables::ALL.iter().zip(held.bytes()).filter(|(_, held)| *held == b'0').map(|(table, _)| table.name).collect())
}
