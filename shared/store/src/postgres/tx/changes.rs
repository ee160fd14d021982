//! Records changes of memories, numbered by the vault's row, and prunes old records.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::meditation::Reason;
use kimberly_core::memory::ChangeKind;

use super::counted::Altered;
use crate::postgres::conn::Conn;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::code;

const TELL: &str = "INSERT INTO changes (user_id, no, kind, at, memory_id, revision, reason) \
     SELECT v.user_id, $2 + t.place, $3, $4, t.memory, t.revision, t.reason FROM vaults v \
     CROSS JOIN unnest($5::uuid[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS t (memory, revision, reason, place) \
     WHERE v.user_id = $1";
/// Deletes the oldest rows up to the first one that is recent enough, but never the last row. Examines at most as many
/// rows as it may delete, so that a long history does not make each batch slower.
const PRUNE: &str = "DELETE FROM changes WHERE user_id = $1 AND no < (SELECT min(bound.no) FROM (\
     SELECT min(no) + $2 AS no FROM changes WHERE user_id = $1 UNION ALL \
     SELECT max(no) FROM changes WHERE user_id = $1 UNION ALL \
     (SELECT no FROM changes WHERE user_id = $1 AND at >= $3 \
     AND no < (SELECT min(no) + $2 FROM changes WHERE user_id = $1) ORDER BY no LIMIT 1)) AS bound)";

/// A change of one memory.
pub(super) struct Told {
    pub(super) id: MemoryId,
    /// The memory's current revision; 0 if it is gone.
    pub(super) revision: i64,
    pub(super) reason: Option<Reason>,
}

impl Told {
    /// A memory that is gone.
    pub(super) const fn gone(id: MemoryId) -> Self {
        Self { id, revision: 0, reason: None }
    }
}

impl From<&Altered> for Told {
    fn from(altered: &Altered) -> Self {
        Self { id: altered.id, revision: altered.revision, reason: None }
    }
}

/// Records the same kind of change for these memories, in order.
pub(super) async fn tell(
    conn: &mut Conn,
    (kind, at): (ChangeKind, Timestamp),
    told: impl IntoIterator<Item = Told>,
) -> Result<()> {
    let (mut ids, mut revisions, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    for one in told {
        ids.push(one.id.0);
        revisions.push(one.revision);
        reasons.push(one.reason.map(code));
    }
    if ids.is_empty() {
        return Ok(());
    }
    let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let args = conn.args().with(conn.head.changes_last).with(code(kind)).with(at.0);
    conn.run("recording changes", TELL, args.with(ids).with(revisions).with(reasons)).await?;
    conn.head.changes_last += count;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp, limit: usize) -> Result<u64> {
    let args = conn.args().with(sql_limit(limit)).with(before.0);
    conn.run("deleting old changes", PRUNE, args).await
}
