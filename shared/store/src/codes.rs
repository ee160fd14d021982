//! Stored forms of closed sets: numbers (positions in a fixed order) or names.

use kimberly_core::error::Result;
use kimberly_core::memory::ClosedSet;

use crate::corrupt;

/// Returns the number of a value.
pub(crate) fn code<T: ClosedSet>(value: T) -> i64 {
    let position = T::VALUES.iter().position(|v| *v == value).unwrap_or_default();
    i64::try_from(position).unwrap_or_default()
}

/// Returns the value for a stored number.
pub(crate) fn from_code<T: ClosedSet>(code: i64) -> Result<T> {
    usize::try_from(code)
        .ok()
        .and_then(|position| T::VALUES.get(position).copied())
        .ok_or_else(|| corrupt(format!("{} {code} is unknown", T::NAME)))
}

/// Returns the value for a stored name.
pub(crate) fn from_name<T>(what: &str, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T> {
    parse(name).ok_or_else(|| corrupt(format!("{what} \"{name}\" is unknown")))
}

/// Converts a count to the signed type of databases; larger counts, which do not occur, are clamped.
pub(crate) fn unsigned(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use kimberly_core::memory::{Creator, EmbedMark, MemoryState, Scope, Source, Tier};

    use super::*;

    /// These numbers are stored in files and never change. Other sets, and all names, follow the contract; a test in
    /// `api/src/convert/enums.rs` checks that.
    #[test]
    fn stored_numbers_are_what_they_always_were() {
        assert_eq!(Tier::ALL.iter().map(|t| code(*t)).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!([code(Tier::ShortTerm), code(Tier::LongTerm), code(Tier::Permanent)], [0, 1, 2]);
        assert_eq!([code(MemoryState::Active), code(MemoryState::Archived), code(MemoryState::Deleted)], [0, 1, 2]);
        assert_eq!([code(Source::Chat), code(Source::Agent), code(Source::Import), code(Source::Upload)], [0, 1, 2, 3]);
        assert_eq!([code(Scope::Private), code(Scope::Shared), code(Scope::Public)], [0, 1, 2]);
        assert_eq!([code(Creator::System), code(Creator::User), code(Creator::Agent)], [0, 1, 2]);
        assert_eq!([code(EmbedMark::Auto), code(EmbedMark::Always), code(EmbedMark::Never)], [0, 1, 2]);
        assert!(from_code::<Tier>(3).is_err());
        assert!(from_code::<Tier>(-1).is_err());
    }
}
