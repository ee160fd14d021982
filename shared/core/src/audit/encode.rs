//! The bytes of an entry that are hashed.
//!
//! A version byte, then every field in a fixed order: integers as 8 bytes big-endian, texts as their length in bytes (4,
//! big-endian) and their UTF-8 bytes, optional fields after a byte that is 0 or 1. So no two entries have the same bytes.
//! Never change a version; add a new one.

use super::record::AuditRecord;
use crate::time::Timestamp;

/// The version that this build writes.
const VERSION: u8 = 1;

/// Encodes an entry without its hash.
pub(super) fn encode(entry: &AuditRecord) -> Vec<u8> {
    let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let texts = entry.actor.len() + entry.action.len() + optional(&entry.refused) + optional(&entry.subject);
    let mut bytes = Vec::with_capacity(texts + 43);
    bytes.push(VERSION);
    bytes.extend_from_slice(&entry.no.to_be_bytes());
    bytes.extend_from_slice(&entry.at.0.to_be_bytes());
    push_text(&mut bytes, &entry.actor);
    push_text(&mut bytes, &entry.action);
    push_optional(&mut bytes, entry.refused.as_deref());
    push_optional(&mut bytes, entry.subject.as_deref());
    bytes.extend_from_slice(&entry.count.to_be_bytes());
    bytes
}

fn push_optional(bytes: &mut Vec<u8>, text: Option<&str>) {
    bytes.push(u8::from(text.is_some()));
    if let Some(text) = text {
        push_text(bytes, text);
    }
}

fn push_text(bytes: &mut Vec<u8>, text: &str) {
    // Texts are names and ids, far below 4 GiB; larger ones would only give two such texts the same length.
    bytes.extend_from_slice(&u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

/// Bytes being parsed from the front.
pub(super) struct Bytes<'b>(pub(super) &'b [u8]);

impl Bytes<'_> {
    /// Takes the next `N` bytes.
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(u32::from_be_bytes(self.take()?)).ok()?;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok().map(str::to_owned)
    }

    /// Reads the flag of an optional text.
    fn has_text(&mut self) -> Option<bool> {
        match self.take()? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

/// Decodes the next entry that [`encode`] wrote, with a hash of zeros.
pub(super) fn decode(bytes: &mut Bytes<'_>) -> Option<AuditRecord> {
    if bytes.take()? != [VERSION] {
        return None;
    }
    Some(AuditRecord {
        no: u64::from_be_bytes(bytes.take()?),
        at: Timestamp(i64::from_be_bytes(bytes.take()?)),
        actor: bytes.text()?,
        action: bytes.text()?,
        refused: if bytes.has_text()? { Some(bytes.text()?) } else { None },
        subject: if bytes.has_text()? { Some(bytes.text()?) } else { None },
        count: u64::from_be_bytes(bytes.take()?),
        hash: [0; 32],
    })
}
