//! Selects what fits into a budget, and renders it.
//!
//! Core memory comes first and whole. Of what it leaves, at least a quarter of the budget, each part may use its share,
//! and what the parts before it left. What remains after the last part goes to the recalled memories. So the parts that
//! change least depend only on themselves and the parts before them, and stay the same to the byte while those do not
//! change. Items are taken whole, in the given order, as long as they fit.

use std::collections::HashSet;
use std::ops::Range;

use super::fence::{BEGIN, END, NOTICE};
use super::{Estimator, Item, Part};

/// A requested part, with its items in order of preference.
pub type Share = (Part, Vec<Item>);

/// The tokens that a context may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The offered number. Core memory may exceed it, and the rest gets a quarter of it all the same.
    pub tokens: usize,
    /// The number that nothing exceeds; `None` if the model's window is unknown.
    pub most: Option<usize>,
}

/// The budget is divided by this for the least room of what is not core memory, and of what is recalled.
const LEAST: usize = 4;

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
    /// Its tokens.
    pub tokens: usize,
    /// The items that were taken, in the order of the text.
    pub taken: Vec<Taken>,
    /// By part, the number of items that did not fit.
    pub left_out: Vec<(Part, usize)>,
}

/// Assembles a context of parts within a budget of tokens.
pub fn assemble(parts: Vec<Share>, budget: Budget, by: Estimator) -> Assembled {
    let mut used = [BEGIN, "\n", NOTICE, "\n", END, "\n"].map(|piece| by.tokens(piece)).iter().sum::<usize>();
    let most = budget.most.unwrap_or(usize::MAX);
    let mut chosen: Vec<Chosen> = parts.into_iter().map(|(part, items)| Chosen::new(part, items, by)).collect();
    let mut least = 0;
    for core in chosen.iter_mut().filter(|one| one.part == Part::Core) {
        let room = most.saturating_sub(used);
        used += room - core.take(room);
        least = if core.taken.is_empty() { 0 } else { budget.tokens / LEAST };
    }
    let rest = budget.tokens.saturating_sub(used).max(least).min(most.saturating_sub(used));
    let share = shares(&chosen, rest, budget.tokens / LEAST);
    let mut carried = 0;
    for one in chosen.iter_mut().filter(|one| one.part != Part::Core) {
        carried = one.take(carried + share(one.part));
    }
    // The remainders of the integer divisions are not worth redistributing.
    if let Some(recalled) = chosen.iter_mut().find(|one| one.part == Part::Recalled) {
        recalled.take(carried);
    }
    written(chosen, by)
}

/// Returns the tokens of each part of the room that core memory leaves; what is recalled gets at least `least` of them.
fn shares(chosen: &[Chosen], room: usize, least: usize) -> impl Fn(Part) -> usize + use<> {
    let parts = || chosen.iter().map(|one| one.part);
    let all = parts().map(Part::share).sum::<usize>().max(1);
    let recalled = match parts().find(|part| *part == Part::Recalled) {
        Some(part) => (room * part.share() / all).max(least.min(room)),
        None => 0,
    };
    let others = parts().filter(|part| *part != Part::Recalled).map(Part::share).sum::<usize>().max(1);
    move |part| if part == Part::Recalled { recalled } else { (room - recalled) * part.share() / others }
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
            let part =
                if self.taken.is_empty() { self.by.tokens(self.part.heading()) + self.by.tokens("\n") } else { 0 };
            let opens = self.taken.iter().all(|taken| taken.why != item.why);
            let why = if opens { self.by.tokens(item.why.heading()) } else { 0 };
            let tokens = part + why + self.by.tokens(&item.text);
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
        let mut opened = HashSet::new();
        for item in items {
            if opened.insert(item.why) {
                page.add(item.why.heading());
            }
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
