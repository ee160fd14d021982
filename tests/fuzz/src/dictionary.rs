//! Words that mean something to some parser: mutations use them, and libFuzzer reads them as its dictionary.

/// Put in whole.
pub(crate) const WORDS: &[&str] = &[
    "", " ", "\0", "\n", "\r\n", "\u{feff}", "\u{202e}", "e\u{301}", "\u{1f600}", "\"", "'", "\\", "{", "}", "[", "]", ":", ",",
    "null", "true", "-1", "0", "1e999", "NaN", "18446744073709551616", "9223372036854775807", "../", "%2F", "%00", "%ff",
    "*", "**", "a*", "NEAR(", " OR ", "--", "$ref", "&a", "*a", "!!", "<<", "yesterday", "last May", "2023-02-30", "user_id",
    "content", "kind", "version", "data_offsets", "[[[[[[[[[[[[[[[[", "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":",
];

/// Lengths at which something changes.
pub(crate) const LENGTHS: &[usize] = &[1, 15, 16, 17, 63, 64, 65, 127, 128, 129, 255, 256, 4_095, 4_096, 4_097, 65_537];
