//! Cuts long content where paragraphs and sentences end, so that a model sees all of it (Y-1).

use std::ops::Range;

/// Content of at most so many characters stays whole. It is what a model with a window of 256 tokens takes of most
/// writing.
pub const MAX_CHUNK_CHARS: usize = 1_000;
/// Chunks of longer content have at least so many characters.
pub const MIN_CHUNK_CHARS: usize = 500;

/// How good a place is to cut at, best last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Character,
    Word,
    Sentence,
    Paragraph,
}

/// Cuts content into chunks without overlap: each has 500 to 1,000 characters and ends with a paragraph if it can, else
/// with a sentence, a word, or anywhere. White space at the edges is left out, and so is a chunk of nothing else.
pub fn chunks(content: &str) -> Vec<&str> {
    spans(content).into_iter().map(|span| content[span].trim()).filter(|chunk| !chunk.is_empty()).collect()
}

/// Byte ranges of the chunks; together they are the whole content.
fn spans(content: &str) -> Vec<Range<usize>> {
    let characters: Vec<(usize, char)> = content.char_indices().collect();
    let (mut spans, mut from) = (Vec::new(), 0);
    let byte = |at: usize| characters.get(at).map_or(content.len(), |(byte, _)| *byte);
    while characters.len() - from > MAX_CHUNK_CHARS {
        // What remains must not be too short either.
        let last = (from + MAX_CHUNK_CHARS).min(characters.len() - MIN_CHUNK_CHARS);
        let places = from + MIN_CHUNK_CHARS..=last;
        let best = places.max_by_key(|&at| (end_at(&characters, at), at)).unwrap_or(last);
        spans.push(byte(from)..byte(best));
        from = best;
    }
    spans.push(byte(from)..content.len());
    spans
}

/// What ends just before the character at `at`.
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
        assert!(chunks(&japanese).iter().all(|chunk| chunk.ends_with('。')));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn nothing_is_lost_or_repeated_and_sizes_are_kept(content in "([a-zä. \n!。😀]{0,40}){0,120}") {
            let spans = spans(&content);
            let joined: String = spans.iter().map(|span| &content[span.clone()]).collect();
            prop_assert_eq!(&joined, &content);
            for span in &spans {
                let length = content[span.clone()].chars().count();
                prop_assert!(length <= MAX_CHUNK_CHARS);
                prop_assert!(spans.len() == 1 || length >= MIN_CHUNK_CHARS);
            }
        }
    }
}
