//! Times that a query names. Compared in UTC.

use std::ops::Range;

use super::weights::TIME_FITS;
use crate::time::Timestamp;

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
        let date = at.utc_date()?;
        let fits = (self.years.is_empty() || self.years.contains(&date.year()))
            && (self.months.is_empty() || self.months.contains(&date.month()));
        fits.then(|| self.days.contains(&date.day()))
    }
}
