//! Patterns of user ids: the users that a credential reaches.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::bounds::{MAX_USER_ID_BYTES, MAX_USER_PATTERNS};
use crate::error::{Error, Result};
use crate::ids::UserId;

/// One pattern. An id that itself ends in `*` is covered only by a prefix or by `*`, never by an exact pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum UserPattern {
    /// `*`: every user.
    All,
    /// `prefix*`: users whose ids begin with the prefix.
    Prefix(String),
    /// One user.
    Exact(UserId),
}

impl UserPattern {
    /// Parses a pattern of 1-128 bytes; the error names `field`.
    pub fn parse(field: &str, raw: &str) -> Result<Self> {
        match raw.strip_suffix('*') {
            Some("") => Ok(Self::All),
            Some(prefix) if prefix.contains('*') => {
                let problem = "has more than one *; write a user's id, a prefix of ids and one *, or * for all users";
                Err(Error::invalid(field, problem))
            }
            Some(prefix) if raw.len() > MAX_USER_ID_BYTES || prefix.chars().any(char::is_control) => {
                Err(Error::invalid(
                    field,
                    format!(
                        "has {} bytes or a control character; at most {MAX_USER_ID_BYTES} bytes are allowed",
                        prefix.len() + 1
                    ),
                ))
            }
            Some(prefix) if prefix.trim_start() != prefix => {
                Err(Error::invalid(field, "starts with white space, as no user's id does; trim it"))
            }
            Some(prefix) => Ok(Self::Prefix(prefix.to_owned())),
            None => UserId::parse(raw).map(Self::Exact).map_err(|error| named(field, error)),
        }
    }

    /// Reports whether the pattern matches this user's id.
    pub fn matches(&self, user: &UserId) -> bool {
        match self {
            Self::All => true,
            Self::Prefix(prefix) => user.as_str().starts_with(prefix),
            Self::Exact(id) => id == user,
        }
    }

    /// Reports whether it matches every user that the other pattern matches.
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::All, _) => true,
            (Self::Prefix(prefix), Self::Prefix(longer)) => longer.starts_with(prefix),
            (_, Self::Exact(user)) => self.matches(user),
            _ => false,
        }
    }
}

/// Returns the same error with another field name.
fn named(field: &str, error: Error) -> Error {
    match error {
        Error::Invalid(violations) => {
            let named =
                violations.into_iter().map(|violation| crate::FieldViolation { field: field.to_owned(), ..violation });
            Error::Invalid(named.collect())
        }
        other => other,
    }
}

impl fmt::Display for UserPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Prefix(prefix) => write!(f, "{prefix}*"),
            Self::Exact(id) => write!(f, "{id}"),
        }
    }
}

impl TryFrom<String> for UserPattern {
    type Error = Error;

    fn try_from(raw: String) -> Result<Self> {
        Self::parse("users", &raw)
    }
}

impl From<UserPattern> for String {
    fn from(pattern: UserPattern) -> Self {
        pattern.to_string()
    }
}

/// 1 to 64 patterns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<UserPattern>", into = "Vec<UserPattern>")]
pub struct UserPatterns(Vec<UserPattern>);

impl UserPatterns {
    /// Every user.
    pub fn all() -> Self {
        Self(vec![UserPattern::All])
    }

    /// Parses patterns; the error names `field` or the invalid entry in it.
    pub fn parse<S: AsRef<str>>(field: &str, raw: &[S]) -> Result<Self> {
        if raw.is_empty() || raw.len() > MAX_USER_PATTERNS {
            return Err(Error::invalid(field, count_problem(raw.len())));
        }
        let parse = |(index, raw): (usize, &S)| UserPattern::parse(&format!("{field}[{index}]"), raw.as_ref());
        raw.iter().enumerate().map(parse).collect::<Result<_>>().map(Self)
    }

    /// Reports whether one of the patterns matches this user's id.
    pub fn matches(&self, user: &UserId) -> bool {
        self.0.iter().any(|pattern| pattern.matches(user))
    }

    /// Returns the user if the patterns can match exactly one.
    pub fn only_user(&self) -> Option<&UserId> {
        match self.0.as_slice() {
            [UserPattern::Exact(user)] => Some(user),
            _ => None,
        }
    }

    /// Reports whether the patterns match every possible user.
    pub fn are_all(&self) -> bool {
        self.0.contains(&UserPattern::All)
    }

    /// Reports whether each of the other patterns is covered by one of these.
    pub fn cover(&self, others: &Self) -> bool {
        others.0.iter().all(|other| self.0.iter().any(|pattern| pattern.covers(other)))
    }

    /// Iterates over the patterns as text.
    pub fn iter(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(UserPattern::to_string)
    }
}

fn count_problem(count: usize) -> String {
    format!("has {count} entries; 1-{MAX_USER_PATTERNS} are allowed, and * stands for all users")
}

impl TryFrom<Vec<UserPattern>> for UserPatterns {
    type Error = Error;

    fn try_from(patterns: Vec<UserPattern>) -> Result<Self> {
        if patterns.is_empty() || patterns.len() > MAX_USER_PATTERNS {
            return Err(Error::invalid("users", count_problem(patterns.len())));
        }
        Ok(Self(patterns))
    }
}

impl From<UserPatterns> for Vec<UserPattern> {
    fn from(patterns: UserPatterns) -> Self {
        patterns.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str) -> UserId {
        UserId::parse(id).unwrap()
    }

    fn patterns(raw: &[&str]) -> UserPatterns {
        UserPatterns::parse("users", raw).unwrap()
    }

    #[test]
    fn patterns_match_whole_ids_beginnings_or_everybody() {
        let exact = patterns(&["ada"]);
        assert!(exact.matches(&user("ada")));
        for other in ["ad", "adam", "Ada", "x-ada"] {
            assert!(!exact.matches(&user(other)), "{other}");
        }
        let prefix = patterns(&["shop-*"]);
        assert!(prefix.matches(&user("shop-")) && prefix.matches(&user("shop-1")));
        assert!(
            !prefix.matches(&user("shop")) && !prefix.matches(&user("Shop-1")) && !prefix.matches(&user("a-shop-1"))
        );
        assert!(patterns(&["*"]).matches(&user("anybody")) && patterns(&["*"]).are_all());
        assert!(patterns(&["ada", "bob"]).matches(&user("bob")) && !patterns(&["ada", "b*"]).are_all());
        assert!(patterns(&["a*"]).matches(&user("a*b")), "a star in an id is a character like others");
    }

    #[test]
    fn only_whole_patterns_are_taken() {
        let long = "x".repeat(129);
        let longest = format!("{}*", "x".repeat(127));
        for wrong in ["", " ada", "ada ", "a\nb", "a\n*", "**", "a**", " *", long.as_str(), &format!("x{longest}")] {
            let error = UserPatterns::parse("grant.users", &["ok", wrong]).unwrap_err();
            assert!(matches!(&error, Error::Invalid(v) if v[0].field == "grant.users[1]"), "{wrong:?}: {error}");
        }
        assert_eq!(patterns(&[&longest]).iter().next().unwrap(), longest);
        assert!(UserPatterns::parse::<&str>("users", &[]).is_err());
        assert!(UserPatterns::parse("users", &["a"; MAX_USER_PATTERNS]).is_ok());
        assert!(UserPatterns::parse("users", &["a"; MAX_USER_PATTERNS + 1]).is_err());
    }

    #[test]
    fn a_pattern_covers_what_it_matches_and_no_more() {
        let covers = |one: &[&str], other: &[&str]| patterns(one).cover(&patterns(other));
        assert!(covers(&["*"], &["ada", "b*", "*"]));
        assert!(covers(&["a*"], &["ada", "ad*", "a*"]));
        assert!(covers(&["ada", "b*"], &["bob", "ada"]));
        for (one, other) in [("a*", "*"), ("ad*", "a*"), ("ada", "ada*"), ("ada", "bob"), ("a*", "b")] {
            assert!(!covers(&[one], &[other]), "{one} does not cover {other}");
        }
    }

    #[test]
    fn stored_patterns_are_checked_when_they_are_read() {
        let stored = serde_json::to_string(&patterns(&["ada", "b*", "*"])).unwrap();
        assert_eq!(stored, r#"["ada","b*","*"]"#);
        assert_eq!(serde_json::from_str::<UserPatterns>(&stored).unwrap(), patterns(&["ada", "b*", "*"]));
        assert!(serde_json::from_str::<UserPatterns>("[]").is_err());
        assert!(serde_json::from_str::<UserPatterns>(r#"["a**"]"#).is_err());
    }
}
