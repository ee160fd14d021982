//! Page tokens for lists of all users: the last user of the previous page, encoded for URLs. Callers who may request
//! such a list may know every user.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use kimberly_core::{Error, Result, UserId};

/// Returns the token of the page after a user.
pub(super) fn token(last: &UserId) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(last.as_str())
}

/// Returns the user after whom a page begins.
pub(super) fn behind(token: &str) -> Result<UserId> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(token).map_err(|_| Error::InvalidPageToken)?;
    let last = String::from_utf8(bytes).map_err(|_| Error::InvalidPageToken)?;
    UserId::parse(&last).map_err(|_| Error::InvalidPageToken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_leads_behind_its_user_and_nothing_else_is_one() {
        let user = UserId::parse("zoë@example.org").unwrap();
        let made = token(&user);
        assert!(made.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)), "{made}");
        assert_eq!(behind(&made).unwrap(), user);
        for wrong in ["[Filtered]", "zoë", "_w", "CgoK", "a"] {
            assert!(matches!(behind(wrong), Err(Error::InvalidPageToken)), "{wrong}");
        }
    }
}
