//! Splits a text into sentences and lines, in one pass.

use std::ops::Range;

/// Marks that end a sentence before white space, and marks that end it anywhere.
const ENDS: [char; 4] = ['.', '!', '?', '…'];
const ENDS_ANYWHERE: [char; 5] = ['。', '！', '？', '｡', '।'];
/// Characters after the end mark that still belong to the sentence.
const CLOSERS: [char; 11] = ['"', '\'', '”', '’', '»', ')', ']', '」', '』', '）', '*'];
/// Shortest sentence, in bytes: shorter text, such as the number of an item, does not end one.
const SHORTEST: usize = 4;

/// The class of the last characters.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Inside,
    End,
    EndAnywhere,
}

/// The sentences of a text in order, trimmed; none is longer than `longest` bytes.
pub fn of(text: &str, longest: usize) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let (mut start, mut gap, mut last) = (0, 0, Last::Inside);
    for (at, c) in text.char_indices() {
        // Most characters; none of the cases below is about them.
        if c.is_ascii_alphanumeric() && last == Last::Inside && at - start < longest {
            continue;
        }
        let closes = last != Last::Inside && (CLOSERS.contains(&c) || ENDS.contains(&c) || ENDS_ANYWHERE.contains(&c));
        let ended = match last {
            Last::Inside => false,
            Last::End => c.is_whitespace() && at - start >= SHORTEST,
            Last::EndAnywhere => !closes,
        };
        if c == '\n' || ended {
            push(&mut all, text, start..at);
            start = at;
        } else if at + c.len_utf8() - start > longest {
            // Cut at the last white space, or within a word if there is none.
            let cut = if gap > start { gap } else { at };
            push(&mut all, text, start..cut);
            start = cut;
        }
        if c.is_whitespace() {
            gap = at;
        }
        last = match (closes, c) {
            _ if ENDS_ANYWHERE.contains(&c) => Last::EndAnywhere,
            (false, c) if ENDS.contains(&c) => Last::End,
            (true, _) => last,
            (false, _) => Last::Inside,
        };
    }
    push(&mut all, text, start..text.len());
    all
}

fn push(all: &mut Vec<Range<usize>>, text: &str, range: Range<usize>) {
    let Some(part) = text.get(range.clone()) else { return };
    let start = range.start + part.len() - part.trim_start().len();
    let end = start + part.trim().len();
    if end > start {
        all.push(start..end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, longest: usize) -> Vec<&str> {
        of(text, longest).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn text_is_cut_behind_sentences_and_at_lines() {
        let text = "I moved to Ghent in 3.5 hours. \"Really?\" Yes!\n\n1. Pack the violin\n- and go";
        assert_eq!(
            cut(text, 80),
            ["I moved to Ghent in 3.5 hours.", "\"Really?\"", "Yes!", "1. Pack the violin", "- and go"]
        );
        assert_eq!(cut("我住在上海。你呢？「好。」再见", 80), ["我住在上海。", "你呢？", "「好。」", "再见"]);
        assert_eq!(cut(" \n\n ", 80), Vec::<&str>::new());
    }

    #[test]
    fn none_is_too_long_and_each_lies_between_characters() {
        assert_eq!(cut("one two three", 8), ["one two", "three"]);
        assert_eq!(cut("ééééé", 4), ["éé", "éé", "é"]);
        for text in ["😀".repeat(99), "a ".repeat(999), "。".repeat(99), "wörter ".repeat(99)] {
            assert!(of(&text, 40).iter().all(|range| range.len() <= 40 && text.get(range.clone()).is_some()), "{text}");
        }
    }
}
