//! The words that the rules of merging name: a data file a language, compiled in. `words/en.txt` says how they are written.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

static WORDS: LazyLock<Words> =
    LazyLock::new(|| Words::parse(&[include_str!("words/en.txt"), include_str!("words/de.txt")]));

/// Words by class, folded, of all languages at once.
#[derive(Debug, Default)]
pub(super) struct Words {
    classes: HashMap<&'static str, HashSet<&'static str>>,
    opposites: HashSet<(&'static str, &'static str)>,
    /// Which person a pronoun means, by its part.
    persons: HashMap<(Part, &'static str), &'static str>,
}

/// The part that a pronoun plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Part {
    /// Does it: "she".
    Subject,
    /// It is done to: "her".
    Object,
    /// Has it: "her" again.
    Owner,
}

impl Part {
    /// All of them, with how the data files call them.
    const ALL: [(Self, &'static str); 3] =
        [(Self::Subject, "subject"), (Self::Object, "object"), (Self::Owner, "owner")];
}

/// Those of every language.
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

    /// Whether a class has a folded word.
    pub(super) fn is(&self, class: &str, folded: &str) -> bool {
        self.classes.get(class).is_some_and(|words| words.contains(folded))
    }

    /// Whether each of two folded words makes something else of what stands around it.
    pub(super) fn are_opposites(&self, one: &str, other: &str) -> bool {
        self.opposites.contains(&(one, other))
    }

    /// The parts that a folded pronoun may play, each with the person that it means.
    pub(super) fn parts_of(&self, folded: &str) -> impl Iterator<Item = (Part, &'static str)> {
        Part::ALL.into_iter().filter_map(move |(part, _)| Some((part, *self.persons.get(&(part, folded))?)))
    }
}
