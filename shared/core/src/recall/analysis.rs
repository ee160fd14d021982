//! Parses a query: its terms and phrases, and the people and times it names. Any string is a query; the only syntax is
//! double quotes.

use super::roles::{self, Asked, Roles};
use super::stages::Stage;
use super::stages::phrases::{self, Phrase};
use super::times::Times;
use super::token::Token;
use super::{MAX_TERMS, Plan, Weights, calendar, names, past, relative};
use crate::memory::MemoryFilter;
use crate::ports::{LexicalQuery, LexicalTerm};
use crate::text::lists::{irregular_forms, is_stop_word, is_talk_word};
use crate::text::words::{fold, is_unparted, words};
use crate::time::Timestamp;

/// A word to search for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The word as written.
    pub raw: String,
    /// The word as the index compares it.
    pub folded: String,
}

impl Term {
    /// Returns the term's irregular forms, which are searched as well.
    pub fn forms(&self) -> &'static [&'static str] {
        irregular_forms(&self.folded)
    }

    /// Reports whether the term is in a script that writes without spaces between words.
    pub fn is_unparted(&self) -> bool {
        is_unparted(&self.raw)
    }
}

/// A parsed query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Words to search, each once, at most [`MAX_TERMS`]: those that carry a topic, or all if none does.
    pub terms: Vec<Term>,
    /// Quoted phrases.
    pub phrases: Vec<Phrase>,
    /// Words that were written joined, such as the two of `E-4711`.
    pub joined: Vec<Vec<String>>,
    /// Pairs of adjacent terms, with at most one stop-word between them. A memory in which they are adjacent fits
    /// better.
    pub pairs: Vec<Vec<String>>,
    /// Whether the query consists only of quoted phrases. Then only memories that hold them are results. Otherwise a
    /// phrase that no memory holds counts as plain words, and neighbours of memories that hold it are results too.
    pub only_phrases: bool,
    /// The numbers of the speaker that the query names; empty if it names none.
    pub who: Vec<i64>,
    /// The speakers of the vault that are roles, such as `user`.
    pub roles: Roles,
    /// The speakers whose words the query asks for, in a vault whose speakers are roles.
    pub asked: Asked,
    /// Whether the query asks for a time.
    pub asks_when: bool,
    /// Whether the query asks about the past: "Where did I live before?"
    pub asks_past: bool,
    /// The times that the query names.
    pub times: Times,
}

/// Reports whether a query has words outside of its quoted phrases, so that vectors can help.
pub fn has_meaning(text: &str) -> bool {
    words(&phrases::quoted(text).1).next().is_some()
}

/// Parses a query to a vault with these speakers, for the stages of the plan. `reference` is the time that "yesterday"
/// counts from.
pub fn analyze(text: &str, speakers: &[(i64, String)], reference: Timestamp, plan: &Plan) -> Analysis {
    let tokens: Vec<Token<'_>> = words(text).map(|raw| Token { raw, folded: fold(raw) }).collect();
    let folded: Vec<&str> = tokens.iter().map(|token| token.folded.as_str()).collect();
    let names = names::find(&tokens, speakers);
    let (phrases, outside) = phrases::quoted(text);
    let topics = topics(&tokens, &names.is_name, &plan.weights);
    let [phrasing, timing, by_roles] = [Stage::Phrases, Stage::Time, Stage::Roles].map(|stage| plan.on(stage));
    let terms = if topics.is_empty() {
        first_occurrences(tokens.iter())
    } else {
        first_occurrences(topics.iter().map(|index| &tokens[*index]))
    };
    Analysis {
        terms,
        pairs: if phrasing { phrases::pairs(&tokens, &topics) } else { Vec::new() },
        only_phrases: !phrases.is_empty() && words(&outside).next().is_none(),
        phrases,
        joined: if phrasing { phrases::joined(text) } else { Vec::new() },
        who: if !by_roles {
            Vec::new()
        } else if names.who.is_empty() && plan.on(Stage::Expand) {
            names.each
        } else {
            names.who
        },
        roles: Roles::of(speakers),
        asked: if by_roles { roles::asked(&folded) } else { Asked::Anybody },
        asks_when: timing && asks_when(&folded),
        asks_past: past::asks(&folded),
        times: if timing { times(&folded, reference) } else { Times::default() },
    }
}

fn times(folded: &[&str], reference: Timestamp) -> Times {
    Times { ranges: relative::ranges(folded, reference), ..calendar::named(folded) }
}

/// Returns the indices of words that are neither stop-words nor names. Words about talking are left out too, if others
/// remain.
fn topics(tokens: &[Token<'_>], is_name: &[bool], weights: &Weights) -> Vec<usize> {
    let is_topic = |index: &usize| !is_name[*index] && !is_stop_word(&tokens[*index].folded);
    let topics: Vec<usize> = (0..tokens.len()).filter(is_topic).collect();
    let is_talk = |index: &usize| weights.drop_talk && is_talk_word(&tokens[*index].folded);
    let told: Vec<usize> = topics.iter().copied().filter(|index| !is_talk(index)).collect();
    if told.is_empty() { topics } else { told }
}

fn first_occurrences<'t, 'q: 't>(tokens: impl Iterator<Item = &'t Token<'q>>) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for token in tokens {
        if terms.len() == MAX_TERMS {
            break;
        }
        if !terms.iter().any(|term| term.folded == token.folded) {
            terms.push(Term { raw: token.raw.to_owned(), folded: token.folded.clone() });
        }
    }
    terms
}

fn together(words: impl AsRef<[String]>) -> LexicalTerm {
    LexicalTerm { words: words.as_ref().to_vec(), prefix: false }
}

fn asks_when(folded: &[&str]) -> bool {
    let names_time = |word: &str| matches!(word, "date" | "day" | "month" | "year" | "time");
    folded.first() == Some(&"when")
        || folded.windows(2).any(|pair| matches!(pair[0], "what" | "which") && names_time(pair[1]))
}

impl Analysis {
    /// Reports whether the query holds no word at all, only signs.
    pub fn is_wordless(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the query to the full-text index: any term, form, correction, phrase or joined words; if `strict`, also
    /// all phrases.
    pub fn lexical_query<'c>(
        &self,
        replacements: impl Iterator<Item = &'c str>,
        filter: &MemoryFilter,
        strict: bool,
    ) -> LexicalQuery {
        let mut any = Vec::with_capacity(self.terms.len() + 8);
        for term in &self.terms {
            any.push(LexicalTerm::word(&term.raw.to_lowercase()));
            any.extend(term.forms().iter().map(|form| LexicalTerm::word(form)));
        }
        any.extend(replacements.map(LexicalTerm::word));
        let phrases: Vec<LexicalTerm> = self.word_phrases().map(together).collect();
        any.extend(self.joined.iter().map(together));
        any.extend(self.pairs.iter().filter(|pair| !self.joined.contains(pair)).map(together));
        any.extend(phrases.iter().filter(|phrase| phrase.words.len() > 1).cloned());
        LexicalQuery { any, all: if strict { phrases } else { Vec::new() }, filter: filter.clone() }
    }

    /// Returns the query to the full-text index for the quoted phrases alone; `None` if the index can find none of
    /// them.
    pub fn quoted_query(&self, filter: &MemoryFilter) -> Option<LexicalQuery> {
        let all: Vec<LexicalTerm> = self.word_phrases().map(together).collect();
        (!all.is_empty()).then(|| LexicalQuery { any: all.clone(), all, filter: filter.clone() })
    }

    /// Returns the phrases that the index can find.
    pub fn word_phrases(&self) -> impl Iterator<Item = &Vec<String>> {
        self.phrases.iter().filter_map(|phrase| match phrase {
            Phrase::Words(words) => Some(words),
            Phrase::Text(_) => None,
        })
    }

    /// Returns the phrases that must be searched verbatim.
    pub fn text_phrases(&self) -> impl Iterator<Item = &str> {
        self.phrases.iter().filter_map(|phrase| match phrase {
            Phrase::Words(_) => None,
            Phrase::Text(text) => Some(text.as_str()),
        })
    }
}
