//! The words used by the rules of merging: a data file per language, compiled in. `words/en.txt` explains the format.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

static WORDS: LazyLock<Words> =
    LazyLock::new(|| Words::parse(&[include_str!("words/en.txt"), include_str!("words/de.txt")]));

/// Folded words by class, of all languages together.
#[derive(Debug, Default)]
pub(super) struct Words {
    classes: HashMap<&'static str, HashSet<&'static str>>,
    opposites: HashSet<(&'static str, &'static str)>,
    /// The person that a pronoun means, by the part it plays.
    persons: HashMap<(Part, &'static str), &'static str>,
}

/// The part that a pronoun plays in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    /// Acts: "she".
    Subject,
    /// Is acted upon: "her".
    Object,
    /// Owns: "her" again.
    Owner,
}

impl Part {
    /// All parts, with their names in the data files.
    const ALL: [(Self, &'static str); 3] =
        [(Self::Subject, "subject"), (Self::Object, "object"), (Self::Owner, "owner")];
}

/// Returns the words of all languages.
pub(super) fn words_of() -> &'static Words {
    &WORDS
}

impl Words {
    fn parse(files: &[&'static str]) -> Self {
        let mut words = Self::default();
        for line in files.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with('#')) {
            let Some((class, rest)) = line.split_once(' ') else { continue };
            if let ("opposites", Some((one, other))) = (class, rest.split_once(' ')) {
                words.opposites.extend([(one, other), (other, one)]);
            }
            if let Some((part, _)) = Part::ALL.iter().find(|(_, name)| *name == class) {
                let Some((person, pronouns)) = rest.split_once(' ') else { continue };
                words.persons.extend(pronouns.split_whitespace().map(|pronoun| ((*part, pronoun), person)));
                continue;
            }
            words.classes.entry(class).or_default().extend(rest.split_whitespace());
        }
        words
    }

    /// Reports whether a class has a folded word.
    pub(super) fn is(&self, class: &str, folded: &str) -> bool {
        self.classes.get(class).is_some_and(|words| words.contains(folded))
    }

    /// Reports whether two folded words are opposites.
    pub(super) fn are_opposites(&self, one: &str, other: &str) -> bool {
        self.opposites.contains(&(one, other))
    }

    /// Returns the parts that a folded pronoun may play, each with the person that it means.
    pub(super) fn parts_of(&self, folded: &str) -> impl Iterator<Item = (Part, &'static str)> {
        Part::ALL.into_iter().filter_map(move |(part, _)| Some((part, *self.persons.get(&(part, folded))?)))
    }
}
