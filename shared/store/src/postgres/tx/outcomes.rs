//! Counts how often memories helped.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;

use crate::postgres::conn::Conn;
use crate::postgres::rows::unsigned;

const ADD: &str = "UPDATE memories SET helpful = helpful + $2, unhelpful = unhelpful + $3, epoch = -1 \
     WHERE user_id = $1 AND seq = ANY($4)";

pub(super) async fn add(conn: &mut Conn, seqs: &[Seq], helpful: u64, unhelpful: u64) -> Result<()> {
    let seqs: Vec<_> = seqs.iter().map(|seq| seq.0).collect();
    let args = conn.args().with(unsigned(helpful)).with(unsigned(unhelpful)).with(seqs);
    conn.run("writing outcomes", ADD, args).await?;
    Ok(())
}
