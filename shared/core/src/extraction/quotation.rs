//! Follows quotations that span several sentences: "Dear team, I am away. My deputy is Lea."

use std::ops::Range;

/// The quotation that is open at the end of the sentences read so far.
#[derive(Debug, Default)]
pub(super) struct Quotation {
    /// The marks that close it.
    closing: Option<&'static [char]>,
    /// End of the last sentence read.
    end: usize,
}

impl Quotation {
    /// Reads the next sentence of a text; reports whether it is wholly in a quotation that the paragraph closes.
    pub(super) fn covers(&mut self, text: &str, sentence: &Range<usize>) -> bool {
        // A paragraph ends every quotation.
        if text.get(self.end..sentence.start).is_none_or(|gap| gap.contains('\n')) {
            self.closing = None;
        }
        let rest = || text[sentence.start..].split('\n').next().unwrap_or_default();
        let opened = self.closing.is_some_and(|closing| rest().contains(closing));
        let covers = opened || opens(text.get(sentence.clone()).unwrap_or_default(), rest());
        let mut last = ' ';
        for c in text.get(sentence.clone()).unwrap_or_default().chars() {
            self.closing = match self.closing {
                Some(closing) if closing.contains(&c) => None,
                None => closing(c, last),
                open => open,
            };
            last = c;
        }
        self.end = sentence.end;
        covers
    }
}

/// Reports whether a sentence begins with a quotation that goes on to its end, given the rest of the paragraph.
fn opens(sentence: &str, rest: &str) -> bool {
    let Some(closing) = sentence.chars().next().and_then(|c| closing(c, ' ')) else { return false };
    let inside = |text: &str| text.chars().skip(1).any(|c| closing.contains(&c));
    !inside(sentence.trim_end_matches(closing)) && inside(rest)
}

/// The marks that close what `c` opens; inches open nothing.
fn closing(c: char, last: char) -> Option<&'static [char]> {
    match c {
        '"' if !last.is_alphanumeric() => Some(&['"']),
        '“' => Some(&['”', '"']),
        '„' => Some(&['“', '”', '"']),
        '«' => Some(&['»']),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sentences;

    fn covered(text: &str) -> Vec<&str> {
        let mut quotation = Quotation::default();
        let all = sentences::of(text, 200).into_iter();
        all.filter(|range| quotation.covers(text, range)).map(|range| &text[range]).collect()
    }

    #[test]
    fn the_inside_of_a_quotation_is_covered_to_its_end() {
        assert_eq!(covered("Shorten \"Dear Lea, I left. I am away. Bye.\" I am Ana."), ["I am away.", "Bye.\""]);
        assert_eq!(covered("\"Dear Lea, I left. I am away.\" I am Ana."), ["\"Dear Lea, I left.", "I am away.\""]);
        assert_eq!(covered("\"Dune\" is my book. Bye."), [""; 0]);
        assert_eq!(covered("Er schrieb: „Ich gehe. Ich komme wieder.” Ich bleibe."), ["Ich komme wieder.”"]);
    }

    #[test]
    fn a_mark_that_nothing_closes_and_inches_cover_nothing() {
        assert_eq!(covered("I wrote \"hello. I am Ana.\nI am here. Bye \"now\"."), [""; 0]);
        assert_eq!(covered("The shelf is 5\" deep. I built it. It holds 9\" jars."), [""; 0]);
    }
}
