//! Writes attachments, their links to memories, and their blobs. Erasing the last memory of an attachment removes the
//! attachment, and removing the last attachment of a blob condemns its bytes.

use kimberly_core::Timestamp;
use kimberly_core::attachments::{BlobFacts, NewAttachment};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::{AttachmentId, BlobId, Seq};
use kimberly_core::ports::Job;

use super::outbox;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _, unsigned};

const STAGE: &str = "INSERT INTO blobs (user_id, no, id, state, staged_at, size_bytes, stored_bytes, sealed) \
     SELECT v.user_id, (SELECT coalesce(max(no), 0) + 1 FROM blobs WHERE user_id = $1), $2, 0, $3, $4, 0, $5 \
     FROM vaults v WHERE v.user_id = $1";
const IS_STAGED: &str = "SELECT EXISTS (SELECT 1 FROM blobs WHERE user_id = $1 AND id = $2 AND state = 0)";
const SAME: &str = "SELECT id FROM blobs WHERE user_id = $1 AND sha256 = $2 AND state = 1 \
     AND sealed = (SELECT sealed FROM blobs WHERE user_id = $1 AND id = $3)";
const STORE: &str = "UPDATE blobs SET state = 1, sha256 = $3, size_bytes = $4, stored_bytes = $5 \
     WHERE user_id = $1 AND id = $2 AND state = 0";
const CONDEMN: &str = "UPDATE blobs SET state = 2, sha256 = NULL WHERE user_id = $1 AND id = $2 AND state = 0";
const FORGET: &str = "DELETE FROM blobs WHERE user_id = $1 AND state = 2 AND id = ANY($2)";
const INSERT: &str = "INSERT INTO attachments (user_id, no, id, blob, created_at, hung, uploader, media_type, name) \
     SELECT user_id, (SELECT coalesce(max(no), 0) + 1 FROM attachments WHERE user_id = $1), $2, no, $3, false, $4, $5, $6 \
     FROM blobs WHERE user_id = $1 AND id = $7 AND state = 1";
const MOVE: &str = "WITH old AS MATERIALIZED (SELECT no, blob FROM attachments WHERE user_id = $1 AND id = $3) \
     UPDATE attachments AS a SET blob = (SELECT no FROM blobs WHERE user_id = $1 AND id = $2 AND state = 1) FROM old \
     WHERE a.user_id = $1 AND a.no = old.no RETURNING old.blob";
const ATTACH: &str = "INSERT INTO attached (user_id, memory, attachment) \
     SELECT user_id, $2, no FROM attachments WHERE user_id = $1 AND id = $3 ON CONFLICT DO NOTHING";
const HUNG: &str = "UPDATE attachments SET hung = true WHERE user_id = $1 AND id = $2 AND NOT hung";
const DETACH: &str = "DELETE FROM attached WHERE user_id = $1 AND memory = $2 \
     AND attachment = (SELECT no FROM attachments WHERE user_id = $1 AND id = $3) RETURNING attachment";
const DETACH_ALL: &str = "DELETE FROM attached WHERE user_id = $1 AND memory = ANY($2) RETURNING attachment";
const DROP_UNUSED: &str = "DELETE FROM attachments AS a WHERE user_id = $1 AND no = ANY($2) \
     AND NOT EXISTS (SELECT 1 FROM attached WHERE user_id = $1 AND attachment = a.no) RETURNING blob";
const EXPIRE: &str = "DELETE FROM attachments WHERE user_id = $1 AND NOT hung AND created_at < $2 RETURNING blob";
const CONDEMN_OLD: &str = "UPDATE blobs SET state = 2 WHERE user_id = $1 AND state = 0 AND staged_at < $2";
const CONDEMN_UNUSED: &str = "UPDATE blobs AS b SET state = 2, sha256 = NULL WHERE user_id = $1 AND no = ANY($2) \
     AND NOT EXISTS (SELECT 1 FROM attachments WHERE user_id = $1 AND blob = b.no)";
/// Selects an id for a job if there are bytes to remove.
const CONDEMNED: &str = "SELECT gen_random_uuid() WHERE EXISTS (SELECT 1 FROM blobs WHERE user_id = $1 AND state = 2)";

pub(super) async fn stage(conn: &mut Conn, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()> {
    let args = conn.args().with(id.0).with(at.0).with(unsigned(most)).with(sealed);
    conn.run("staging a blob", STAGE, args).await.map(drop)
}

pub(super) async fn store(conn: &mut Conn, id: BlobId, facts: &BlobFacts) -> Result<Option<BlobId>> {
    let doing = "storing a blob";
    let args = conn.args().with(id.0);
    if conn.row(doing, IS_STAGED, args, |row| Cells::new(row).flag()).await? != Some(true) {
        return Ok(None);
    }
    let args = conn.args().with(facts.sha256.to_vec()).with(id.0);
    if let Some(same) = conn.row(doing, SAME, args, |row| Cells::new(row).uuid().map(BlobId)).await? {
        let args = conn.args().with(id.0);
        conn.run(doing, CONDEMN, args).await?;
        return Ok(Some(same));
    }
    let args = conn.args().with(id.0).with(facts.sha256.to_vec()).with(unsigned(facts.size_bytes));
    conn.run(doing, STORE, args.with(unsigned(facts.stored_bytes))).await?;
    Ok(Some(id))
}

pub(super) async fn condemn(conn: &mut Conn, id: BlobId, at: Timestamp) -> Result<()> {
    let args = conn.args().with(id.0);
    conn.run("marking a blob for removal", CONDEMN, args).await?;
    remove_later(conn, at).await
}

pub(super) async fn forget(conn: &mut Conn, ids: &[BlobId]) -> Result<()> {
    let ids: Vec<_> = ids.iter().map(|id| id.0).collect();
    let args = conn.args().with(ids);
    conn.run("deleting blob records", FORGET, args).await.map(drop)
}

pub(super) async fn insert(conn: &mut Conn, new: &NewAttachment) -> Result<()> {
    let args = conn.args().with(new.id.0).with(new.created_at.0).with(new.uploader.clone());
    let args = args.with(new.media_type.clone()).with(new.name.clone()).with(new.blob.0);
    expect_one(conn.run("inserting an attachment", INSERT, args).await?, "an attachment has no bytes")
}

pub(super) async fn put_over(conn: &mut Conn, id: AttachmentId, to: BlobId) -> Result<bool> {
    let args = conn.args().with(to.0).with(id.0);
    let before = conn.rows("replacing an attachment's bytes", MOVE, args, |row| Cells::new(row).int()).await?;
    let moved = !before.is_empty();
    condemn_unused(conn, before).await?;
    Ok(moved)
}

pub(super) async fn attach(conn: &mut Conn, memory: Seq, id: AttachmentId) -> Result<()> {
    let doing = "writing an attachment";
    let args = conn.args().with(memory.0).with(id.0);
    conn.run(doing, ATTACH, args).await?;
    let args = conn.args().with(id.0);
    conn.run(doing, HUNG, args).await.map(drop)
}

pub(super) async fn detach(conn: &mut Conn, memory: Seq, id: AttachmentId, at: Timestamp) -> Result<bool> {
    let args = conn.args().with(memory.0).with(id.0);
    let detached = conn.rows("removing an attachment from a memory", DETACH, args, |row| Cells::new(row).int()).await?;
    let hung = !detached.is_empty();
    drop_unused(conn, detached).await?;
    remove_later(conn, at).await?;
    Ok(hung)
}

pub(super) async fn expire(conn: &mut Conn, unreferenced: Timestamp, staged: Timestamp) -> Result<u64> {
    let doing = "expiring attachments";
    let args = conn.args().with(unreferenced.0);
    let expired = conn.rows(doing, EXPIRE, args, |row| Cells::new(row).int()).await?;
    let count = expired.len() as u64;
    condemn_unused(conn, expired).await?;
    let args = conn.args().with(staged.0);
    conn.run(doing, CONDEMN_OLD, args).await?;
    Ok(count)
}

/// Detaches attachments from erased memories.
pub(super) async fn erased_from(conn: &mut Conn, memories: Vec<i64>) -> Result<()> {
    let args = conn.args().with(memories);
    let detached =
        conn.rows("removing attachments from memories", DETACH_ALL, args, |row| Cells::new(row).int()).await?;
    drop_unused(conn, detached).await
}

/// Drops those of these attachments that no memory has.
async fn drop_unused(conn: &mut Conn, attachments: Vec<i64>) -> Result<()> {
    if attachments.is_empty() {
        return Ok(());
    }
    let args = conn.args().with(attachments);
    let blobs = conn.rows("deleting attachments", DROP_UNUSED, args, |row| Cells::new(row).int()).await?;
    condemn_unused(conn, blobs).await
}

/// Condemns those of these blobs that no attachment uses.
async fn condemn_unused(conn: &mut Conn, blobs: Vec<i64>) -> Result<()> {
    if blobs.is_empty() {
        return Ok(());
    }
    let args = conn.args().with(blobs);
    conn.run("marking blobs for removal", CONDEMN_UNUSED, args).await.map(drop)
}

/// Adds a job to the outbox if there are bytes to remove. Called by everything that may condemn blobs.
pub(super) async fn remove_later(conn: &mut Conn, at: Timestamp) -> Result<()> {
    let args = conn.args();
    let job = conn.row("listing blobs marked for removal", CONDEMNED, args, |row| Cells::new(row).uuid()).await?;
    let Some(id) = job else { return Ok(()) };
    outbox::enqueue(conn, id, &Job::Attachments { after_s: 0 }, at, None).await
}

fn expect_one(rows: u64, problem: &str) -> Result<()> {
    if rows == 1 { Ok(()) } else { Err(Error::storage(StorageFailure::Defect, problem)) }
}
