//! Selects what fits into a budget, and renders it.
//!
//! Each part may use its share of the budget, and what the parts before it left. What remains after the last part goes
//! to the recalled memories. So the parts that change least depend only on themselves and the parts before them, and
//! stay the same to the byte while those do not change. Items are taken whole, in the given order, as long as they fit.

use std::ops::Range;

use super::fence::{BEGIN, END, NOTICE};
use super::{Estimator, Item, Part};

/// A requested part, with its items in order of preference.
pub type Share = (Part, Vec<Item>);

/// An item that was taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// The item.
    pub item: Item,
    /// Its position in the text, in bytes.
    pub bytes: Range<usize>,
    /// Its position in the text, in estimated tokens.
    pub tokens: Range<usize>,
}

/// A context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assembled {
    /// The text; empty if nothing was taken.
    pub text: String,
    /// Its tokens, at most the budget.
    pub tokens: usize,
    /// The items that were taken, in the order of the text.
    pub taken: Vec<Taken>,
    /// By part, the number of items that did not fit.
    pub left_out: Vec<(Part, usize)>,
}

/// Assembles a context of parts within a budget of tokens.
pub fn assemble(parts: Vec<Share>, budget: usize, by: Estimator) -> Assembled {
    let frame = [BEGIN, "\n", NOTICE, "\n", END, "\n"].map(|piece| by.tokens(piece)).iter().sum::<usize>();
    let Some(room) = budget.checked_sub(frame) else { return nothing(&parts) };
    let shares: usize = parts.iter().map(|(part, _)| part.share()).sum();
    let (mut carried, mut chosen): (usize, Vec<Chosen>) = (0, Vec::new());
    for (part, items) in parts {
        let mut one = Chosen::new(part, items, by);
        carried = one.take(carried + room * part.share() / shares.max(1));
        chosen.push(one);
    }
    // The remainders of the integer divisions are not worth redistributing.
    if let Some(recalled) = chosen.iter_mut().find(|one| one.part == Part::Recalled) {
        recalled.take(carried);
    }
    written(chosen, by)
}

fn nothing(parts: &[Share]) -> Assembled {
    let left_out = parts.iter().map(|(part, items)| (*part, items.len())).filter(|(_, items)| *items > 0);
    Assembled { left_out: left_out.collect(), ..Assembled::default() }
}

/// The selection within one part.
struct Chosen {
    part: Part,
    taken: Vec<Item>,
    left: Vec<Item>,
    by: Estimator,
}

impl Chosen {
    fn new(part: Part, items: Vec<Item>, by: Estimator) -> Self {
        Self { part, taken: Vec::new(), left: items, by }
    }

    /// Takes what fits, and returns the remaining room. Turns and snapshots end at the first that does not fit, so that
    /// they have no gap.
    fn take(&mut self, mut room: usize) -> usize {
        let mut ended = false;
        for item in std::mem::take(&mut self.left) {
            let heading =
                if self.taken.is_empty() { self.by.tokens(self.part.heading()) + self.by.tokens("\n") } else { 0 };
            let tokens = heading + self.by.tokens(&item.text);
            if tokens <= room && !ended {
                room -= tokens;
                self.taken.push(item);
            } else {
                ended |= self.part.is_one_piece();
                self.left.push(item);
            }
        }
        room
    }
}

fn written(chosen: Vec<Chosen>, by: Estimator) -> Assembled {
    let mut page = Page { text: format!("{BEGIN}\n{NOTICE}\n"), tokens: 0, by };
    page.tokens = by.tokens(&page.text);
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    for Chosen { part, taken: mut items, left, .. } in chosen {
        if !left.is_empty() {
            left_out.push((part, left.len()));
        }
        if !items.is_empty() {
            page.add("\n");
            page.add(part.heading());
        }
        items.sort_by_key(|item| item.position);
        for item in items {
            let (bytes, tokens) = page.add(&item.text);
            taken.push(Taken { item, bytes, tokens });
        }
    }
    if taken.is_empty() {
        return Assembled { left_out, ..Assembled::default() };
    }
    page.add(END);
    page.add("\n");
    Assembled { text: page.text, tokens: page.tokens, taken, left_out }
}

struct Page {
    text: String,
    tokens: usize,
    by: Estimator,
}

impl Page {
    fn add(&mut self, piece: &str) -> (Range<usize>, Range<usize>) {
        let (byte, token) = (self.text.len(), self.tokens);
        self.text.push_str(piece);
        self.tokens += self.by.tokens(piece);
        (byte..self.text.len(), token..self.tokens)
    }
}

#[cfg(test)]
mod tests;
