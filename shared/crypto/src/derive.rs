//! Key derivation (HKDF-SHA256, RFC 5869) and an unambiguous encoding of several fields.

use ring::hkdf::{HKDF_SHA256, Salt};

use crate::{KeyError, Secret32};

/// Derives the key for one purpose (`info`) from a key and a salt that need not be secret.
pub(crate) fn derive(key: &Secret32, salt: &[u8], info: &[&[u8]]) -> Result<Secret32, KeyError> {
    let mut derived = Secret32::zeroed();
    Salt::new(HKDF_SHA256, salt)
        .extract(key.expose())
        .expand(info, HKDF_SHA256)
        .and_then(|okm| okm.fill(derived.bytes_mut()))
        .map_err(|_| KeyError::Primitive("derived key"))?;
    Ok(derived)
}

/// Concatenates fields, each prefixed with its length (u32, big-endian), so that no byte can move between fields.
pub(crate) fn fields(parts: &[&[u8]]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(parts.iter().map(|part| part.len() + 4).sum());
    for part in parts {
        // Parts are ids and names, far below 4 GiB.
        joined.extend_from_slice(&u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes());
        joined.extend_from_slice(part);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hex::hex;

    #[test]
    fn derived_keys_are_those_of_an_independent_implementation() {
        let key = Secret32::copied_from(&core::array::from_fn::<u8, 32, _>(|i| u8::try_from(i).unwrap())).unwrap();
        let derived = derive(&key, b"0123456789abcdef", &[b"kimberly/v1/", b"wrap/db"]).unwrap();
        // Computed with Python's hmac and hashlib: extract and one round of expand.
        assert_eq!(hex(derived.expose()), "3d847e7c34906078b6dc829846a957a0f685a62a5a571723296d6e217845cda9");
    }

    #[test]
    fn salt_key_and_purpose_all_matter() {
        let (one, other) = (Secret32::copied_from(&[1; 32]).unwrap(), Secret32::copied_from(&[2; 32]).unwrap());
        let all = [
            derive(&one, b"s", &[b"p"]).unwrap(),
            derive(&other, b"s", &[b"p"]).unwrap(),
            derive(&one, b"t", &[b"p"]).unwrap(),
            derive(&one, b"s", &[b"q"]).unwrap(),
        ];
        let distinct: std::collections::BTreeSet<&[u8; 32]> = all.iter().map(Secret32::expose).collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn bytes_do_not_move_between_fields() {
        assert_ne!(fields(&[b"ab", b"c"]), fields(&[b"a", b"bc"]));
        assert_ne!(fields(&[b"ab"]), fields(&[b"ab", b""]));
        assert_eq!(fields(&[b"ab", b""]), [0, 0, 0, 2, b'a', b'b', 0, 0, 0, 0]);
    }
}
