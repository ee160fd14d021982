//! Attachments, both ways.

use kimberly_core::attachments::{Attachment, AttachmentDraft};
use kimberly_core::usecases::attachments::UploadInput;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use super::problems::Problems;
use super::{int64, time};

/// What a caller says of an upload. Bounds are checked by the domain.
pub fn upload(raw: v1::AttachmentStart) -> Result<UploadInput> {
    let mut problems = Problems::default();
    let size_bytes = problems.take("start.size_bytes", size(raw.size_bytes));
    let sha256 = problems.take("start.sha256", digest(&raw.sha256));
    let memory = Some(raw.memory_id).filter(|id| !id.is_empty());
    let memory = memory.map(|id| MemoryId::parse("start.memory_id", &id)).transpose();
    let memory = problems.absorb(memory).flatten();
    let draft = AttachmentDraft { name: raw.name, media_type: raw.media_type, sha256, size_bytes };
    problems.finish(UploadInput { draft, memory })
}

fn size(raw: Option<i64>) -> Result<Option<u64>, String> {
    let wrong = |raw: i64| u64::try_from(raw).map_err(|_| format!("is {raw}; 0 or more bytes can come"));
    raw.map(wrong).transpose()
}

/// 64 digits of lower-case hex, or nothing.
fn digest(raw: &str) -> Result<Option<[u8; 32]>, String> {
    if raw.is_empty() {
        return Ok(None);
    }
    let mut digest = [0; 32];
    let pairs = raw.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(nibble(*high)? << 4 | nibble(*low)?),
        _ => None,
    });
    let bytes: Option<Vec<u8>> = pairs.collect();
    match bytes.filter(|bytes| bytes.len() == digest.len()) {
        Some(bytes) => digest.copy_from_slice(&bytes),
        None => return Err("is not 64 digits of lower-case hex; leave it empty for none".to_owned()),
    }
    Ok(Some(digest))
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// An attachment for the contract.
pub fn attachment(attachment: Attachment) -> v1::Attachment {
    use std::fmt::Write as _;
    let sha256 = attachment.facts.sha256.iter().fold(String::with_capacity(64), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    v1::Attachment {
        id: attachment.id.to_string(),
        name: attachment.name,
        media_type: attachment.media_type,
        sha256,
        size_bytes: int64(attachment.facts.size_bytes),
        created_at: Some(time::wire_timestamp(attachment.created_at)),
        uploaded_by: attachment.uploader,
        memory_ids: attachment.memories.iter().map(ToString::to_string).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
