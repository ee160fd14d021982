//! Headers of the tar (POSIX ustar). Every field except name and size has a fixed value: a private file without owner,
//! dated 1970.

/// Bytes of a header. Contents are zero-padded to a multiple of this size.
pub(crate) const BLOCK: usize = 512;

/// Maximum length of a name.
const NAME_BYTES: usize = 100;
/// Maximum size of a member, the largest number of eleven octal digits.
const MOST: u64 = (1 << 33) - 1;
const SUM: std::ops::Range<usize> = 148..156;

/// Writes the header of a member. Returns `None` if its name or size does not fit.
pub(crate) fn encode(name: &str, size: u64) -> Option<[u8; BLOCK]> {
    if name.is_empty() || name.len() >= NAME_BYTES || name.contains('\0') || size > MOST {
        return None;
    }
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, name.as_bytes());
    put(100, b"0000600\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, b"00000000000\0");
    put(SUM.start, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[SUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Some(block)
}

/// Returns the name and size of a header that is exactly as [`encode`] writes it.
pub(crate) fn decode(block: &[u8; BLOCK]) -> Option<(String, u64)> {
    let end = block[..NAME_BYTES].iter().position(|byte| *byte == 0)?;
    let name = std::str::from_utf8(&block[..end]).ok()?;
    let digits = std::str::from_utf8(&block[124..135]).ok()?;
    let size = u64::from_str_radix(digits, 8).ok()?;
    (encode(name, size)? == *block).then(|| (name.to_owned(), size))
}

/// Returns the number of zero bytes after a content of `size` bytes.
pub(crate) fn padding(size: u64) -> usize {
    let over = usize::try_from(size % BLOCK as u64).unwrap_or(0);
    if over == 0 { 0 } else { BLOCK - over }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_says_name_and_size_and_nothing_else() {
        for (name, size) in [("a", 0), ("memories/000001.jsonl", 1_234_567), (&"n".repeat(99), MOST)] {
            let block = encode(name, size).unwrap();
            assert_eq!(decode(&block), Some((name.to_owned(), size)));
            for at in 0..BLOCK {
                let mut changed = block;
                changed[at] ^= 1;
                assert!(decode(&changed).is_none(), "byte {at} may be changed");
            }
        }
        assert!(encode("", 1).is_none() && encode(&"n".repeat(100), 1).is_none() && encode("x", MOST + 1).is_none());
    }

    #[test]
    fn contents_are_filled_up_to_blocks() {
        assert_eq!([0, 1, 511, 512, 513].map(padding), [0, 511, 1, 0, 511]);
    }
}
