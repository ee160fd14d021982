//! Errors of a configuration, all at once, as sentences that name the key and what is allowed.

use std::fmt;
use std::net::SocketAddr;
use std::ops::RangeInclusive;

/// All errors of a configuration; never empty when returned as an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(pub Vec<String>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_slice() {
            [one] => write!(f, "the configuration is invalid: {one}"),
            many => {
                f.write_str("the configuration is invalid:")?;
                many.iter().try_for_each(|problem| write!(f, "\n  - {problem}"))
            }
        }
    }
}

impl std::error::Error for Problems {}

impl Problems {
    /// One problem.
    pub fn one(problem: impl Into<String>) -> Self {
        Self(vec![problem.into()])
    }

    /// Adds a problem.
    pub fn add(&mut self, problem: impl Into<String>) {
        self.0.push(problem.into());
    }

    /// Adds a problem if a value is out of bounds.
    pub fn range<T: PartialOrd + fmt::Display + Copy>(&mut self, key: &str, value: T, allowed: RangeInclusive<T>) {
        if !allowed.contains(&value) {
            self.add(format!("{key} is {value}; {} to {} are allowed", allowed.start(), allowed.end()));
        }
    }

    /// Adds a problem if other machines could reach the address: this process does not authenticate callers.
    pub fn loopback(&mut self, key: &str, address: SocketAddr) {
        if !address.ip().is_loopback() {
            self.add(format!(
                "{key} is {address}, which other machines can reach, and callers are not authenticated; use a loopback \
                 address such as 127.0.0.1:{}",
                address.port()
            ));
        }
    }

    /// Returns `Ok` if there are no problems.
    pub fn into_result(self) -> Result<(), Self> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }
}
