//! Human-readable sizes and time spans: `"512KiB"`, `"30d"`, or a plain number of bytes or seconds.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use kimberly_core::time::Span;
use serde::de::{Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Units of size in bytes, largest first: values are shown in the first unit that divides them.
const SIZES: [(&str, u64); 5] = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];
/// Units of time in milliseconds, largest first.
const SPANS: [(&str, u64); 5] = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

/// A number of bytes. Written as a number, or as an integer and one of B, KiB, MiB, GiB, TiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A time span. Written as a number of seconds, or as an integer and one of ms, s, m, h, d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(pub Duration);

impl Bytes {
    /// The syntax of a size.
    pub const SYNTAX: &'static str = "a number of bytes, or a whole number and B, KiB, MiB, GiB or TiB such as 512KiB";

    /// The number as `usize`, saturating.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Period {
    /// The syntax of a span.
    pub const SYNTAX: &'static str = "a number of seconds, or a whole number and ms, s, m, h or d such as 30d";

    /// A span of whole milliseconds.
    pub const fn millis(n: u64) -> Self {
        Self(Duration::from_millis(n))
    }

    /// A span of whole seconds.
    pub const fn seconds(n: u64) -> Self {
        Self(Duration::from_secs(n))
    }

    /// A span of whole days of 24 hours.
    pub const fn days(n: u64) -> Self {
        Self::seconds(n * 86_400)
    }

    /// The span in the domain's type, saturating.
    pub fn span(self) -> Span {
        Span(i64::try_from(self.0.as_micros()).unwrap_or(i64::MAX))
    }
}

impl From<Span> for Period {
    fn from(span: Span) -> Self {
        Self(Duration::from_micros(u64::try_from(span.0).unwrap_or(0)))
    }
}

/// Parses an integer and a unit; without a unit, multiplies by `bare`.
fn parse(raw: &str, units: &[(&str, u64)], bare: u64) -> Option<u64> {
    let raw = raw.trim();
    let split = raw.find(|c: char| !c.is_ascii_digit()).unwrap_or(raw.len());
    let (number, unit) = raw.split_at(split);
    let factor = match unit.trim() {
        "" => bare,
        unit => units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// Formats with the largest unit that divides the value.
fn show(value: u64, units: &[(&str, u64)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let smallest = units.len() - 1;
    let fits = |&&(_, factor): &&(&str, u64)| value != 0 && value.is_multiple_of(factor);
    let (name, factor) = units.iter().find(fits).unwrap_or(&units[smallest]);
    write!(f, "{}{name}", value / factor)
}

impl FromStr for Bytes {
    type Err = &'static str;

    fn from_str(raw: &str) -> Result<Self, Self::Err> {
        parse(raw, &SIZES, 1).map(Self).ok_or(Self::SYNTAX)
    }
}

impl FromStr for Period {
    type Err = &'static str;

    fn from_str(raw: &str) -> Result<Self, Self::Err> {
        parse(raw, &SPANS, 1_000).map(Self::millis).ok_or(Self::SYNTAX)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self.0, &SIZES, f)
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX), &SPANS, f)
    }
}

macro_rules! human_serde {
    ($type:ident, $visitor:ident) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        struct $visitor;

        impl Visitor<'_> for $visitor {
            type Value = $type;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($type::SYNTAX)
            }

            fn visit_str<E: serde::de::Error>(self, raw: &str) -> Result<$type, E> {
                raw.parse().map_err(|_| E::invalid_value(Unexpected::Str(raw), &self))
            }

            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<$type, E> {
                n.to_string().parse().map_err(|_| E::invalid_value(Unexpected::Unsigned(n), &self))
            }

            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<$type, E> {
                u64::try_from(n)
                    .map_err(|_| E::invalid_value(Unexpected::Signed(n), &self))
                    .and_then(|n| self.visit_u64(n))
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor)
            }
        }
    };
}
human_serde!(Bytes, BytesVisitor);
human_serde!(Period, PeriodVisitor);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_spans_read_as_written_and_write_as_read() {
        for text in ["512KiB", "3TiB", "1000B", "0B"] {
            assert_eq!(text.parse::<Bytes>().unwrap().to_string(), text);
        }
        for text in ["30d", "24h", "90s", "250ms", "0ms", "61m"] {
            let shown = text.parse::<Period>().unwrap().to_string();
            assert_eq!(shown.parse::<Period>().unwrap(), text.parse::<Period>().unwrap(), "{text} became {shown}");
        }
        assert_eq!("1 mib".parse(), Ok(Bytes(1 << 20)));
        assert_eq!("90".parse(), Ok(Period::seconds(90)));
    }

    #[test]
    fn nonsense_and_overflow_are_refused() {
        for text in ["", "KiB", "-1", "1.5MiB", "12 apples", "99999999999999999999", "18446744073709551615TiB"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
        for text in ["d", "1w", "-3s", "1e3s", "18446744073709551615d"] {
            assert!(text.parse::<Period>().is_err(), "{text}");
        }
    }
}
