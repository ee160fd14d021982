//! Hides the content of tokens from their holders. Keys of items are numbers that count all memories and all changes of a
//! vault. Callers who reach only some of them must not learn from their tokens how many others there are, nor when they change.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::ports::{Clock, Ids};

/// Bytes of the nonce, which makes every token different.
const NONCE_BYTES: usize = 16;
/// Hidden bytes are padded to a multiple of this, so that their number reveals nothing either.
const BLOCK_BYTES: usize = 64;

/// Hides and shows the content of tokens, with a key that no caller knows. Cheap to clone.
#[derive(Clone)]
pub(super) struct Veil {
    key: Arc<[u8; 32]>,
    ids: Arc<dyn Ids>,
    clock: Arc<dyn Clock>,
}

impl Veil {
    pub(super) fn new(key: Arc<[u8; 32]>, ids: Arc<dyn Ids>, clock: Arc<dyn Clock>) -> Self {
        Self { key, ids, clock }
    }

    /// Hides JSON; the result is different each time.
    pub(super) fn hide(&self, json: &[u8]) -> Vec<u8> {
        let nonce = self.ids.new_id(self.clock.now()).into_bytes();
        let mut text = json.to_vec();
        // Trailing white space does not change JSON.
        text.resize(json.len().next_multiple_of(BLOCK_BYTES), b' ');
        self.mix(&nonce, &mut text);
        [nonce.as_slice(), text.as_slice()].concat()
    }

    /// Shows what was hidden; returns meaningless bytes if it was not hidden with this key.
    pub(super) fn show(&self, hidden: &[u8]) -> Vec<u8> {
        let (nonce, text) = hidden.split_at(hidden.len().min(NONCE_BYTES));
        let mut text = text.to_vec();
        self.mix(nonce, &mut text);
        text
    }

    /// XORs a text with a stream of bytes that depends on key and nonce.
    fn mix(&self, nonce: &[u8], text: &mut [u8]) {
        for (block, number) in text.chunks_mut(32).zip(0_u32..) {
            let mut hasher = Sha256::new();
            hasher.update(*self.key);
            hasher.update(nonce);
            hasher.update(number.to_be_bytes());
            block.iter_mut().zip(hasher.finalize()).for_each(|(byte, with)| *byte ^= with);
        }
    }
}

impl std::fmt::Debug for Veil {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Veil(..)")
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::time::Timestamp;

    struct Counting(AtomicU64);

    impl Ids for Counting {
        fn new_id(&self, _: Timestamp) -> uuid::Uuid {
            uuid::Uuid::from_u64_pair(0, self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    impl Clock for Counting {
        fn now(&self) -> Timestamp {
            Timestamp(0)
        }
    }

    pub(in super::super) fn veil(key: u8) -> Veil {
        let counting = || Arc::new(Counting(AtomicU64::default()));
        Veil::new(Arc::new([key; 32]), counting(), counting())
    }

    #[test]
    fn what_is_hidden_is_shown_by_the_same_key_and_by_no_other() {
        let (one, other) = (veil(1), veil(2));
        for json in ["7", "{\"created_at\":1,\"seq\":123456789}", ""] {
            let hidden = one.hide(json.as_bytes());
            assert_eq!(String::from_utf8(one.show(&hidden)).unwrap().trim_end(), json);
            assert!(json.is_empty() || other.show(&hidden) != one.show(&hidden));
        }
    }

    #[test]
    fn hidden_numbers_tell_neither_their_size_nor_that_they_are_the_same() {
        let veil = veil(1);
        let (small, large) = (veil.hide(b"7"), veil.hide(b"123456789"));
        assert_eq!(small.len(), large.len());
        assert_ne!(small[NONCE_BYTES..], veil.hide(b"7")[NONCE_BYTES..]);
        assert!(!large.windows(4).any(|window| window == b"1234"));
    }

    #[test]
    fn what_is_too_short_shows_nothing() {
        for length in 0..NONCE_BYTES {
            assert!(veil(1).show(&vec![0; length]).is_empty());
        }
    }
}
