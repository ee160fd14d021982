//! Names, and which of them are equal.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use super::EntityType;
use super::words::folded;

/// The id of a name within a namespace. It is deterministic, so that a person's decision about a name still applies
/// after derived data was rebuilt or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub Uuid);

impl NameId {
    /// Returns the id of a normal form.
    pub fn of(namespace: &str, normal: &str) -> Self {
        Self(digest(&[b"name", namespace.as_bytes(), normal.as_bytes()]))
    }
}

/// Digest of a namespace, used where its name must not be stored.
pub(super) fn space_of(namespace: &str) -> Uuid {
    digest(&[b"space", namespace.as_bytes()])
}

fn digest(parts: &[&[u8]]) -> Uuid {
    let mut hasher = Sha256::new();
    hasher.update(b"kimberly/v1/entities\0");
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let mut id = [0; 16];
    id.copy_from_slice(&hasher.finalize()[..16]);
    Uuid::from_bytes(id)
}

/// The form in which names are compared: addresses, files and code only in lower case; others without case,
/// punctuation and a leading article.
pub fn normal(kind: EntityType, surface: &str) -> String {
    if kind.is_written() {
        return surface.trim_end_matches('/').to_lowercase();
    }
    let kept: String =
        folded(surface).chars().map(|c| if c.is_alphanumeric() || "+#".contains(c) { c } else { ' ' }).collect();
    let words: Vec<&str> = kept.split_whitespace().collect();
    let article = words.len() > 1 && words.first() == Some(&"the");
    let words = words.get(usize::from(article)..).unwrap_or_default();
    words.join(" ")
}
