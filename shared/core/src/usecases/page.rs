//! Pages of lists: sizes, and tokens that say where to continue. A token is opaque to callers: base64url of the key of
//! the last item and of a checksum over that key and the request. So a damaged token, or one of another user, filter or
//! order, is refused rather than followed. It is no secret and no permission: the user is checked with every call. Only
//! for callers who reach some memories alone, the key is hidden, because it counts the others.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::veil::Veil;
use crate::bounds::{DEFAULT_PAGE_SIZE, MAX_PAGE_BYTES, MAX_PAGE_SIZE, MAX_PAGE_TOKEN_BYTES};
use crate::error::{Error, Result};
use crate::ids::UserId;
use crate::memory::Memory;

/// Bytes of the checksum in a token.
const CHECKSUM_BYTES: usize = 12;

/// A requested page: how many items, and where to continue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageRequest {
    /// Most items; 0 for the default.
    pub size: i32,
    /// Token that the previous page returned; empty for the first page.
    pub token: String,
}

impl PageRequest {
    /// Returns the number of items, 50 by default. The error names the field `page_size`.
    pub fn limit(&self) -> Result<usize> {
        self.limit_or(DEFAULT_PAGE_SIZE)
    }

    /// Returns the number of items, `default` if none was given. The error names the field `page_size`.
    pub fn limit_or(&self, default: usize) -> Result<usize> {
        match usize::try_from(self.size) {
            Ok(0) => Ok(default),
            Ok(size) if size <= MAX_PAGE_SIZE => Ok(size),
            _ => {
                let problem = format!("is {}; 1-{MAX_PAGE_SIZE} are allowed, or 0 for {default}", self.size);
                Err(Error::invalid("page_size", problem))
            }
        }
    }
}

/// Returns the number of items of a list without pages: at most `most`, and `default` for 0. The error names the field `limit`.
pub(super) fn limit(asked: i32, default: usize, most: usize) -> Result<usize> {
    let limit = if asked == 0 { Some(default) } else { usize::try_from(asked).ok() };
    limit
        .filter(|limit| *limit <= most)
        .ok_or_else(|| Error::invalid("limit", format!("is {asked}; 1 to {most} are allowed, and 0 for {default}")))
}

/// Returns how many of the first items have at most `most` bytes together; at least one if there is any.
pub(super) fn fit(sizes: impl Iterator<Item = u64>, most: usize) -> usize {
    let mut bytes = 0_u64;
    let fits = sizes.enumerate().take_while(|(index, size)| {
        bytes = bytes.saturating_add(*size);
        *index == 0 || usize::try_from(bytes).is_ok_and(|bytes| bytes <= most)
    });
    fits.count()
}

/// Returns the first memories that fit into an answer of about 1 MiB, at least one if there is any.
pub(super) fn fitting(mut memories: Vec<Memory>) -> Vec<Memory> {
    let fit = fit(memories.iter().map(|memory| memory.size_bytes), MAX_PAGE_BYTES);
    memories.truncate(fit);
    memories
}

/// The parameters of a list; its tokens are valid only with the same ones.
#[derive(Clone, Debug)]
pub struct Scope {
    asked: Sha256,
    veil: Option<Veil>,
}

impl Scope {
    /// Makes the scope of a list from the operation, the user, and everything that selects or orders items.
    pub fn new(operation: &'static str, user: &UserId, selection: &impl Serialize) -> Result<Self> {
        Self::of(operation, user.as_str(), selection)
    }

    /// Like [`new`](Self::new), for a list that may belong to no user: then `user` is empty.
    pub(crate) fn of(operation: &'static str, user: &str, selection: &impl Serialize) -> Result<Self> {
        let mut hasher = Sha256::new();
        for part in ["kimberly.page/v1", operation, user] {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        }
        serde_json::to_writer(&mut hasher, selection).map_err(|_| Error::InvalidPageToken)?;
        Ok(Self { asked: hasher, veil: None })
    }

    /// Makes the tokens unreadable for their holders, if there is a veil.
    #[must_use]
    pub(super) fn veiled(self, veil: Option<Veil>) -> Self {
        Self { veil, ..self }
    }

    /// Returns the token of the page that follows the item with this key.
    pub fn token(&self, key: &impl Serialize) -> Result<String> {
        let mut bytes = serde_json::to_vec(key).map_err(|_| Error::InvalidPageToken)?;
        if let Some(veil) = &self.veil {
            bytes = veil.hide(&bytes);
        }
        let checksum = self.checksum(&bytes);
        bytes.extend_from_slice(&checksum);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Returns the key in a token; `None` for an empty one, the first page. Fails with [`Error::InvalidPageToken`].
    pub fn key<K: DeserializeOwned>(&self, token: &str) -> Result<Option<K>> {
        if token.is_empty() {
            return Ok(None);
        }
        if token.len() > MAX_PAGE_TOKEN_BYTES {
            return Err(Error::InvalidPageToken);
        }
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| Error::InvalidPageToken)?;
        let split = bytes.len().checked_sub(CHECKSUM_BYTES).ok_or(Error::InvalidPageToken)?;
        let (key, checksum) = bytes.split_at(split);
        if self.checksum(key) != checksum {
            return Err(Error::InvalidPageToken);
        }
        let shown = self.veil.as_ref().map(|veil| veil.show(key));
        serde_json::from_slice(shown.as_deref().unwrap_or(key)).map(Some).map_err(|_| Error::InvalidPageToken)
    }

    /// Returns the key in the cursor of a stream; `None` for an empty one. Fails with [`Error::InvalidCursor`].
    pub fn cursor_key<K: DeserializeOwned>(&self, cursor: &str) -> Result<Option<K>> {
        self.key(cursor).map_err(|_| Error::InvalidCursor)
    }

    fn checksum(&self, key: &[u8]) -> [u8; CHECKSUM_BYTES] {
        let mut hasher = self.asked.clone();
        hasher.update([u8::from(self.veil.is_some())]);
        hasher.update(key);
        let digest = hasher.finalize();
        let mut checksum = [0; CHECKSUM_BYTES];
        checksum.copy_from_slice(&digest[..CHECKSUM_BYTES]);
        checksum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(operation: &'static str, user: &str, selection: &str) -> Scope {
        Scope::new(operation, &UserId::parse(user).unwrap(), &selection).unwrap()
    }

    #[test]
    fn token_returns_the_key_it_was_made_from() {
        let scope = scope("list", "ada", "filter");
        let token = scope.token(&(5_i64, "x")).unwrap();
        assert_eq!(scope.key::<(i64, String)>(&token).unwrap(), Some((5, "x".to_owned())));
        assert_eq!(scope.key::<(i64, String)>("").unwrap(), None);
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{token}");
    }

    #[test]
    fn token_of_another_user_operation_or_selection_is_refused() {
        let token = scope("list", "ada", "filter").token(&5).unwrap();
        for other in [scope("list", "eve", "filter"), scope("goals", "ada", "filter"), scope("list", "ada", "")] {
            assert!(matches!(other.key::<i64>(&token), Err(Error::InvalidPageToken)));
        }
    }

    #[test]
    fn damaged_token_is_refused() {
        let scope = scope("list", "ada", "filter");
        let token = scope.token(&123_456_789).unwrap();
        for at in 0..token.len() {
            let mut damaged = token.clone().into_bytes();
            damaged[at] = if damaged[at] == b'A' { b'B' } else { b'A' };
            let damaged = String::from_utf8(damaged).unwrap();
            assert!(matches!(scope.key::<i64>(&damaged), Err(Error::InvalidPageToken)), "{damaged}");
        }
        for garbage in ["A", "====", "ключ", &"A".repeat(MAX_PAGE_TOKEN_BYTES + 1), &token[1..]] {
            assert!(matches!(scope.key::<i64>(garbage), Err(Error::InvalidPageToken)), "{garbage}");
        }
    }

    #[test]
    fn a_veiled_token_returns_its_key_and_says_nothing_to_others() {
        let plain = scope("list", "ada", "filter");
        let veiled = plain.clone().veiled(Some(super::super::veil::tests::veil(1)));
        let token = veiled.token(&123_456_789_i64).unwrap();
        assert_eq!(veiled.key::<i64>(&token).unwrap(), Some(123_456_789));
        assert_ne!(veiled.token(&123_456_789_i64).unwrap(), token);
        let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
        assert!(!bytes.windows(4).any(|window| window == b"1234"));
        let other = plain.clone().veiled(Some(super::super::veil::tests::veil(2)));
        for wrong in [plain.key::<i64>(&token), other.key(&token), veiled.key(&plain.token(&7).unwrap())] {
            assert!(matches!(wrong, Err(Error::InvalidPageToken)));
        }
    }

    #[test]
    fn page_size_is_held_to_its_bounds() {
        let limit = |size| PageRequest { size, token: String::new() }.limit();
        assert_eq!(limit(0).unwrap(), DEFAULT_PAGE_SIZE);
        assert_eq!(limit(1).unwrap(), 1);
        assert_eq!(limit(1_000).unwrap(), MAX_PAGE_SIZE);
        for bad in [-1, 1_001, i32::MAX, i32::MIN] {
            assert!(matches!(limit(bad), Err(Error::Invalid(v)) if v[0].field == "page_size"), "{bad}");
        }
    }
}
