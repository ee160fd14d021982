//! The words used to read claims: one data file per language, compiled in. `words/en.txt` describes the format.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::sort::Sort;
use crate::text::words::{fold, stem};

static ALL: LazyLock<[Words; 2]> =
    LazyLock::new(|| [include_str!("words/en.txt"), include_str!("words/de.txt")].map(Words::parse));

/// A predicate that allows one object at a time.
#[derive(Clone, Debug)]
pub(super) struct Only {
    /// The name of the predicate, the same in every language.
    pub(super) name: &'static str,
    /// The type of its objects.
    pub(super) sort: Sort,
    /// Whether the object never changes.
    pub(super) fixed: bool,
    /// Whether the predicate is about something that belongs to a person.
    pub(super) owned: bool,
    /// Whether two objects may be true after all, so that a person decides.
    pub(super) asks: bool,
    /// The phrases that express it, in folded words.
    pub(super) patterns: Vec<Vec<String>>,
}

/// The words of a language, folded.
#[derive(Debug, Default)]
pub(super) struct Words {
    classes: HashMap<&'static str, HashMap<String, usize>>,
    forms: HashMap<String, String>,
    alike: BTreeMap<String, String>,
    /// The verbs whose meaning is part of a verb.
    entails: HashMap<String, Vec<String>>,
    /// The kind of a thing, by a predicate and the thing.
    kinds: HashMap<(String, String), String>,
    /// The statements that are false if one is true, as predicates and objects.
    excluded: HashMap<Statement, Vec<Statement>>,
    only: Vec<Only>,
}

/// A predicate and its object, in their base forms.
type Statement = (String, String);

/// The words of every language.
pub(super) fn all() -> &'static [Words] {
    &*ALL
}

impl Words {
    fn parse(text: &'static str) -> Self {
        let (mut words, mut section) = (Self::default(), "");
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
            if line.starts_with(' ') {
                words.take(section, line);
            } else {
                section = line;
                words.only.extend(only(line));
            }
        }
        words
    }

    /// Parses one line of a section.
    fn take(&mut self, section: &'static str, line: &'static str) {
        let entries: Vec<String> = line.split_whitespace().map(fold).collect();
        match section.split_once(' ') {
            Some(("class", name)) => {
                let class = self.classes.entry(name).or_default();
                let from = class.len();
                class.extend(entries.into_iter().zip(from..));
            }
            Some(("only" | "of", _)) => {
                let patterns = line.split(',').map(|way| way.split_whitespace().map(fold).collect());
                if let Some(only) = self.only.last_mut() {
                    only.patterns.extend(patterns.filter(|way: &Vec<String>| !way.is_empty()));
                }
            }
            Some(("kinds", predicates)) => {
                let mut entries = entries.iter().map(|word| self.base(word));
                let (kind, things) = (entries.next().unwrap_or_default(), entries.collect::<Vec<_>>());
                for predicate in predicates.split(' ').map(stem) {
                    self.kinds.extend(things.iter().map(|thing| ((predicate.clone(), thing.clone()), kind.clone())));
                }
            }
            _ if section == "excludes" => {
                if let Some((one, others)) = line.split_once('>') {
                    let others = others.split(',').map(|other| self.statement(other)).collect();
                    self.excluded.insert(self.statement(one), others);
                }
            }
            _ if section == "entails" => {
                let same = |verb: String| self.alike.get(&verb).cloned().unwrap_or(verb);
                let mut verbs = entries.iter().map(|verb| same(self.base(verb)));
                let verb = verbs.next().unwrap_or_default();
                let others: Vec<String> = verbs.collect();
                self.entails.entry(verb).or_default().extend(others);
            }
            _ if section == "forms" => {
                let verb = entries.first().map(|verb| stem(verb)).unwrap_or_default();
                self.forms.extend(entries.into_iter().map(|form| (form, verb.clone())));
            }
            _ => {
                let first = entries.first().map(|verb| stem(verb)).unwrap_or_default();
                self.alike.extend(entries.iter().map(|verb| (stem(verb), first.clone())));
            }
        }
    }

    /// The base forms of a predicate and of the words after it.
    fn statement(&self, text: &str) -> Statement {
        let mut words = text.split_whitespace().map(|word| self.base(&fold(word)));
        (words.next().unwrap_or_default(), words.collect::<Vec<_>>().join(" "))
    }

    /// Reports whether a class contains a folded word.
    pub(super) fn is(&self, class: &str, word: &str) -> bool {
        self.classes.get(class).is_some_and(|words| words.contains_key(word))
    }

    /// Reports whether one of some classes contains a folded word.
    pub(super) fn is_any(&self, classes: &[&str], word: &str) -> bool {
        classes.iter().any(|class| self.is(class, word))
    }

    /// The index of the month that a folded word names, the same in every language.
    pub(super) fn month(&self, word: &str) -> Option<usize> {
        self.classes.get("month")?.get(word).copied()
    }

    /// The number that a folded word is.
    pub(super) fn number(&self, word: &str) -> Option<usize> {
        self.classes.get("number")?.get(word).copied().or_else(|| word.parse().ok())
    }

    /// The base forms of the verbs that are true with this one: what was bought was owned.
    pub(super) fn entailed(&self, verb: &str) -> &[String] {
        self.entails.get(verb).map_or(&[], Vec::as_slice)
    }

    /// The kind that a thing belongs to, as an object of a predicate; both in their base forms.
    pub(super) fn kind(&self, predicate: &str, thing: &str) -> Option<&str> {
        self.kinds.get(&(predicate.to_owned(), thing.to_owned())).map(String::as_str)
    }

    /// The statements that are false if this one is true, in base forms.
    pub(super) fn excluded(&self, predicate: &str, object: &str) -> &[Statement] {
        self.excluded.get(&(predicate.to_owned(), object.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// The predicates that allow one object at a time.
    pub(super) fn only(&self) -> &[Only] {
        &self.only
    }

    /// The base form of a verb, used for comparing.
    pub(super) fn base(&self, word: &str) -> String {
        self.forms.get(word).cloned().unwrap_or_else(|| stem(word))
    }

    /// The base form of a verb in the present, if it is one with others of the same meaning.
    pub(super) fn doing(&self, word: &str) -> Option<String> {
        self.alike.get(&stem(word)).cloned()
    }

    /// Reports whether a folded word is a past form that differs from the present.
    pub(super) fn is_past(&self, word: &str) -> bool {
        self.verb(word, false).is_some() && self.forms.get(word).is_none_or(|verb| stem(word) != *verb)
    }

    /// The word of a state that a form in "ing" belongs to.
    pub(super) fn present(&self, word: &str) -> Option<String> {
        let (base, is_being) = (self.base(word), self.is("being", word));
        let states = self.classes.get(if is_being { "am" } else { "states" })?;
        let found = states.iter().filter(|(state, _)| is_being || (word.ends_with("ing") && self.base(state) == base));
        found.min_by_key(|(_, at)| **at).map(|(state, _)| state.clone())
    }

    /// The base form of the verb that a past form belongs to; `going` also accepts forms in "ing".
    pub(super) fn verb(&self, word: &str, going: bool) -> Option<String> {
        let regular =
            || (word.len() > 4 && (word.ends_with("ed") || (going && word.ends_with("ing")))).then(|| stem(word));
        let verb = self.forms.get(word).cloned().or_else(regular)?;
        Some(self.alike.get(&verb).cloned().unwrap_or(verb))
    }
}

fn only(line: &'static str) -> Option<Only> {
    let mut words = line.split_whitespace();
    let owned = match words.next()? {
        "only" => false,
        "of" => true,
        _ => return None,
    };
    let (name, sort) = (words.next()?, Sort::from_name(words.next()?)?);
    let flags: Vec<&str> = words.collect();
    let (fixed, asks) = (flags.contains(&"fixed"), flags.contains(&"asks"));
    Some(Only { name, sort, fixed, owned, asks, patterns: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_files_are_read_and_name_the_same_predicates() {
        let [english, german] = all() else { panic!("two languages") };
        for class in ["first", "mine", "copula", "unsure", "partly", "when", "pointing", "small", "likes", "region"] {
            assert!(!english.classes[class].is_empty() && !german.classes[class].is_empty(), "{class}");
        }
        assert_eq!((english.month("december"), german.month("dezember")), (Some(11), Some(11)));
        for only in all().iter().flat_map(Words::only) {
            assert!(!only.patterns.is_empty(), "{}", only.name);
            assert!(english.only().iter().any(|one| (one.name, one.sort) == (only.name, only.sort)), "{}", only.name);
        }
        assert_eq!(english.verb("flown", false), english.verb("flew", false));
        assert_eq!(english.verb("solved", false), english.verb("finished", false));
        assert_eq!(english.verb("preparing", false), None);
    }
}
