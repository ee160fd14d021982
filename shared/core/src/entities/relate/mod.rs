//! Relations that sentences state between names, found by patterns of the words between them: a pure function of a
//! text and its names. Questions, conditions and negations yield nothing.

mod pattern;
mod sentence;

use std::sync::LazyLock;

use self::pattern::{Rule, rules};
use self::sentence::{Item, sentences};
use super::find::tokens::tokens;
use super::words::english;
use super::{EntityRelation, EntityType, Mention};

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| rules(include_str!("../words/relations.en.txt")));

/// Confidence of a pattern.
const SAID: f64 = 0.7;

/// Highest confidence of a name of unknown type.
const UNKNOWN: f64 = 0.5;

/// A relation stated between two mentions, given as indices into the mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) from: usize,
    pub(super) relation: EntityRelation,
    pub(super) to: usize,
    /// Byte range from the first to the last word that states it.
    pub(super) span: std::ops::Range<usize>,
}

/// Finds the relations stated in a text.
pub(super) fn relate(text: &str, mentions: &[Mention]) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    for items in sentences(text, &tokens(text, english()), mentions) {
        for start in (0..items.len()).filter(|at| matches!(items.get(*at), Some(Item::Who { .. }))) {
            let said = RULES.iter().filter_map(|rule| rule.matches(&items, start, mentions));
            for said in said.filter(|said| said.from != said.to) {
                if !all
                    .iter()
                    .any(|other| (other.from, other.relation, other.to) == (said.from, said.relation, said.to))
                {
                    all.push(said);
                }
            }
        }
    }
    all
}

/// Confidence of a stated relation: the pattern's, times that of the less sure name (at least 0.3).
pub(super) fn confidence(said: &Said, mentions: &[Mention]) -> f64 {
    let of = |at: usize| mentions.get(at).map_or(0.0, |mention| mention.confidence);
    SAID * of(said.from).min(of(said.to)).max(0.3)
}

/// Reports whether a mention may be a side of a relation. With `unknown`, a name of unknown type may be any side.
fn may_be(kinds: &[EntityType], mention: Option<&Mention>, unknown: bool) -> bool {
    mention.is_some_and(|mention| {
        let unknown = unknown && mention.confidence <= UNKNOWN && !mention.kind.is_written();
        kinds.contains(&mention.kind) || unknown
    })
}

#[cfg(test)]
mod checks {
    use super::*;

    #[test]
    fn every_relation_has_patterns_that_begin_with_a_side() {
        for relation in EntityRelation::ALL.iter().filter(|relation| **relation != EntityRelation::RelatedTo) {
            assert!(RULES.iter().any(|rule| rule.relation == *relation), "{relation}");
        }
        let lines = include_str!("../words/relations.en.txt").lines();
        let patterns = lines.filter(|line| line.starts_with(' ')).count();
        assert_eq!(RULES.len(), patterns, "each pattern is read");
    }
}
