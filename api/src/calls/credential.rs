//! Who calls, as far as the server can tell.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest as _, Sha256};

/// The credential of a call: a digest of what it showed, or none. Nothing is checked yet, so that it serves to tell
/// callers apart and not to trust them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Credential(Option<[u8; 32]>);

impl Credential {
    /// The credential that a request shows.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        Self(headers.get(AUTHORIZATION).map(|shown| Sha256::digest(shown.as_bytes()).into()))
    }
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Credential(shown)" } else { "Credential(none)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_tell_callers_apart_and_never_show_what_was_sent() {
        let of = |shown: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(shown) = shown {
                headers.insert(AUTHORIZATION, shown.parse().unwrap());
            }
            Credential::of(&headers)
        };
        assert_eq!(of(None), of(None));
        assert_eq!(of(Some("Bearer a")), of(Some("Bearer a")));
        assert_ne!(of(Some("Bearer a")), of(Some("Bearer b")));
        assert_ne!(of(Some("")), of(None));
        assert!(!format!("{:?}", of(Some("Bearer a"))).contains("Bearer"));
    }
}
