//! Counts all memories, to verify the counters.

use kimberly_core::error::Result;
use kimberly_core::usage::{Count, Usage};

use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _, from_code};
use crate::rows::recounted;

const COUNT: &str = "SELECT tier, state, count(*), sum(size_bytes)::bigint FROM memories WHERE user_id = $1 \
     GROUP BY tier, state";

pub(super) async fn recount(conn: &mut Conn) -> Result<Usage> {
    let (counted, args) = (conn.head.usage()?, conn.args());
    let counts = conn
        .rows("counting memories", COUNT, args, |row| {
            let c = &mut Cells::new(row);
            Ok((from_code(c.int()?)?, from_code(c.int()?)?, Count { items: c.count()?, bytes: c.count()? }))
        })
        .await?;
    Ok(recounted(&counted, counts))
}
