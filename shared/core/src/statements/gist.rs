//! The names, numbers and content words of a statement, by which an assistant's echo of it is recognized.

use std::collections::BTreeSet;

use super::part::pieces;
use crate::text::lists::is_stop_word;
use crate::text::sentences;
use crate::text::words::{fold, stem, words};

/// Words of German that say nothing by themselves; those of English are stop words.
const LIGHT: &[&str] = &[
    "aber",
    "als",
    "also",
    "am",
    "an",
    "auch",
    "auf",
    "bei",
    "bin",
    "bist",
    "da",
    "das",
    "dass",
    "dein",
    "deine",
    "dem",
    "den",
    "der",
    "des",
    "dich",
    "die",
    "dir",
    "du",
    "ein",
    "eine",
    "einem",
    "einen",
    "einer",
    "er",
    "es",
    "euch",
    "fur",
    "gut",
    "habe",
    "haben",
    "hast",
    "hat",
    "ich",
    "ihm",
    "ihn",
    "ihr",
    "ihre",
    "im",
    "in",
    "ist",
    "ja",
    "man",
    "mein",
    "meine",
    "meinem",
    "meinen",
    "meiner",
    "mich",
    "mir",
    "mit",
    "nach",
    "noch",
    "nun",
    "oder",
    "sein",
    "seine",
    "seit",
    "sich",
    "sie",
    "sind",
    "so",
    "und",
    "uns",
    "unser",
    "unsere",
    "vom",
    "von",
    "war",
    "was",
    "wie",
    "wir",
    "zu",
    "zum",
    "zur",
    // Words that an assistant says about the person.
    "assistant",
    "person",
    "user",
    "you",
    "your",
    "yours",
    "noted",
    "notiert",
];
/// Shortest common start of two forms of a word.
const SHORTEST_START: usize = 4;

/// What a statement is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gist {
    /// Stems of names and numbers.
    names: BTreeSet<String>,
    /// Stems of all words that say something.
    content: BTreeSet<String>,
    /// Names and numbers as they are written.
    written: Vec<String>,
}

impl Gist {
    /// Returns the gist of a text. A word is a name if it is capitalized within a sentence.
    pub fn of(text: &str) -> Self {
        let mut gist = Self::default();
        for range in sentences::of(text, text.len()) {
            for (index, word) in words(&text[range]).enumerate() {
                let folded = fold(word);
                if is_light(&folded) {
                    continue;
                }
                let is_number = word.chars().any(char::is_numeric);
                if is_number || (index > 0 && word.chars().next().is_some_and(char::is_uppercase)) {
                    gist.names.insert(stem(&folded));
                    gist.written.push(word.to_owned());
                }
                gist.content.insert(stem(&folded));
            }
        }
        gist
    }

    /// Returns the gist of a sentence, and of its clauses that name something and say something of it.
    pub fn all_of(sentence: &str) -> Vec<Self> {
        let clauses = pieces(sentence).into_iter().map(|piece| Self::of(&sentence[piece]));
        let telling = clauses.filter(|gist| !gist.names.is_empty() && gist.content.len() > 1);
        std::iter::once(Self::of(sentence)).chain(telling).collect()
    }

    /// The stems of the words of a sentence, to be compared with gists.
    pub fn stems(sentence: &str) -> BTreeSet<String> {
        words(sentence).map(|word| stem(&fold(word))).collect()
    }

    /// Reports whether a sentence with these stems repeats the statement: it has all of its names and numbers, and most of
    /// its content. A single word, such as "Berlin" or "2", could be about anything.
    pub fn is_echoed_by(&self, said: &BTreeSet<String>) -> bool {
        let held = self.content.iter().filter(|word| said.iter().any(|other| alike(word, other))).count();
        let (least, of) = if self.names.is_empty() { (3, 4) } else { (3, 5) };
        let enough = of * held >= least * self.content.len() && held > 0;
        enough && self.content.len() > 1 && (held > 1 || !self.names.is_empty()) && self.names.is_subset(said)
    }

    /// The words by which other texts name the same: names and numbers or, without any, all content; at most `most`.
    pub fn topics(&self, most: usize) -> Vec<String> {
        let all: Vec<String> =
            if self.written.is_empty() { self.content.iter().cloned().collect() } else { self.written.clone() };
        if self.written.is_empty() && all.len() < 2 { Vec::new() } else { all.into_iter().take(most).collect() }
    }

    /// Stems of names and numbers.
    pub(super) const fn names(&self) -> &BTreeSet<String> {
        &self.names
    }

    /// Stems of all words that say something.
    pub(super) const fn content(&self) -> &BTreeSet<String> {
        &self.content
    }

    /// Returns how many content words of a text are among these.
    pub(super) fn shared_with(&self, text: &Self) -> usize {
        text.content.iter().filter(|word| self.content.iter().any(|own| alike(own, word))).count()
    }

    /// Reports whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty()
    }
}

/// Reports whether a folded word says nothing by itself.
pub(super) fn is_light(folded: &str) -> bool {
    is_stop_word(folded) || LIGHT.contains(&folded)
}

/// Reports whether two stems are forms of the same word, such as "wohne" and "wohnst".
pub(super) fn alike(one: &str, other: &str) -> bool {
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    one == other || (common >= SHORTEST_START && 3 * common >= 2 * longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_with_the_names_and_most_words_is_an_echo() {
        for (said, echo) in [
            ("I work at Brenner Optics.", "Got it, you work at Brenner Optics."),
            ("My cat is called Zelda.", "Zelda is a lovely name for a cat!"),
            ("My birthday is on 9 April.", "I noted that your birthday is 9 April."),
            ("Ich wohne in Graz.", "Schön, du wohnst also in Graz."),
            ("I am allergic to peanuts.", "I will remember that you are allergic to peanuts."),
            ("Meine Katze heißt Mimi und ich trinke gern Tee.", "Mimi ist ein schöner Name für eine Katze."),
        ] {
            let echoed = Gist::all_of(said).iter().any(|gist| gist.is_echoed_by(&Gist::stems(echo)));
            assert!(echoed, "{said} {echo}");
        }
    }

    #[test]
    fn another_sentence_is_none() {
        for (said, other) in [
            ("I work at Brenner Optics.", "Understood."),
            ("I work at Brenner Optics.", "Where do you work?"),
            ("My birthday is on 9 April.", "Your birthday is on 19 April."),
            ("Ich wohne in Graz.", "In Wien wohnst du also nicht."),
            ("I am allergic to peanuts.", "Peanuts are rich in protein."),
            ("In Berlin.", "Berlin has three airports."),
            ("2", "Here are 2 recipes."),
        ] {
            assert!(!Gist::of(said).is_echoed_by(&Gist::stems(other)), "{said} {other}");
        }
    }

    #[test]
    fn texts_that_name_the_same_are_looked_up_by_names() {
        assert_eq!(Gist::of("My cat is called Zelda.").topics(4), ["Zelda"]);
        assert_eq!(Gist::of("Yes.").topics(4), Vec::<String>::new());
    }
}
