//! Counts all memories, to verify the counters.

use kimberly_core::error::Result;
use kimberly_core::usage::{Count, Usage};

use crate::rows::recounted;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::rows::{Cells, ReadRow as _, from_code};

const COUNT: &str = "SELECT tier, state, count(*), sum(size_bytes) FROM memories GROUP BY tier, state";

pub(super) async fn recount(conn: &mut Conn) -> Result<Usage> {
    let counted = super::usage(conn).await?;
    let counts = conn
        .rows("counting memories", COUNT, Args::new(), |row| {
            let c = &mut Cells::new(row);
            Ok((from_code(c.int()?)?, from_code(c.int()?)?, Count { items: c.count()?, bytes: c.count()? }))
        })
        .await?;
    Ok(recounted(&counted, counts))
}
