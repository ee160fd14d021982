//! Ids that callers choose, of requests and imports, may say anything: so they are kept as hashes, which are looked for and never read.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// How an id that a caller chose is kept: its SHA-256 in hex.
pub(crate) fn kept(id: &str) -> String {
    Sha256::digest(id).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a text does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_kept_as_its_hash() {
        assert_eq!(kept("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
