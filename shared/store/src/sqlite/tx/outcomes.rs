//! Counts how often memories helped.

use kimberly_core::error::Result;
use kimberly_core::ids::Seq;

use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter::json_numbers;
use crate::sqlite::rows::unsigned;

const ADD: &str = "UPDATE memories SET helpful = helpful + ?, unhelpful = unhelpful + ?, epoch = -1 \
     WHERE seq IN (SELECT value FROM json_each(?))";

pub(super) async fn add(conn: &mut Conn, seqs: &[Seq], helpful: u64, unhelpful: u64) -> Result<()> {
    let json = json_numbers(seqs.iter().map(|seq| seq.0));
    let args = Args::new().with(unsigned(helpful)).with(unsigned(unhelpful)).with(json);
    conn.run("writing outcomes", ADD, args).await?;
    Ok(())
}
