//! The words and rules of a language, read once from a data file that is compiled in. Knows nothing of messages.

mod parse;
mod pattern;
mod rule;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use parse::Invalid;
pub(super) use pattern::{Pattern, Place};
pub(super) use rule::{About, Rule};

use super::said::Said;
use super::tokens::UNKNOWN;
use super::when::TimeWord;
use crate::memory::Role;
use crate::text::words::{fold, words};

/// A set of classes of words: a bit for each.
pub(super) type Classes = u128;

/// Both parts of a contraction, and how many characters the second has.
type Contraction = ((u32, Classes), (u32, Classes), usize);

/// Words of a text that are looked at to guess its language.
const GUESSED_BY: usize = 200;

/// Texts that say less are read in the language of what was said before, in bytes.
const TELLS_LANGUAGE: usize = 40;

/// Fewest bytes of a word before an ending that counts.
const LEAST_BEFORE_ENDING: usize = 2;

/// The words and rules of a language.
#[derive(Debug)]
pub struct Language {
    /// Its tag, such as "en".
    tag: String,
    /// Words by their folded form: the number from 1 on, and the classes.
    words: HashMap<String, (u32, Classes)>,
    /// Endings of words, and the classes of every word that has one.
    endings: Vec<(String, Classes)>,
    /// Contractions: both parts, and how many characters the second has.
    contractions: HashMap<String, Contraction>,
    /// Classes by their name.
    classes: HashMap<String, Classes>,
    /// What the third person has where the first one has another form: "am" is "is".
    forms: HashMap<u32, String>,
    /// In the order of the file.
    rules: Vec<Rule>,
    /// The classes that code asks for.
    known: Known,
    /// What words mean for times.
    times: HashMap<u32, TimeWord>,
    /// How a speaker without a name is called in a sentence, such as "the user".
    unnamed: String,
    /// How an assistant without a name is called.
    assistant: String,
    /// What makes a name a genitive: "'s".
    genitive: String,
    /// What stands for "my" where the speaker was named: "their"; empty where the genitive does.
    their: String,
    /// What stands for "me" there: "them".
    them: String,
    /// Whether a verb may stand before its subject in a statement.
    inverts: bool,
}

macro_rules! known {
    ($($(#[$doc:meta])* $class:ident),+ $(,)?) => {
        /// The classes of words that code asks for; each language has all of them.
        #[derive(Clone, Copy, Debug, Default)]
        pub(super) struct Known { $($(#[$doc])* pub $class: Classes),+ }

        impl Known {
            /// From the classes of a language; the name of one that is missing.
            fn of(classes: &HashMap<String, Classes>) -> Result<Self, &'static str> {
                let of = |name: &'static str| classes.get(name).copied().ok_or(name);
                Ok(Self { $($class: of(stringify!($class))?),+ })
            }
        }
    };
}

known! {
    /// Words that say nothing and open sentences: "well".
    filler,
    /// Words that join clauses: "and", "because".
    conj,
    /// Adverbs that may stand before a verb: "really".
    adv,
    /// Words of times: "last", "week".
    time,
    /// "I".
    first,
    /// "my".
    mine,
    /// "me".
    me,
    /// "we", "our", "us".
    plural,
    /// "you", "your".
    second,
    /// "he".
    he,
    /// "she".
    she,
    /// Relatives and people close to one.
    kin,
    /// Of these, women.
    woman,
    /// Of these, men.
    man,
    /// Words behind which a clause may begin that states something: "that", "I think".
    opens,
    /// Of these, what may follow a question: "considering", "because".
    given,
    /// Of these, what only says that one thinks so: "I think".
    thinks,
    /// Words of exercises: "equation".
    exercise,
    /// Verbs of tasks: "write".
    ordering,
    /// Words that tell that one is not sure: "wondering".
    doubting,
    /// What makes a sentence hypothetical: "if", "would".
    hypothetical,
    /// What negates: "not".
    negation,
    /// Words that open a question: "what", "can".
    asking,
    /// Verbs that make a question where they stand before "I", "you" or "we".
    inverting,
    /// Words of greetings, thanks and praise.
    greeting,
    /// Verbs of what others say: "said".
    said,
    /// Words without a topic.
    stop,
    /// Words too vague to be worth keeping: "thing", "awesome".
    vague,
    /// Health, religion, politics and the like.
    sensitive,
    /// Words of strong feelings and great events.
    strong,
    /// Months.
    month,
    /// Days of the week.
    weekday,
    /// Verbs in the first person, present.
    present,
    /// Verbs that are the same in the third person: "was", "moved", "can".
    unchanged,
    /// Words of the first person that nothing else can stand for: "myself".
    fixed,
    /// "and", "or": what joins verbs of one subject.
    and,
    /// What corrects where it opens a sentence: "no", "actually".
    correcting,
    /// "not", between what was wrong and what is right.
    not,
    /// "but", behind what was wrong.
    but,
    /// "is", "runs", "uses": verbs behind which a thing is described.
    copula,
    /// What a full stop behind it does not end a sentence with: "Dr."
    abbreviated,
    /// "in", "at".
    place,
    /// The most frequent words, by which a language is guessed.
    common,
}

impl Language {
    /// English.
    pub fn english() -> &'static Self {
        static ENGLISH: LazyLock<Language> = LazyLock::new(|| Language::embedded(include_str!("../words/en.txt")));
        &ENGLISH
    }

    /// German.
    pub fn german() -> &'static Self {
        static GERMAN: LazyLock<Language> = LazyLock::new(|| Language::embedded(include_str!("../words/de.txt")));
        &GERMAN
    }

    /// The language with a tag such as "en" or "de-AT", if there is one.
    pub fn of(tag: &str) -> Option<&'static Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or(tag);
        [Self::english(), Self::german()].into_iter().find(|language| primary.eq_ignore_ascii_case(&language.tag))
    }

    /// The language that most of the first words of a text belong to; English where none stands out.
    pub fn guess(text: &str) -> &'static Self {
        let hits = |language: &Self| {
            let common = |word: &str| language.word(&fold(word)).1 & language.known.common != 0;
            words(text).take(GUESSED_BY).filter(|word| common(word)).count()
        };
        let (english, german) = (Self::english(), Self::german());
        if hits(german) > hits(english) { german } else { english }
    }

    /// The language of a message; a short one is in that of what was said before it.
    pub fn of_said(said: &Said<'_>, before: &[Said<'_>]) -> &'static Self {
        let telling = before.iter().rev().find(|one| one.content.len() >= TELLS_LANGUAGE);
        match telling {
            Some(telling) if said.content.len() < TELLS_LANGUAGE => Self::guess(telling.content),
            _ => Self::guess(said.content),
        }
    }

    /// From the text of a data file; `words/en.txt` says how it is written.
    ///
    /// # Errors
    ///
    /// [`Invalid`] names the line that is wrong.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        parse::parse(text)
    }

    /// From a data file that is compiled in. A test holds each to [`Self::parse`]; one that failed would yield nothing.
    fn embedded(text: &'static str) -> Self {
        Self::parse(text).unwrap_or_else(|_| Self::empty())
    }

    /// Without words and rules.
    fn empty() -> Self {
        Self {
            tag: String::new(),
            words: HashMap::new(),
            endings: Vec::new(),
            contractions: HashMap::new(),
            classes: HashMap::new(),
            forms: HashMap::new(),
            rules: Vec::new(),
            known: Known::default(),
            times: HashMap::new(),
            unnamed: String::new(),
            assistant: String::new(),
            genitive: String::new(),
            their: String::new(),
            them: String::new(),
            inverts: false,
        }
    }

    /// Its tag, such as "en".
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// The number of a folded word and its classes.
    pub(super) fn word(&self, folded: &str) -> (u32, Classes) {
        let (word, classes) = self.words.get(folded).copied().unwrap_or((UNKNOWN, 0));
        let ends = |(ending, _): &&(String, Classes)| {
            folded.len() >= ending.len() + LEAST_BEFORE_ENDING && folded.ends_with(ending.as_str())
        };
        let ending = self.endings.iter().filter(ends).fold(0, |all, (_, classes)| all | classes);
        (word, classes | ending)
    }

    /// The parts of a folded contraction, and how many characters the second has.
    pub(super) fn contraction(&self, folded: &str) -> Option<Contraction> {
        self.contractions.get(folded).copied()
    }

    /// The form of the third person for a word of the first one, if it has another.
    pub(super) fn third(&self, word: u32) -> Option<&str> {
        self.forms.get(&word).map(String::as_str)
    }

    pub(super) fn rules(&self) -> &[Rule] {
        &self.rules
    }

    pub(super) const fn known(&self) -> &Known {
        &self.known
    }

    pub(super) fn unnamed(&self, role: Role) -> &str {
        if role == Role::Assistant { &self.assistant } else { &self.unnamed }
    }

    pub(super) fn time_word(&self, word: u32) -> Option<TimeWord> {
        self.times.get(&word).copied()
    }

    /// A name as the owner of what follows; `None` where the language has no such form of it.
    pub(super) fn genitive(&self, name: &str) -> Option<String> {
        let plain = self.their.is_empty() && (name == self.unnamed || name.ends_with(['s', 'x', 'z']));
        (!plain).then(|| format!("{name}{}", self.genitive))
    }

    /// Whether a word is the ending of an owner.
    pub(super) fn is_genitive(&self, word: &str) -> bool {
        word == self.genitive
    }

    pub(super) fn their(&self) -> Option<&str> {
        Some(self.their.as_str()).filter(|word| !word.is_empty())
    }

    pub(super) fn them(&self) -> Option<&str> {
        Some(self.them.as_str()).filter(|word| !word.is_empty())
    }

    pub(super) const fn inverts(&self) -> bool {
        self.inverts
    }
}
