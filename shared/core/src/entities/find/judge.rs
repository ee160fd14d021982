//! Classifies a run of capitalized words and rates the confidence.

use super::Found;
use super::runs::Run;
use super::tokens::{Token, is_capital, is_initials};
use crate::entities::EntityType::{self, Event, Organization, Person, Place, Product};
use crate::entities::words::Words;

/// A type with its confidence.
type Guess = (EntityType, f64);

/// Confidence of an otherwise unknown name within a sentence.
const UNKNOWN: f64 = 0.5;
/// Confidence of an unknown name of several words in a marked-up text, whose headings are full of such words.
const UNKNOWN_LONG: f64 = 0.4;
/// Confidence of an unknown word that begins a sentence.
const FIRST: f64 = 0.2;
/// Confidence of a few letters in capitals, as labels and abbreviations are, and of words in "ly".
const LETTERS: f64 = 0.25;

/// A run with its context.
struct Case<'a> {
    text: &'a str,
    tokens: &'a [Token],
    run: &'a Run,
    words: &'a Words,
    folded: String,
    /// Whether the text is about software and similar products.
    technical: bool,
}

/// Classifies a run; `None` if it is not a name.
pub(super) fn judge((text, technical): (&str, bool), tokens: &[Token], run: &Run, words: &Words) -> Option<Found> {
    let case = Case { text, tokens, run, words, folded: run.folded(tokens), technical };
    let first = run.words(tokens).first()?;
    let guess = case.guesses().into_iter().flatten().reduce(better);
    let (kind, confidence) = match guess {
        Some((kind, weight)) if first.first && !case.is_known() => (kind, weight * 0.9),
        Some(guess) => guess,
        None => case.unknown(first)?,
    };
    let heading = if case.is_heading() { 0.5 } else { 1.0 };
    let confidence = if case.is_known() { confidence } else { confidence * heading };
    Some(Found { span: run.span(tokens), kind, confidence, sentence: first.sentence })
}

fn better(best: Guess, guess: Guess) -> Guess {
    if best.1 >= guess.1 { best } else { guess }
}

impl Case<'_> {
    /// The guesses of all signs.
    fn guesses(&self) -> [Option<Guess>; 9] {
        let titled = self.run.titled.then_some((Person, 0.9));
        [
            titled,
            self.listed(),
            self.given(),
            self.ends(),
            self.begins(),
            self.noun_before(),
            self.noun_behind(),
            self.acts(),
            self.led(),
        ]
    }

    fn at(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| token.folded.as_str())
    }

    /// A word before the run in the same sentence.
    fn before(&self, back: usize) -> &str {
        let sentence = self.tokens.get(self.run.from).map(|token| token.sentence);
        let index = self.run.from.checked_sub(back);
        let token = index.and_then(|index| self.tokens.get(index)).filter(|token| Some(token.sentence) == sentence);
        token.map_or("", |token| token.folded.as_str())
    }

    fn len(&self) -> usize {
        self.run.to - self.run.from
    }

    fn last(&self) -> &str {
        self.at(self.run.to.saturating_sub(1))
    }

    fn raw(&self) -> &str {
        self.text.get(self.run.span(self.tokens)).unwrap_or_default()
    }

    fn is_known(&self) -> bool {
        self.run.titled || self.listed().is_some() || self.given().is_some()
    }

    /// From a list of known names.
    fn listed(&self) -> Option<Guess> {
        let capitals = self.raw().chars().all(|c| !c.is_lowercase());
        self.words.known(&self.folded, capitals).filter(|_| !self.given_wins()).map(|kind| (kind, 0.85))
    }

    /// A name of both a person and a place counts as a person, unless a word before says otherwise.
    fn given_wins(&self) -> bool {
        let led = self.words.kind("before", self.before(1));
        self.words.is("given", &self.folded) && led != Some(Place)
    }

    fn given(&self) -> Option<Guess> {
        let is_given = self.words.is("given", self.at(self.run.from)) && (self.len() > 1 || self.given_wins());
        (is_given && self.len() <= 4).then_some((Person, if self.len() > 1 { 0.88 } else { 0.8 }))
    }

    fn ends(&self) -> Option<Guess> {
        let kind = self.words.kind("ends", self.last()).filter(|_| self.len() > 1)?;
        // A weekday or date is not an event.
        let weak = kind == Event && matches!(self.last(), "day" | "week" | "month") || kind == Product;
        Some((kind, if weak { 0.5 } else { 0.75 }))
    }

    fn begins(&self) -> Option<Guess> {
        let first = self.at(self.run.from);
        let of = self.len() > 2 && self.at(self.run.from + 1) == "of" && self.words.kind("ends", first).is_some();
        let kind = if of { self.words.kind("ends", first) } else { self.words.kind("begins", first) };
        kind.filter(|_| self.len() > 1).map(|kind| (kind, 0.65))
    }

    /// "my dog Rex", "a company called Acme", "named Rex".
    fn noun_before(&self) -> Option<Guess> {
        if matches!(self.before(1), "called" | "named") {
            let noun = self.words.kind("noun", self.before(2)).or_else(|| self.words.kind("noun", self.before(3)));
            return Some(noun.map_or((Person, 0.6), |kind| (kind, 0.85)));
        }
        let about_name = matches!(self.before(1), "is" | "was") && self.before(2) == "name";
        let near = self
            .tokens
            .get(self.run.from)
            .is_some_and(|token| matches!(self.text.get(token.gap.clone()), Some(" " | ", " | " \"" | " '")));
        let noun = self.words.kind("noun", self.before(1)).filter(|_| near && self.owned(2));
        noun.map(|kind| (kind, 0.8)).or(about_name.then_some((Person, 0.85)))
    }

    /// Reports whether a possessive or article stands `back` words before the run, or one word further.
    fn owned(&self, back: usize) -> bool {
        let whose =
            |word: &str| matches!(word, "my" | "our" | "his" | "her" | "their" | "your" | "the" | "a" | "an" | "with");
        whose(self.before(back)) || whose(self.before(back + 1))
    }

    /// "Rex, my dog", "Acme, a startup".
    fn noun_behind(&self) -> Option<Guess> {
        let next = self.tokens.get(self.run.to).filter(|token| self.text.get(token.gap.clone()) == Some(", "))?;
        if !matches!(next.folded.as_str(), "my" | "our" | "his" | "her" | "their" | "a" | "an" | "the") {
            return None;
        }
        let nouns = [self.at(self.run.to + 1), self.at(self.run.to + 2)];
        nouns.into_iter().find_map(|noun| self.words.kind("noun", noun)).map(|kind| (kind, 0.85))
    }

    /// Followed by a verb or phrase of persons.
    fn acts(&self) -> Option<Guess> {
        let next = self.tokens.get(self.run.to)?;
        let near = self.text.get(next.gap.clone()) == Some(" ");
        let third = next.folded == "and" && self.at(self.run.to + 1) == "i";
        (near && self.len() < 4 && (self.words.is("acts", &next.folded) || third)).then_some((Person, 0.65))
    }

    /// From the words before it.
    fn led(&self) -> Option<Guess> {
        let (one, two) = (self.before(1), self.before(2));
        let works =
            matches!(two, "work" | "works" | "worked" | "working" | "job" | "intern" | "interning" | "internship");
        if matches!(one, "at" | "for") && works {
            return Some((Organization, 0.75));
        }
        let lives = matches!(
            two,
            "live"
                | "lives"
                | "lived"
                | "living"
                | "moved"
                | "moving"
                | "trip"
                | "travel"
                | "traveled"
                | "flew"
                | "born"
                | "based"
        );
        if lives && matches!(one, "in" | "to" | "from" | "near") {
            return Some((Place, 0.75));
        }
        if self.is_quoted() && !self.is_heading() {
            return Some((Product, 0.6));
        }
        match self.words.kind("before", one)? {
            // A preposition says little about a long name.
            Place if self.is_thing() => None,
            Place => Some((Place, if self.len() > 2 { 0.4 } else { UNKNOWN })),
            kind => (!self.is_thing()).then_some((kind, if self.len() > 2 { 0.4 } else { 0.55 })),
        }
    }

    fn is_quoted(&self) -> bool {
        let span = self.run.span(self.tokens);
        let before = self.text.get(..span.start).and_then(|text| text.chars().next_back());
        let after =
            self.text.get(span.end..).and_then(|text| text.trim_start_matches([',', '.', '!', '?']).chars().next());
        matches!((before, after), (Some('"' | '“'), Some('"' | '”'))) && self.raw().len() > 2
    }

    /// Reports whether it stands in a heading, at the head of a list entry or in bold, where all words are capitalized.
    fn is_heading(&self) -> bool {
        let span = self.run.span(self.tokens);
        let (before, after) =
            (self.text.get(..span.start).unwrap_or_default(), self.text.get(span.end..).unwrap_or_default());
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let bold = before.ends_with("**") || after.starts_with("**");
        let lead = line.trim_start_matches(|c: char| !c.is_alphabetic()).is_empty() && after.starts_with([':', '\n']);
        line.starts_with('#') || bold || (lead && before.contains('\n'))
    }

    /// Guesses the type of a name known only by its capitals.
    fn unknown(&self, first: &Token) -> Option<Guess> {
        let shouted = self.raw().len() > 4 && self.raw().chars().all(|c| !c.is_lowercase());
        let plain = |token: &&Token| !is_capital(self.text.get(token.span.clone()).unwrap_or_default());
        let also_small = self.len() == 1 && self.tokens.iter().filter(plain).any(|token| token.folded == self.folded);
        if shouted || also_small {
            return None;
        }
        let kind = match self.len() {
            _ if self.is_thing() => Product,
            1 | 2 => Person,
            _ => Organization,
        };
        let kind = match self.before(1) {
            _ if matches!(self.at(self.run.from), "the" | "a") => Product,
            "a" | "an" | "my" | "our" | "new" | "own" if kind == Person => Product,
            "the" if kind == Person && !first.first => Organization,
            _ => kind,
        };
        let long = if self.is_marked_up() { UNKNOWN_LONG } else { UNKNOWN };
        let letters = self.raw().len() < 4 && self.raw().chars().all(char::is_uppercase);
        match (first.first, self.len()) {
            (true, 1) => Some((kind, FIRST)),
            (true, _) => Some((kind, 0.28)),
            (false, 1) if letters && !self.technical && self.before(1) == "the" => Some((Organization, UNKNOWN)),
            (false, 1) if letters || self.folded.ends_with("ly") => Some((kind, LETTERS)),
            (false, 1) => Some((kind, UNKNOWN)),
            (false, _) => Some((kind, long)),
        }
    }

    /// Reports whether the text has headings and lists, where words are capitalized for other reasons.
    fn is_marked_up(&self) -> bool {
        self.text.contains("**") || self.text.contains("\n#") || self.text.contains("\n1.")
    }

    /// Reports whether it is spelled like the name of a product (with digits, inner capitals or a dot), or stands in
    /// a text about such things.
    fn is_thing(&self) -> bool {
        let inner = |word: &str| word.chars().skip(1).any(|c| c.is_uppercase() || c.is_ascii_digit() || c == '.');
        let named = |word: &&str| !is_initials(&word.to_lowercase());
        self.technical || self.raw().split(' ').filter(named).any(inner)
    }
}
