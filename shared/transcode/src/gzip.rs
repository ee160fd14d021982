//! Packing and unpacking of bodies.

use std::io::{Read as _, Write as _};

use bytes::Bytes;
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use http::header::{ACCEPT_ENCODING, HeaderMap};

/// Smaller answers are sent as they are: packing them would cost more than it saves.
pub(crate) const FROM_BYTES: usize = 16 * 1024;

/// Whether an answer may be packed.
pub fn accepted(headers: &HeaderMap) -> bool {
    let listed = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    listed.flat_map(|value| value.split(',')).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let never = weight.replace(' ', "").strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !never
    })
}

/// Packs; `None` if that fails, which writing to memory does not.
pub(crate) fn pack(plain: &[u8]) -> Option<Bytes> {
    let mut packer = GzEncoder::new(Vec::with_capacity(plain.len() / 4), Compression::fast());
    packer.write_all(plain).ok()?;
    packer.finish().ok().map(Bytes::from)
}

/// Unpacks at most `limit` bytes and one.
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
        assert_eq!(unpack(&packed, 100).unwrap().len(), 101, "one more than allowed shows that it is too much");
        assert!(unpack(b"not gzip", 100).is_err() && unpack(&packed[..20], 100_000).is_err());
    }

    #[test]
    fn packing_is_for_those_who_ask() {
        let asks = |value: &str| accepted(&[(ACCEPT_ENCODING, value.parse().unwrap())].into_iter().collect());
        assert!(asks("gzip") && asks("br, GZIP;q=0.5"));
        assert!(!asks("br") && !asks("gzip; q=0") && !accepted(&HeaderMap::new()));
    }
}
