//! The length of randomized campaigns (kills, mutations, simulated months): short in normal test runs, full with
//! `tests/run --long`.

/// Set by `tests/run --long`.
const LONG: &str = "KIMBERLY_TEST_LONG";

/// `short`, or `long` for a full campaign.
pub fn campaign<T>(short: T, long: T) -> T {
    if std::env::var_os(LONG).is_some() { long } else { short }
}
