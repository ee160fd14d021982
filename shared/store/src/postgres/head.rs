//! A vault's own row: counters, and whatever else every transaction needs. The first statement of a transaction reads
//! the row, writers also lock it, and the last statement writes it. All writers of a vault, in any process, are
//! therefore serialized.

use kimberly_core::Timestamp;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::memory::{MemoryState, Tier};
use kimberly_core::usage::{Count, Usage};
use uuid::Uuid;

use super::conn::Conn;
use super::errors;
use super::rows::{Cells, ReadRow as _};
use crate::first_due::{first_rotation, first_schedule};
use crate::slots;

/// Number of counters.
const SLOTS: usize = slots::INDEXED + 1;
/// Attempts to find or create a vault before a writer gives up.
const MAKINGS: usize = 10;
/// Average size in bytes up to which memories are stored inline and uncompressed, so that scanning is cheap.
const SHORT: i64 = 1_024;

const READ: &str = "SELECT items, bytes, purging IS NOT NULL, changes_last, outbox_last, audit_hash, mark, NULL::uuid \
     FROM vaults WHERE user_id = $1";
/// Waits for other writers, but not for transactions that only hold the vault while they write its vectors.
const LOCK: &str = "SELECT items, bytes, purging IS NOT NULL, changes_last, outbox_last, audit_hash, mark, gen_random_uuid() \
     FROM vaults WHERE user_id = $1 FOR NO KEY UPDATE";
const MAKE: &str = "INSERT INTO vaults (user_id) VALUES ($1) ON CONFLICT (user_id) DO NOTHING";
const REGISTER: &str = "INSERT INTO users (user_id, created_at, schedule_at, rotation_at) VALUES ($1, $2, $3, $4) \
     ON CONFLICT (user_id) DO NOTHING";
const WRITE: &str = "UPDATE vaults SET items = $2, bytes = $3, changes_last = $4, outbox_last = $5, audit_hash = $6, \
     commit_mark = $7 WHERE user_id = $1 RETURNING commit_mark";
const LAST_COMMIT: &str = "SELECT commit_mark, items, mark FROM vaults WHERE user_id = $1 FOR UPDATE";

/// The counters of a vault, see [`slots`], and the numbers given last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    items: [i64; SLOTS],
    bytes: [i64; SLOTS],
    /// Number of the last change.
    pub(crate) changes_last: i64,
    /// Position of the last job in the outbox.
    pub(crate) outbox_last: i64,
    /// Hash of the last audit entry, if there is one.
    pub(crate) audit_hash: Option<[u8; 32]>,
    /// Distinguishes the vault from earlier ones of the same user.
    pub(crate) incarnation: u64,
    /// Random id of the commit to come, if the row is locked: Citus refuses random values in an UPDATE.
    commit_mark: Option<Uuid>,
    /// Whether the vault exists.
    pub(crate) exists: bool,
}

impl Head {
    /// Returns the number in a slot.
    pub(crate) fn items(&self, slot: usize) -> i64 {
        self.items.get(slot).copied().unwrap_or_default()
    }

    /// Adds to a slot.
    pub(crate) fn add(&mut self, slot: usize, items: i64, bytes: i64) {
        if let (Some(to_items), Some(to_bytes)) = (self.items.get_mut(slot), self.bytes.get_mut(slot)) {
            *to_items = to_items.saturating_add(items);
            *to_bytes = to_bytes.saturating_add(bytes);
        }
    }

    /// Sets the number in a slot.
    pub(crate) fn set(&mut self, slot: usize, items: i64) {
        if let Some(to) = self.items.get_mut(slot) {
            *to = items;
        }
    }

    /// Sets a slot to zero.
    pub(crate) fn clear(&mut self, slot: usize) {
        let bytes = self.bytes.get(slot).copied().unwrap_or_default();
        self.add(slot, self.items(slot).saturating_neg(), bytes.saturating_neg());
    }

    /// Adds memories to the counters, or removes them with negative numbers.
    pub(crate) fn count(&mut self, tier: Tier, state: MemoryState, items: i64, bytes: i64) {
        self.add(slots::of(tier, state), items, bytes);
    }

    /// Records a change that recall sees, other than new memories.
    pub(crate) fn recall_changed(&mut self) {
        self.add(slots::RECALL, 1, 0);
    }

    /// Returns the counters of memories.
    pub(crate) fn usage(&self) -> Result<Usage> {
        let whole = |n: i64| u64::try_from(n).map_err(|_| errors::corrupt("a counter is negative"));
        let mut usage = Usage {
            created: whole(self.items(slots::CREATED))?,
            deleted: whole(self.items(slots::DELETED))?,
            archived: whole(self.items(slots::ARCHIVED))?,
            ..Usage::default()
        };
        for &tier in Tier::ALL {
            for &state in MemoryState::ALL {
                let slot = slots::of(tier, state);
                let bytes = self.bytes.get(slot).copied().unwrap_or_default();
                *usage.count_mut(tier, state) = Count { items: whole(self.items(slot))?, bytes: whole(bytes)? };
            }
        }
        Ok(usage)
    }

    /// Returns number and bytes of a slot.
    pub(crate) fn both(&self, slot: usize) -> (u64, u64) {
        let whole = |numbers: &[i64]| numbers.get(slot).copied().unwrap_or_default().max(0).cast_unsigned();
        (whole(&self.items), whole(&self.bytes))
    }

    /// Returns the number of memories in any state.
    pub(crate) fn memories(&self) -> i64 {
        self.items.iter().take(slots::CREATED).sum()
    }

    /// Reports whether there are at most `most` memories, of a small average size.
    pub(crate) fn is_small(&self, most: u32) -> bool {
        let bytes: i64 = self.bytes.iter().take(slots::CREATED).sum();
        self.memories() <= i64::from(most) && bytes <= self.memories().saturating_mul(SHORT)
    }
}

/// Reads the vault's row; without a vault the head stays empty.
pub(crate) async fn read(conn: &mut Conn) -> Result<()> {
    look(conn, READ).await?;
    Ok(())
}

/// Locks the vault's row; returns `false` if the user has no vault.
pub(crate) async fn lock_existing(conn: &mut Conn) -> Result<bool> {
    look(conn, LOCK).await
}

/// Locks the vault's row, creating vault and user if necessary.
pub(crate) async fn lock(conn: &mut Conn, now: Timestamp) -> Result<()> {
    for _ in 0..MAKINGS {
        if lock_existing(conn).await? {
            return Ok(());
        }
        let args = conn.args().with(now.0).with(first_schedule(now).0).with(first_rotation(now).0);
        conn.run("registering a user", REGISTER, args).await?;
        let args = conn.args();
        conn.run("creating a vault", MAKE, args).await?;
        // Another writer may have created the vault first, and a purge may have emptied it since.
    }
    Err(Error::storage(StorageFailure::Unavailable, "the vault is purged again and again"))
}

/// Identifies a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CommitId {
    /// The vault that it was made to: the user may have been purged since.
    pub(crate) vault: u64,
    /// Its number among the commits of the vault.
    pub(crate) number: i64,
    /// Its random id.
    pub(crate) nonce: Option<Uuid>,
}

/// Returns the last commit to a vault after running writers have ended; `None` if there is no vault.
pub(crate) async fn last_commit(conn: &mut Conn) -> Result<Option<CommitId>> {
    let args = conn.args();
    conn.row("checking whether a commit succeeded", LAST_COMMIT, args, |row| {
        let c = &mut Cells::new(row);
        let (nonce, items) = (c.opt_uuid()?, numbers(&c.ints()?)?);
        let (vault, _) = c.uuid()?.as_u64_pair();
        Ok(CommitId { vault, number: items.get(slots::COMMITS).copied().unwrap_or_default(), nonce })
    })
    .await
}

/// Writes the vault's row; returns the identity of its commit.
pub(crate) async fn write(conn: &mut Conn) -> Result<CommitId> {
    conn.head.add(slots::COMMITS, 1, 0);
    let head = &conn.head;
    let args = conn
        .args()
        .with(head.items.to_vec())
        .with(head.bytes.to_vec())
        .with(head.changes_last)
        .with(head.outbox_last)
        .with(head.audit_hash.map(|hash| hash.to_vec()))
        .with(head.commit_mark);
    let nonce = conn.row("writing the counters", WRITE, args, |row| Cells::new(row).opt_uuid()).await?;
    let nonce = nonce.ok_or_else(|| errors::corrupt("the vault's row is missing"))?;
    Ok(CommitId { vault: conn.head.incarnation, number: conn.head.items(slots::COMMITS), nonce })
}

async fn look(conn: &mut Conn, sql: &'static str) -> Result<bool> {
    let args = conn.args();
    let found = conn
        .row("reading the counters", sql, args, |row| {
            let c = &mut Cells::new(row);
            let (items, bytes, purging) = (numbers(&c.ints()?)?, numbers(&c.ints()?)?, c.flag()?);
            let (changes_last, outbox_last, audit_hash) = (c.int()?, c.int()?, c.opt_digest()?);
            let (incarnation, _) = c.uuid()?.as_u64_pair();
            let (commit_mark, exists) = (c.opt_uuid()?, true);
            Ok((
                Head { items, bytes, changes_last, outbox_last, audit_hash, incarnation, commit_mark, exists },
                purging,
            ))
        })
        .await?;
    let Some((head, purging)) = found else { return Ok(false) };
    if purging {
        return Err(Error::Purging);
    }
    conn.head = head;
    Ok(true)
}

fn numbers(found: &[i64]) -> Result<[i64; SLOTS]> {
    found.try_into().map_err(|_| errors::corrupt("a vault has another number of counters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_is_what_has_few_memories_that_are_short_in_the_mean() {
        let of = |memories: i64, bytes: i64| {
            let mut head = Head::default();
            head.add(slots::of(Tier::ALL[0], MemoryState::Active), memories - 1, bytes - 9);
            head.add(slots::of(Tier::ALL[1], MemoryState::Deleted), 1, 9);
            // Other counters do not count memories.
            head.add(slots::RECALL, 1_000_000, 1_000_000);
            head
        };
        for (memories, bytes, is_small) in [
            (2_000, 2_000 * 1_024, true),
            (2_000, 2_000 * 1_024 + 1, false),
            (2_001, 2_001 * 100, false),
            (1, 1_024, true),
            (30, 30 * 60_000, false),
        ] {
            assert_eq!(of(memories, bytes).is_small(2_000), is_small, "{memories} memories of {bytes} bytes");
        }
        assert!(Head::default().is_small(0) && !of(1, 9).is_small(0));
    }
}
