//! Reads records of consent.

use kimberly_core::Timestamp;
use kimberly_core::consent::ConsentRecord;
use kimberly_core::error::Result;
use kimberly_core::ports::{ConsentCount, ConsentQuery};

use super::limit as sql_limit;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::filter;
use crate::sqlite::rows::{Cells, ReadRow as _};

const COUNT: &str = "SELECT count(*), \
     count(*) FILTER (WHERE retracted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)) FROM consents";

pub(super) async fn consents(conn: &mut Conn, query: &ConsentQuery) -> Result<Vec<ConsentRecord>> {
    let (conditions, args) = conditions(query);
    let sql = format!("SELECT body FROM consents WHERE {conditions} ORDER BY granted_at DESC, id DESC LIMIT +?");
    let limit = match query {
        ConsentQuery::Page { limit, .. } => *limit,
        _ => usize::MAX,
    };
    conn.rows("reading consents", sql, args.with(sql_limit(limit)), |row| {
        serde_json::from_str(Cells::new(row).str()?).map_err(|_| errors::corrupt("a record of consent is not readable"))
    })
    .await
}

fn conditions(query: &ConsentQuery) -> (String, Args) {
    let mut args = Args::new();
    let conditions = match query {
        ConsentQuery::Active(at) => {
            args.push(at.0);
            "retracted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)".to_owned()
        }
        ConsentQuery::Ids(ids) => {
            let hex: Vec<_> = ids.iter().map(|id| id.0.simple().to_string()).collect();
            args.push(filter::json(&hex));
            "id IN (SELECT unhex(value) FROM json_each(?))".to_owned()
        }
        ConsentQuery::Page { retracted, after, .. } => {
            let mut conditions = if *retracted { "true" } else { "retracted_at IS NULL" }.to_owned();
            if let Some((granted_at, id)) = after {
                conditions.push_str(" AND (granted_at, id) < (?, ?)");
                args.push(granted_at.0);
                args.push(id.0.as_bytes().to_vec());
            }
            conditions
        }
    };
    (conditions, args)
}

pub(super) async fn count(conn: &mut Conn, at: Timestamp) -> Result<ConsentCount> {
    let (all, active) = conn
        .row("counting consents", COUNT, Args::new().with(at.0), |row| {
            let c = &mut Cells::new(row);
            Ok((c.count()?, c.count()?))
        })
        .await?
        .unwrap_or_default();
    let number = |n| usize::try_from(n).unwrap_or(usize::MAX);
    Ok(ConsentCount { all: number(all), active: number(active) })
}
