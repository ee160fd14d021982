//! Compresses and decompresses bodies.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, HeaderMap};

/// Responses below this size are not compressed: the cost would exceed the gain.
pub(crate) const FROM_BYTES: usize = 16 * 1024;

/// Reports whether the caller accepts a compressed response.
pub fn accepted(headers: &HeaderMap) -> bool {
    let listed = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    listed.flat_map(|value| value.split(',')).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let never = weight.replace(' ', "").strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !never
    })
}

/// Compresses. Returns `None` on failure, which writing to memory never causes.
pub(crate) fn pack(plain: &[u8]) -> Option<Bytes> {
    let mut packer = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    packer.write_all(plain).ok()?;
    packer.finish().ok().map(Bytes::from)
}

/// Decompresses at most `limit` + 1 bytes.
pub(crate) fn unpack(packed: &[u8], limit: usize) -> std::io::Result<Bytes> {
    let mut plain = Vec::new();
    let limit = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(packed).take(limit).read_to_end(&mut plain)?;
    Ok(plain.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_unpacks_within_its_limit() {
        let plain = "many words ".repeat(1_000);
        let packed = pack(plain.as_bytes()).unwrap();
        assert!(packed.len() < plain.len() / 10);
        assert_eq!(unpack(&packed, plain.len()).unwrap(), plain.as_bytes());
        assert_eq!(unpack(&packed, 100).unwrap().len(), 101, "one byte past the limit reveals the excess");
        assert!(unpack(b"not gzip", 100).is_err() && unpack(&packed[..20], 100_000).is_err());
    }

    #[test]
    fn only_callers_that_ask_get_compressed_bodies() {
        let asks = |value: &str| accepted(&[(ACCEPT_ENCODING, value.parse().unwrap())].into_iter().collect());
        assert!(asks("gzip") && asks("br, GZIP;q=0.5"));
        assert!(!asks("br") && !asks("gzip; q=0") && !accepted(&HeaderMap::new()));
    }
}
