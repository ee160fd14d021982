//! Induction: a person says on three or more days that they like, or dislike, something, and never the opposite.

use std::collections::BTreeMap;

use super::rule::FEWEST;
use super::{Conclusion, Days, Known, Rule, Stated, newest, plain};
use crate::entities::{Entity, EntityType};
use crate::text::words::stem;

const LIKES: &[&str] = &["like", "likes", "love", "loves", "enjoy", "enjoys", "adore", "adores", "prefer", "prefers"];
const DISLIKES: &[&str] = &["dislike", "dislikes", "hate", "hates", "detest", "detests", "loathe", "loathes"];
/// Words skipped between the verb and its object.
const PASSED: &[&str] =
    &["a", "an", "the", "my", "some", "any", "all", "really", "very", "most", "good", "drinking", "eating", "having"];
/// Words that end the object.
const ENDS: &[&str] = &[
    "and", "or", "in", "on", "at", "for", "with", "to", "when", "because", "as", "after", "than", "over", "that", "of",
    "so", "much", "too", "more", "most", "every", "while", "during", "by",
];
/// Longest object, in words.
const LONGEST: usize = 3;

/// Statements about a thing, by day.
#[derive(Default)]
struct Told {
    liked: Days,
    disliked: Days,
}

/// Returns conclusions about the likes and dislikes of an entity.
pub(super) fn found(known: &Known<'_>, about: &Entity, stated: &[Stated<'_>]) -> Vec<Conclusion> {
    if about.kind != EntityType::Person {
        return Vec::new();
    }
    let mut all: BTreeMap<String, Told> = BTreeMap::new();
    for sentence in stated {
        let Some((liked, what)) = read(about, sentence) else { continue };
        let Some((word, premise)) = what.last().cloned().zip(sentence.premise()) else { continue };
        let told = all.entry(stem(&word)).or_default();
        let days = if liked { &mut told.liked } else { &mut told.disliked };
        days.entry(sentence.day()).or_insert((premise, word));
    }
    let conclude = |told: Told| {
        let (says, days) = match (told.liked.len(), told.disliked.len()) {
            (liked, 0) if liked >= FEWEST => ("likes", told.liked),
            (0, disliked) if disliked >= FEWEST => ("dislikes", told.disliked),
            _ => return None,
        };
        let (word, premises) = newest(days)?;
        let text = |[about]: [String; 1]| format!("{about} {says} {word}, as was said again and again.");
        known.conclude(Rule::Preference, [about], premises, text)
    };
    all.into_values().filter_map(conclude).filter(|one| one.premises.len() >= FEWEST).collect()
}

/// Reads whether a sentence says that an entity likes or dislikes something, and the words for the thing.
pub(super) fn read(about: &Entity, sentence: &Stated<'_>) -> Option<(bool, Vec<String>)> {
    let tokens = plain::tokens(sentence.text);
    let is_verb = |token: &String| LIKES.contains(&token.as_str()) || DISLIKES.contains(&token.as_str());
    let at = tokens.iter().position(is_verb)?;
    if !is_said_of(about, sentence, tokens.get(..at)?) {
        return None;
    }
    let liked = LIKES.contains(&tokens.get(at)?.as_str());
    let rest = tokens.get(at + 1..)?.iter().skip_while(|token| PASSED.contains(&token.as_str()));
    let what: Vec<String> = rest.take_while(|token| !ENDS.contains(&token.as_str())).cloned().collect();
    let last = what.last().filter(|_| what.len() <= LONGEST)?;
    let whole = last.chars().all(char::is_alphabetic) && last.chars().count() > 2;
    whole.then_some((liked, what))
}

/// Reports whether the words before a verb end with the entity's name or the speaker's "I".
fn is_said_of(about: &Entity, sentence: &Stated<'_>, before: &[String]) -> bool {
    let adverb =
        |token: &&String| ["really", "still", "also", "always", "just", "do", "does"].contains(&token.as_str());
    let Some(subject) = before.iter().rev().find(|token| !adverb(token)) else { return false };
    let names = [&about.name].into_iter().chain(&about.aliases);
    let is_called = names.into_iter().any(|name| plain::tokens(name).last().is_some_and(|last| last == subject));
    is_called || (sentence.speaks && subject == "i")
}
