//! XChaCha20-Poly1305 with a random nonce in front: `nonce (24) | ciphertext | tag (16)`.
//!
//! Nonces have 192 bits, so random ones do not collide however many messages a service writes under one key.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use crate::secret::fill;
use crate::{KeyError, Secret32};

/// Size of the nonce, in bytes.
pub(crate) const NONCE: usize = 24;
/// Bytes that sealing adds to a plaintext, nonce included.
pub(crate) const OVERHEAD: usize = NONCE + 16;

/// Seals `text` and appends the result to `out`.
pub(crate) fn seal_into(out: &mut Vec<u8>, key: &Secret32, aad: &[u8], text: &[u8]) -> Result<(), KeyError> {
    let mut nonce = [0; NONCE];
    fill(&mut nonce)?;
    let sealed = XChaCha20Poly1305::new(key.expose().into())
        .encrypt(&XNonce::from(nonce), Payload { msg: text, aad })
        .map_err(|_| KeyError::Primitive("ciphertext"))?;
    out.extend_from_slice(&nonce);
    out.extend_from_slice(&sealed);
    Ok(())
}

/// Returns the plaintext; `None` if the bytes were changed or truncated, or sealed under another key or other
/// associated data.
pub(crate) fn open(key: &Secret32, aad: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
    let cipher = XChaCha20Poly1305::new(key.expose().into());
    cipher.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad }).ok().map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(text: &[u8]) -> (Secret32, Vec<u8>) {
        let key = Secret32::random().unwrap();
        let mut out = Vec::new();
        seal_into(&mut out, &key, b"aad", text).unwrap();
        (key, out)
    }

    #[test]
    fn texts_of_any_length_come_back() {
        for length in [0, 1, 63, 64, 65, 100_000] {
            let text = vec![0x5a; length];
            let (key, out) = sealed(&text);
            assert_eq!(out.len(), length + OVERHEAD);
            assert_eq!(*open(&key, b"aad", &out).unwrap(), text);
        }
    }

    #[test]
    fn the_same_text_is_never_sealed_the_same_way() {
        let (key, first) = sealed(b"text");
        let mut second = Vec::new();
        seal_into(&mut second, &key, b"aad", b"text").unwrap();
        assert_ne!(first, second);
        assert_ne!(first[..NONCE], second[..NONCE]);
    }

    #[test]
    fn every_changed_bit_and_every_cut_is_refused() {
        let (key, out) = sealed(b"some text");
        for bit in 0..out.len() * 8 {
            let mut changed = out.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&key, b"aad", &changed).is_none(), "bit {bit} may be changed");
        }
        for length in 0..out.len() {
            assert!(open(&key, b"aad", &out[..length]).is_none(), "{length} bytes are enough");
        }
        assert!(open(&key, b"aae", &out).is_none() && open(&key, b"", &out).is_none());
        assert!(open(&Secret32::random().unwrap(), b"aad", &out).is_none());
    }
}
