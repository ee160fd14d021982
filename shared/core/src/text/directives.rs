//! Standing instructions: what a person tells an assistant to do from now on, such as "always answer in French" or "I
//! prefer trains". Recognized by phrases of general English (`english/directives.txt`).

use std::sync::LazyLock;

use super::words::{fold, in_word};

/// Marks a phrase that counts only at the start of a sentence.
const AT_START: &str = ".";

static PHRASES: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let lines = include_str!("english/directives.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().collect()).collect()
});

/// Words of which every text with a standing instruction contains one: the longest of each phrase.
pub fn openings() -> impl Iterator<Item = &'static str> {
    static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let longest = PHRASES.iter().filter_map(|phrase| phrase.iter().max_by_key(|word| word.len()));
        let mut words: Vec<&'static str> = longest.copied().collect();
        words.sort_unstable();
        words.dedup();
        words
    });
    WORDS.iter().copied()
}

/// Reports whether a text contains a standing instruction.
pub(super) fn directs(text: &str) -> bool {
    let words: Vec<(bool, String)> = with_start(text).map(|(starts, word)| (starts, fold(word))).collect();
    (0..words.len()).any(|index| PHRASES.iter().any(|phrase| stands_at(&words[index..], phrase)))
}

/// The words of a text, each with whether it starts a sentence.
fn with_start(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut starts = true;
    text.split_inclusive(|c: char| !in_word(c)).filter_map(move |run| {
        let word = run.trim_end_matches(|c: char| !in_word(c));
        let with_start = (!word.is_empty()).then_some((starts, word));
        starts = run.ends_with(['.', '!', '?', '\n', ':']) || (word.is_empty() && starts);
        with_start
    })
}

fn stands_at(words: &[(bool, String)], phrase: &[&str]) -> bool {
    let (at_start, phrase) = match phrase {
        [AT_START, rest @ ..] => (true, rest),
        _ => (false, phrase),
    };
    phrase.len() <= words.len()
        && (!at_start || words[0].0)
        && phrase.iter().zip(words).all(|(expected, (_, word))| word == expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standing_wishes_are_distinguished_from_what_merely_happened() {
        for text in
            ["Always answer in French.", "Thanks! Never use tables.", "Trains, as I prefer them", "I'd rather walk"]
        {
            assert!(directs(text), "{text}");
        }
        for text in ["It always rains.", "I've never flown", "", "...", "prefer", "When I came home she asked"] {
            assert!(!directs(text), "{text}");
        }
    }
}
