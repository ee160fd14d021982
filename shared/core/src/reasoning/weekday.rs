//! Induction: something that happened three or more times, always on the same day of the week, falls on that day.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::rule::FEWEST;
use super::{Conclusion, Days, Known, Rule, Stated, newest, plain};
use crate::entities::Entity;
use crate::ids::MemoryId;
use crate::text::lists::{is_stop_word, is_talk_word, is_time_word};
use crate::text::words::{fold, stem};

const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const NAMES: [&str; 7] = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"];
/// Words that relate to another day, so that the event did not happen on the day of the statement.
const RELATIVE: &[&str] = &[
    "yesterday",
    "last",
    "next",
    "ago",
    "since",
    "week",
    "weekend",
    "month",
    "year",
    "day",
    "days",
    "recently",
    "later",
];
/// Shortest word for an event, in letters.
const SHORTEST: usize = 4;
/// Words that do not describe an event.
const EMPTY: &[&str] = &[
    "today",
    "tonight",
    "morning",
    "evening",
    "afternoon",
    "night",
    "went",
    "goes",
    "going",
    "made",
    "make",
    "took",
    "take",
    "always",
    "often",
    "usually",
    "really",
    "again",
    "good",
    "great",
    "nice",
    "time",
    "much",
    "thing",
    "things",
    "with",
    "have",
    "just",
    "every",
    "like",
    "love",
];

/// Statements about a word: the days of the week, and one sentence for each date.
#[derive(Default)]
struct Told {
    weekdays: BTreeSet<i64>,
    dates: Days,
}

/// Returns conclusions about the weekday of each word used about an entity.
pub(super) fn found(known: &Known<'_>, about: &Entity, stated: &[Stated<'_>]) -> Vec<Conclusion> {
    let mut all: BTreeMap<String, Told> = BTreeMap::new();
    for sentence in stated.iter().filter(|sentence| sentence.acts) {
        let Some((weekday, premise)) = weekday(sentence).zip(sentence.premise()) else { continue };
        for (stem, word) in words(known, sentence) {
            let told = all.entry(stem).or_default();
            told.weekdays.insert(weekday);
            told.dates.entry(sentence.day()).or_insert_with(|| (premise.clone(), word));
        }
    }
    let conclude = |told: Told| {
        let day = told.weekdays.first().and_then(|day| NAMES.get(usize::try_from(*day).ok()?))?;
        let (word, premises) = newest(told.dates)?;
        let says = |[about]: [String; 1]| format!("For {about}, {word} falls on {day}.");
        known.conclude(Rule::Weekday, [about], premises, says)
    };
    let one_day = all.into_values().filter(|told| told.weekdays.len() == 1);
    one_day.filter_map(conclude).filter(|one| one.premises.len() >= FEWEST).collect()
}

/// Of several words from the same sentences, keeps only the longest.
pub(super) fn once(all: &mut Vec<Conclusion>) {
    let told_by = |one: &Conclusion| -> Vec<(MemoryId, u32)> {
        one.premises.iter().map(|premise| (premise.memory, premise.span.start)).collect()
    };
    let rank = |one: &Conclusion| (one.text.len(), Reverse(one.text.clone()));
    let mut longest = BTreeMap::new();
    for one in all.iter().filter(|one| one.rule == Rule::Weekday) {
        let most = longest.entry(told_by(one)).or_insert_with(|| rank(one));
        *most = rank(one).max(most.clone());
    }
    all.retain(|one| one.rule != Rule::Weekday || longest.get(&told_by(one)) == Some(&rank(one)));
}

/// The day of the week that a sentence names, or else that of the event, unless it names another time. Monday is 0.
fn weekday(sentence: &Stated<'_>) -> Option<i64> {
    let tokens = plain::tokens(sentence.text);
    let named = |token: &String| DAYS.iter().position(|day| token.strip_suffix('s').unwrap_or(token) == *day);
    let mut named: Vec<usize> = tokens.iter().filter_map(named).collect();
    named.dedup();
    match named.as_slice() {
        [] if tokens.iter().any(|token| RELATIVE.contains(&token.as_str())) => None,
        // Day 0 was a Thursday.
        [] => sentence.memory.draft.occurred_at.map(|at| (at.day() + 3).rem_euclid(7)),
        [one] => i64::try_from(*one).ok(),
        _ => None,
    }
}

/// The words that may describe an event, by stem: no names and no common words.
fn words(known: &Known<'_>, sentence: &Stated<'_>) -> Vec<(String, String)> {
    let names = known.mentions(sentence.memory.id).iter();
    let names: BTreeSet<String> = names.flat_map(|mention| plain::tokens(&mention.surface)).collect();
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for word in crate::text::words::words(sentence.text) {
        let folded = fold(word);
        let empty =
            is_stop_word(&folded) || is_talk_word(&folded) || is_time_word(&folded) || EMPTY.contains(&folded.as_str());
        let day = DAYS.contains(&folded.strip_suffix('s').unwrap_or(&folded));
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        if letters >= SHORTEST && letters == word.chars().count() && !empty && !day && !names.contains(&folded) {
            all.entry(stem(&folded)).or_insert(folded);
        }
    }
    all.into_iter().collect()
}
