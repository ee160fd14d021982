//! Ids of other records that a request may leave out.

use kimberly_core::{ConsentId, Result};

/// Parses the id of a consent record. Returns `None` if it is empty.
pub fn consent_id(path: &str, raw: &str) -> Result<Option<ConsentId>> {
    if raw.is_empty() { Ok(None) } else { ConsentId::parse(path, raw).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_id_is_none_and_another_kind_is_refused() {
        assert_eq!(consent_id("memory.consent_id", "").unwrap(), None);
        assert!(consent_id("memory.consent_id", "mem_1").is_err());
    }
}
