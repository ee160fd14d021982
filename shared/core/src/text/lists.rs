//! The word lists for text analysis: general English, in `english/`, compiled in. A line that starts with `#` is a comment.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

static STOP_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| entries(include_str!("english/stop_words.txt")));
static TIME_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| entries(include_str!("english/time_words.txt")));
static TALK_WORDS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| entries(include_str!("english/talk_words.txt")));
static FORMS: LazyLock<HashMap<&'static str, Vec<&'static str>>> =
    LazyLock::new(|| forms_of(include_str!("english/irregular_forms.txt")));

/// Reports whether a folded word has no content of its own.
pub fn is_stop_word(folded: &str) -> bool {
    STOP_WORDS.contains(folded)
}

/// Reports whether a folded word is about talking itself, such as "mentioned".
pub fn is_talk_word(folded: &str) -> bool {
    TALK_WORDS.contains(folded)
}

/// Reports whether a folded word is about time: in the list, or a year.
pub fn is_time_word(folded: &str) -> bool {
    TIME_WORDS.contains(folded) || year(folded).is_some()
}

/// The other forms of an irregular word, folded; empty for most words.
pub fn irregular_forms(folded: &str) -> &'static [&'static str] {
    FORMS.get(folded).map_or(&[], Vec::as_slice)
}

/// The year that a word denotes: four digits from 1900 to 2099.
pub fn year(word: &str) -> Option<i16> {
    let digits = word.as_bytes();
    let is_year = digits.len() == 4
        && digits.iter().all(u8::is_ascii_digit)
        && matches!((digits[0], digits[1]), (b'1', b'9') | (b'2', b'0'));
    if is_year { word.parse().ok() } else { None }
}

fn lines(data: &'static str) -> impl Iterator<Item = &'static str> {
    data.lines().filter(|line| !line.starts_with('#'))
}

fn entries(data: &'static str) -> HashSet<&'static str> {
    lines(data).flat_map(str::split_whitespace).collect()
}

fn forms_of(data: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let mut forms: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
    for line in lines(data) {
        for word in line.split_whitespace() {
            let others = line.split_whitespace().filter(|other| *other != word);
            forms.entry(word).or_default().extend(others);
        }
    }
    forms
}
