//! Ids that callers choose (of requests and imports) may contain anything. They are stored as hashes: looked up, never
//! read back.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Returns the stored form of a caller's id: its SHA-256 in hexadecimal.
pub(crate) fn hashed(id: &str) -> String {
    Sha256::digest(id).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_stored_as_its_hash() {
        assert_eq!(hashed("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
