//! Formats bytes and spans for the explanations of decisions. Values are truncated rather than rounded, and computed in
//! whole numbers, so that they read the same everywhere.

use crate::time::Span;

/// Formats a number of bytes: `999 bytes`, `1.50 KiB`, `2.31 MiB`.
pub fn readable_bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let Some((power, unit)) = UNITS.iter().enumerate().rev().find(|(power, _)| bytes >> (10 * (power + 1)) > 0) else {
        return format!("{bytes} bytes");
    };
    let shift = 10 * (power + 1);
    let whole = bytes >> shift;
    let rest = bytes - (whole << shift);
    let hundredths = (u128::from(rest) * 100) >> shift;
    format!("{whole}.{hundredths:02} {unit}")
}

/// Formats a span: `45 min`, `31 h`, `12 d`. Hours up to three days, then days.
pub fn readable_span(span: Span) -> String {
    let minutes = span.0.max(0) / Span::seconds(60).0;
    let hours = minutes / 60;
    match hours {
        0 => format!("{minutes} min"),
        1..=72 => format!("{hours} h"),
        _ => format!("{} d", hours / 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_in_their_largest_whole_unit() {
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1_023, "1023 bytes"),
            (1_024, "1.00 KiB"),
            (1_536, "1.50 KiB"),
            (2 * 1024 * 1024 - 1, "1.99 MiB"),
            (2 * 1024 * 1024, "2.00 MiB"),
            (3 << 30, "3.00 GiB"),
            (u64::MAX, "16777215.99 TiB"),
        ] {
            assert_eq!(readable_bytes(bytes), shown);
        }
    }

    #[test]
    fn spans_read_in_minutes_hours_or_days() {
        for (span, shown) in [
            (Span(-1), "0 min"),
            (Span::seconds(3_599), "59 min"),
            (Span::hours(1), "1 h"),
            (Span::hours(72), "72 h"),
            (Span::hours(73), "3 d"),
            (Span::days(400), "400 d"),
        ] {
            assert_eq!(readable_span(span), shown);
        }
    }
}
