//! Times that a query names: memories of that time rank higher, and are found even without words of the query. Compared in UTC.

use std::ops::Range;

use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::analysis::Analysis;
use crate::recall::calendar::utc_date;
use crate::recall::weights::{TIME_FITS, TIME_STRENGTH};
use crate::time::Timestamp;

/// Most memories of a named time that take part.
pub const MOST: usize = 50;

/// Returns the strength of a memory that fits only by its time; `best` is that of the best hit by words.
pub fn strength(best: f64) -> f64 {
    TIME_STRENGTH * if best > 0.0 { best } else { 1.0 }
}

/// Returns the factor for a time that the query names, and for texts that name a time if the query asks for one.
pub(super) fn factor(hit: &LexicalHit, query: &Analysis, weights: &Weights) -> f64 {
    query.times.factor(hit.occurred_at)
        * if query.asks_when && hit.traits.names_time { weights.tells_when } else { 1.0 }
}

/// Times that a query names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Years.
    pub years: Vec<i16>,
    /// Months, from 1.
    pub months: Vec<i8>,
    /// Days of these months, from 1.
    pub days: Vec<i8>,
    /// Ranges relative to the reference time, such as "last week".
    pub ranges: Vec<Range<Timestamp>>,
}

impl Times {
    /// Returns the factor of something that happened at `at`: 2 if it fits the years and months named or falls into a
    /// range, 3 if it also fits a day named or does both, else 1.
    pub fn factor(&self, at: Timestamp) -> f64 {
        let in_range = self.ranges.iter().any(|range| range.contains(&at));
        let (fits, fits_well) = TIME_FITS;
        match self.fits_calendar(at) {
            Some(exact) if exact || in_range => fits_well,
            Some(_) => fits,
            None if in_range => fits,
            None => 1.0,
        }
    }

    /// Returns whether `at` fits a day named, if it fits the years and months named; `None` if it does not, or none are
    /// named.
    fn fits_calendar(&self, at: Timestamp) -> Option<bool> {
        if self.years.is_empty() && self.months.is_empty() {
            return None;
        }
        let date = utc_date(at)?;
        let fits = (self.years.is_empty() || self.years.contains(&date.year()))
            && (self.months.is_empty() || self.months.contains(&date.month()));
        fits.then(|| self.days.contains(&date.day()))
    }
}
