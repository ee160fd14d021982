//! Where a sentence stands in its message: lines, paragraphs, quotation, code, signature.

use std::ops::Range;

/// What is true of the place of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Begins a line that is not the first.
    LineStart,
    /// Begins a paragraph that is not the first.
    ParagraphStart,
    /// Is in the last of two or more paragraphs.
    LastParagraph,
    /// Is a line of its own.
    WholeLine,
    /// Stands in a line that starts with `>`.
    QuotedLine,
    /// Begins inside quotation marks.
    InsideQuotes,
    /// Begins with a quotation mark.
    OpensQuotes,
    /// Is code between fences.
    Fenced,
    /// Has many characters of code.
    CodeLike,
    /// Is an item of a list.
    Item,
    /// Is a line `Label: value`.
    FormLine,
    /// Follows two or more lines `Label: value` of its message.
    AfterHeader,
    /// Follows a line that ends with a colon.
    AfterColon,
    /// A line of dashes stands before it.
    AfterDashes,
    /// Is a short line without an end at the end of a message with paragraphs.
    Signature,
}

impl Place {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::LineStart,
        Self::ParagraphStart,
        Self::LastParagraph,
        Self::WholeLine,
        Self::QuotedLine,
        Self::InsideQuotes,
        Self::OpensQuotes,
        Self::Fenced,
        Self::CodeLike,
        Self::Item,
        Self::FormLine,
        Self::AfterHeader,
        Self::AfterColon,
        Self::AfterDashes,
        Self::Signature,
    ];

    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

/// The place of one sentence.
#[derive(Clone, Debug, Default)]
pub struct Spot {
    places: u32,
    /// The paragraph, counted from 0.
    pub paragraph: usize,
    /// The sentence before it that ends with a colon and introduces it.
    pub intro: Option<usize>,
    /// The first sentence of its paragraph.
    pub head: usize,
}

impl Spot {
    /// Whether a place is true of it.
    pub const fn is(&self, place: Place) -> bool {
        self.places & place.bit() != 0
    }

    const fn set(&mut self, place: Place, holds: bool) {
        if holds {
            self.places |= place.bit();
        }
    }
}

/// Positions in a message that many sentences ask for.
struct Marks {
    lines: Vec<usize>,
    paragraphs: Vec<usize>,
    quotes: Vec<usize>,
    fences: Vec<usize>,
    dashes: Option<usize>,
    headers: Vec<usize>,
}

impl Marks {
    fn of(text: &str) -> Self {
        let (mut lines, mut paragraphs, mut headers, mut dashes) = (vec![0], vec![0], Vec::new(), None);
        let (mut at, mut blank) = (0, false);
        for line in text.split('\n') {
            let trimmed = line.trim();
            if at > 0 {
                lines.push(at);
            }
            if blank && !trimmed.is_empty() {
                paragraphs.push(at);
            }
            blank = trimmed.is_empty() && at > 0;
            if trimmed.len() >= 2 && trimmed.bytes().all(|byte| matches!(byte, b'-' | b'_')) {
                dashes = dashes.or(Some(at));
            }
            if is_form_line(trimmed) {
                headers.push(at);
            }
            at += line.len() + 1;
        }
        let quotes = text.char_indices().filter(|(_, letter)| matches!(letter, '"' | '“' | '”' | '„' | '«' | '»'));
        let quotes = quotes.map(|(at, _)| at).collect();
        let fences = text.match_indices("```").map(|(at, _)| at).collect();
        Self { lines, paragraphs, quotes, fences, dashes, headers }
    }

    /// The line around a position.
    fn line(&self, text: &str, at: usize) -> Range<usize> {
        let next = self.lines.partition_point(|line| *line <= at);
        let begin = self.lines.get(next.saturating_sub(1)).copied().unwrap_or_default();
        begin..self.lines.get(next).map_or(text.len(), |line| line - 1)
    }
}

/// How many of sorted positions are before one.
fn before(sorted: &[usize], at: usize) -> usize {
    sorted.partition_point(|one| *one < at)
}

/// A label of at most three words, a colon and a value.
fn is_form_line(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(label, value)| {
        !label.is_empty() && label.len() <= 32 && label.split_whitespace().count() <= 3 && !value.trim().is_empty()
    })
}

fn is_item(line: &str) -> bool {
    let rest = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let numbered = rest.len() < line.len() && line.len() - rest.len() <= 2 && rest.starts_with(['.', ')']);
    numbered || ["- ", "* ", "• ", "– ", "+ ", "[ ]", "[x]"].iter().any(|mark| line.starts_with(mark))
}

fn is_code(text: &str) -> bool {
    let marks = text.bytes().filter(|byte| b"{}[]();=<>_/\\|&$#*`".contains(byte)).count();
    marks * 8 > text.len()
}

/// The places of the sentences of a message.
pub fn spots(text: &str, spans: &[Range<usize>]) -> Vec<Spot> {
    let marks = Marks::of(text);
    let mut spots: Vec<Spot> = Vec::with_capacity(spans.len());
    let mut intro = None;
    for (index, span) in spans.iter().enumerate() {
        let sentence = text.get(span.clone()).unwrap_or_default().trim();
        let mut spot =
            Spot { paragraph: before(&marks.paragraphs, span.start + 1).saturating_sub(1), ..Spot::default() };
        let previous = spots.last();
        let same = previous.is_some_and(|last| last.paragraph == spot.paragraph);
        spot.head = previous.filter(|_| same).map_or(index, |last| last.head);
        spot.intro = intro;
        place(text, span, sentence, &marks, &mut spot);
        if sentence.ends_with(':') {
            intro = Some(index);
        }
        spots.push(spot);
    }
    spots
}

fn place(text: &str, span: &Range<usize>, sentence: &str, marks: &Marks, spot: &mut Spot) {
    let line = marks.line(text, span.start);
    let (start, whole) = (line.start, text.get(line).unwrap_or_default().trim());
    let starts_line = text.get(start..span.start).is_some_and(|gap| gap.trim().is_empty());
    let last = spot.paragraph > 0 && spot.paragraph + 1 == marks.paragraphs.len();
    let first_of_paragraph = marks.paragraphs.get(spot.paragraph).is_some_and(|at| *at == start);
    spot.set(Place::LineStart, starts_line && start > 0);
    spot.set(Place::ParagraphStart, starts_line && spot.paragraph > 0 && first_of_paragraph);
    spot.set(Place::LastParagraph, last);
    spot.set(Place::WholeLine, starts_line && whole.len() == sentence.len());
    spot.set(Place::QuotedLine, whole.starts_with('>'));
    let paragraph = marks.paragraphs.get(spot.paragraph).copied().unwrap_or_default();
    let open = before(&marks.quotes, span.start).saturating_sub(before(&marks.quotes, paragraph));
    spot.set(Place::InsideQuotes, open % 2 == 1);
    spot.set(Place::OpensQuotes, sentence.starts_with(['"', '“', '„', '«', '»', '\'', '‘']));
    let fenced = before(&marks.fences, span.start) % 2 == 1 || sentence.starts_with("```");
    spot.set(Place::Fenced, fenced);
    spot.set(Place::CodeLike, is_code(sentence));
    spot.set(Place::Item, starts_line && is_item(whole));
    spot.set(Place::FormLine, starts_line && is_form_line(whole));
    spot.set(Place::AfterHeader, before(&marks.headers, start) >= 2);
    spot.set(Place::AfterColon, spot.intro.is_some());
    spot.set(Place::AfterDashes, marks.dashes.is_some_and(|at| at < span.start));
    let ended = sentence.ends_with(['.', '!', '?', '…', ':']);
    spot.set(Place::Signature, last && starts_line && !ended && sentence.len() < 60);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, sentence: &str) -> Spot {
        let begin = text.find(sentence).unwrap();
        let first = text.find(['.', ':']).map_or(text.len(), |at| at + 1);
        spots(text, &[0..first, begin..begin + sentence.len()]).pop().unwrap()
    }

    #[test]
    fn pasted_texts_are_seen_by_their_lines() {
        let text = "See the mail:\n\nFrom: Ana\nSubject: Cats\n> I sold the car.\n\n--\nAna Ruiz";
        assert!(at(text, "> I sold the car.").is(Place::QuotedLine));
        assert!(at(text, "> I sold the car.").is(Place::AfterHeader));
        assert!(at(text, "From: Ana").is(Place::FormLine));
        assert_eq!(at(text, "From: Ana").intro, Some(0));
        assert!(at(text, "Ana Ruiz").is(Place::AfterDashes));
        assert!(at(text, "Ana Ruiz").is(Place::Signature));
    }

    #[test]
    fn quotes_and_fences_are_seen() {
        let text = "She said: \"I quit. I moved to Rome.\"\n```\nlet x = 1;\n```";
        assert!(at(text, "I moved").is(Place::InsideQuotes));
        assert!(at(text, "let x = 1;").is(Place::Fenced));
    }
}
