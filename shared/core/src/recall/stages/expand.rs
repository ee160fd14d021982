//! Splits a query about several things: "what does Ann eat, and when did Bob move?" is two queries.
//!
//! Splits only at clear signs: after a question mark, or where "and" or "or" precedes another question word. Each part
//! must have a topic. Off by default: on held-back chats 6 % of the questions lose evidence, and none gains.

use std::collections::HashMap;

use crate::ids::Seq;
use crate::recall::candidates::Found;
use crate::text::lists::{is_stop_word, is_talk_word};
use crate::text::words::{fold, words};

/// Most parts of a query.
const MOST: usize = 4;

const QUESTION_WORDS: [&str; 9] = ["what", "when", "where", "who", "whom", "whose", "which", "why", "how"];
const LEAD_ON: [&str; 2] = ["and", "or"];

/// Returns the parts of a query, in order; none if it is about one thing.
pub fn parts(query: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut last: Option<(usize, String)> = None;
    let mut behind = 0;
    for raw in words(query) {
        let at = behind + query[behind..].find(raw).unwrap_or(0);
        let word = fold(raw);
        if let Some((start, _)) = last.filter(|(_, before)| LEAD_ON.contains(&before.as_str()))
            && QUESTION_WORDS.contains(&word.as_str())
        {
            cuts.push(start);
        } else if query[behind..at].contains(['?', '？']) {
            cuts.push(at);
        }
        last = Some((at, word));
        behind = at + raw.len();
    }
    cuts.push(query.len());
    let parts: Vec<&str> = cuts.windows(2).map(|two| query[two[0]..two[1]].trim()).collect();
    let is_whole = parts.len() < 2 || parts.len() > MOST || query.contains(['"', '“']);
    if is_whole || !parts.iter().all(|part| has_topic(part)) { Vec::new() } else { parts }
}

/// Merges the results of the whole query with those of its parts or alternatives. Strengths of a part are scaled so
/// that its best result is as strong as `share` of the best one of the whole.
pub fn join(mut whole: Vec<Found>, parts: Vec<Vec<Found>>, share: f64) -> Vec<Found> {
    let strongest = |found: &[Found]| found.iter().map(|one| one.strength).fold(0.0, f64::max);
    let best = strongest(&whole);
    let mut indexes: HashMap<Seq, usize> = whole.iter().map(|one| one.hit.seq).zip(0..).collect();
    for part in parts {
        let best_of_part = strongest(&part);
        for mut one in part.into_iter().filter(|_| best_of_part > 0.0) {
            one.strength *= share * if best > 0.0 { best / best_of_part } else { 1.0 };
            if let Some(index) = indexes.get(&one.hit.seq) {
                whole[*index].strength = whole[*index].strength.max(one.strength);
            } else {
                indexes.insert(one.hit.seq, whole.len());
                whole.push(one);
            }
        }
    }
    whole
}

fn has_topic(part: &str) -> bool {
    words(part).map(fold).any(|word| !is_stop_word(&word) && !is_talk_word(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_about_several_things_is_taken_apart() {
        for (query, expected) in [
            ("What does Ann eat, and when did Bob move?", ["What does Ann eat,", "and when did Bob move?"].as_slice()),
            ("Where is the key? Does Ann have it?", &["Where is the key?", "Does Ann have it?"]),
            ("what does she grow and how tall is the fence", &["what does she grow", "and how tall is the fence"]),
        ] {
            assert_eq!(parts(query), expected);
        }
    }

    #[test]
    fn query_about_one_thing_stays_whole() {
        for query in [
            "What do Ann and Bob eat?",
            "what did I say about tea and why",
            "Where? When?",
            "\"tea? and what then\"",
            "",
            "🎉",
        ] {
            assert_eq!(parts(query), Vec::<&str>::new(), "{query}");
        }
    }
}
