//! Small texts: sizes, ages, and truncated contents that are safe to print.

use std::fmt::Display;

use kimberly_core::audit::hash_text;
use sha2::{Digest as _, Sha256};

/// Returns the hash as 64 hexadecimal digits.
pub(crate) fn hex(hasher: Sha256) -> String {
    hash_text(&hasher.finalize().into())
}

/// Bytes with a unit, at most three digits.
#[expect(clippy::cast_precision_loss, reason = "shown with one digit after the point")]
pub(crate) fn bytes(count: i64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (count as f64, 0);
    while value.abs() >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// A count with its noun, such as "3 keys".
pub(crate) fn count<N: Copy + From<u8> + PartialEq + Display>(count: N, one: &str, many: &str) -> String {
    format!("{count} {}", if count == N::from(1) { one } else { many })
}

/// A count of memories.
pub(crate) fn memories<N: Copy + From<u8> + PartialEq + Display>(count: N) -> String {
    self::count(count, "memory", "memories")
}

/// Seconds in the largest unit that divides them.
pub(crate) fn seconds(count: i64) -> String {
    const UNITS: [(&str, i64); 3] = [("d", 86_400), ("h", 3_600), ("m", 60)];
    match UNITS.iter().find(|(_, unit)| count.abs() >= *unit && count % unit == 0) {
        Some((name, unit)) => format!("{}{name}", count / unit),
        None => format!("{count}s"),
    }
}

/// Removes characters that could move a terminal's cursor, change its colours or reverse the writing direction; line
/// breaks stay.
pub(crate) fn printable(text: &str) -> String {
    let steers =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect()
}

/// Shortens a text to one line of at most `width` characters.
pub(crate) fn line(text: &str, width: usize) -> String {
    let flat = printable(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if flat.chars().count() <= width {
        return flat;
    }
    let mut cut: String = flat.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// A switch in words.
pub(crate) const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_spans_are_short() {
        assert_eq!((bytes(1_023), bytes(1_536), bytes(2 << 20)), ("1023 B".into(), "1.5 KiB".into(), "2.0 MiB".into()));
        assert_eq!(
            (memories(1_u64), memories(0_i32), memories(2_usize)),
            ("1 memory".into(), "0 memories".into(), "2 memories".into())
        );
        assert_eq!((seconds(86_400), seconds(5_400), seconds(90)), ("1d".into(), "90m".into(), "90s".into()));
    }

    #[test]
    fn contents_cannot_steer_the_terminal() {
        assert_eq!(printable("a\u{1b}[31mb\r\nc"), "a\u{fffd}[31mb\u{fffd}\nc");
        assert_eq!(line("one\n two\tthree", 100), "one two three");
        assert_eq!(line("äöüß", 3), "äö…");
    }
}
