//! Filler in place of a struck text: of the same length in bytes, so that every offset stays valid, without words, so
//! that the full-text index stores nothing of it, and seen by readers as a gap.

use std::ops::Range;

/// Returns filler of a length in bytes: "[...   ]", or only dots if there is no room for that.
pub fn filler(len: usize) -> String {
    match len.checked_sub("[...]".len()) {
        Some(spaces) => format!("[...{}]", " ".repeat(spaces)),
        None => ".".repeat(len),
    }
}

/// Reports whether a text is filler.
pub fn is_filler(text: &str) -> bool {
    text == filler(text.len())
}

/// Returns a text with filler in place of some ranges. Ignores a range that does not lie between characters.
pub fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let mut struck = text.to_owned();
    for range in ranges.iter().filter(|range| text.get((*range).clone()).is_some()) {
        struck.replace_range(range.clone(), &filler(range.len()));
    }
    struck
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;
    use crate::text::words::words;

    #[test]
    fn filler_has_the_length_of_the_text_and_no_words() {
        for len in 0..40 {
            let gap = filler(len);
            assert_eq!((gap.len(), words(&gap).count(), is_filler(&gap)), (len, 0, true));
        }
        assert!(!is_filler("Zelda") && !is_filler("[... a]"));
    }

    #[test]
    fn the_rest_of_a_text_keeps_its_offsets() {
        let text = "Öl für die Säge. I like rye bread.";
        let at = text.find("I like").expect("there");
        let struck = without(text, slice::from_ref(&(0..at - 1)));
        assert_eq!(struck.len(), text.len());
        assert_eq!((&struck[at..], &struck[..4]), ("I like rye bread.", "[..."));
        assert_eq!(without("Ö", slice::from_ref(&(0..1))), "Ö", "no part of a character");
    }
}
