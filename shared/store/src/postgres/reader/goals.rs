//! Reads goals.

use std::fmt::Write as _;

use kimberly_core::Timestamp;
use kimberly_core::error::Result;
use kimberly_core::goals::{Goal, GoalStatus};
use kimberly_core::ids::GoalId;

use super::limit as sql_limit;
use crate::postgres::conn::Conn;
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

/// Parses a goal from its body.
pub(super) fn from_json(body: &str) -> Result<Goal> {
    serde_json::from_str(body).map_err(|_| errors::corrupt("a goal is not readable"))
}

pub(super) async fn goal(conn: &mut Conn, id: GoalId) -> Result<Option<Goal>> {
    let (sql, args) = ("SELECT body FROM goals WHERE user_id = $1 AND id = $2", conn.args().with(id.0));
    conn.row("reading a goal", sql, args, |row| from_json(Cells::new(row).str()?)).await
}

pub(super) async fn goals(
    conn: &mut Conn,
    status: Option<GoalStatus>,
    after: Option<(Timestamp, GoalId)>,
    limit: usize,
) -> Result<Vec<Goal>> {
    let mut sql = String::from("SELECT body FROM goals WHERE user_id = $1");
    let mut args = conn.args();
    if let Some(status) = status {
        let _ = write!(sql, " AND status = ${}", args.push(status.name()));
    }
    if let Some((created_at, id)) = after {
        let (created_at, id) = (args.push(created_at.0), args.push(id.0));
        let _ = write!(sql, " AND (created_at, id) < (${created_at}, ${id})");
    }
    let _ = write!(sql, " ORDER BY created_at DESC, id DESC LIMIT ${}", args.push(sql_limit(limit)));
    conn.rows("reading goals", sql, args, |row| from_json(Cells::new(row).str()?)).await
}

pub(super) async fn count(conn: &mut Conn) -> Result<(usize, usize)> {
    let sql = "SELECT count(*), count(*) FILTER (WHERE status = 'active') FROM goals WHERE user_id = $1";
    let args = conn.args();
    let found = conn
        .row("counting goals", sql, args, |row| {
            let c = &mut Cells::new(row);
            Ok((c.count()?, c.count()?))
        })
        .await?
        .unwrap_or_default();
    Ok((usize::try_from(found.0).unwrap_or(usize::MAX), usize::try_from(found.1).unwrap_or(usize::MAX)))
}
