//! An induction: what happened three times or more, and always on the same day of the week, falls on that day.

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
/// Words by which a day is counted from another one, so that the day of telling is not that of the event.
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
/// Shortest word for what happens, in letters,
const SHORTEST: usize = 4;
/// and words that say nothing of it.
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

/// What is known about a word: the days of the week, and a sentence for each date.
#[derive(Default)]
struct Told {
    weekdays: BTreeSet<i64>,
    dates: Days,
}

/// What falls on which day for an entity, of each word by itself.
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

/// Keeps of the words that the same sentences tell of the longest alone.
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

/// The day of the week that a sentence names, or on which it was told, if it tells of that day. Monday is 0.
fn weekday(sentence: &Stated<'_>) -> Option<i64> {
    let tokens = plain::tokens(sentence.text);
    let named = |token: &String| DAYS.iter().position(|day| token.strip_suffix('s').unwrap_or(token) == *day);
    let mut named: Vec<usize> = tokens.iter().filter_map(named).collect();
    named.dedup();
    match named.as_slice() {
        [] if tokens.iter().any(|token| RELATIVE.contains(&token.as_str())) => None,
        // The first day of all was a Thursday.
        [] => sentence.memory.draft.occurred_at.map(|at| (at.day() + 3).rem_euclid(7)),
        [one] => i64::try_from(*one).ok(),
        _ => None,
    }
}

/// What a sentence may be about, by its stem: no name, and no word that any sentence has.
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
