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
}
