//! Writes the ledger of vectors.

use kimberly_core::Timestamp;
use kimberly_core::embedding::{EmbeddingReport, start_of_week};
use kimberly_core::error::Result;

use crate::postgres::conn::Conn;
use crate::postgres::rows::unsigned;

const AWAIT: &str = "UPDATE vaults SET embedding_waiting = true WHERE user_id = $1 AND NOT embedding_waiting";
const ASK: &str = "UPDATE vaults SET embedding_asked_at = greatest(embedding_asked_at, $2) WHERE user_id = $1";
const RENEW: &str = "UPDATE vaults SET embedding_rebuild = $2 WHERE user_id = $1";
const BEGIN: &str = "UPDATE vaults SET embedding_waiting = false WHERE user_id = $1";
const ADD: &str = "INSERT INTO embedded (user_id, day, vectors) VALUES ($1, $2, $3) \
     ON CONFLICT (user_id, day) DO UPDATE SET vectors = embedded.vectors + excluded.vectors";
const FORGET: &str = "DELETE FROM embedded WHERE user_id = $1 AND day < $2";
const REPORT: &str = "UPDATE vaults SET embedding_synced_at = $2, embedding_needed = $3, embedding_missing = $4, \
     embedding_failed = $5, embedding_version = $6, \
     embedding_asked_at = CASE WHEN embedding_asked_at <= $7 THEN NULL ELSE embedding_asked_at END WHERE user_id = $1";

pub(super) async fn wait(conn: &mut Conn, asked_at: Option<Timestamp>) -> Result<bool> {
    if let Some(at) = asked_at {
        let args = conn.args().with(at.0);
        conn.run("recording a request for vectors", ASK, args).await?;
    }
    let args = conn.args();
    Ok(conn.run("recording that vectors are due", AWAIT, args).await? > 0)
}

pub(super) async fn renew(conn: &mut Conn, rebuild: bool) -> Result<()> {
    let args = conn.args().with(rebuild);
    conn.run("recording whether vectors are outdated", RENEW, args).await?;
    Ok(())
}

pub(super) async fn begin(conn: &mut Conn) -> Result<()> {
    let args = conn.args();
    conn.run("recording that embedding is running", BEGIN, args).await?;
    Ok(())
}

pub(super) async fn add(conn: &mut Conn, day: i64, vectors: u64) -> Result<()> {
    let args = conn.args().with(day).with(unsigned(vectors));
    conn.run("counting vectors", ADD, args).await?;
    let args = conn.args().with(start_of_week(day));
    conn.run("deleting old vector counts", FORGET, args).await?;
    Ok(())
}

pub(super) async fn report(conn: &mut Conn, report: &EmbeddingReport, answered: Option<Timestamp>) -> Result<()> {
    let args = conn
        .args()
        .with(report.at.0)
        .with(unsigned(report.needed))
        .with(unsigned(report.missing))
        .with(unsigned(report.failed))
        .with(unsigned(report.version))
        .with(answered.map(|at| at.0));
    conn.run("writing the embedding status", REPORT, args).await?;
    Ok(())
}
