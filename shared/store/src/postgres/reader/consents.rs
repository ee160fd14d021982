//! Reads records of consent.

use kimberly_core::Timestamp;
use kimberly_core::consent::ConsentRecord;
use kimberly_core::error::Result;
use kimberly_core::ports::{ConsentCount, ConsentQuery};
use uuid::Uuid;

use super::limit as sql_limit;
use crate::postgres::conn::{Args, Conn};
use crate::postgres::errors;
use crate::postgres::rows::{Cells, ReadRow as _};

const COUNT: &str = "SELECT count(*), \
     count(*) FILTER (WHERE retracted_at IS NULL AND (expires_at IS NULL OR expires_at > $2)) \
     FROM consents WHERE user_id = $1";

pub(super) async fn consents(conn: &mut Conn, query: &ConsentQuery) -> Result<Vec<ConsentRecord>> {
    let mut args = conn.args();
    let conditions = conditions(&mut args, query);
    let limit = args.push(sql_limit(match query {
        ConsentQuery::Page { limit, .. } => *limit,
        _ => usize::MAX,
    }));
    let sql = format!(
        "SELECT body FROM consents WHERE user_id = $1 AND {conditions} ORDER BY granted_at DESC, id DESC LIMIT ${limit}"
    );
    conn.rows("reading consents", sql, args, |row| {
        serde_json::from_str(Cells::new(row).str()?).map_err(|_| errors::corrupt("a record of consent is not readable"))
    })
    .await
}

fn conditions(args: &mut Args, query: &ConsentQuery) -> String {
    match query {
        ConsentQuery::Active(at) => {
            format!("retracted_at IS NULL AND (expires_at IS NULL OR expires_at > ${})", args.push(at.0))
        }
        ConsentQuery::Ids(ids) => {
            let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
            format!("id = ANY(${})", args.push(ids))
        }
        ConsentQuery::Page { retracted, after, .. } => {
            let shown = if *retracted { "true" } else { "retracted_at IS NULL" };
            match after {
                Some((granted_at, id)) => {
                    let (granted_at, id) = (args.push(granted_at.0), args.push(id.0));
                    format!("{shown} AND (granted_at, id) < (${granted_at}, ${id})")
                }
                None => shown.to_owned(),
            }
        }
    }
}

pub(super) async fn count(conn: &mut Conn, at: Timestamp) -> Result<ConsentCount> {
    let args = conn.args().with(at.0);
    let (all, active) = conn
        .row("counting consents", COUNT, args, |row| {
            let c = &mut Cells::new(row);
            Ok((c.count()?, c.count()?))
        })
        .await?
        .unwrap_or_default();
    let number = |n| usize::try_from(n).unwrap_or(usize::MAX);
    Ok(ConsentCount { all: number(all), active: number(active) })
}
