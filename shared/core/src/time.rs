//! Time in the domain: microseconds since 1970 in UTC, always an argument and never read from a clock here.

use jiff::civil::Date;
use jiff::tz::Offset;
use serde::{Deserialize, Serialize};

/// The months in English, lower case.
pub const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A point in time: microseconds since 1970-01-01T00:00:00Z, without leap seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// A span of time in microseconds; never negative in settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub i64);

impl Span {
    /// Microseconds in a second.
    const SECOND: i64 = 1_000_000;

    /// A span of whole seconds, saturating.
    pub const fn seconds(n: i64) -> Self {
        Self(n.saturating_mul(Self::SECOND))
    }

    /// A span of whole hours, saturating.
    pub const fn hours(n: i64) -> Self {
        Self::seconds(n.saturating_mul(3_600))
    }

    /// A span of whole days of 24 hours, saturating.
    pub const fn days(n: i64) -> Self {
        Self::hours(n.saturating_mul(24))
    }

    /// The span in days, with fraction.
    #[expect(clippy::cast_precision_loss, reason = "spans of interest are far below 2^53 microseconds, 285 years")]
    pub fn as_days(self) -> f64 {
        self.0 as f64 / Self::days(1).0 as f64
    }
}

impl Timestamp {
    /// The first moment of the year 1.
    pub const MIN: Self = Self(-62_135_596_800_000_000);
    /// The last microsecond of the year 9999.
    pub const MAX: Self = Self(253_402_300_799_999_999);

    /// This time plus a span, saturating.
    #[must_use]
    pub const fn plus(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// This time minus a span, saturating.
    #[must_use]
    pub const fn minus(self, span: Span) -> Self {
        Self(self.0.saturating_sub(span.0))
    }

    /// The span since an earlier time; zero if `earlier` is later, so that a clock set back never gives negative ages.
    pub const fn since(self, earlier: Self) -> Span {
        let span = self.0.saturating_sub(earlier.0);
        Span(if span < 0 { 0 } else { span })
    }

    /// The date of this time in UTC; `None` outside of the years -9999 to 9999.
    pub fn utc_date(self) -> Option<Date> {
        let at = jiff::Timestamp::from_microsecond(self.0).ok()?;
        Some(Offset::UTC.to_datetime(at).date())
    }

    /// The start of this hour. Makes scores computed within one hour equal.
    #[must_use]
    pub const fn start_of_hour(self) -> Self {
        Self(self.0 - self.0.rem_euclid(Span::hours(1).0))
    }

    /// The number of this day since 1970 in UTC, used by daily caps.
    pub const fn day(self) -> i64 {
        self.0.div_euclid(Span::days(1).0)
    }
}
