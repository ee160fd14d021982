//! The words used to recognize names: one data file per language, compiled in. `words/en.txt` describes the format.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::EntityType;
use crate::text::words::fold;

static ENGLISH: LazyLock<Words> = LazyLock::new(|| Words::parse(include_str!("words/en.txt")));

/// The folded words of a language, by their class.
#[derive(Debug, Default)]
pub(super) struct Words {
    classes: HashMap<&'static str, HashSet<&'static str>>,
    typed: HashMap<&'static str, HashMap<&'static str, EntityType>>,
    short: HashMap<&'static str, Vec<&'static str>>,
}

/// The English words.
pub(super) fn english() -> &'static Words {
    &ENGLISH
}

/// Folds a word for comparison with these lists; other apostrophes become the plain one.
pub(super) fn folded(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { fold(&word.replace('’', "'")) }
}

impl Words {
    fn parse(text: &'static str) -> Self {
        let (mut words, mut class, mut of) = (Self::default(), "", None);
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            if !line.starts_with(' ') {
                let (name, kind) = line.split_once(' ').unwrap_or((line, ""));
                (class, of) = (name, EntityType::from_name(kind));
                continue;
            }
            for entry in line.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
                match of {
                    Some(kind) => _ = words.typed.entry(class).or_default().entry(entry).or_insert(kind),
                    None => _ = words.classes.entry(class).or_default().insert(entry),
                }
                if let Some((short, long)) = entry.split_once(' ').filter(|_| class == "short") {
                    words.short.entry(short).or_default().push(long);
                }
            }
        }
        words
    }

    /// Reports whether a class contains a folded word.
    pub(super) fn is(&self, class: &str, folded: &str) -> bool {
        self.classes.get(class).is_some_and(|words| words.contains(folded))
    }

    /// The type that a typed class assigns to a folded word.
    pub(super) fn kind(&self, class: &str, folded: &str) -> Option<EntityType> {
        self.typed.get(class)?.get(folded).copied()
    }

    /// The type of a generally known name, folded. `capitals` means that it is written in capitals only, which
    /// acronyms that are also ordinary words require.
    pub(super) fn known(&self, folded: &str, capitals: bool) -> Option<EntityType> {
        if matches!(folded, "us" | "who" | "un" | "eu" | "meta" | "target" | "word" | "express" | "render" | "nice")
            && !(capitals && folded.len() < 4)
        {
            return None;
        }
        let listed = |kind: EntityType| self.is(kind.name(), folded).then_some(kind);
        [EntityType::Place, EntityType::Organization, EntityType::Product].into_iter().find_map(listed)
    }

    /// The names that a folded name may be short for.
    pub(super) fn long_for(&self, folded: &str) -> &[&'static str] {
        self.short.get(folded).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_file_is_read_and_each_entry_is_folded() {
        let words = english();
        for class in ["given", "title", "acts", "never", "label", "extension", "domain", "place", "product"] {
            assert!(words.classes.get(class).is_some_and(|words| words.len() > 10), "{class}");
        }
        for class in ["ends", "begins", "noun", "before"] {
            assert!(words.typed.get(class).is_some_and(|words| words.len() > 3), "{class}");
        }
        let all = words.classes.values().flatten().chain(words.typed.values().flat_map(HashMap::keys));
        for entry in all.filter(|entry| entry.is_ascii()) {
            assert_eq!(**entry, folded(entry), "{entry}");
        }
        assert_eq!(words.known("new york", false), Some(EntityType::Place));
        assert_eq!((words.known("us", false), words.known("us", true)), (None, Some(EntityType::Place)));
        assert!(words.long_for("mel").contains(&"melanie"));
    }
}
