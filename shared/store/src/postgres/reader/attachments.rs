//! Reads attachments and their blobs.

use kimberly_core::attachments::{Attachment, AttachmentUsage, PendingBlobs};
use kimberly_core::error::Result;
use kimberly_core::ids::{BlobId, MemoryId};
use kimberly_core::ports::AttachmentQuery;
use uuid::Uuid;

use super::limit as sql_limit;
use crate::postgres::conn::Conn;
use crate::postgres::rows::{Cells, ReadRow as _};
use crate::rows::attachment;

/// Attachments with the ids of their visible memories: those whose `withheld` is below a number that follows.
/// Conditions on attachments complete the statement.
const ATTACHMENTS: &str = "SELECT a.id, b.id, a.name, a.media_type, b.sha256, b.size_bytes, b.stored_bytes, a.uploader, \
     a.created_at, a.hung, shown.ids FROM attachments a JOIN blobs b ON b.user_id = a.user_id AND b.no = a.blob \
     CROSS JOIN LATERAL (SELECT coalesce(array_agg(m.id ORDER BY m.seq), '{}') AS ids FROM attached t \
     JOIN memories m ON m.user_id = t.user_id AND m.seq = t.memory \
     WHERE t.user_id = $1 AND t.attachment = a.no AND m.withheld < ";
const OF_SHOWN: &str = "1) shown WHERE a.user_id = $1 AND (NOT a.hung OR cardinality(shown.ids) > 0)";
const EVERY: &str = "2) shown WHERE a.user_id = $1";
const TO_SEAL: &str = " AND NOT b.sealed AND EXISTS (SELECT 1 FROM attached t \
     JOIN memories m ON m.user_id = t.user_id AND m.seq = t.memory \
     WHERE t.user_id = $1 AND t.attachment = a.no AND m.sensitive)";
const USAGE: &str = "SELECT (SELECT count(*) FROM attachments WHERE user_id = $1), \
     coalesce(sum(size_bytes) FILTER (WHERE state = 1), 0)::bigint, \
     coalesce(sum(size_bytes) FILTER (WHERE state = 0), 0)::bigint, \
     coalesce(sum(stored_bytes) FILTER (WHERE state = 1), 0)::bigint FROM blobs WHERE user_id = $1";
const CONDEMNED: &str = "SELECT id FROM blobs WHERE user_id = $1 AND state = 2 ORDER BY no LIMIT $2";
const OLDEST: &str = "SELECT (SELECT min(staged_at) FROM blobs WHERE user_id = $1 AND state = 0), \
     (SELECT min(created_at) FROM attachments WHERE user_id = $1 AND NOT hung)";
const BLOBS: &str = "SELECT id, state = 1 FROM blobs WHERE user_id = $1 AND ($2::uuid IS NULL OR id > $2) \
     ORDER BY id LIMIT $3";

pub(super) async fn attachments(conn: &mut Conn, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
    found(conn, OF_SHOWN, query).await
}

pub(super) async fn every(conn: &mut Conn, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
    found(conn, EVERY, query).await
}

async fn found(conn: &mut Conn, which: &'static str, query: &AttachmentQuery) -> Result<Vec<Attachment>> {
    let mut args = conn.args();
    let (conditions, limit) = match query {
        AttachmentQuery::Ids(ids) => {
            let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
            (format!(" AND a.id = ANY(${})", args.push(ids)), usize::MAX)
        }
        AttachmentQuery::OfMemory(seq) => {
            let memory = args.push(seq.0);
            let of = format!("SELECT attachment FROM attached WHERE user_id = $1 AND memory = ${memory}");
            (format!(" AND a.no IN ({of})"), usize::MAX)
        }
        AttachmentQuery::ToSeal(most) => (TO_SEAL.to_owned(), *most),
        AttachmentQuery::Page { after: Some((created_at, id)), limit } => {
            let (created_at, id) = (args.push(created_at.0), args.push(id.0));
            (format!(" AND (a.created_at, a.id) > (${created_at}, ${id})"), *limit)
        }
        AttachmentQuery::Page { after: None, limit } => (String::new(), *limit),
    };
    let limit = args.push(sql_limit(limit));
    let sql = format!("{ATTACHMENTS}{which}{conditions} ORDER BY a.created_at, a.id LIMIT ${limit}");
    conn.rows("reading attachments", sql, args, |row| {
        let c = &mut Cells::new(row);
        let attachment = attachment(c)?;
        Ok(Attachment { memories: c.uuids()?.into_iter().map(MemoryId).collect(), ..attachment })
    })
    .await
}

pub(super) async fn usage(conn: &mut Conn) -> Result<AttachmentUsage> {
    let args = conn.args();
    let usage = conn.row("counting attachments", USAGE, args, |row| {
        let c = &mut Cells::new(row);
        let (items, bytes, coming_bytes, stored_bytes) = (c.count()?, c.count()?, c.count()?, c.count()?);
        Ok(AttachmentUsage { items, bytes, coming_bytes, stored_bytes })
    });
    Ok(usage.await?.unwrap_or_default())
}

pub(super) async fn pending(conn: &mut Conn, limit: usize) -> Result<PendingBlobs> {
    let doing = "listing unfinished attachments";
    let args = conn.args().with(sql_limit(limit));
    let condemned = conn.rows(doing, CONDEMNED, args, |row| Cells::new(row).uuid().map(BlobId)).await?;
    let args = conn.args();
    let oldest = conn
        .row(doing, OLDEST, args, |row| {
            let c = &mut Cells::new(row);
            Ok((c.opt_time()?, c.opt_time()?))
        })
        .await?;
    let (oldest_staged, oldest_unreferenced) = oldest.unwrap_or_default();
    Ok(PendingBlobs { condemned, oldest_staged, oldest_unreferenced })
}

pub(super) async fn blobs(conn: &mut Conn, after: Option<BlobId>, limit: usize) -> Result<Vec<(BlobId, bool)>> {
    let args = conn.args().with(after.map(|after| after.0)).with(sql_limit(limit));
    conn.rows("reading the blobs of attachments", BLOBS, args, |row| {
        let c = &mut Cells::new(row);
        Ok((BlobId(c.uuid()?), c.flag()?))
    })
    .await
}
