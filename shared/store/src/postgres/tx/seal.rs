//! Sensitive memories that stand there in plain, from a time when nothing was sealed.

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::ports::SealedBatch;

use super::counted::alter;
use crate::postgres::conn::Conn;
use crate::postgres::reader::limit as sql_limit;
use crate::postgres::rows::{Cells, Texts};

const SOME: &str = "SELECT seq, id, content, attributes, channels FROM memories \
     WHERE user_id = $1 AND sensitive AND sealed_content IS NULL ORDER BY seq LIMIT $2";
const SEAL: &str = "content = '', attributes = NULL, channels = NULL, sealed_content = $3, sealed_attributes = $4, \
     sealed_channels = $5, indexed = NULL, tokens = 0";
const LEFT: &str = "SELECT count(*) FROM memories WHERE user_id = $1 AND sensitive AND sealed_content IS NULL";

pub(super) async fn some(conn: &mut Conn, limit: usize) -> Result<SealedBatch> {
    let seals = conn.sealing()?;
    if !seals.are_on() {
        return Ok(SealedBatch::default());
    }
    let args = conn.args().with(sql_limit(limit));
    let found = conn
        .rows("finding what is to be sealed", SOME, args, |row| {
            let c = &mut Cells::new(row);
            Ok((c.int()?, MemoryId(c.uuid()?), (c.text()?, c.opt_text()?, c.opt_text()?)))
        })
        .await?;
    if found.is_empty() {
        return Ok(SealedBatch::default());
    }
    conn.head.recall_changed();
    let sealed = found.len() as u64;
    for (seq, id, plain) in found {
        let mut args = conn.args().with(seq);
        Texts::sealed(id, &plain, &seals)?.push_sealed(&mut args);
        alter(conn, "sealing a memory", (SEAL, "m.seq = $2"), args).await?;
    }
    let args = conn.args();
    let left = conn.row("counting what is to be sealed", LEFT, args, |row| Cells::new(row).count()).await?;
    Ok(SealedBatch { sealed, left: left.unwrap_or_default() })
}
