//! Errors of a configuration, all at once, as sentences that name the key and what is allowed.

use std::fmt;
use std::net::SocketAddr;
use std::ops::RangeInclusive;

use figment::error::Kind;

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

impl From<figment::Error> for Problems {
    fn from(error: figment::Error) -> Self {
        Self(error.into_iter().map(|one| sentence(&one)).collect())
    }
}

fn sentence(error: &figment::Error) -> String {
    let location = error.metadata.as_ref().map_or_else(String::new, |found| match &found.source {
        Some(source) => format!(" ({source})"),
        None => format!(" ({})", found.name),
    });
    let key = error.path.join(".");
    match &error.kind {
        Kind::UnknownField(name, allowed) => {
            let parent = error.path.iter().filter(|part| *part != name).cloned().collect::<Vec<_>>().join(".");
            let within = if parent.is_empty() { "at the top level".to_owned() } else { format!("in [{parent}]") };
            let hint = underscore_hint(name, allowed);
            format!("there is no key {name:?} {within}{location}; the keys there are {}{hint}", allowed.join(", "))
        }
        Kind::InvalidType(found, expected) | Kind::InvalidValue(found, expected) => {
            format!("{key} is {found}{location}; it must be {expected}")
        }
        other if key.is_empty() => format!("{other}{location}"),
        other => format!("{key}: {other}{location}"),
    }
}

/// A hint if `KIMBERLY_API_LISTEN` should be `KIMBERLY_API__LISTEN`.
fn underscore_hint(name: &str, allowed: &[&str]) -> String {
    let section = |key: &&&str| name.strip_prefix(**key).is_some_and(|rest| rest.starts_with('_'));
    allowed.iter().find(section).map_or_else(String::new, |section| {
        let rest = &name[section.len() + 1..];
        format!("; did you mean {section}.{rest}, or KIMBERLY_{}__{}?", section.to_uppercase(), rest.to_uppercase())
    })
}
