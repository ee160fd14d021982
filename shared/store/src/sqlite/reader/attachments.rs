//! Reads attachments and their blobs.

use kimberly_core::attachments::{Attachment, AttachmentUsage, PendingBlobs};
use kimberly_core::error::Result;
use kimberly_core::ids::{BlobId, MemoryId};
use kimberly_core::ports::AttachmentQuery;
use uuid::Uuid;

use super::limit as sql_limit;
use crate::rows::attachment;
use crate::sqlite::conn::{Args, Conn};
use crate::sqlite::errors;
use crate::sqlite::filter;
use crate::sqlite::rows::{Cells, ReadRow as _};

/// Attachments with the ids of their visible memories, concatenated in hexadecimal. A condition on those memories and
/// one on attachments complete the statement.
const ATTACHMENTS: &str = "SELECT a.id, b.id, a.name, a.media_type, b.sha256, b.size_bytes, b.stored_bytes, a.uploader, \
     a.created_at, a.hung, coalesce((SELECT group_concat(hex(m.id), '' ORDER BY m.seq) FROM attached t \
     JOIN memories m ON m.seq = t.memory WHERE t.attachment = a.no AND m.withheld ";
const OF_SHOWN: &str =
    "= 0), '') AS shown FROM attachments a JOIN blobs b ON b.no = a.blob WHERE (NOT a.hung OR shown <> '')";
const EVERY: &str = "< 2), '') AS shown FROM attachments a JOIN blobs b ON b.no = a.blob WHERE 1";
const TO_SEAL: &str = " AND b.sealed = 0 AND EXISTS (SELECT 1 FROM attached t JOIN memories m ON m.seq = t.memory \
     WHERE t.attachment = a.no AND m.sensitive = 1)";
const USAGE: &str = "SELECT (SELECT count(*) FROM attachments), coalesce(sum(size_bytes), 0), \
     (SELECT coalesce(sum(size_bytes), 0) FROM blobs WHERE state = 0), coalesce(sum(stored_bytes), 0) \
     FROM blobs WHERE state = 1";
const CONDEMNED: &str = "SELECT id FROM blobs WHERE state = 2 ORDER BY no LIMIT +?";
const OLDEST: &str = "SELECT (SELECT min(staged_at) FROM blobs WHERE state = 0), \
     (SELECT min(created_at) FROM attachments WHERE hung = 0)";
const BLOBS: &str = "SELECT id, state = 1 FROM blobs WHERE id > ? ORDER BY id LIMIT +?";

pub(super) async fn attachments(conn: &mut Conn, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
    found(conn, OF_SHOWN, query).await
}

pub(super) async fn every(conn: &mut Conn, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
    found(conn, EVERY, query).await
}

async fn found(conn: &mut Conn, which: &'static str, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
    let mut args = Args::new();
    let (conditions, limit) = match query {
        AttachmentQuery::Ids(ids) => {
            let hex: Vec<_> = ids.iter().map(|id| id.0.simple().to_string()).collect();
            args.push(filter::json(&hex));
            (" AND a.id IN (SELECT unhex(value) FROM json_each(?))", usize::MAX)
        }
        AttachmentQuery::OfMemory(seq) => {
            args.push(seq.0);
            (" AND a.no IN (SELECT attachment FROM attached WHERE memory = ?)", usize::MAX)
        }
        AttachmentQuery::ToSeal(most) => (TO_SEAL, *most),
        AttachmentQuery::Page { after: Some((created_at, id)), limit } => {
            args.push(created_at.0);
            args.push(id.0.as_bytes().to_vec());
            (" AND (a.created_at, a.id) > (?, ?)", *limit)
        }
        AttachmentQuery::Page { after: None, limit } => ("", *limit),
    };
    let sql = format!("{ATTACHMENTS}{which}{conditions} ORDER BY a.created_at, a.id LIMIT +?");
    conn.rows("reading attachments", sql, args.with(sql_limit(limit)), |row| {
        let c = &mut Cells::new(row);
        let attachment = attachment(c)?;
        Ok(Attachment { memories: ids(c.str()?)?, ..attachment })
    })
    .await
}

/// Parses ids from hexadecimal digits.
fn ids(hex: &str) -> Result<Vec<MemoryId>> {
    let one = |digits: &[u8]| Uuid::try_parse_ascii(digits).map(MemoryId);
    let ids: Result<_, _> = hex.as_bytes().chunks(32).map(one).collect();
    ids.map_err(|_| errors::corrupt("the id of a memory with an attachment is not readable"))
}

pub(super) async fn usage(conn: &mut Conn) -> Result<AttachmentUsage> {
    let usage = conn.row("counting attachments", USAGE, Args::new(), |row| {
        let c = &mut Cells::new(row);
        let (items, bytes, coming_bytes, stored_bytes) = (c.count()?, c.count()?, c.count()?, c.count()?);
        Ok(AttachmentUsage { items, bytes, coming_bytes, stored_bytes })
    });
    Ok(usage.await?.unwrap_or_default())
}

pub(super) async fn pending(conn: &mut Conn, limit: usize) -> Result<PendingBlobs> {
    let doing = "listing unfinished attachments";
    let args = Args::new().with(sql_limit(limit));
    let condemned = conn.rows(doing, CONDEMNED, args, |row| Cells::new(row).uuid().map(BlobId)).await?;
    let oldest = conn
        .row(doing, OLDEST, Args::new(), |row| {
            let c = &mut Cells::new(row);
            Ok((c.opt_time()?, c.opt_time()?))
        })
        .await?;
    let (oldest_staged, oldest_unreferenced) = oldest.unwrap_or_default();
    Ok(PendingBlobs { condemned, oldest_staged, oldest_unreferenced })
}

pub(super) async fn blobs(conn: &mut Conn, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, bool)>> {
    let after = after.map_or_else(Vec::new, |after| after.0.as_bytes().to_vec());
    let args = Args::new().with(after).with(sql_limit(limit));
    conn.rows("reading the blobs of attachments", BLOBS, args, |row| {
        let c = &mut Cells::new(row);
        Ok((BlobId(c.uuid()?), c.flag()?))
    })
    .await
}
