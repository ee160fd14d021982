//! Writes the ledger of vectors.

use kimberly_core::Timestamp;
use kimberly_core::embedding::{EmbeddingReport, start_of_week};
use kimberly_core::error::Result;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::unsigned;

const AWAIT: &str = "UPDATE embedding SET waiting = 1 WHERE waiting = 0";
const ASK: &str = "UPDATE embedding SET asked_at = max(coalesce(asked_at, ?1), ?1)";
const RENEW: &str = "UPDATE embedding SET rebuild = ?";
const BEGIN: &str = "UPDATE embedding SET waiting = 0";
const ADD: &str = "INSERT INTO embedded (day, vectors) VALUES (?1, ?2) \
     ON CONFLICT (day) DO UPDATE SET vectors = vectors + excluded.vectors;\
     DELETE FROM embedded WHERE day < ?3";
const REPORT: &str = "UPDATE embedding SET synced_at = ?, needed = ?, missing = ?, failed = ?, version = ?, \
     asked_at = iif(asked_at <= ?, NULL, asked_at)";

pub(super) async fn wait(conn: &mut Conn, asked_at: Option<Timestamp>) -> Result<bool> {
    if let Some(at) = asked_at {
        conn.run("recording a request for vectors", ASK, Args::new().with(at.0)).await?;
    }
    Ok(conn.run("recording that vectors are due", AWAIT, Args::new()).await? > 0)
}

pub(super) async fn renew(conn: &mut Conn, rebuild: bool) -> Result<()> {
    conn.run("recording whether vectors are outdated", RENEW, Args::new().with(rebuild)).await?;
    Ok(())
}

pub(super) async fn begin(conn: &mut Conn) -> Result<()> {
    conn.run("recording that embedding is running", BEGIN, Args::new()).await?;
    Ok(())
}

pub(super) async fn add(conn: &mut Conn, day: i64, vectors: u64) -> Result<()> {
    let args = Args::new().with(day).with(unsigned(vectors)).with(start_of_week(day));
    conn.run("counting vectors", ADD, args).await?;
    Ok(())
}

pub(super) async fn report(conn: &mut Conn, report: &EmbeddingReport, answered: Option<Timestamp>) -> Result<()> {
    let args = Args::new()
        .with(report.at.0)
        .with(unsigned(report.needed))
        .with(unsigned(report.missing))
        .with(unsigned(report.failed))
        .with(unsigned(report.version))
        .with(answered.map(|at| at.0));
    conn.run("writing the embedding status", REPORT, args).await?;
    Ok(())
}
