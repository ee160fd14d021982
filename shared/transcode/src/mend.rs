//! Mends what JSON text cannot carry but clients send all the same: half a surrogate pair, such as half an emoji, as an
//! escape or as bytes, and raw NULs. One of them would otherwise make the whole text unreadable.

use std::borrow::Cow;

/// The escape and the bytes of U+FFFD, as long as those of a surrogate.
const ESCAPE: &[u8; 4] = b"fffd";
const BYTES: [u8; 3] = [0xEF, 0xBF, 0xBD];

/// Replaces each half of a surrogate pair by U+FFFD, and each raw NUL by a space. Positions stay the same.
pub fn mended(json: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(json);
    let mut at = 0;
    while let Some(found) = json[at..].iter().position(|byte| matches!(byte, b'\\' | 0 | 0xED)) {
        at += found;
        at += match json[at] {
            0 => {
                text.to_mut()[at] = b' ';
                1
            }
            b'\\' => match (escaped(json, at), escaped(json, at + 6)) {
                (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
                (Some(0xD800..=0xDFFF), _) => {
                    text.to_mut()[at + 2..at + 6].copy_from_slice(ESCAPE);
                    6
                }
                // The next byte may be a backslash, too, but starts no escape.
                _ => 2,
            },
            // The encoding that UTF-8 would have for surrogates.
            _ if json.get(at + 1).is_some_and(|next| *next >= 0xA0) && json.len() >= at + 3 => {
                text.to_mut()[at..at + 3].copy_from_slice(&BYTES);
                3
            }
            _ => 1,
        };
        at = at.min(json.len());
    }
    text
}

/// The code of an escape `\uXXXX` at this position.
fn escaped(json: &[u8], at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok().filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_pairs_and_raw_nuls_are_replaced_and_all_else_is_kept() {
        for (sent, read) in [
            (&br#""tea \ud83d""#[..], "tea \u{FFFD}"),
            (br#""\uD83D\uDE00 \ude00\ud83d\ud83d\ude00""#, "\u{1F600} \u{FFFD}\u{FFFD}\u{1F600}"),
            (br#""\\ud83d \\\ud83d\n""#, "\\ud83d \\\u{FFFD}\n"),
            (br#""\ud83dx\u0041""#, "\u{FFFD}xA"),
            (b"\"a\x00b\"", "a b"),
            (b"\"\xED\xA0\xBD \xED\x95\x9C\"", "\u{FFFD} \u{D55C}"),
        ] {
            let mended = mended(sent);
            assert_eq!(mended.len(), sent.len());
            assert_eq!(serde_json::from_slice::<String>(&mended).unwrap(), read);
        }
        let good = r#"{"a": "\u00e4\ud83d\ude00 한 \\"}"#.as_bytes();
        assert!(matches!(mended(good), Cow::Borrowed(same) if same == good));
    }

    #[test]
    fn what_breaks_off_is_read_to_its_end() {
        for cut in [&b"\\"[..], b"\\u", b"\\ud83", b"\\ud83d\\u", b"\xED", b"\xED\xA0", b"\\\\", b""] {
            assert_eq!(mended(cut).len(), cut.len());
        }
    }
}
