//! Synthetic conversations: texts with the statistics of chat, generated from a seed, so that every run and every
//! system gets the same ones.
//!
//! Words follow a Zipf-like distribution whose first ranks are English function words; each session of about 20 turns
//! has a topic whose words are frequent. A question uses words of one memory; in every eighth, one of them is
//! misspelled.

use std::collections::HashSet;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};

const SEED: u64 = 0x6b69_6d62_6572_6c79;
/// Number of words besides the function words.
const CONTENT_WORDS: usize = 4_000;
const TURNS: std::ops::RangeInclusive<usize> = 16..=24;
/// Length of a text in bytes before its last sentence is cut or completed.
const LENGTH: std::ops::RangeInclusive<usize> = 80..=240;
/// Maximum length of a text in bytes.
const MAX_LENGTH: usize = 250;
const TOPIC_WORDS: usize = 24;
/// Percentage of words from the topic.
const TOPIC_PERCENT: u32 = 15;

const FUNCTION_WORDS: &str = "i you the to a and it that is of in my was for me so we have on with just do this be not \
    what but are like at really your all they about when out up had know get there can how if one then from think \
    would as been it's i'm some time go he she them who too did now were want good more don't because or by an will \
    going her him here has our see very could back make well still got which their much that's after new day \
    other into last than over us no yes oh maybe also only even though never always something thing people";

/// The next most frequent words, which questions use: every conversation contains them.
const COMMON_WORDS: &str = "said say tell told talk talked ask asked want wanted feel felt remember love loved \
    try tried start started work working home family friend friends kids mom dad job school house dog book music food \
    dinner week weekend month year summer trip plan plans idea happy excited tired busy great nice little big old \
    best hard easy fun help need looking found made took gave";

const SPEAKERS: [&str; 16] = [
    "Alice", "Bruno", "Carla", "Deniz", "Emeka", "Farah", "Goran", "Hanna", "Imani", "Jonas", "Keiko", "Laila",
    "Mateo", "Nadia", "Oskar", "Priya",
];

const ONSETS: [&str; 24] = [
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "l", "m", "n", "p", "pl", "r", "s", "st", "t",
    "tr", "v", "w",
];
const VOWELS: [&str; 10] = ["a", "e", "i", "o", "u", "ai", "ea", "oo", "ou", "ie"];
const CODAS: [&str; 14] = ["", "", "n", "r", "l", "t", "s", "m", "nd", "ck", "st", "rt", "p", "g"];
const ENDINGS: [&str; 10] = ["", "", "", "s", "ed", "ing", "er", "ly", "ment", "ness"];

/// One turn of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    /// The speaker.
    pub(crate) speaker: &'static str,
    /// Its session.
    pub(crate) session: usize,
    /// The text, 80-250 bytes.
    pub(crate) text: String,
}

/// The vocabulary of all texts.
pub(crate) struct Language {
    words: Vec<String>,
    /// Cumulative weights.
    cumulated: Vec<f64>,
    content_from: usize,
}

impl Language {
    /// Generates the vocabulary.
    pub(crate) fn new() -> Self {
        let mut rng = StdRng::seed_from_u64(SEED);
        let mut words: Vec<String> = FUNCTION_WORDS.split_whitespace().map(str::to_owned).collect();
        let content_from = words.len();
        words.extend(COMMON_WORDS.split_whitespace().map(str::to_owned));
        let mut known: HashSet<String> = words.iter().cloned().collect();
        while words.len() < content_from + CONTENT_WORDS {
            // Frequent words are short.
            let word = invented_word(&mut rng, words.len());
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        let mut sum = 0.0;
        let cumulated = (0..words.len())
            .map(|rank| {
                sum += 1.0 / (f64::from(u32::try_from(rank).unwrap_or(u32::MAX)) + 2.7);
                sum
            })
            .collect();
        Self { words, cumulated, content_from }
    }

    /// The first `count` turns of a user's conversations.
    pub(crate) fn conversations(&self, user: usize, count: usize) -> Vec<Turn> {
        let mut rng = StdRng::seed_from_u64(SEED ^ (user as u64 + 1));
        let first = rng.random_range(0..SPEAKERS.len());
        let speakers = [SPEAKERS[first], SPEAKERS[(first + 1 + user % (SPEAKERS.len() - 1)) % SPEAKERS.len()]];
        let mut turns = Vec::with_capacity(count);
        for session in 0.. {
            let topic: Vec<&str> = (0..TOPIC_WORDS).map(|_| self.content_word(&mut rng)).collect();
            for turn in 0..rng.random_range(TURNS) {
                if turns.len() == count {
                    return turns;
                }
                turns.push(Turn { speaker: speakers[turn % 2], session, text: self.text(&mut rng, &topic) });
            }
        }
        turns
    }

    /// Question number `n` about one of a user's memories.
    pub(crate) fn question(&self, turns: &[Turn], user: usize, n: usize) -> String {
        self.asked(turns, user, n).0
    }

    /// A question and the position of the memory whose words it uses.
    fn asked(&self, turns: &[Turn], user: usize, n: usize) -> (String, usize) {
        let mut rng = StdRng::seed_from_u64(SEED ^ ((user as u64) << 32 | n as u64) ^ 0x0071_7565_7374);
        let about = rng.random_range(0..turns.len());
        let turn = &turns[about];
        let words = self.content_of(&turn.text);
        let mut pick = || words.choose(&mut rng).cloned().unwrap_or_else(|| "that".to_owned());
        let (mut one, two, three) = (pick(), pick(), pick());
        if n % 8 == 7 {
            // Drop a letter.
            one.remove(one.len() / 2);
        }
        let text = match n % 6 {
            0 => format!("What did {} say about the {one} and the {two}?", turn.speaker),
            1 => format!("When did {} want to {one} the {two}?", turn.speaker),
            2 => format!("Do you remember how I felt about {one} {two}?"),
            3 => format!("Where was it that we talked about {one}, {two} and {three}?"),
            4 => format!("Who told me that the {one} would {two} after the {three}?"),
            _ => format!("{one} {two}"),
        };
        (text, about)
    }

    /// A text about a topic.
    fn text(&self, rng: &mut StdRng, topic: &[&str]) -> String {
        let length = rng.random_range(LENGTH);
        let mut text = String::with_capacity(MAX_LENGTH);
        let mut left = 0_usize;
        while text.len() < length {
            let word = match topic.choose(rng) {
                Some(word) if rng.random_range(0..100) < TOPIC_PERCENT => word,
                _ => self.word(rng),
            };
            if text.len() + word.len() + 2 > MAX_LENGTH {
                break;
            }
            if left == 0 {
                left = rng.random_range(5..=14);
                text.push_str(if text.is_empty() { "" } else { [". ", ". ", "? ", "! "][rng.random_range(0..4)] });
                text.extend(word.chars().take(1).flat_map(char::to_uppercase));
                text.extend(word.chars().skip(1));
            } else {
                text.push(' ');
                text.push_str(word);
            }
            left -= 1;
        }
        text.push('.');
        text
    }

    fn word(&self, rng: &mut StdRng) -> &str {
        self.drawn(rng, 0)
    }

    fn content_word(&self, rng: &mut StdRng) -> &str {
        self.drawn(rng, self.content_from)
    }

    /// A random word of rank `from` or later.
    fn drawn(&self, rng: &mut StdRng, from: usize) -> &str {
        let low = if from == 0 { 0.0 } else { self.cumulated[from - 1] };
        let high = self.cumulated[self.cumulated.len() - 1];
        let point = rng.random_range(low..high);
        &self.words[self.cumulated.partition_point(|sum| *sum <= point).min(self.words.len() - 1)]
    }

    fn content_of(&self, text: &str) -> Vec<String> {
        let common: HashSet<&str> = self.words[..self.content_from].iter().map(String::as_str).collect();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').map(str::to_lowercase);
        words.filter(|word| word.len() > 2 && !common.contains(word.as_str())).collect()
    }
}

fn invented_word(rng: &mut StdRng, rank: usize) -> String {
    let mut word = String::new();
    let syllables = if rank < 800 { 1..=1 } else { 1..=2 };
    for _ in 0..rng.random_range(syllables) {
        for part in [&ONSETS[..], &VOWELS[..], &CODAS[..]] {
            word.push_str(part.choose(rng).copied().unwrap_or_default());
        }
    }
    word.push_str(ENDINGS.choose(rng).copied().unwrap_or_default());
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_bounded_and_repeatable() {
        let language = Language::new();
        let turns = language.conversations(7, 1_000);
        assert_eq!(turns.len(), 1_000);
        assert!(turns.iter().all(|turn| (60..=MAX_LENGTH).contains(&turn.text.len())));
        let again = Language::new().conversations(7, 1_000);
        assert!(turns.iter().zip(&again).all(|(a, b)| a.text == b.text && a.speaker == b.speaker));
        assert_ne!(turns[0].text, language.conversations(8, 1)[0].text);
        let sessions = turns.last().map_or(0, |turn| turn.session + 1);
        assert!((40..=63).contains(&sessions), "{sessions} sessions");
    }

    #[test]
    fn a_question_holds_words_of_its_memory() {
        let language = Language::new();
        let turns = language.conversations(3, 1_000);
        for n in 0..60 {
            let (question, about) = language.asked(&turns, 3, n);
            let wanted = turns[about].text.to_lowercase();
            let shared = language.content_of(&question).into_iter().filter(|word| wanted.contains(word.as_str()));
            assert!(shared.count() > 0, "{question:?} about {wanted:?}");
        }
    }

    #[test]
    fn half_of_all_words_are_common_and_many_are_rare() {
        let language = Language::new();
        let turns = language.conversations(0, 1_000);
        let words: Vec<&str> = turns.iter().flat_map(|turn| turn.text.split_whitespace()).collect();
        let content: usize = turns.iter().map(|turn| language.content_of(&turn.text).len()).sum();
        let percent = content * 100 / words.len();
        assert!((35..75).contains(&percent), "{percent} in a hundred words are content");
    }
}
