//! Adds names and topics of the session's last turns to a short query that refers to them.
//!
//! "Why?" has no topic; "what did she eat there" has one, and asks for a person whom only the turns before name. A
//! query needs no rewriting if it names a person, or if its pronouns follow a topic that they may refer to.

use crate::text::lists::{is_stop_word, is_talk_word, is_time_word};
use crate::text::words::{fold, words};

/// Most words and most topics of such a query. If a pronoun stands for a person, only their name is missing, so it may
/// be longer.
const SHORT: usize = 8;
const FEW: usize = 2;
const SHORT_OF_SOMEBODY: usize = 16;
/// Most words added: to a query without a topic, and to one with some.
const TAKEN: (usize, usize) = (4, 2);
/// The weight of a word by turn, the latest turn first; earlier turns do not count.
pub const TURNS: [f64; 4] = [1.0, 0.7, 0.5, 0.35];
/// The additional weight of a name.
const NAME: f64 = 0.5;
/// Bytes read of a turn: its beginning says what it is about.
const READ: usize = 400;

/// Pronouns for people, and for things.
const SOMEBODY: [&str; 10] = ["she", "he", "her", "him", "his", "hers", "they", "them", "their", "theirs"];
const SOMETHING: [&str; 5] = ["it", "its", "this", "that", "those"];

/// A query with these words is about its author, whatever was said before: "who am I".
const ONESELF: [&str; 5] = ["i", "my", "mine", "we", "our"];

/// A word, and whether it looks like a name: capitalized in the middle of a sentence.
struct Word<'t> {
    raw: &'t str,
    folded: String,
    is_name: bool,
}

/// Reports whether a query refers to what was said before.
pub fn refers(query: &str) -> bool {
    what_is_missing(query, &read(query).collect::<Vec<_>>()).is_some()
}

/// Returns words to search beside those of the query, given the session's turns, the latest first. None for a query
/// that stands for itself.
pub fn taken(query: &str, turns: &[&str]) -> Vec<String> {
    let own: Vec<Word<'_>> = read(query).collect();
    let Some((most, is_wanted)) = what_is_missing(query, &own) else { return Vec::new() };
    let mut found: Vec<(f64, Word<'_>)> = Vec::new();
    for (turn, weight) in turns.iter().zip(TURNS) {
        let start = &turn[..turn.floor_char_boundary(READ)];
        let mut told: Vec<Word<'_>> = Vec::new();
        for word in read(start).filter(|word| word.is_topic() && !is_time_word(&word.folded)) {
            match told.iter_mut().find(|other| other.folded == word.folded) {
                Some(other) => other.is_name |= word.is_name,
                None => told.push(word),
            }
        }
        for word in told.into_iter().filter(|word| !own.iter().any(|other| other.folded == word.folded)) {
            let weight = weight * if word.is_name { 1.0 + NAME } else { 1.0 };
            match found.iter_mut().find(|(_, other)| other.folded == word.folded) {
                Some((sum, other)) => (*sum, other.is_name) = (*sum + weight, other.is_name || word.is_name),
                None => found.push((weight, word)),
            }
        }
    }
    found.retain(|(_, word)| is_wanted(word));
    // The sort is stable: of equals, words of the later turn come first, and within a turn those said first.
    found.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    found.into_iter().take(most).map(|(_, word)| word.raw.to_owned()).collect()
}

type IsWanted = fn(&Word<'_>) -> bool;

/// Returns how many words the query lacks at most, and which kind; `None` if it stands for itself.
fn what_is_missing(query: &str, own: &[Word<'_>]) -> Option<(usize, IsWanted)> {
    let topics = own.iter().filter(|word| word.is_topic()).count();
    let is_any = |word: &Word<'_>, list: &[&str]| list.contains(&word.folded.as_str());
    let refers = |word: &Word<'_>| is_any(word, &SOMEBODY) || is_any(word, &SOMETHING);
    if own.is_empty() || own.len() > SHORT_OF_SOMEBODY || query.contains(['"', '“']) {
        return None;
    }
    let is_short = own.len() <= SHORT && topics <= FEW;
    let Some(first) = own.iter().find(|word| word.is_topic() || refers(word)) else {
        let is_about_oneself = own.iter().any(|word| is_any(word, &ONESELF));
        return (is_short && !is_about_oneself).then_some((TAKEN.0, |_| true));
    };
    match topics {
        0 => is_short.then_some((TAKEN.0, |_| true)),
        _ if first.is_topic() || own.iter().any(|word| word.is_name) => None,
        _ if is_any(first, &SOMEBODY) => Some((TAKEN.1, |word| word.is_name)),
        _ => is_short.then_some((TAKEN.1, |_| true)),
    }
}

impl Word<'_> {
    fn is_topic(&self) -> bool {
        !is_stop_word(&self.folded) && !is_talk_word(&self.folded)
    }
}

fn read(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut behind = 0;
    words(text).map(move |raw| {
        let at = behind + text[behind..].find(raw).unwrap_or(0);
        let starts = text[..at]
            .trim_end()
            .chars()
            .next_back()
            .is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ',' | ';' | '\'' | '’' | '-'));
        behind = at + raw.len();
        let folded = fold(raw);
        let is_name = !starts && raw.starts_with(char::is_uppercase) && !is_stop_word(&folded);
        Word { raw, folded, is_name }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURNS: [&str; 2] =
        ["It was great, Marta loved the lake near Ghent.", "We went swimming with Marta, she brought a picnic."];

    #[test]
    fn query_without_a_topic_takes_those_of_the_last_turns() {
        for query in ["why?", "And then?", "what about her?", "tell me more about that"] {
            assert_eq!(taken(query, &TURNS), ["Marta", "Ghent", "great", "loved"], "{query}");
        }
    }

    #[test]
    fn pronoun_before_the_topic_takes_names_for_people_and_topics_for_things() {
        assert_eq!(taken("What did she eat?", &TURNS), ["Marta", "Ghent"]);
        assert_eq!(taken("When did she sign up for the pottery class in town?", &TURNS), ["Marta", "Ghent"]);
        assert_eq!(taken("is it deep", &TURNS), ["Marta", "Ghent"]);
        assert_eq!(taken("is it deep", &["the lake is cold"]), ["lake", "cold"]);
        assert_eq!(taken("What did she eat?", &["the lake is cold"]), Vec::<String>::new());
    }

    #[test]
    fn query_that_stands_for_itself_takes_nothing() {
        for query in [
            "What did Bob eat with her?",
            "where does my sister live and what does she do",
            "What is my sister called?",
            "is there a train from Bruges to the coast on that day, and when",
            "who am I?",
            "\"why\"",
            "🎉",
            "",
        ] {
            assert_eq!(taken(query, &TURNS), Vec::<String>::new(), "{query}");
        }
        assert_eq!(taken("why?", &[]), Vec::<String>::new());
    }
}
