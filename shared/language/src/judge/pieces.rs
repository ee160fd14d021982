//! Pieces of texts from which features are made.

use std::ops::Range;

use super::features::{Group, Sink};
use super::tokens::mix;

/// Bytes of an earlier message in which its first or last sentence is searched.
const REACH: usize = 240;
/// The longest and shortest part of a word.
const PARTS: Range<usize> = 2..6;

/// The last two letters of a word.
pub(super) fn ending(word: &str) -> &str {
    word.char_indices().rev().nth(1).and_then(|(at, _)| word.get(at..)).unwrap_or(word)
}

/// Parts of a word of two to five letters, with its borders.
pub(super) fn letters(word: &str, sink: &mut impl Sink) {
    let bordered = || std::iter::once(b'_').chain(word.bytes()).chain(std::iter::once(b'_'));
    let length = word.len() + 2;
    let starts = std::iter::once(0).chain(word.char_indices().map(|(at, _)| at + 1));
    for start in starts {
        let (mut hash, mut count) = (0xcbf2_9ce4_8422_2325_u64, 0);
        for (at, byte) in bordered().enumerate().skip(start) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            // Counts characters at their last byte.
            let ends = at + 1 == length || at == 0 || word.is_char_boundary(at);
            count += usize::from(ends);
            if count >= PARTS.end {
                break;
            }
            if ends && PARTS.contains(&count) {
                let name = || {
                    String::from_utf8_lossy(&bordered().skip(start).take(at + 1 - start).collect::<Vec<_>>())
                        .into_owned()
                };
                sink.add(Group::Letters, mix(hash, 50), || format!("letters \"{}\"", name()));
            }
        }
    }
}

/// Small numbers as they are, larger ones in steps.
pub(super) fn step(number: usize) -> &'static str {
    match number {
        0 => "0",
        1 => "1",
        2 => "2",
        3 => "3",
        4..=5 => "4+",
        6..=8 => "6+",
        9..=13 => "9+",
        14..=24 => "14+",
        _ => "25+",
    }
}

/// The first sentence of a text, roughly.
pub(super) fn start_of(text: &str) -> &str {
    let text = text.trim_start();
    let end =
        text.char_indices().take_while(|(at, letter)| *at < REACH && !matches!(letter, '\n' | '.' | '!' | '?' | ':'));
    let end = end.last().map_or(0, |(at, letter)| at + letter.len_utf8());
    // With the mark that ends it.
    text.get(..end + 1).or_else(|| text.get(..end)).unwrap_or(text)
}

/// The last sentence of a text, roughly.
pub(super) fn end_of(text: &str) -> &str {
    let text = text.trim_end();
    let ends = |at: usize, letter: char| at + 2 < text.len() && matches!(letter, '\n' | '.' | '!' | '?');
    let start = text.char_indices().rev().take_while(|(at, letter)| text.len() - at < REACH && !ends(*at, *letter));
    text.get(start.last().map_or(0, |(at, _)| at)..).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Names(Vec<String>);

    impl Sink for Names {
        fn add(&mut self, _: Group, _: u64, name: impl FnOnce() -> String) {
            self.0.push(name());
        }
    }

    #[test]
    fn parts_of_words_have_two_to_five_letters() {
        let mut names = Names(Vec::new());
        letters("añ", &mut names);
        assert_eq!(
            names.0,
            [
                "letters \"_a\"",
                "letters \"_añ\"",
                "letters \"_añ_\"",
                "letters \"añ\"",
                "letters \"añ_\"",
                "letters \"ñ_\""
            ]
        );
    }

    #[test]
    fn earlier_messages_show_their_first_and_last_sentence() {
        assert_eq!(start_of("Imagine a king. He is old."), "Imagine a king.");
        assert_eq!(end_of("Fine. How old are you? "), " How old are you?");
        assert_eq!(start_of("né"), "né");
        assert_eq!(end_of(""), "");
    }
}
