//! Estimates bytes on disk, because rows of all users share pages.

use kimberly_core::error::Result;
use kimberly_core::ports::VaultSizes;

use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::slots;

/// Average size of rows and of their full-text vectors, over the 128 newest memories.
const SAMPLE: &str = "SELECT coalesce(avg(pg_column_size(m.*)), 0)::float8, \
     coalesce(avg(pg_column_size(m.indexed)), 0)::float8 FROM (SELECT * FROM memories WHERE user_id = $1 \
     ORDER BY seq DESC LIMIT 128) m";
/// Approximate bytes per row in the page header and the indexes by number, id, time and position.
const BESIDE: f64 = 200.0;

/// Estimates the size of the user's memories with their indexes: their number times the average of the newest.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an estimate")]
pub(super) async fn sizes(conn: &mut Conn) -> Result<VaultSizes> {
    let (memories, indexed) = (conn.head.memories().max(0) as f64, conn.head.both(slots::INDEXED).0 as f64);
    let args = conn.args();
    let sample = conn
        .row("measuring a vault", SAMPLE, args, |row| {
            let c = &mut Cells::new(row);
            Ok((c.real()?, c.real()?))
        })
        .await?;
    let (row, index) = sample.unwrap_or_default();
    let index_bytes = indexed * index;
    let disk_bytes = if memories > 0.0 { memories * (row + BESIDE) + index_bytes } else { 0.0 };
    Ok(VaultSizes { disk_bytes: disk_bytes as u64, index_bytes: index_bytes as u64 })
}
