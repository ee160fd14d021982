//! Reads goals.

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::goals::{Goal, GoalStatus};
use kimberly_core::ids::GoalId;

use super::limit as sql_limit;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::rows::{Cells, ReadRow as _};

/// Parses goals from a JSON array of their bodies.
pub(super) fn from_json(json: &str) -> Result<Vec<Goal>> {
    serde_json::from_str(json).map_err(|_| unreadable())
}

pub(super) async fn goal(conn: &mut Conn, id: GoalId) -> Result<Option<Goal>> {
    let args = Args::new().with(id.0.as_bytes().to_vec());
    conn.row("reading a goal", "SELECT body FROM goals WHERE id = ?", args, |row| read(&mut Cells::new(row))).await
}

pub(super) async fn goals(
    conn: &mut Conn,
    status: Option<GoalStatus>,
    after: Option<(Timestamp, GoalId)>,
    limit: usize,
) -> Result<Vec<Goal>> {
    let mut sql = String::from("SELECT body FROM goals WHERE true");
    let mut args = Args::new();
    if let Some(status) = status {
        sql.push_str(" AND status = ?");
        args.push(status.name());
    }
    if let Some((created_at, id)) = after {
        sql.push_str(" AND (created_at, id) < (?, ?)");
        args.push(created_at.0);
        args.push(id.0.as_bytes().to_vec());
    }
    sql.push_str(" ORDER BY created_at DESC, id DESC LIMIT +?");
    args.push(sql_limit(limit));
    conn.rows("reading goals", sql, args, |row| read(&mut Cells::new(row))).await
}

pub(super) async fn count(conn: &mut Conn) -> Result<(usize, usize)> {
    let sql = "SELECT count(*), count(*) FILTER (WHERE status = 'active') FROM goals";
    let found = conn
        .row("counting goals", sql, Args::new(), |row| {
            let c = &mut Cells::new(row);
            Ok((c.count()?, c.count()?))
        })
        .await?
        .unwrap_or_default();
    Ok((usize::try_from(found.0).unwrap_or(usize::MAX), usize::try_from(found.1).unwrap_or(usize::MAX)))
}

fn read(c: &mut Cells<'_>) -> Result<Goal> {
    serde_json::from_str(c.str()?).map_err(|_| unreadable())
}

fn unreadable() -> kimberly_core::Error {
    errors::corrupt("a goal is not readable")
}
