//! Patterns of words around two names, and matching them. `words/relations.en.txt` describes the format.

use super::sentence::Item;
use super::{Said, UNKNOWN, may_be};
use crate::entities::{EntityRelation, EntityType, Mention};

/// Most words that `*` matches.
const ANY: usize = 3;

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// The first side.
    From { genitive: bool },
    /// The first side, if it is the speaker.
    Speaker,
    /// The second side.
    To,
    /// One of these words.
    Words { any: Vec<&'static str>, optional: bool },
    /// Up to [`ANY`] words.
    Any,
    /// Any name.
    Name,
}

/// A pattern of a relation.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub(super) relation: EntityRelation,
    from: Vec<EntityType>,
    to: Vec<EntityType>,
    parts: Vec<Part>,
}

/// Parses the data file. Skips invalid lines; a test counts the rules.
pub(super) fn rules(text: &'static str) -> Vec<Rule> {
    let (mut all, mut head) = (Vec::new(), None);
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        if !line.starts_with(' ') {
            head = heading(line);
            continue;
        }
        let parts: Vec<Part> = line.split_whitespace().fold(Vec::new(), with_part);
        let begins = matches!(parts.first(), Some(Part::From { .. } | Part::Speaker | Part::To));
        let from = |part: &Part| matches!(part, Part::From { .. } | Part::Speaker);
        let whole = parts.contains(&Part::To) && parts.iter().any(from);
        if let Some((relation, from, to)) = head.clone().filter(|_| begins && whole) {
            all.push(Rule { relation, from, to, parts });
        }
    }
    all
}

fn heading(line: &str) -> Option<(EntityRelation, Vec<EntityType>, Vec<EntityType>)> {
    let (left, right) = line.split_once('>')?;
    let mut words = left.split_whitespace();
    let relation = EntityRelation::from_name(words.next()?)?;
    let kinds = |words: std::str::SplitWhitespace<'_>| words.filter_map(EntityType::from_name).collect();
    Some((relation, kinds(words), kinds(right.split_whitespace())))
}

fn with_part(mut parts: Vec<Part>, word: &'static str) -> Vec<Part> {
    match word {
        "A" => parts.push(Part::From { genitive: false }),
        "A's" => parts.push(Part::From { genitive: true }),
        "I" => parts.push(Part::Speaker),
        "B" | "B's" => parts.push(Part::To),
        "*" => parts.push(Part::Any),
        "N" => parts.push(Part::Name),
        "?" => {
            if let Some(Part::Words { optional, .. }) = parts.last_mut() {
                *optional = true;
            }
        }
        word => parts.push(Part::Words { any: word.split('|').collect(), optional: false }),
    }
    parts
}

/// Reports whether the words before a match put it in doubt: "I hope Ana …", "if Ana …". A comma ends their reach.
fn is_doubted(items: &[Item<'_>], start: usize) -> bool {
    let before = items.get(..start).unwrap_or_default().iter().rev();
    before.take_while(|item| !item.is_comma()).any(|item| item.is("unsure"))
}

/// The sides matched so far.
#[derive(Clone, Copy, Default)]
struct Sides {
    from: Option<usize>,
    to: Option<usize>,
}

impl Rule {
    /// Matches the rule at a position in a sentence.
    pub(super) fn matches(&self, items: &[Item<'_>], start: usize, mentions: &[Mention]) -> Option<Said> {
        let (sides, end) = self.walk(items, start, 0, Sides::default())?;
        let (from, to) = (sides.from?, sides.to?);
        if is_doubted(items, start) || self.is_aside(items, start, end) {
            return None;
        }
        let unknown = !self.is_weak();
        // "The committee on health", "tourism in Rome": a preposition alone shows no place, and gives no name to a topic.
        let placed = self.is_preposition();
        let named = !placed || mentions.get(from).is_some_and(|mention| mention.confidence >= UNKNOWN);
        let fits = may_be(&self.from, mentions.get(from), unknown)
            && may_be(&self.to, mentions.get(to), unknown && !placed)
            && named;
        let span = items.get(start)?.span().start..items.get(end.checked_sub(1)?)?.span().end;
        fits.then_some(Said { from, relation: self.relation, to, span })
    }

    /// Reports whether its words say little by themselves, so that the types of both sides must be known.
    fn is_weak(&self) -> bool {
        self.relation == EntityRelation::References || (self.is_at_a_comma(1) && self.parts.len() == 3)
    }

    fn is_preposition(&self) -> bool {
        self.relation == EntityRelation::LocatedIn && self.parts.len() == 3 && !self.is_at_a_comma(1)
    }

    fn is_at_a_comma(&self, part: usize) -> bool {
        matches!(self.parts.get(part), Some(Part::Words { any, .. }) if any.contains(&","))
    }

    /// Reports whether a match only looks like a relation: a person addressed by name ("Ana, my boss is ill"), names in
    /// a list ("Rome, Paris and Lyon"), or a name that only describes what follows ("my new Acme badge").
    fn is_aside(&self, items: &[Item<'_>], start: usize, end: usize) -> bool {
        let next = items.get(end);
        let ends = next.is_none_or(|next| next.is_comma() || next.is("preposition"));
        let apart = |at: usize| items.get(at).is_some_and(Item::is_comma);
        match self.parts.last() {
            Some(Part::Words { .. }) if self.is_at_a_comma(1) => !ends,
            Some(Part::To) if self.relation == EntityRelation::Owns => {
                !ends && !next.is_some_and(|next| next.is("behind"))
            }
            Some(Part::To) if self.relation == EntityRelation::Family => next.is_none() && end > 1 && apart(end - 2),
            Some(Part::To) if self.is_weak() => {
                let joins = |at: usize| items.get(at).is_some_and(|item| item.is_comma() || item.is("joins"));
                let name = |at: usize| matches!(items.get(at), Some(Item::Who { .. }));
                let article = |at: usize| matches!(items.get(at), Some(Item::Word { text: "the", .. }));
                let names = |at: usize| name(at) || (article(at) && name(at + 1));
                (joins(end) && (names(end + 1) || (joins(end + 1) && names(end + 2))))
                    || (start > 1 && joins(start - 1) && names(start - 2))
            }
            _ => false,
        }
    }

    /// Continues a match; returns the sides and the index after the last item.
    fn walk(&self, items: &[Item<'_>], at: usize, part: usize, sides: Sides) -> Option<(Sides, usize)> {
        let Some(next) = self.parts.get(part) else { return Some((sides, at)) };
        let item = items.get(at);
        match next {
            Part::From { genitive } => match item? {
                Item::Who { mention, genitive: own, .. } if own == genitive => {
                    self.walk(items, at + 1, part + 1, Sides { from: Some(*mention), ..sides })
                }
                _ => None,
            },
            Part::Speaker => match item? {
                Item::Who { mention, genitive: false, speaker: true, .. } => {
                    self.walk(items, at + 1, part + 1, Sides { from: Some(*mention), ..sides })
                }
                _ => None,
            },
            Part::To => match item? {
                Item::Who { mention, .. } => self.walk(items, at + 1, part + 1, Sides { to: Some(*mention), ..sides }),
                // Skips an article before the name.
                Item::Word { text: "the" | "a" | "an", .. } if matches!(items.get(at + 1), Some(Item::Who { .. })) => {
                    self.walk(items, at + 1, part, sides)
                }
                Item::Word { .. } => None,
            },
            Part::Name => match item? {
                Item::Who { .. } => self.walk(items, at + 1, part + 1, sides),
                Item::Word { .. } => None,
            },
            Part::Words { any, optional } => {
                // "My friend's wife" is the friend's wife; "my wife's name is" names the wife.
                let before_name =
                    matches!(self.parts.get(part + 1), Some(Part::Words { any, .. }) if any.contains(&"name"));
                let here = matches!(item, Some(Item::Word { text, genitive, .. })
                    if any.contains(text) && (!genitive || before_name));
                let matched = if here { self.walk(items, at + 1, part + 1, sides) } else { None };
                matched.or_else(|| if *optional { self.walk(items, at, part + 1, sides) } else { None })
            }
            Part::Any => (0..=ANY).find_map(|skip| {
                let skipped = items.get(at..at + skip)?;
                let plain = |item: &Item<'_>| {
                    matches!(item, Item::Word { genitive: false, .. }) && !item.is_comma() && !item.is("doubt")
                };
                if skipped.iter().all(plain) { self.walk(items, at + skip, part + 1, sides) } else { None }
            }),
        }
    }
}
