//! Hashes and heads as text, for people and programs.

use std::fmt;
use std::str::FromStr;

use super::chain::AuditHead;

/// Formats a hash as 64 digits of lower-case hex.
pub fn hash_text(hash: &[u8; 32]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = hash.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Parses 64 digits of lower-case hex; `None` for any other text.
pub fn hash_from_text(text: &str) -> Option<[u8; 32]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let digits: &[u8; 64] = text.as_bytes().try_into().ok()?;
    let mut hash = [0; 32];
    for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(hash)
}

/// Formats as `NUMBER:HASH`.
impl fmt::Display for AuditHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.no, hash_text(&self.hash))
    }
}

/// Parses what [`Display`](fmt::Display) wrote.
impl FromStr for AuditHead {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let head = text.split_once(':').and_then(|(no, hash)| {
            let no = no.parse().ok().filter(|no: &u64| no.to_string() == text[..text.len() - hash.len() - 1])?;
            Some(Self { no, hash: hash_from_text(hash)? })
        });
        head.ok_or_else(|| format!("{text:?} is not a head of an audit: a number, a colon and 64 digits of hex"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_as_they_were_written_and_nothing_else_is() {
        let head = AuditHead { no: 77, hash: std::array::from_fn(|n| u8::try_from(n * 8).unwrap()) };
        let text = head.to_string();
        assert!(text.starts_with("77:000810182028"), "{text}");
        assert_eq!(text.parse(), Ok(head));
        let hash = hash_text(&head.hash);
        let bad = [
            String::new(),
            "77".to_owned(),
            format!("77{hash}"),
            format!("-1:{hash}"),
            format!("+7:{hash}"),
            format!("07:{hash}"),
            format!("{}:{hash}", u128::from(u64::MAX) + 1),
            text[..text.len() - 1].to_owned(),
            format!("{text}0"),
            text.to_uppercase(),
            format!("77:{}", "é".repeat(32)),
            format!("77: {}", &hash[1..]),
        ];
        for text in bad {
            assert!(text.parse::<AuditHead>().is_err(), "{text}");
        }
    }
}
