//! How long campaigns of chance are (kills, mutations, simulated months): a short turn in each run of the tests, the whole
//! behind `tests/run --long`.

/// Set by `tests/run --long`.
const LONG: &str = "KIMBERLY_TEST_LONG";

/// `short`, or `long` where the whole campaign is asked for.
pub fn campaign<T>(short: T, long: T) -> T {
    if std::env::var_os(LONG).is_some() { long } else { short }
}
