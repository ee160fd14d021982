//! Which part of a sentence says what one record says, where the rest says something else: "I live in Oslo and I have
//! two cats".

use std::ops::Range;

use super::filler::is_filler;
use super::gist::Gist;

/// Words that join two statements.
const JOINS: [&str; 8] = [" and ", " but ", " und ", " aber ", ", ", "; ", " – ", " - "];

/// Returns the part of a sentence that says what `own` says, rather than what others say of it: the whole sentence where
/// that cannot be told.
pub fn part_of(sentence: &str, own: &str, others: &[&str]) -> Range<usize> {
    let (own, others) = (Gist::of(own), others.iter().map(|other| Gist::of(other)).collect::<Vec<_>>());
    let (mut mine, mut theirs) = (Vec::new(), Vec::new());
    for piece in pieces(sentence) {
        let gist = Gist::of(&sentence[piece.clone()]);
        let (held, elsewhere) =
            (own.shared_with(&gist), others.iter().map(|other| other.shared_with(&gist)).max().unwrap_or(0));
        // What was struck before belongs to another statement.
        if !gist.is_empty() || is_filler(sentence[piece.clone()].trim()) {
            let side = if held > 0 && held >= elsewhere { &mut mine } else { &mut theirs };
            side.push(piece);
        }
    }
    let (Some(first), Some(last)) = (mine.first(), mine.last()) else { return 0..sentence.len() };
    let hull = first.start..last.end;
    let is_between = |piece: &Range<usize>| hull.start <= piece.start && piece.end <= hull.end;
    if theirs.is_empty() || theirs.iter().any(is_between) { 0..sentence.len() } else { hull }
}

/// The pieces between joining words, in order.
pub(super) fn pieces(sentence: &str) -> Vec<Range<usize>> {
    let (mut all, mut from) = (Vec::new(), 0);
    loop {
        let rest = &sentence[from..];
        let next = JOINS.iter().filter_map(|join| rest.find(join).map(|at| (at, join.len()))).min();
        let to = next.map_or(sentence.len(), |(at, _)| from + at);
        if to > from {
            all.push(from..to);
        }
        match next {
            Some((at, len)) => from += at + len,
            None => return all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part<'s>(sentence: &'s str, own: &str, others: &[&str]) -> &'s str {
        &sentence[part_of(sentence, own, others)]
    }

    #[test]
    fn one_of_two_statements_is_told_from_the_other() {
        let both = "I live in Oslo and I have two cats.";
        let (oslo, cats) = ("The user lives in Oslo.", "The user has two cats.");
        assert_eq!(part(both, oslo, &[cats]), "I live in Oslo");
        assert_eq!(part(both, cats, &[oslo]), "I have two cats.");
        let cat = "My cat is called Zelda, and I like rye bread.";
        assert_eq!(part(cat, "The user's cat is called Zelda.", &[]), "My cat is called Zelda");
        let struck = "[...         ] and I have two cats.";
        assert_eq!(part(struck, cats, &[]), "I have two cats.");
    }

    #[test]
    fn a_sentence_of_one_statement_stays_whole() {
        let one = "I like tea, coffee and rye bread.";
        assert_eq!(part(one, "The user likes tea, coffee and rye bread.", &[]), one);
        let said = "Ich wohne in Graz und arbeite in Wien.";
        assert_eq!(part(said, "Something else entirely.", &[]), said);
    }
}
