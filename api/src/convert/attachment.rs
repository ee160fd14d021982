//! Converts attachments in both directions.

use kimberly_core::attachments::{Attachment, AttachmentDraft, AttachmentRecord};
use kimberly_core::audit::{hash_from_text, hash_text};
use kimberly_core::usecases::attachments::UploadInput;
use kimberly_core::{AttachmentId, MemoryId, Result, Timestamp};
use kimberly_proto::v1;
use uuid::Uuid;

use super::problems::Problems;
use super::{int64, time};

/// Converts the start of an upload. The domain checks the bounds.
pub fn upload(raw: v1::AttachmentStart) -> Result<UploadInput> {
    let mut problems = Problems::default();
    let size_bytes = problems.take("start.size_bytes", size(raw.size_bytes));
    let sha256 = problems.take("start.sha256", digest(&raw.sha256));
    let memory = Some(raw.memory_id).filter(|id| !id.is_empty());
    let memory = memory.map(|id| MemoryId::parse("start.memory_id", &id)).transpose();
    let memory = problems.absorb(memory).flatten();
    let draft = AttachmentDraft { name: raw.name, media_type: raw.media_type, sha256, size_bytes };
    problems.finish(UploadInput { draft, memory, sensitive: false })
}

/// Converts an exported attachment. The domain checks the bounds.
pub fn record(raw: v1::Attachment) -> Result<AttachmentRecord> {
    let mut problems = Problems::default();
    let at = |field: &str| format!("start.attachment.{field}");
    let mut needed = |field: &str, is_set: bool| {
        if !is_set {
            problems.add(at(field), "is required");
        }
    };
    needed("sha256", !raw.sha256.is_empty());
    needed("created_at", raw.created_at.is_some());
    let id = problems.absorb(AttachmentId::parse(&at("id"), &raw.id)).unwrap_or(AttachmentId(Uuid::nil()));
    let size_bytes = problems.take(&at("size_bytes"), size(Some(raw.size_bytes)));
    let sha256 = problems.take(&at("sha256"), digest(&raw.sha256));
    let created_at = problems.take(&at("created_at"), time::optional_timestamp(raw.created_at));
    let memories = raw.memory_ids.iter().enumerate();
    let memories = memories.map(|(index, id)| MemoryId::parse(&at(&format!("memory_ids[{index}]")), id));
    let memories: Vec<_> = memories.filter_map(|id| problems.absorb(id)).collect();
    let draft = AttachmentDraft { name: raw.name, media_type: raw.media_type, sha256, size_bytes };
    let created_at = created_at.unwrap_or(Timestamp(0));
    problems.finish(AttachmentRecord { id, draft, uploader: raw.uploaded_by, created_at, memories })
}

fn size(raw: Option<i64>) -> Result<Option<u64>, String> {
    let wrong = |raw: i64| u64::try_from(raw).map_err(|_| format!("is {raw}; 0 or more is allowed"));
    raw.map(wrong).transpose()
}

/// Parses 64 digits of lower-case hex, or an empty text as none.
fn digest(raw: &str) -> Result<Option<[u8; 32]>, String> {
    if raw.is_empty() {
        return Ok(None);
    }
    let digest = hash_from_text(raw);
    digest.map(Some).ok_or_else(|| "is not 64 digits of lower-case hex; leave it empty for none".to_owned())
}

/// Converts an attachment to the contract.
pub fn attachment(attachment: Attachment) -> v1::Attachment {
    v1::Attachment {
        id: attachment.id.to_string(),
        name: attachment.name,
        media_type: attachment.media_type,
        sha256: hash_text(&attachment.facts.sha256),
        size_bytes: int64(attachment.facts.size_bytes),
        created_at: Some(time::wire_timestamp(attachment.created_at)),
        uploaded_by: attachment.uploader,
        memory_ids: attachment.memories.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use kimberly_core::Error;
    use kimberly_core::attachments::BlobFacts;
    use kimberly_core::ids::BlobId;

    use super::*;

    #[test]
    fn an_attachment_goes_out_and_comes_back_as_it_was() {
        let every = Attachment {
            id: AttachmentId(Uuid::from_u128(7)),
            blob: BlobId(Uuid::from_u128(8)),
            name: "menu".to_owned(),
            media_type: "text/plain".to_owned(),
            facts: BlobFacts { sha256: [9; 32], size_bytes: 3, stored_bytes: 4 },
            uploader: "key:phone".to_owned(),
            created_at: Timestamp(1),
            memories: vec![MemoryId(Uuid::from_u128(1)), MemoryId(Uuid::from_u128(2))],
            hangs: true,
        };
        let back = record(attachment(every.clone())).unwrap();
        let (sha256, size_bytes) = (Some(every.facts.sha256), Some(every.facts.size_bytes));
        let draft = AttachmentDraft { name: every.name, media_type: every.media_type, sha256, size_bytes };
        let Attachment { id, uploader, created_at, memories, .. } = every;
        assert_eq!(back, AttachmentRecord { id, draft, uploader, created_at, memories });
    }

    #[test]
    fn every_wrong_field_of_an_exported_one_is_named() {
        let raw = v1::Attachment { size_bytes: -1, memory_ids: vec!["x".to_owned()], ..Default::default() };
        let Err(Error::Invalid(found)) = record(raw) else { panic!("accepted") };
        let fields: Vec<&str> = found.iter().map(|violation| violation.field.as_str()).collect();
        let expected = ["sha256", "created_at", "id", "size_bytes", "memory_ids[0]"];
        assert_eq!(fields, expected.map(|field| format!("start.attachment.{field}")));
    }

    #[test]
    fn hashes_are_64_digits_of_lower_case_hex_or_nothing() {
        assert_eq!(digest(""), Ok(None));
        let parsed = digest(&format!("{}0f", "a1".repeat(31))).unwrap().unwrap();
        assert_eq!((parsed[0], parsed[31]), (0xa1, 0x0f));
        for wrong in ["a", &"a".repeat(63), &"a".repeat(65), &"A".repeat(64), &"g".repeat(64), &"é".repeat(32)] {
            assert!(digest(wrong).is_err(), "{wrong}");
        }
    }
}
