//! Writes attachments, their links to memories, and their blobs. Triggers handle the consequences of deletions.

use kimberly_core::Timestamp;
use kimberly_core::attachments::{BlobFacts, NewAttachment};
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_core::ids::{AttachmentId, BlobId, Seq};
use kimberly_core::ports::Job;

use super::outbox;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::filter;
use crate::sqlite::rows::{Cells, ReadRow as _, unsigned};
use crate::sqlite::schema::late;

const STAGE: &str =
    "INSERT INTO blobs (id, state, staged_at, size_bytes, stored_bytes, sealed) VALUES (?, 0, ?, ?, 0, ?)";
const IS_STAGED: &str = "SELECT EXISTS (SELECT 1 FROM blobs WHERE id = ? AND state = 0)";
const SAME: &str =
    "SELECT id FROM blobs WHERE sha256 = ? AND state = 1 AND sealed = (SELECT sealed FROM blobs WHERE id = ?)";
const STORE: &str =
    "UPDATE blobs SET state = 1, sha256 = ?, size_bytes = ?, stored_bytes = ? WHERE id = ? AND state = 0";
const CONDEMN: &str = "UPDATE blobs SET state = 2, sha256 = NULL WHERE id = ? AND state = 0";
const FORGET: &str = "DELETE FROM blobs WHERE state = 2 AND id IN (SELECT unhex(value) FROM json_each(?))";
const INSERT: &str = "INSERT INTO attachments (id, blob, created_at, hung, uploader, media_type, name) \
     SELECT ?, no, ?, 0, ?, ?, ? FROM blobs WHERE id = ? AND state = 1";
const MOVE: &str = "UPDATE attachments SET blob = (SELECT no FROM blobs WHERE id = ? AND state = 1) WHERE id = ?";
const ATTACH: &str =
    "INSERT INTO attached (memory, attachment) SELECT ?, no FROM attachments WHERE id = ? ON CONFLICT DO NOTHING";
const DETACH: &str = "DELETE FROM attached WHERE memory = ? AND attachment = (SELECT no FROM attachments WHERE id = ?)";
const EXPIRE: &str = "DELETE FROM attachments WHERE hung = 0 AND created_at < ?";
const CONDEMN_OLD: &str = "UPDATE blobs SET state = 2 WHERE state = 0 AND staged_at < ?";
const IS_CONDEMNED: &str = "SELECT EXISTS (SELECT 1 FROM blobs WHERE state = 2)";
const ANY_ID: &str = "SELECT randomblob(16)";

pub(super) async fn stage(conn: &mut Conn, id: BlobId, most: u64, sealed: bool, at: Timestamp) -> Result<()> {
    let args = Args::new().with(id.0.as_bytes().to_vec()).with(at.0).with(unsigned(most)).with(i64::from(sealed));
    late::create(conn, "blobs").await?;
    conn.run("staging a blob", STAGE, args).await.map(drop)
}

pub(super) async fn store(conn: &mut Conn, id: BlobId, facts: &BlobFacts) -> Result<Option<BlobId>> {
    let (doing, bytes) = ("storing a blob", id.0.as_bytes().to_vec());
    let args = Args::new().with(bytes.clone());
    if conn.row(doing, IS_STAGED, args, |row| Cells::new(row).flag()).await? != Some(true) {
        return Ok(None);
    }
    let args = Args::new().with(facts.sha256.to_vec()).with(bytes.clone());
    if let Some(same) = conn.row(doing, SAME, args, |row| Cells::new(row).uuid().map(BlobId)).await? {
        conn.run(doing, CONDEMN, Args::new().with(bytes)).await?;
        return Ok(Some(same));
    }
    let args = Args::new().with(facts.sha256.to_vec()).with(unsigned(facts.size_bytes));
    conn.run(doing, STORE, args.with(unsigned(facts.stored_bytes)).with(bytes)).await?;
    Ok(Some(id))
}

pub(super) async fn condemn(conn: &mut Conn, id: BlobId, at: Timestamp) -> Result<()> {
    conn.run("marking a blob for removal", CONDEMN, Args::new().with(id.0.as_bytes().to_vec())).await?;
    remove_later(conn, at).await
}

pub(super) async fn forget(conn: &mut Conn, ids: &[BlobId]) -> Result<()> {
    let hex: Vec<_> = ids.iter().map(|id| id.0.simple().to_string()).collect();
    let forgotten = conn.run("deleting blob records", FORGET, Args::new().with(filter::json(&hex))).await?;
    conn.notes.erased |= forgotten > 0;
    Ok(())
}

pub(super) async fn insert(conn: &mut Conn, new: &NewAttachment) -> Result<()> {
    let args = Args::new().with(new.id.0.as_bytes().to_vec()).with(new.created_at.0).with(new.uploader.clone());
    let args = args.with(new.media_type.clone()).with(new.name.clone()).with(new.blob.0.as_bytes().to_vec());
    expect_one(conn.run("inserting an attachment", INSERT, args).await?, "an attachment has no bytes")
}

pub(super) async fn put_over(conn: &mut Conn, id: AttachmentId, to: BlobId) -> Result<bool> {
    let args = Args::new().with(to.0.as_bytes().to_vec()).with(id.0.as_bytes().to_vec());
    let moved = conn.run("replacing an attachment's bytes", MOVE, args).await?;
    // The old reference to the bytes must leave the log, too.
    conn.notes.erased |= moved > 0;
    Ok(moved > 0)
}

pub(super) async fn attach(conn: &mut Conn, memory: Seq, id: AttachmentId) -> Result<()> {
    let args = Args::new().with(memory.0).with(id.0.as_bytes().to_vec());
    conn.run("writing an attachment", ATTACH, args).await.map(drop)
}

pub(super) async fn detach(conn: &mut Conn, memory: Seq, id: AttachmentId, at: Timestamp) -> Result<bool> {
    let args = Args::new().with(memory.0).with(id.0.as_bytes().to_vec());
    let detached = conn.run("removing an attachment from a memory", DETACH, args).await?;
    conn.notes.erased |= detached > 0;
    remove_later(conn, at).await?;
    Ok(detached > 0)
}

pub(super) async fn expire(conn: &mut Conn, unreferenced: Timestamp, staged: Timestamp) -> Result<u64> {
    let doing = "expiring attachments";
    let expired = conn.run(doing, EXPIRE, Args::new().with(unreferenced.0)).await?;
    conn.run(doing, CONDEMN_OLD, Args::new().with(staged.0)).await?;
    conn.notes.erased |= expired > 0;
    Ok(expired)
}

/// Adds a job to the outbox if there are bytes to remove. Called by everything that may condemn blobs.
pub(super) async fn remove_later(conn: &mut Conn, at: Timestamp) -> Result<()> {
    let doing = "listing blobs marked for removal";
    if conn.row(doing, IS_CONDEMNED, Args::new(), |row| Cells::new(row).flag()).await? != Some(true) {
        return Ok(());
    }
    let id = conn.row(doing, ANY_ID, Args::new(), |row| Cells::new(row).uuid()).await?;
    outbox::enqueue(conn, id.unwrap_or_default(), &Job::Attachments { after_s: 0 }, at, None).await
}

fn expect_one(rows: u64, problem: &str) -> Result<()> {
    if rows == 1 { Ok(()) } else { Err(Error::storage(StorageFailure::Defect, problem)) }
}
