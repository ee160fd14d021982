//! The wording of a statement that is kept: it stands by itself and says whose it is.

use std::ops::Range;

use kimberly_language::judge::{Owner, Verdict};

use super::candidate::{Class, Nature};
use super::pronouns::{kin_name, meant, tail};
use super::rewrite::{self, capitalized};
use super::said::{Context, LONGEST_SENTENCE};
use super::secrets::{MASK, mask};
use super::statement::Claim;
use super::tokens::{Before, Token, tokens};
use crate::bounds::{MAX_EXTRACTED_BYTES, MAX_SOURCE_CONTEXT_BYTES, MAX_SUBJECT_BYTES};
use crate::memory::Role;
use crate::text::sentences;

/// A claim that is worded.
pub(super) struct Wording<'c> {
    pub context: Context<'c>,
    pub words: &'c [Token],
    /// The first word of the statement.
    pub from: usize,
    pub claim: &'c Claim,
}

/// Most bytes read of the previous message, from its end.
const READ_BEFORE: usize = 4_000;
/// Most words of an answer that says nothing without its question.
const LONGEST_ANSWER: usize = 3;

impl Wording<'_> {
    /// Returns the subject and the statement; `None` if they are out of bounds.
    pub(super) fn told(&self, verdict: &Verdict, class: Class, nature: Nature) -> Option<(String, String)> {
        let (language, said) = (self.context.language, self.context.said);
        let known = language.known();
        let speaker = said.speaker(language);
        let words = self.stated()?;
        let person = known.first | known.mine | known.me | known.plural | known.second;
        let named = words.iter().any(|token| token.is(person));
        let mut subject = self.other(words, verdict).unwrap_or_else(|| speaker.to_owned());
        let mut content = rewrite::statement(language, said.content, words, speaker, !said.name.is_empty())?;
        if let Some(name) = self.pronoun(words) {
            let rest = said.content.get(words[0].range.end..words.last()?.range.end)?;
            content = format!("{}{rest}", capitalized(&name));
            subject = name;
        } else if let Some(question) = self.question(words) {
            content = format!("{question} {}: {content}", capitalized(speaker));
        } else if self.depends(words) {
            content = format!("{}. {content}", self.previous()?.trim_end_matches('.'));
        } else if !named
            && verdict.owner.value == Owner::Me
            && class != Class::Knowledge
            && nature != Nature::Instruction
        {
            // "Just got a new job", "Dad hates tea": name the person in front.
            content = rewrite::by(language, speaker, content, !said.name.is_empty());
        }
        if !content.ends_with(['.', '!', '?', '…']) {
            content.push('.');
        }
        (content.len() <= MAX_EXTRACTED_BYTES && subject.len() <= MAX_SUBJECT_BYTES && !subject.is_empty())
            .then_some((subject, content))
    }

    /// The words of the statement, without conjunctions and fillers around it and the person addressed.
    fn stated(&self) -> Option<&[Token]> {
        let known = self.context.language.known();
        let joins = known.conj | known.given;
        let mut words = self.words.get(self.from..)?;
        // "Lea, I love chess."
        if let [name, second, ..] = words
            && name.is_name()
            && second.before >= Before::Pause
            && second.is(known.first | known.plural)
        {
            words = words.get(1..)?;
        }
        let start = words.iter().position(|token| !token.is(joins | known.filler)).unwrap_or(0);
        let end = words.iter().rposition(|token| !token.is(joins)).map_or(words.len(), |last| last + 1);
        words.get(start..end.max(start)).filter(|words| !words.is_empty())
    }

    /// The other person that a statement is about, as far as its words name one.
    fn other(&self, words: &[Token], verdict: &Verdict) -> Option<String> {
        let (language, said) = (self.context.language, self.context.said);
        if verdict.owner.value != Owner::Other {
            return None;
        }
        if let Some(kin) = words.iter().position(|token| token.is(language.known().kin)) {
            return Some(kin_name(language, said, said.content, words, kin));
        }
        // German writes every noun with a capital: only the first word is taken for a name there.
        let name = words.iter().position(Token::is_name).filter(|at| *at == 0 || !language.inverts())?;
        let last = words[name..].iter().take_while(|token| token.is_name()).last()?;
        said.content.get(words[name].range.start..last.range.end).map(str::to_owned)
    }

    /// The person that a pronoun at the start refers to.
    fn pronoun(&self, words: &[Token]) -> Option<String> {
        let known = self.context.language.known();
        let first = words.first().filter(|first| first.is(known.he | known.she))?;
        let own = known.first | known.mine | known.me | known.plural;
        let start = self.claim.span.start;
        meant(self.context.language, self.context.said, self.context.before, start, first.is(known.she))
            .filter(|_| !words.iter().any(|token| token.is(own)))
    }

    /// Whether a statement begins with a word that stands for something named before.
    fn depends(&self, words: &[Token]) -> bool {
        let known = self.context.language.known();
        // "This year I moved to Rome." stands by itself.
        let own = words.iter().any(|word| word.is(known.first));
        let timed = words.get(1).is_some_and(|second| second.is(known.time | known.month | known.weekday));
        words.first().is_some_and(|first| {
            first.is(known.he | known.she | known.dangling) || (first.is(known.pointing) && !own && !timed)
        })
    }

    /// The sentence before in the message, as a statement: "It's a 2019 Focus." says nothing without it.
    fn previous(&self) -> Option<String> {
        let (language, said) = (self.context.language, self.context.said);
        let last = self.claim.last.clone().filter(|_| self.claim.last_is_one)?;
        let overlaps = |secret: &Range<usize>| secret.start < last.end && last.start < secret.end;
        if self.context.secrets.iter().any(overlaps) || said.content.get(last.clone())?.contains(MASK) {
            return None;
        }
        let mut words = Vec::new();
        tokens(language, said.content, last, &mut words);
        rewrite::statement(language, said.content, &words, said.speaker(language), !said.name.is_empty())
    }

    /// The assistant's question that an answer at the start of a message needs, with who asks.
    fn question(&self, words: &[Token]) -> Option<String> {
        let known = self.context.language.known();
        let stands = words.iter().any(|word| word.is(known.first | known.mine | known.plural));
        let needs = (words.len() <= LONGEST_ANSWER && !stands) || self.depends(words);
        if !needs || self.claim.last.is_some() {
            return None;
        }
        self.asked().filter(|asked| asked.ends_with('?'))
    }

    /// The last sentence of the message before, with its speaker.
    fn asked(&self) -> Option<String> {
        let message = self.context.before.last().filter(|last| last.role != Role::Tool)?;
        // Masked before it is split, and read from well before its last sentence, so that no secret is cut in two.
        let content = mask(tail(message.content, READ_BEFORE));
        let range = sentences::of(&content, LONGEST_SENTENCE).pop()?;
        Some(format!("{}: {}", capitalized(message.speaker(self.context.language)), content.get(range)?))
    }

    /// The sentence with the one before it, each with its speaker.
    pub(super) fn source_context(&self) -> String {
        let (said, language) = (self.context.said, self.context.language);
        let text = |range: &Range<usize>| said.content.get(range.clone()).unwrap_or_default();
        let speaker = capitalized(said.speaker(language));
        let span = &self.claim.span;
        let both = if let Some(last) = &self.claim.last {
            format!("{speaker}: {} {}", mask(text(last)), text(span))
        } else {
            let asked = self.asked().map_or_else(String::new, |asked| asked + " ");
            format!("{asked}{speaker}: {}", text(span))
        };
        // The statement is at the end: cut the front.
        let cut = both.floor_char_boundary(both.len().saturating_sub(MAX_SOURCE_CONTEXT_BYTES));
        let cut =
            (cut..=both.len()).find(|at| both.is_char_boundary(*at) && both.len() - at <= MAX_SOURCE_CONTEXT_BYTES);
        both.get(cut.unwrap_or(0)..).unwrap_or_default().to_owned()
    }
}
