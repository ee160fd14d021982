//! Reads the mentions of a record: names in its content, its speaker and its subject.

use super::mention::MentionPosition;
use super::name::space_of;
use super::words::{english, folded};
use super::{EntityType, Mention, NameId, find, normal, relate};
use crate::memory::{Layer, Memory};

/// Confidence that a speaker and a subject are persons.
const SAID: f64 = 0.95;
const SUBJECT: f64 = 0.8;
/// Stands for the vault's owner if no speaker is named; an entity only if the text states a relation of theirs.
const USER: &str = "user";
/// Longest name, in bytes; garbage from scans, mails and logs is longer.
const LONGEST: usize = 200;

/// Reports whether anything may be derived from a record.
fn reads(memory: &Memory) -> bool {
    // Conclusions are no independent evidence about the records they were drawn from.
    !memory.draft.metadata.sensitive && !memory.withheld && !memory.draft.is_concluded()
}

/// Returns a record's mentions; none if nothing may be derived from it.
pub fn mentions_of(memory: &Memory) -> Vec<Mention> {
    if !reads(memory) {
        return Vec::new();
    }
    let draft = &memory.draft;
    let content = find(&draft.content).into_iter().filter_map(|found| {
        let surface = draft.content.get(found.span.clone())?.to_owned();
        let span = u32::try_from(found.span.start).ok()?..u32::try_from(found.span.end).ok()?;
        Some((MentionPosition::Content(span), found.kind, found.confidence, i64::from(found.sentence), surface))
    });
    let person = |name: &Option<String>, position, confidence| {
        let name = name.as_deref().map(str::trim).filter(|name| is_persons(name))?;
        Some((position, EntityType::Person, confidence, -1, name.to_owned()))
    };
    let around = [
        person(&draft.speaker, MentionPosition::Speaker, SAID),
        person(&draft.subject, MentionPosition::Subject, SUBJECT),
    ];
    let space = space_of(&draft.namespace);
    let mention = |(position, kind, confidence, sentence, surface): (MentionPosition, EntityType, f64, i64, String)| {
        let normal = normal(kind, &surface);
        (!normal.is_empty() && !is_noise(kind, &normal)).then(|| Mention {
            name: NameId::of(&draft.namespace, &normal),
            memory: memory.id,
            position,
            space,
            sentence,
            kind,
            confidence,
            at: memory.occurred_at(),
            stated: draft.kind.layer() == Layer::Knowledge,
            surface,
        })
    };
    let mut all: Vec<Mention> = around.into_iter().flatten().filter_map(mention).collect();
    let named = all.iter().any(|mention| mention.position == MentionPosition::Speaker);
    let own = !named && draft.speaker.as_deref().is_none_or(|speaker| folded(speaker) == USER);
    all.extend(
        own.then(|| (MentionPosition::Speaker, EntityType::Person, SAID, -1, USER.to_owned())).and_then(mention),
    );
    all.extend(content.filter_map(mention));
    if own && !speaks(&draft.content, &all) {
        all.retain(|mention| mention.position != MentionPosition::Speaker);
    }
    all
}

/// Reports whether a text states a relation of its unnamed speaker.
fn speaks(content: &str, mentions: &[Mention]) -> bool {
    let speaker = mentions.iter().position(|mention| mention.position == MentionPosition::Speaker);
    let said = relate::relate(content, mentions);
    speaker.is_some_and(|speaker| said.iter().any(|said| said.from == speaker || said.to == speaker))
}

/// Reports whether a speaker or subject is a person's name and not a label.
fn is_persons(name: &str) -> bool {
    let words = english();
    let first = name.split([' ', '_', '-']).next().unwrap_or_default();
    let capital = name.chars().next().is_some_and(char::is_uppercase) || words.is("given", &folded(name));
    let label = |name: &str| words.is("label", &folded(name)) || words.is("never", &folded(name));
    capital && !label(name) && !label(first) && name.chars().filter(|c| c.is_alphabetic()).count() > 1
}

/// Single letters, more signs than letters, one repeated character, and overlong names.
fn is_noise(kind: EntityType, normal: &str) -> bool {
    if kind.is_written() {
        return normal.len() > LONGEST;
    }
    let letters = normal.chars().filter(|c| c.is_alphabetic()).count();
    let signs = normal.chars().filter(|c| !c.is_alphabetic() && *c != ' ').count();
    let same = normal.chars().next().is_some_and(|first| normal.chars().all(|c| c == first));
    (letters < 2 && !matches!(normal, "c++" | "c#")) || signs > letters || same || normal.len() > LONGEST
}
