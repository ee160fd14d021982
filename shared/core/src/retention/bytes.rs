//! Bytes as sentences show them.

/// A number of bytes for people: `999 bytes`, `1.50 KiB`, `2.31 MiB`. Cut off rather than rounded, and computed in whole
/// numbers, so that it reads the same everywhere.
pub fn readable(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let Some(power) = UNITS.iter().enumerate().rev().find(|(power, _)| bytes >> (10 * (power + 1)) > 0) else {
        return format!("{bytes} bytes");
    };
    let shift = 10 * (power.0 + 1);
    let whole = bytes >> shift;
    let rest = bytes - (whole << shift);
    let hundredths = (u128::from(rest) * 100) >> shift;
    format!("{whole}.{hundredths:02} {}", power.1)
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
            assert_eq!(readable(bytes), shown);
        }
    }
}
