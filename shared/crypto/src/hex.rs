//! Lower-case hexadecimal.

use zeroize::Zeroizing;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Bytes as hexadecimal text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    push_hex(&mut text, bytes);
    text
}

/// Secret bytes as text that is wiped on drop, between `before` and `after`. Allocates once, so that growing leaves
/// no copy behind.
pub(crate) fn secret_hex(before: &str, bytes: &[u8], after: &str) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(before.len() + bytes.len() * 2 + after.len()));
    text.push_str(before);
    push_hex(&mut text, bytes);
    text.push_str(after);
    text
}

fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
}

/// Whether a text is exactly `digits` lower-case hexadecimal digits.
pub(crate) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| DIGITS.contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_as_lower_case_digits() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
        assert_eq!(secret_hex("x'", &[0xab], "'").as_str(), "x'ab'");
    }

    #[test]
    fn digits_are_counted_and_lower_case() {
        assert!(is_hex("0af9", 4));
        for wrong in ["0af", "0af9a", "0aF9", "0ag9", "0a 9", ""] {
            assert!(!is_hex(wrong, 4), "{wrong:?} was taken for 4 digits");
        }
    }
}
