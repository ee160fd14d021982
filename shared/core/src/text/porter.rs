//! The stemmer of the full-text index (FTS5 `porter`, Porter 1980), for looking words up in its vocabulary. To compare
//! words with each other, [`stem`](super::words::stem) is better.

/// Lengths of words that are stemmed, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=64;

/// Endings with their replacements, applied if the rest is long enough; the longest match decides.
type Endings = &'static [(&'static str, &'static str)];

const SECOND: Endings = &[
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];
const THIRD: Endings =
    &[("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];
const FOURTH: Endings = &[
    ("al", ""),
    ("ance", ""),
    ("ence", ""),
    ("er", ""),
    ("ic", ""),
    ("able", ""),
    ("ible", ""),
    ("ant", ""),
    ("ement", ""),
    ("ment", ""),
    ("ent", ""),
    ("ion", ""),
    ("ou", ""),
    ("ism", ""),
    ("ate", ""),
    ("iti", ""),
    ("ous", ""),
    ("ive", ""),
    ("ize", ""),
];

/// The stem of a folded word in the index.
pub fn porter(folded: &str) -> String {
    let mut word = folded.to_owned();
    if !LENGTHS.contains(&word.len()) {
        return word;
    }
    plural(&mut word);
    past(&mut word);
    if word.strip_suffix('y').is_some_and(has_vowel) {
        word.pop();
        word.push('i');
    }
    end(&mut word, SECOND, 0);
    end(&mut word, THIRD, 0);
    end(&mut word, FOURTH, 1);
    if let Some(rest) = word.strip_suffix('e') {
        let measure = measure(rest);
        if measure > 1 || (measure == 1 && !is_short(rest)) {
            word.pop();
        }
    }
    if word.ends_with("ll") && measure(&word[..word.len() - 1]) > 1 {
        word.pop();
    }
    word
}

/// The part before an ending, if not empty.
fn cut<'w>(word: &'w str, ending: &str) -> Option<&'w str> {
    word.strip_suffix(ending).filter(|rest| !rest.is_empty())
}

fn plural(word: &mut String) {
    if cut(word, "sses").is_some() || cut(word, "ies").is_some() {
        word.truncate(word.len() - 2);
    } else if word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
}

fn past(word: &mut String) {
    if let Some(rest) = cut(word, "eed") {
        if measure(rest) > 0 {
            word.pop();
        }
        return;
    }
    let Some(rest) = ["ed", "ing"].iter().find_map(|ending| word.strip_suffix(ending)) else { return };
    if !has_vowel(rest) {
        return;
    }
    word.truncate(rest.len());
    let doubled = word
        .as_bytes()
        .last_chunk::<2>()
        .is_some_and(|[a, b]| a == b && b.is_ascii_alphabetic() && !is_vowel_letter(*b));
    if ["at", "bl", "iz"].iter().any(|ending| word.ends_with(ending)) {
        word.push('e');
    } else if doubled && !word.ends_with(['l', 's', 'z']) {
        word.pop();
    } else if measure(word) == 1 && is_short(word) {
        word.push('e');
    }
}

/// Replaces the longest matching ending if the measure of the rest is larger than `above`.
fn end(word: &mut String, endings: Endings, above: usize) {
    let fits = |(ending, _): &&(&str, &str)| word.len() > ending.len() && word.ends_with(ending);
    let Some((ending, instead)) = endings.iter().filter(fits).max_by_key(|(ending, _)| ending.len()) else { return };
    let rest = word.len() - ending.len();
    let before = &word[..rest];
    if measure(before) > above && (*ending != "ion" || before.ends_with(['s', 't'])) {
        word.truncate(rest);
        word.push_str(instead);
    }
}

const fn is_vowel_letter(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u')
}

/// For each byte whether it is a vowel; `y` after a consonant is one.
fn vowels(word: &str) -> impl Iterator<Item = bool> {
    word.bytes().scan(true, |before, byte| {
        *before = is_vowel_letter(byte) || (byte == b'y' && !*before);
        Some(*before)
    })
}

fn has_vowel(word: &str) -> bool {
    vowels(word).any(|vowel| vowel)
}

/// Porter's measure: how often a consonant follows a vowel.
fn measure(word: &str) -> usize {
    let (mut measure, mut before) = (0, false);
    for vowel in vowels(word) {
        measure += usize::from(before && !vowel);
        before = vowel;
    }
    measure
}

/// Reports whether it ends with consonant, vowel, consonant, the last not `w`, `x` or `y`.
fn is_short(word: &str) -> bool {
    let vowels: Vec<bool> = vowels(word).collect();
    vowels.ends_with(&[false, true, false]) && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_stems_that_porter_published() {
        for (word, stem) in [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("troubled", "troubl"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("relational", "relat"),
            ("rational", "ration"),
            ("generate", "gener"),
            ("generalizations", "gener"),
            ("oscillators", "oscil"),
            ("hopefulness", "hope"),
            ("adoption", "adopt"),
            ("replacement", "replac"),
            ("adjustment", "adjust"),
            ("documents", "document"),
            ("quarterly", "quarterli"),
            ("analysis", "analysi"),
            ("controll", "control"),
            ("roll", "roll"),
            ("rate", "rate"),
            ("cease", "ceas"),
            ("at", "at"),
            ("zürich", "zürich"),
        ] {
            assert_eq!(porter(word), stem, "{word}");
        }
    }
}
