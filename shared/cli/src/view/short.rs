//! Ids in tables: shortened to the last characters, as many as needed to distinguish them, or complete with `--wide`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::ids::Kind;

/// Minimum number of characters shown of an id.
const LEAST: usize = 6;
/// Maximum characters of an audit's subject that is not an id, unless tables are wide.
const NAMED: usize = 24;

/// Characters of a complete id, and of the ending of one that is not known together with others.
const WHOLE: usize = 40;
const ENDING: usize = 8;

/// Set once by the command line.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Makes tables show complete ids.
pub(crate) fn show_whole() {
    WIDE.store(true, Ordering::Relaxed);
}

/// Whether tables show complete ids, whatever their width.
pub(super) fn is_wide() -> bool {
    WIDE.load(Ordering::Relaxed)
}

/// Width of the ids of rows that arrive one by one: complete, or their endings.
pub(super) fn arriving_width() -> usize {
    if is_wide() { WHOLE } else { ENDING }
}

/// How the ids of one table are shortened.
pub(crate) struct Short(Option<usize>);

impl Short {
    /// The shortest length that distinguishes all of these ids.
    pub(crate) fn of<'a>(ids: impl Iterator<Item = &'a str>) -> Self {
        if is_wide() {
            return Self(None);
        }
        let ids: BTreeSet<&str> = ids.collect();
        let longest = ids.iter().map(|id| id.len()).max().unwrap_or(LEAST);
        let differ =
            |length: &usize| ids.iter().map(|id| last(id, *length)).collect::<BTreeSet<_>>().len() == ids.len();
        Self((LEAST..longest).find(differ))
    }

    /// Ids that are not known together, shortened to this length.
    pub(super) const fn ending(length: usize) -> Self {
        Self(Some(length))
    }

    /// Shortens an id in a column of ids of one kind.
    pub(crate) fn id<'a>(&self, id: &'a str) -> &'a str {
        self.0.map_or(id, |length| last(id, length))
    }

    /// Shortens any name; an id keeps the prefix of its kind.
    pub(crate) fn named(&self, name: &str) -> String {
        match (self.0, Kind::of_whole(name)) {
            (None, _) => crate::text::line(name, usize::MAX),
            (Some(length), Some(kind)) => format!("{}…{}", kind.prefix(), last(name, length)),
            (Some(_), None) => crate::text::line(name, NAMED),
        }
    }
}

fn last(id: &str, length: usize) -> &str {
    id.len().checked_sub(length).and_then(|at| id.get(at..)).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_as_short_as_tells_them_apart_and_never_shorter_than_six() {
        let ids = ["mem_0190f1f0-0000-7000-8000-00000a123456", "mem_0190f1f0-0000-7000-8000-00000b123456"];
        assert_eq!(Short::of(ids.into_iter().take(1)).id(ids[0]), "123456");
        assert_eq!(Short::of(ids.into_iter()).id(ids[0]), "a123456");
        assert_eq!(Short::of(ids.into_iter().chain(ids)).id(ids[1]), "b123456", "listed twice");
        let about = Short::of(ids.into_iter());
        assert_eq!(
            (about.named(ids[0]).as_str(), about.named("local-admin").as_str()),
            ("mem_…a123456", "local-admin")
        );
        assert_eq!(Short::of(std::iter::empty()).id("x"), "x");
    }
}
