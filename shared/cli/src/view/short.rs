//! Ids as tables show them: their last characters, as many as tell those of the table apart, or all of them with `--wide`.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::ids::Kind;

/// Least characters of an id that are shown.
const LEAST: usize = 6;
/// Most characters of a thing that an audit names and that is no id, in a table that is to fit.
const NAMED: usize = 24;

/// Said once, by the command line, like the width of the terminal.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Has tables show whole ids.
pub(crate) fn show_whole() {
    WIDE.store(true, Ordering::Relaxed);
}

/// Whether tables show whole ids, whatever their width.
pub(super) fn is_wide() -> bool {
    WIDE.load(Ordering::Relaxed)
}

/// How the ids of one table are shown.
pub(crate) struct Short(Option<usize>);

impl Short {
    /// As short as tells all of these apart.
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

    /// An id of which the column says what it is of.
    pub(crate) fn id<'a>(&self, id: &'a str) -> &'a str {
        self.0.map_or(id, |length| last(id, length))
    }

    /// Anything that has a name: an id says what it is of, too.
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
