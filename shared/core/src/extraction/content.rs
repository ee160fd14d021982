//! Builds a candidate from a sentence and a matching rule: content, subject, context, times and importance.

use std::ops::Range;

use super::candidate::{Candidate, Nature, Why};
use super::clauses::{Stated, doubt};
use super::correction::Correction;
use super::guards::SURE;
use super::language::{About, Language, Rule};
use super::pronouns::{kin_name, meant, tail};
use super::rewrite;
use super::said::{Context, LONGEST_SENTENCE};
use super::secrets::mask;
use super::speech::SURE_ALOUD;
use super::start::is_cut;
use super::tokens::{Before, Token};
use super::weight::{importance, is_concrete};
use super::when;
use crate::bounds::{MAX_EXTRACTED_BYTES, MAX_SOURCE_CONTEXT_BYTES, MAX_SUBJECT_BYTES};
use crate::text::sentences;

/// A rule that matched, and the words it matched.
#[derive(Debug)]
pub(super) struct Found<'r> {
    pub rule: &'r Rule,
    pub start: usize,
    pub end: usize,
}

/// A sentence from which candidates are built.
pub(super) struct Sentence<'s> {
    pub context: Context<'s>,
    pub words: &'s [Token],
    pub stated: &'s Stated,
    pub span: Range<usize>,
    /// The previous sentence in the message.
    pub last: Option<Range<usize>>,
}

/// Most bytes read of the previous message, from its end.
const READ_BEFORE: usize = 4_000;
/// Most words of a thing's name used as a subject.
const LONGEST_THING: usize = 6;

impl Sentence<'_> {
    /// Builds the candidate for a match; words from `end` on belong to another match.
    pub(super) fn candidate(
        &self,
        found: &Found<'_>,
        first: bool,
        end: usize,
        corrects: Option<&Correction>,
    ) -> Result<Candidate, Why> {
        let (rule, language, said) = (found.rule, self.context.language, self.context.said);
        let clause = &self.words[found.start..end];
        let sensitive =
            rule.sensitive || self.words[..self.stated.to].iter().any(|token| token.is(language.known().sensitive));
        if sensitive && !self.context.options.sensitive {
            return Err(Why::Sensitive);
        }
        // Endless sentences ramble like speech.
        let cut = rule.confidence < SURE_ALOUD
            && is_cut(said.content, self.span.start)
            && !is_concrete(language, &self.words[..end], found.start, found.start);
        if cut || (rule.confidence < SURE && self.points_ahead(found.start)) {
            return Err(Why::Nothing);
        }
        let (subject, content) = self.told(found, first, end).ok_or(Why::Nothing)?;
        let future = rule.nature == Nature::Plan;
        let lead = if first { &self.words[self.stated.from..end] } else { clause };
        let named = said.at.and_then(|at| when::period(language, said.content, lead, at, future));
        let valid = said.at.map_or_else(Default::default, |at| when::valid(rule.nature, named, at));
        let key = rule.key.as_ref().map(|key| key.replace('*', &self.last_word(found)));
        Ok(Candidate {
            class: rule.class,
            nature: rule.nature,
            exclusive: key.map(|key| format!("{}/{key}", subject.to_lowercase())),
            content,
            subject,
            source_context: self.source_context(),
            importance: importance(language, rule, clause, said.content, corrects.is_some()),
            confidence: rule.confidence,
            polarity: rule.polarity,
            valid,
            period: named.map(|(period, _)| period),
            corrects: corrects.is_some(),
            corrected: corrects.and_then(|correction| correction.wrong.clone()),
            sensitive,
            span: self.span.clone(),
        })
    }

    /// Returns the subject and the statement.
    fn told(&self, found: &Found<'_>, first: bool, end: usize) -> Option<(String, String)> {
        let (language, said) = (self.context.language, self.context.said);
        let speaker = said.speaker(language);
        let known = language.known();
        let from = self.start(found, first, end)?;
        let end = doubt(language, self.words, found.end.min(end), end);
        let words = trimmed(language, self.words.get(from..end)?);
        let mut content = rewrite::statement(language, said.content, words, speaker)?;
        let mut subject = speaker.to_owned();
        match found.rule.about {
            About::Speaker | About::Kin => {
                if found.rule.about == About::Kin {
                    let kin = (found.start..found.end).find(|at| self.words[*at].is(known.kin))?;
                    subject = kin_name(language, said, said.content, self.words, kin);
                }
                // "Just got a new job", "Dad hates tea": name the person in front.
                let named = words
                    .iter()
                    .any(|token| token.is(known.first | known.mine | known.me | known.plural | known.second));
                if !named && found.rule.nature != Nature::Instruction {
                    content = format!("{}: {content}", rewrite::capitalized(speaker));
                }
            }
            About::Named => {
                let name = (found.start..found.end).find(|at| self.words[*at].is_name())?;
                let last = self.words[name..].iter().take_while(|token| token.is_name()).last()?;
                said.content.get(self.words[name].range.start..last.range.end)?.clone_into(&mut subject);
            }
            About::Thing => {
                if let Some(thing) = self.thing(found) {
                    // "The database because it's light": no name of a thing.
                    let clauses = known.conj | known.relative | known.first | known.plural | known.opens;
                    let words = &self.words[thing];
                    if words.iter().any(|token| token.is(clauses)) {
                        return None;
                    }
                    said.content.get(words.first()?.range.start..words.last()?.range.end)?.clone_into(&mut subject);
                }
            }
            About::Pronoun => {
                let pronoun = &self.words[found.start];
                let she = pronoun.is(language.known().she);
                subject = meant(language, said, self.context.before, self.span.start, she)?;
                let rest = said.content.get(pronoun.range.end..words.last()?.range.end)?;
                content = format!("{}{rest}", rewrite::capitalized(&subject));
                if words
                    .iter()
                    .any(|token| token.is(language.known().first | language.known().mine | language.known().me))
                {
                    content = format!("{}: {content}", rewrite::capitalized(speaker));
                }
            }
        }
        if !content.ends_with(['.', '!', '?', '…']) {
            content.push('.');
        }
        (content.len() <= MAX_EXTRACTED_BYTES && subject.len() <= MAX_SUBJECT_BYTES && !subject.is_empty())
            .then_some((subject, content))
    }

    /// Reports whether a match at `start` only points at the next line: "I set it up like this:".
    fn points_ahead(&self, start: usize) -> bool {
        let known = self.context.language.known();
        let forward = |token: &Token| token.is(known.presenting | known.pointing);
        let last = self.words[start + 1..].iter().all(|token| token.before < Before::Pause);
        let sentence = self.context.said.content.get(self.span.clone()).unwrap_or_default();
        last && sentence.ends_with(':') && self.words[start + 1..].iter().any(forward)
    }

    /// The words of the name of the first thing in the match, up to its verb.
    fn thing(&self, found: &Found<'_>) -> Option<Range<usize>> {
        let known = self.context.language.known();
        let words = &self.words[found.start..(found.end + LONGEST_THING).min(self.stated.to)];
        let verb = words.iter().position(|token| token.is(known.copula))?;
        let own = words.iter().take(verb).position(|token| !token.is(known.mine | known.plural | known.stop))?;
        (verb - own <= LONGEST_THING).then(|| found.start + own..found.start + verb)
    }

    /// The last content word of the match, in lower case.
    fn last_word(&self, found: &Found<'_>) -> String {
        let known = self.context.language.known();
        let words = self.words[found.start..found.end].iter().rev();
        let word = words.into_iter().find(|token| !token.is(known.copula | known.stop));
        word.and_then(|token| self.context.said.content.get(token.range.clone()))
            .map(str::to_lowercase)
            .unwrap_or_default()
    }

    /// The sentence with the one before it, each with its speaker.
    fn source_context(&self) -> String {
        let (said, language) = (self.context.said, self.context.language);
        let text = |range: &Range<usize>| said.content.get(range.clone()).unwrap_or_default();
        let speaker = rewrite::capitalized(said.speaker(language));
        let own = match &self.last {
            Some(last) => format!("{speaker}: {} {}", mask(text(last)), text(&self.span)),
            None => format!("{speaker}: {}", text(&self.span)),
        };
        let before = self.context.before.last().filter(|_| self.last.is_none());
        let asked = before.and_then(|message| {
            // Masked before it is split, and read from well before its last sentence, so that no secret is cut in two.
            let content = mask(tail(message.content, READ_BEFORE));
            let range = sentences::of(&content, LONGEST_SENTENCE).pop()?;
            let name = if message.name.is_empty() { message.role.name() } else { message.name };
            Some(format!("{}: {} ", rewrite::capitalized(name), content.get(range)?))
        });
        let both = format!("{}{own}", asked.unwrap_or_default());
        let cut = both.floor_char_boundary(both.len().saturating_sub(MAX_SOURCE_CONTEXT_BYTES));
        // The statement is at the end: cut the front.
        let cut =
            (cut..=both.len()).find(|at| both.is_char_boundary(*at) && both.len() - at <= MAX_SOURCE_CONTEXT_BYTES);
        both.get(cut.unwrap_or(0)..).unwrap_or_default().to_owned()
    }
}

/// Trims conjunctions at both ends and fillers in front; "for a while" stays whole.
fn trimmed<'w>(language: &Language, words: &'w [Token]) -> &'w [Token] {
    let known = language.known();
    let joins = known.conj | known.given;
    let says = |token: &Token| token.is(known.given) || !token.is(joins | known.filler);
    let start = words.iter().position(says).unwrap_or(words.len());
    let is_noun = |at: usize| at > 0 && words[at - 1].is(known.article);
    let end = (0..words.len()).rfind(|at| !words[*at].is(joins) || is_noun(*at)).map_or(start, |end| end + 1);
    words.get(start..end).unwrap_or_default()
}
