//! The counted properties of memories, and changes that affect them.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{MemoryState, Tier};

use super::index;
use crate::codes::from_code;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::head::Head;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::slots;

/// Bit of `memories.life`: the memory was once archived.
const WAS_ARCHIVED: i64 = 1;
/// Bit of `memories.life`: the memory was once deleted.
const WAS_DELETED: i64 = 2;

/// Returns the columns that [`Counted::read`] reads, of the table alias `of`.
pub(super) fn columns(of: &str) -> String {
    format!(
        "{of}.tier, {of}.state, {of}.size_bytes, {of}.life, CASE WHEN {of}.indexed IS NOT NULL THEN {of}.tokens END"
    )
}

/// The counted properties of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) tier: Tier,
    pub(super) state: MemoryState,
    pub(super) size_bytes: i64,
    pub(super) life: i64,
    /// Number of its tokens in the full-text index; `None` if it is not indexed.
    pub(super) tokens: Option<i64>,
}

impl Counted {
    pub(super) fn read(c: &mut Cells<'_>) -> Result<Self> {
        Ok(Self {
            tier: from_code(c.int()?)?,
            state: from_code(c.int()?)?,
            size_bytes: c.int()?,
            life: c.int()?,
            tokens: c.opt_int()?,
        })
    }

    /// Adds it to the counters.
    pub(super) fn came(&self, head: &mut Head) {
        self.add(head, 1);
    }

    /// Removes it from the counters, and counts it as deleted unless it was already.
    pub(super) fn went(&self, head: &mut Head) {
        self.add(head, -1);
        head.add(slots::DELETED, i64::from(self.life & WAS_DELETED == 0), 0);
    }

    /// Replaces it by its new properties.
    fn became(&self, new: &Self, head: &mut Head) {
        self.add(head, -1);
        new.add(head, 1);
        Self::lived_through(new.life & !self.life, head);
    }

    /// Adds to the totals of memories ever archived or deleted.
    pub(super) fn lived_through(bits: i64, head: &mut Head) {
        head.add(slots::ARCHIVED, i64::from(bits & WAS_ARCHIVED != 0), 0);
        head.add(slots::DELETED, i64::from(bits & WAS_DELETED != 0), 0);
    }

    fn add(&self, head: &mut Head, sign: i64) {
        head.count(self.tier, self.state, sign, sign.saturating_mul(self.size_bytes));
        if let Some(tokens) = self.tokens {
            head.add(slots::INDEXED, sign, sign.saturating_mul(tokens));
        }
    }
}

/// A changed memory.
pub(super) struct Altered {
    pub(super) seq: Seq,
    pub(super) id: MemoryId,
    /// Its current revision.
    pub(super) revision: i64,
    /// Whether it was withheld before.
    pub(super) was_withheld: bool,
}

/// Changes memories `m`: `which` is a condition on their old rows, `set` the new values. Updates the counters, and
/// indexes memories that become searchable; for those that cease to be, `set` must clear the index columns. Returns the
/// memories in order of number.
pub(super) async fn alter(
    conn: &mut Conn,
    doing: &'static str,
    (set, which): (&str, &str),
    args: Args,
) -> Result<Vec<Altered>> {
    let sql = format!(
        "WITH old AS MATERIALIZED (SELECT m.* FROM memories m WHERE m.user_id = $1 AND {which}) \
         UPDATE memories AS m SET {set} FROM old WHERE m.user_id = $1 AND m.seq = old.seq \
         RETURNING m.seq, m.id, m.revision, old.withheld > 0, {}, {}, m.indexed IS NULL AND {}",
        columns("old"),
        columns("m"),
        index::searchable("m")
    );
    let mut moved = Vec::new();
    let mut unindexed = Vec::new();
    let mut altered = conn
        .rows(doing, sql, args, |row| {
            let c = &mut Cells::new(row);
            let (seq, id, revision) = (Seq(c.int()?), MemoryId(c.uuid()?), c.int()?);
            let was_withheld = c.flag()?;
            moved.push((Counted::read(c)?, Counted::read(c)?));
            if c.flag()? {
                unindexed.push(seq.0);
            }
            Ok(Altered { seq, id, revision, was_withheld })
        })
        .await?;
    for (old, new) in &moved {
        old.became(new, &mut conn.head);
    }
    altered.sort_unstable_by_key(|altered| altered.seq);
    index::add(conn, unindexed).await?;
    Ok(altered)
}
