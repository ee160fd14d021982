//! Records changes of memories, in statements appended to the ones that change them, and prunes old records.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ids::Seq;
use kimberly_core::meditation::Change;
use kimberly_core::memory::ChangeKind;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::code;

/// Records the creation of memories from a first to a last number. Takes kind, time, first and last.
pub(super) const CREATED: &str = ";INSERT INTO changes (kind, at, revision, memory_id) \
     SELECT ?, ?, revision, id FROM memories WHERE seq BETWEEN ? AND ? ORDER BY seq";
/// Records a change of one memory. Takes kind, time and number.
pub(super) const CHANGED: &str =
    ";INSERT INTO changes (kind, at, revision, memory_id) SELECT ?, ?, revision, id FROM memories WHERE seq = ?";
const DECIDED: &str = "INSERT INTO changes (kind, at, reason, revision, memory_id) \
     SELECT ?, ?, e.value ->> 1, iif(?, 0, m.revision), m.id \
     FROM json_each(?) e CROSS JOIN memories m ON m.seq = e.value ->> 0 ORDER BY e.key";
/// Deletes the oldest rows up to the first one that is recent enough, but never the last row. Examines at most as many
/// rows as it may delete, so that a long history does not make each batch slower.
const PRUNE: &str = "DELETE FROM changes WHERE no < (SELECT min(no) FROM (\
     SELECT min(no) + ?1 AS no FROM changes UNION ALL SELECT max(no) FROM changes UNION ALL \
     SELECT no FROM (SELECT no FROM changes WHERE no < (SELECT min(no) + ?1 FROM changes) AND at >= ?2 \
     ORDER BY no LIMIT 1)))";

/// Values for [`CREATED`].
pub(super) fn push_created(args: &mut Args, at: Timestamp, first: i64, last: i64) {
    args.push(code(ChangeKind::Created));
    args.push(at.0);
    args.push(first);
    args.push(last);
}

/// Values for [`CHANGED`].
pub(super) fn push_changed(args: &mut Args, kind: ChangeKind, at: Timestamp, seq: Seq) {
    args.push(code(kind));
    args.push(at.0);
    args.push(seq.0);
}

/// Records the effect of decisions: call it after archiving, but before erasing.
pub(super) async fn decided(conn: &mut Conn, decisions: &[&Change], kind: ChangeKind, at: Timestamp) -> Result<()> {
    let rows: Vec<_> = decisions.iter().map(|change| format!("[{},{}]", change.seq().0, code(change.reason))).collect();
    let erased = kind == ChangeKind::Erased;
    let args = Args::new().with(code(kind)).with(at.0).with(erased).with(format!("[{}]", rows.join(",")));
    conn.run("recording decisions", DECIDED, args).await?;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp, limit: usize) -> Result<u64> {
    conn.run("deleting old changes", PRUNE, Args::new().with(sql_limit(limit)).with(before.0)).await
}
