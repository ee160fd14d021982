//! What a statement such as "My favourite tea is rooibos these days" or "The dentist moved my appointment to 11 March"
//! replaces: a record that says the same with another value.

use std::collections::BTreeSet;

use super::gist::Gist;
use crate::text::lists::is_time_word;
use crate::text::words::{fold, stem, words};

/// Phrases that say that something is so from now on, and not what.
const NOW: [&str; 52] = [
    "now",
    "nowadays",
    "currently",
    "instead",
    "these days",
    "from now on",
    "moved",
    "changed",
    "switched",
    "postponed",
    "rescheduled",
    "shifted",
    "extended",
    "pushed back",
    "brought forward",
    "my new",
    "our new",
    "the new",
    "jetzt",
    "nun",
    "inzwischen",
    "mittlerweile",
    "stattdessen",
    "verlegt",
    "verschoben",
    "geandert",
    "gewechselt",
    "mein neuer",
    "meine neue",
    "mein neues",
    "unsere neue",
    "unser neuer",
    "ahora",
    "mi nuevo",
    "mi nueva",
    "desormais",
    "maintenant",
    "mon nouveau",
    "ma nouvelle",
    "adesso",
    "ora",
    "il mio nuovo",
    "la mia nuova",
    "agora",
    "meu novo",
    "minha nova",
    "cambiado",
    "change",
    "deplace",
    "spostato",
    "mudou",
    "movido",
];
/// Words that say that something is so beside what was: nothing is replaced.
const BESIDE: &str = "\
    also too another second additionally besides both well ausserdem auch noch zusatzlich zweite zweiten weitere tambien ademas otro otra aussi autre \
    anche altro altra tambem outro outra";
/// Numbers and days of the week in German; those of English are time words, or have digits.
const VALUES: &str = "\
    two three four five six seven eight nine ten twelve zwei drei vier funf sechs sieben acht neun zehn montag dienstag mittwoch donnerstag freitag samstag \
    sonntag";
/// Fewest words that both share.
const SHARED: usize = 2;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    about: BTreeSet<String>,
    /// The value that was wrong, if the text names it.
    wrong: BTreeSet<String>,
    /// The words as they are written, folded.
    written: Vec<String>,
}

impl Change {
    /// Reads what a text says to be so from now on; `None` if it does not say that it was otherwise.
    pub fn of(text: &str) -> Option<Self> {
        let said: Vec<String> = words(text).map(fold).collect();
        let has = |phrase: &&str| said.windows(phrase.split(' ').count()).any(|run| run.iter().eq(phrase.split(' ')));
        let phrases: Vec<&str> = NOW.into_iter().filter(has).collect();
        if phrases.is_empty() || said.iter().any(|word| BESIDE.split_whitespace().any(|beside| beside == word)) {
            return None;
        }
        let now: BTreeSet<String> = phrases.iter().flat_map(|phrase| phrase.split(' ')).map(stem).collect();
        let about: BTreeSet<String> = Gist::of(text).content().difference(&now).cloned().collect();
        let change = Self::new(about, BTreeSet::new(), said);
        (change.about.len() >= SHARED).then_some(change)
    }

    /// A correction of a wrong value.
    pub fn of_correction(text: &str, wrong: &str) -> Option<Self> {
        let false_words: Vec<String> = words(wrong).map(fold).collect();
        let wrong: BTreeSet<String> = false_words.iter().map(|word| stem(word)).collect();
        let about: BTreeSet<String> = Gist::of(text).content().difference(&wrong).cloned().collect();
        let said = false_words.into_iter().chain(words(text).map(fold)).collect();
        (!wrong.is_empty()).then(|| Self::new(about, wrong, said))
    }

    fn new(about: BTreeSet<String>, wrong: BTreeSet<String>, said: Vec<String>) -> Self {
        let tells = |word: &String| about.contains(&stem(word)) || wrong.contains(&stem(word));
        let written = said.into_iter().filter(tells).collect();
        Self { about, wrong, written }
    }

    /// The words by which a record of the same is found; at most `most`.
    pub fn words(&self, most: usize) -> Vec<String> {
        self.written.iter().take(most).cloned().collect()
    }

    /// Reports whether a statement no longer holds: it says the same with another value.
    pub fn replaces(&self, statement: &str) -> bool {
        let said = Gist::of(statement);
        let said = said.content();
        if !self.wrong.is_empty() {
            let rest: BTreeSet<String> = said.difference(&self.wrong).cloned().collect();
            return self.wrong.is_subset(said) && !rest.is_empty() && rest.is_subset(&self.about);
        }
        let (old, new): (Vec<&String>, Vec<&String>) =
            (said.difference(&self.about).collect(), self.about.difference(said).collect());
        if old.is_empty() || new.is_empty() {
            return false;
        }
        let shared = said.intersection(&self.about).filter(|word| !is_value(word)).count();
        let others = |words: &[&String]| words.iter().filter(|word| !is_value(word)).count();
        // "Two cats" and "three cats" differ in nothing but the value; "tea is sencha" and "tea is rooibos" in one word.
        match others(&old) + others(&new) {
            0 => shared > 0,
            _ => shared >= SHARED && others(&old) <= 1 && others(&new) <= 1,
        }
    }
}

/// Reports whether a word can only be a value: a number or a time.
fn is_value(word: &str) -> bool {
    is_time_word(word) || word.contains(|c: char| c.is_ascii_digit()) || VALUES.split(' ').any(|value| value == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_replaces_the_old_one() {
        for (change, statement) in [
            ("My favourite tea is rooibos these days.", "The user's favourite tea is sencha."),
            ("The dentist moved my appointment to 11 March.", "The dentist appointment is on 4 March at ten."),
            ("My new phone number is 0160 9988776.", "The user's phone number is 0151 2233445."),
            ("The report is due on 9 May now, they extended the deadline.", "The deadline of the report is 2 May."),
            ("Die Chorprobe ist jetzt am Mittwoch.", "Die Chorprobe ist am Dienstag."),
            ("I have three cats now.", "The user has two cats."),
        ] {
            assert!(Change::of(change).is_some_and(|one| one.replaces(statement)), "{change} {statement}");
        }
    }

    #[test]
    fn a_correction_replaces_what_says_the_wrong_value_of_the_same() {
        let change = Change::of_correction("The user's name is Pam.", "Sam").unwrap();
        assert!(change.replaces("The user's name is Sam."));
        assert!(!change.replaces("The user's brother Sam lives in Rome."));
        assert!(!change.replaces("The user's name is Tim."));
        let choir = Change::of_correction("The choir meets on Tuesday, not Monday.", "Monday").unwrap();
        assert!(choir.replaces("The choir meets on Monday.") && !choir.replaces("The user meets Ana on Monday."));
        let porto = Change::of_correction("I work in Lisbon, not Porto.", "Porto").unwrap();
        assert!(!porto.replaces("The user worked in Porto from 2015 to 2019."));
    }

    #[test]
    fn what_is_so_beside_it_replaces_nothing() {
        for (said, statement) in [
            ("My favourite tea is rooibos.", "The user's favourite tea is sencha."),
            ("I also play the violin now.", "The user plays the piano."),
            ("We have a new cat called Momo.", "The user has a cat called Zelda."),
            ("I now play chess with Anna at the club.", "The user plays tennis with Ben at the club."),
            ("I need ten days for the report to Anna.", "The user needs five pages for the report to Bob."),
            ("I live in Porto now.", "The user works in Braga."),
            ("My new boss is called Ana.", "The user's sister is called Eva."),
            ("The dentist moved to 5 Main Street.", "The dentist appointment is on 4 March at ten."),
        ] {
            assert!(!Change::of(said).is_some_and(|one| one.replaces(statement)), "{said} {statement}");
        }
    }
}
