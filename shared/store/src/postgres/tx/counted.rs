//! What the counters know of memories, and changes that move it.

use kimberly_core::error::Result;
use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::memory::{MemoryState, Tier};

use super::index;
use crate::codes::from_code;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::head::Head;
use crate::postgres::rows::Cells;
use crate::slots;

/// `memories.life`: it was archived once.
const WAS_ARCHIVED: i64 = 1;
/// `memories.life`: it was deleted once.
const WAS_DELETED: i64 = 2;

/// What [`Counted::read`] reads, of a table named as given.
pub(super) fn columns(of: &str) -> String {
    format!(
        "{of}.tier, {of}.state, {of}.size_bytes, {of}.life, CASE WHEN {of}.indexed IS NOT NULL THEN {of}.tokens END"
    )
}

/// What the counters know of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub(super) tier: Tier,
    pub(super) state: MemoryState,
    pub(super) size_bytes: i64,
    pub(super) life: i64,
    /// How many tokens of it are in the full-text index; none if it is not there.
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

    /// Counts it in.
    pub(super) fn came(&self, head: &mut Head) {
        self.add(head, 1);
    }

    /// Counts it out, and among those deleted if it was not yet.
    pub(super) fn went(&self, head: &mut Head) {
        self.add(head, -1);
        head.add(slots::DELETED, i64::from(self.life & WAS_DELETED == 0), 0);
    }

    /// Counts its change into another.
    fn became(&self, new: &Self, head: &mut Head) {
        self.add(head, -1);
        new.add(head, 1);
        Self::lived_through(new.life & !self.life, head);
    }

    /// Adds to the totals of memories that were ever archived or deleted.
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

/// A memory that was changed.
pub(super) struct Altered {
    pub(super) seq: Seq,
    pub(super) id: MemoryId,
    /// The revision that it has now.
    pub(super) revision: i64,
    /// Whether it was withheld before.
    pub(super) was_withheld: bool,
}

/// Changes memories `m`: `which` is a condition on them as they were, `set` what becomes of them. The counters follow, and what
/// comes back into the full-text index is put there; what leaves it is for `set` to say. They come back in order of their
/// numbers.
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
