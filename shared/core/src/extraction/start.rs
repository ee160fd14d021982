//! Where the statement of a match begins in its sentence, so that it stands by itself.

use super::clauses::beginning;
use super::content::{Found, Sentence};
use super::tokens::Before;

/// Most words before the first match that are kept with it.
const LEAD: usize = 8;
/// Most words up to a conjunction that opens a sentence: "However, since I …".
const LONGEST_OPENING: usize = 2;

impl Sentence<'_> {
    /// The first word of the statement of a match that ends before `end`; `None` if no word makes it whole.
    pub(super) fn start(&self, found: &Found<'_>, first: bool, end: usize) -> Option<usize> {
        let (words, known) = (self.words, self.context.language.known());
        if found.rule.leads {
            return Some(found.end);
        }
        let thought = found.start > 0 && words[found.start - 1].is(known.thinks);
        let near = first && found.start.saturating_sub(self.stated.from) <= LEAD;
        let from = if thought {
            found.start
        } else if near && !is_cut(self.context.said.content, self.span.start) {
            self.stated.from.min(found.start)
        } else {
            beginning(self.context.language, words, self.stated, found.start)
        };
        let from = self.whole(from, found.start)?;
        // "Since I moved in May, …": keep the conjunction that joins the two clauses.
        let opens = |at: usize| at == 1 || (at <= LONGEST_OPENING && words[at - 1].before >= Before::Pause);
        let subordinate = from == self.stated.from
            && from > 0
            && words[from - 1].is(known.opens)
            && opens(from)
            && words.get(from + 1..end)?.iter().any(|token| token.before >= Before::Pause);
        Some(from - usize::from(subordinate))
    }

    /// Where a statement that stands by itself begins: at `from` or elsewhere, for a match at `start`.
    fn whole(&self, mut from: usize, start: usize) -> Option<usize> {
        let (words, known) = (self.words, self.context.language.known());
        // "…, given that I use Vim": what it is given for is elsewhere.
        if from < start && from != self.stated.from && words[from].is(known.given) {
            from += 1;
            from += usize::from(from < start && words[from].is(known.pointing));
        }
        // "…, which I use for peace", "… the boat I built": of what comes before.
        let opens = known.conj | known.opens | known.time | known.adv | known.filler | known.given;
        let attached = from < start && words[start].before == Before::Space && !words[start - 1].is(opens);
        if attached || words[from].is(known.relative) {
            from = self.stated.from;
        }
        // "Lea, I love chess": the person addressed.
        from += usize::from(from < start && words[from].is_name() && words[from + 1].before >= Before::Pause);
        (!words[from].is(known.relative)).then_some(from)
    }
}

/// Reports whether a sentence begins within one that was too long to be read as one.
pub(super) fn is_cut(text: &str, start: usize) -> bool {
    let before = text[..start].trim_end_matches(' ');
    before.ends_with(|c: char| c.is_alphanumeric() || c == ',')
}
