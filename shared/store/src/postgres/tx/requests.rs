//! Stores and prunes answers for replays.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::ports::RequestRecord;

use crate::chosen;
use crate::postgres::conn::Conn;
use crate::postgres::reader::limit as sql_limit;

const PUT: &str = "INSERT INTO requests (user_id, id, fingerprint, answer, at) VALUES ($1, $2, $3, $4, $5) \
     ON CONFLICT (user_id, id) DO UPDATE SET fingerprint = excluded.fingerprint, answer = excluded.answer, \
     at = excluded.at";
const PRUNE: &str = "DELETE FROM requests WHERE user_id = $1 \
     AND id IN (SELECT id FROM requests WHERE user_id = $1 AND at < $2 ORDER BY at LIMIT $3)";

pub(super) async fn put(conn: &mut Conn, record: &RequestRecord) -> Result<()> {
    let args = conn.args().with(chosen::hashed(&record.request_id)).with(record.fingerprint.to_vec());
    conn.run("storing an answer", PUT, args.with(record.answer.clone()).with(record.at.0)).await?;
    Ok(())
}

pub(super) async fn prune(conn: &mut Conn, before: Timestamp, limit: usize) -> Result<u64> {
    let args = conn.args().with(before.0).with(sql_limit(limit));
    conn.run("deleting old answers", PRUNE, args).await
}
