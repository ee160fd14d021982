//! Sensitive memories that stand there in plain, from a time when nothing was sealed.

use kimberly_core::error::Result;
use kimberly_core::ids::MemoryId;
use kimberly_core::ports::SealedBatch;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::reader::limit as sql_limit;
use crate::sqlite::rows::{Cells, Texts};

const SOME: &str = "SELECT seq, id, content, attributes, channels FROM memories \
     WHERE sensitive = 1 AND sealed_content IS NULL ORDER BY seq LIMIT ?";
/// The trigger takes the words out of the full-text index.
const SEAL: &str = "UPDATE memories SET content = '', attributes = NULL, channels = NULL, sealed_content = ?, \
     sealed_attributes = ?, sealed_channels = ? WHERE seq = ?";
const LEFT: &str = "SELECT count(*) FROM memories WHERE sensitive = 1 AND sealed_content IS NULL";

pub(super) async fn some(conn: &mut Conn, limit: usize) -> Result<SealedBatch> {
    let Some(seals) = conn.seals.clone().filter(|seals| seals.are_on()) else { return Ok(SealedBatch::default()) };
    let found = conn
        .rows("finding what is to be sealed", SOME, Args::new().with(sql_limit(limit)), |row| {
            let c = &mut Cells::new(row);
            Ok((c.int()?, MemoryId(c.uuid()?), (c.text()?, c.opt_text()?, c.opt_text()?)))
        })
        .await?;
    if found.is_empty() {
        return Ok(SealedBatch::default());
    }
    conn.settle_index().await?;
    conn.notes.put_off.recall_changed = true;
    // What stood there is to go from the log, too.
    conn.notes.erased = true;
    let sealed = found.len() as u64;
    for (seq, id, plain) in found {
        let mut args = Args::new();
        Texts::sealed(id, &plain, &seals)?.push_sealed(&mut args);
        conn.run("sealing a memory", SEAL, args.with(seq)).await?;
    }
    let left = conn.row("counting what is to be sealed", LEFT, Args::new(), |row| Cells::new(row).count()).await?;
    Ok(SealedBatch { sealed, left: left.unwrap_or_default() })
}
