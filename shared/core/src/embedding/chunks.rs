//! Splits long content at ends of paragraphs and sentences, so that a model sees all of it (Y-1).

use std::ops::Range;

/// Longest content that stays whole, in characters. A model with a window of 256 tokens takes this much of most writing; a
/// character of a dense script counts [`DENSE`] times.
pub const MAX_CHUNK_CHARS: usize = 1_000;
/// Shortest chunk of longer content, in characters; cutting may fall short by less than [`DENSE`].
pub const MIN_CHUNK_CHARS: usize = 500;
/// How many characters a character of a dense script counts for: models read it as a token or more, and most words of
/// alphabets, with the following space, as one or two.
pub const DENSE: usize = 4;

/// Quality of a place to cut, worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Character,
    Word,
    Sentence,
    Paragraph,
}

/// Splits content into chunks without overlap: each has 500 to 1,000 characters (125 to 250 of a dense script) and
/// ends with a paragraph if possible, else with a sentence, a word, or anywhere. Chunks are trimmed, and blank ones
/// dropped.
pub fn chunks(content: &str) -> Vec<&str> {
    spans(content).into_iter().map(|span| content[span].trim()).filter(|chunk| !chunk.is_empty()).collect()
}

/// Byte ranges of the chunks; together they cover the whole content.
fn spans(content: &str) -> Vec<Range<usize>> {
    let characters: Vec<(usize, char)> = content.char_indices().collect();
    // Prefix sums of the characters' weights.
    let sums: Vec<usize> = std::iter::once(0)
        .chain(characters.iter().scan(0, |sum, (_, c)| {
            *sum += if is_dense(*c) { DENSE } else { 1 };
            Some(*sum)
        }))
        .collect();
    let whole = sums.last().copied().unwrap_or(0);
    let (mut spans, mut from) = (Vec::new(), 0);
    let byte = |at: usize| characters.get(at).map_or(content.len(), |(byte, _)| *byte);
    let (fewest, sum) = (MIN_CHUNK_CHARS - DENSE, |at: usize| sums.get(at).copied().unwrap_or(whole));
    while whole - sum(from) > MAX_CHUNK_CHARS {
        // The remainder must not be too short either.
        let most = (sum(from) + MAX_CHUNK_CHARS).min(whole - fewest);
        let first = sums.partition_point(|before| *before < sum(from) + fewest);
        let last = sums.partition_point(|before| *before <= most).saturating_sub(1).max(first);
        let best = (first..=last).max_by_key(|&at| (end_at(&characters, at), at)).unwrap_or(last);
        spans.push(byte(from)..byte(best));
        from = best;
    }
    spans.push(byte(from)..content.len());
    spans
}

/// Reports whether a character belongs to a script whose characters are syllables or words, or that has no spaces
/// between words, or is a pictograph. By blocks of Unicode 17.
const fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' // Thai, Lao
        | '\u{1000}'..='\u{109F}' // Myanmar
        | '\u{1100}'..='\u{11FF}' // Hangul
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{2E80}'..='\u{A4CF}' // Chinese, Japanese, Yi
        | '\u{AC00}'..='\u{D7FF}' // Hangul
        | '\u{F900}'..='\u{FAFF}' | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FFEF}' // compatibility forms
        | '\u{1F000}'..='\u{1FAFF}' // pictographs
        | '\u{20000}'..='\u{3FFFF}' // more Chinese
    )
}

/// Classifies what ends just before the character at `at`.
fn end_at(characters: &[(usize, char)], at: usize) -> End {
    let before = |back: usize| at.checked_sub(back).and_then(|at| characters.get(at)).map(|(_, c)| *c);
    let (Some(last), next) = (before(1), characters.get(at).map(|(_, c)| *c)) else { return End::Character };
    if next.is_some_and(char::is_whitespace) {
        return if matches!(last, '。' | '！' | '？') { End::Sentence } else { End::Character };
    }
    if last == '\n' {
        let blank = characters[..at - 1].iter().rev().map(|(_, c)| *c).take_while(|c| c.is_whitespace());
        return if blank.clone().any(|c| c == '\n') { End::Paragraph } else { End::Sentence };
    }
    if matches!(last, '。' | '！' | '？') {
        return End::Sentence;
    }
    if !last.is_whitespace() {
        return End::Character;
    }
    let mut words = characters[..at].iter().rev().map(|(_, c)| *c).skip_while(|c| c.is_whitespace());
    let closing = |c: &char| matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '»');
    match words.find(|c| !closing(c)) {
        Some('.' | '!' | '?' | '…' | '。' | '！' | '？') => End::Sentence,
        _ => End::Word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_fits_stays_whole() {
        let most = "a".repeat(MAX_CHUNK_CHARS);
        for content in ["x", "One. Two.\n\nThree.", &most] {
            assert_eq!(chunks(content), [content]);
        }
        assert_eq!(chunks(&"a".repeat(MAX_CHUNK_CHARS + 1)).len(), 2);
        assert!(chunks(" \n ").is_empty());
        let dense = "語".repeat(MAX_CHUNK_CHARS / DENSE);
        assert_eq!(chunks(&dense), [&*dense]);
        assert_eq!(chunks(&format!("{dense}。")).len(), 2);
    }

    #[test]
    fn it_is_cut_where_a_paragraph_ends_else_a_sentence_else_a_word() {
        let sentence = "This sentence has forty characters in it. ".repeat(16);
        let paragraphs = format!("{sentence}\n\n{sentence}");
        assert_eq!(chunks(&paragraphs), [sentence.trim(), sentence.trim()]);
        let sentences = chunks(&"He said \"yes.\" Then he left for Rome, it seems. ".repeat(40)).len();
        assert_eq!(sentences, 2);
        for chunk in chunks(&"She went (it was late.) And so on and on; nobody knew why. ".repeat(40)) {
            assert!(chunk.ends_with(['.', ')']), "{chunk}");
        }
        let words = "word ".repeat(300);
        assert!(chunks(&words).iter().all(|chunk| chunk.split(' ').all(|word| word == "word")));
        let japanese = "これは長い文です。".repeat(200);
        assert!(chunks(&japanese).iter().all(|chunk| chunk.ends_with('。') && chunk.chars().count() <= 250));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nothing_is_lost_or_repeated_and_sizes_are_bounded(content in "([a-zä. \n!。😀]{0,40}|[日本語。]{0,40}){0,120}") {
            let spans = spans(&content);
            let joined: String = spans.iter().map(|span| &content[span.clone()]).collect();
            prop_assert_eq!(&joined, &content);
            for span in &spans {
                let length: usize = content[span.clone()].chars().map(|c| if is_dense(c) { DENSE } else { 1 }).sum();
                prop_assert!(length <= MAX_CHUNK_CHARS);
                prop_assert!(spans.len() == 1 || length >= MIN_CHUNK_CHARS - DENSE);
            }
        }
    }
}
