//! Attachments as JSON.

use kimberly_proto::v1;
use serde_json::{Value, json};

use super::{compact, time};

/// An attachment; for who may not read, as little as came.
pub(crate) fn attachment(attachment: &v1::Attachment) -> Value {
    compact(json!({
        "id": attachment.id,
        "name": attachment.name,
        "media_type": attachment.media_type,
        "sha256": attachment.sha256,
        "size_bytes": attachment.created_at.map(|_| attachment.size_bytes),
        "created_at": time(attachment.created_at.as_ref()),
        "uploaded_by": attachment.uploaded_by,
        "memory_ids": attachment.memory_ids,
    }))
}
