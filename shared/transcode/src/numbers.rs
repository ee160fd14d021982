//! Numbers in free data (`google.protobuf.Struct`), which become doubles. Finds those that would change, and writes
//! whole numbers without a decimal point.

use std::io;

use serde_json::ser::{CompactFormatter, Formatter};

/// 2^53: all whole numbers up to here are exact as doubles.
pub(crate) const MAX_WHOLE: u64 = 1 << 53;

/// The message for a refused number in free data.
pub(crate) const WOULD_CHANGE: &str = "a number here cannot be kept exactly as a 64-bit double (whole numbers: at most \
    9007199254740992); send it as a text";

/// Decimal digits that every double preserves.
const SAFE_DIGITS: usize = 15;

/// The numbers of a JSON text that change as doubles, in their double's bits. Usually empty.
#[derive(Debug, Default)]
pub(crate) struct Changed(Vec<u64>);

impl Changed {
    /// Collects them from a JSON text.
    pub(crate) fn of(json: &str) -> Self {
        let (mut found, mut rest) = (Vec::new(), json);
        while let Some(start) = rest.find(|c: char| c == '"' || c.is_ascii_digit()) {
            if rest.as_bytes().get(start) == Some(&b'"') {
                rest = after_text(&rest[start + 1..]);
                continue;
            }
            let number = &rest[start..];
            let end = number.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c)).unwrap_or(number.len());
            let (literal, after) = number.split_at(end);
            if let Some(double) = changed(literal) {
                // The sign is parsed separately.
                found.extend([double.to_bits(), (-double).to_bits()]);
            }
            rest = after;
        }
        Self(found)
    }

    /// Reports whether a number of the text changed into this double.
    pub(crate) fn holds(&self, double: f64) -> bool {
        self.0.contains(&double.to_bits())
    }
}

/// Returns the rest after the end of a string.
fn after_text(text: &str) -> &str {
    let (bytes, mut at) = (text.as_bytes(), 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return &text[at + 1..],
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    ""
}

/// Returns the double of an unsigned number if the two differ.
fn changed(literal: &str) -> Option<f64> {
    let fraction = literal.contains(['.', 'e', 'E']);
    if literal.len() <= SAFE_DIGITS && !literal.contains(['e', 'E']) {
        return None;
    }
    let double: f64 = literal.parse().ok()?;
    let whole = literal.parse().is_ok_and(|whole: u64| whole <= MAX_WHOLE);
    let same = if fraction { decimal(literal) == decimal(&format!("{double:e}")) } else { whole };
    (!same).then_some(double)
}

/// Returns a number's significant digits without outer zeros, and its exponent: the same for all of its spellings.
fn decimal(literal: &str) -> Option<(String, i64)> {
    let (digits, power) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let zeros = i64::try_from(all.len() - digits.len()).ok()?;
    let power = power.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?.checked_add(zeros)?;
    let digits = digits.trim_start_matches('0');
    Some(if digits.is_empty() { (String::new(), 0) } else { (digits.to_owned(), power) })
}

/// A JSON formatter that writes whole doubles as integers: `3`, not `3.0`.
pub(crate) struct Compact;

impl Formatter for Compact {
    #[expect(clippy::cast_possible_truncation, reason = "only whole numbers up to 2^53 are cast")]
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let negative_zero = value == 0.0 && value.is_sign_negative();
        if value.fract() == 0.0 && value.abs() <= EXACT && !negative_zero {
            self.write_i64(writer, value as i64)
        } else {
            CompactFormatter.write_f64(writer, value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_a_double_changes_are_found_wherever_they_stand() {
        for same in [
            "3",
            "3.0",
            "0.1",
            "-9007199254740992",
            "1e300",
            "1.50E+2",
            "0.30000000000000004",
            "0e5",
            "1.7976931348623157e308",
            r#"{"12345678901234567890": "\"12345678901234567890", "a": [0.000000000000000000000000000001]}"#,
        ] {
            assert!(Changed::of(same).0.is_empty(), "{same}");
        }
        for other in [
            "9007199254740993",
            "12345678901234567890",
            "100000000000000000000",
            "0.12345678901234567",
            "0.1000000000000000001",
            "1e-400",
            r#"{"a\"": [-3.14159265358979323846]}"#,
        ] {
            assert_eq!(Changed::of(other).0.len(), 2, "{other}");
        }
        assert!(Changed::of("-3.14159265358979323846").holds(-std::f64::consts::PI));
    }
}
