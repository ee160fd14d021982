//! Cuts a text into passages at ends of paragraphs and sentences.

use std::ops::Range;

use crate::bounds::{MAX_PASSAGE_CHARS, MIN_PASSAGE_CHARS};
use crate::text::sentences;

/// Returns passages in order, each of at most 1,000 characters and trimmed. A passage ends at the end of a paragraph
/// once it has 500 characters, or before the sentence that would make it too long. Passages do not overlap and omit
/// only white space.
pub fn split(text: &str) -> Vec<Range<usize>> {
    let mut passages = Vec::new();
    let mut open: Option<Open> = None;
    // A sentence limited to this many bytes has at most as many characters.
    for sentence in sentences::of(text, MAX_PASSAGE_CHARS) {
        let chars = chars(text, &sentence);
        open = match open.take() {
            None => Some(Open { range: sentence, chars }),
            Some(before) => {
                let between = before.range.end..sentence.start;
                let (gap, ends) = (self::chars(text, &between), is_paragraph(text, &between));
                let whole = before.chars + gap + chars;
                if whole > MAX_PASSAGE_CHARS || (ends && before.chars >= MIN_PASSAGE_CHARS) {
                    passages.push(before.range);
                    Some(Open { range: sentence, chars })
                } else {
                    Some(Open { range: before.range.start..sentence.end, chars: whole })
                }
            }
        };
    }
    passages.extend(open.map(|last| last.range));
    passages
}

/// A passage under construction.
struct Open {
    range: Range<usize>,
    chars: usize,
}

fn chars(text: &str, range: &Range<usize>) -> usize {
    text.get(range.clone()).map_or(0, |part| part.chars().count())
}

/// Reports whether the gap contains an empty line.
fn is_paragraph(text: &str, between: &Range<usize>) -> bool {
    text.get(between.clone()).is_some_and(|part| part.bytes().filter(|byte| *byte == b'\n').count() > 1)
}
