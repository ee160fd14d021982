//! English sentences of one length each, with words of one token, so that every runtime sees the same number of
//! tokens.

use std::collections::BTreeMap;

const WORDS: [&str; 40] = [
    "the", "train", "left", "before", "she", "could", "say", "anything", "about", "house", "near", "lake", "where",
    "children", "played", "during", "summer", "and", "his", "brother", "wrote", "letters", "from", "city", "every",
    "week", "until", "winter", "came", "again", "with", "snow", "on", "old", "road", "to", "village", "music", "was",
    "loud",
];

/// Special tokens that the model adds at both ends.
const SPECIAL_TOKENS: usize = 2;

/// Sentences of 23 tokens and of 67, and queries of 12.
pub(super) fn sets() -> BTreeMap<&'static str, Vec<String>> {
    let of = |tokens: usize, count: usize| (0..count).map(|n| sentence(n, tokens - SPECIAL_TOKENS)).collect();
    BTreeMap::from([("short", of(23, 256)), ("long", of(67, 256)), ("query", of(12, 64)), ("all", of(23, 200))])
}

/// A batch of short sentences.
pub(super) fn short() -> Vec<String> {
    (0..8).map(|n| sentence(n, 23 - SPECIAL_TOKENS)).collect()
}

fn sentence(number: usize, words: usize) -> String {
    let word = |at: usize| WORDS[(number * 31 + at * (7 + number % 5) + at * at) % WORDS.len()];
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_have_their_length_and_differ() {
        let sets = sets();
        assert!(sets["short"].iter().all(|text| text.split(' ').count() == 21));
        assert!(sets["query"].iter().all(|text| text.split(' ').count() == 10));
        assert_ne!(sets["long"][0], sets["long"][1]);
    }
}
