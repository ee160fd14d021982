//! What a statement such as "My favourite tea is rooibos these days" or "The dentist moved my appointment to 11 March"
//! replaces: a record that says the same with another value.

use std::collections::BTreeSet;

use super::gist::Gist;
use crate::text::lists::is_time_word;
use crate::text::words::{fold, stem, words};

/// Words that say that something is so from now on, and not what.
const NOW: &str = "\
    now new nowadays currently instead these days moved changed switched postponed rescheduled shifted updated pushed extended brought onwards \
    jetzt neu neue neuer neues neuen nun inzwischen mittlerweile stattdessen verlegt verschoben geändert umgezogen gewechselt \
    ahora nuevo nueva cambiado cambié movido desormais maintenant nouveau nouvelle change deplace adesso ora nuovo nuova cambiato spostato \
    agora novo nova mudou mudei mudado atualmente";
/// Words that say that something is so beside what was: nothing is replaced.
const BESIDE: &str = "\
    also too another second additionally besides both well ausserdem auch noch zusatzlich zweite zweiten weitere tambien ademas otro otra aussi autre \
    anche altro altra tambem outro outra";
/// Most words by which either statement may differ, and fewest that they share.
const VALUE: usize = 3;
const SHARED: usize = 2;

/// A change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    about: BTreeSet<String>,
    /// The value that was wrong, if the text names it.
    wrong: BTreeSet<String>,
}

impl Change {
    /// Reads what a text says to be so from now on; `None` if it does not say that it was otherwise.
    pub fn of(text: &str) -> Option<Self> {
        let listed = |list: &str| list.split_whitespace().map(|word| stem(&fold(word))).collect::<BTreeSet<_>>();
        let (now, beside) = (listed(NOW), listed(BESIDE));
        let said: BTreeSet<String> = words(text).map(|word| stem(&fold(word))).collect();
        if said.is_disjoint(&now) || !said.is_disjoint(&beside) {
            return None;
        }
        let about: BTreeSet<String> = Gist::of(text).content().difference(&now).cloned().collect();
        (about.len() >= SHARED).then_some(Self { about, wrong: BTreeSet::new() })
    }

    /// A correction of a wrong value.
    pub fn of_correction(text: &str, wrong: &str) -> Option<Self> {
        let wrong: BTreeSet<String> = words(wrong).map(|word| stem(&fold(word))).collect();
        let about: BTreeSet<String> = Gist::of(text).content().difference(&wrong).cloned().collect();
        (!wrong.is_empty()).then_some(Self { about, wrong })
    }

    /// The words by which a record of the same is found; at most `most`.
    pub fn words(&self, most: usize) -> Vec<String> {
        self.wrong.iter().chain(&self.about).take(most).cloned().collect()
    }

    /// Reports whether a statement no longer holds: it says the same with another value.
    pub fn replaces(&self, statement: &str) -> bool {
        let said = Gist::of(statement);
        let said = said.content();
        if !self.wrong.is_empty() {
            return self.wrong.is_subset(said) && !self.about.is_disjoint(said);
        }
        let shared = said.intersection(&self.about).filter(|word| !is_value(word)).count();
        let (old, new) = (said.len() - said.intersection(&self.about).count(), self.about.difference(said).count());
        let differs = old > 0 && new > 0 && old <= VALUE && new <= VALUE;
        // "Two cats" and "three cats" differ in nothing else.
        let only_values = said.symmetric_difference(&self.about).all(|word| is_value(word));
        differs && (shared >= SHARED || (shared > 0 && only_values))
    }
}

/// Numbers and days of the week in German; those of English are time words, or have digits.
const VALUES: &str = "\
    two three four five six seven eight nine ten twelve zwei drei vier funf sechs sieben acht neun zehn montag dienstag mittwoch donnerstag freitag samstag \
    sonntag";

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
    }

    #[test]
    fn what_is_so_beside_it_replaces_nothing() {
        for (said, statement) in [
            ("My favourite tea is rooibos.", "The user's favourite tea is sencha."),
            ("I also play the violin now.", "The user plays the piano."),
            ("I live in Porto now.", "The user works in Braga."),
            ("My new boss is called Ana.", "The user's sister is called Eva."),
            ("The dentist moved to 5 Main Street.", "The dentist appointment is on 4 March at ten."),
        ] {
            assert!(!Change::of(said).is_some_and(|one| one.replaces(statement)), "{said} {statement}");
        }
    }
}
