//! Decides whether two records say the same, by their words and word pairs, ignoring case, signs and articles.
//!
//! Precision before recall: they differ if each has a word that the other lacks, or if one has a number or a negation
//! more.

use std::collections::{BTreeSet, HashMap};

use crate::ids::ConsentId;
use crate::memory::Memory;
use crate::text::words::{fold, words};

/// Least share of common words and word pairs of records that say the same.
const NEAR: f64 = 0.9;
/// For each feature, the number of latest texts that a text is compared with.
const COMPARED: usize = 16;
/// Words without meaning here.
const ARTICLES: [&str; 3] = ["a", "an", "the"];
/// Words that negate a text.
const NEGATIONS: [&str; 14] =
    ["no", "not", "never", "none", "nor", "without", "cannot", "t", "nicht", "kein", "keine", "keinen", "nie", "ohne"];

/// The compared features of a record.
#[derive(Clone, Debug)]
pub struct Alike {
    apart: (String, Option<ConsentId>, bool),
    features: BTreeSet<String>,
}

impl Alike {
    /// Reads the features of a record; `None` without words.
    pub fn of(memory: &Memory) -> Option<Self> {
        Self::said(memory, &memory.draft.content)
    }

    /// Reads the features of another text of a record; `None` without words.
    pub fn said(memory: &Memory, text: &str) -> Option<Self> {
        let draft = &memory.draft;
        let all: Vec<String> = words(text).map(fold).filter(|word| !ARTICLES.contains(&word.as_str())).collect();
        let pairs = all.windows(2).map(|pair| pair.join(" "));
        let features: BTreeSet<String> = pairs.chain(all.iter().cloned()).collect();
        let apart = (draft.namespace.clone(), draft.consent_id, draft.metadata.sensitive);
        (!features.is_empty()).then_some(Self { apart, features })
    }

    /// Returns the features.
    fn features(&self) -> impl Iterator<Item = &str> {
        self.features.iter().map(String::as_str)
    }

    /// Returns how many of its rarest features must be indexed: a record that shares none of these cannot be near.
    fn telling(&self) -> usize {
        let all = self.features.len();
        // A near record shares at least NEAR of all.
        all - all.saturating_mul(9).div_ceil(10) + 1
    }

    /// Reports whether both say the same.
    pub fn is_near(&self, other: &Self) -> bool {
        if self.apart != other.apart {
            return false;
        }
        if self.has_word_beyond(other) && other.has_word_beyond(self) {
            return false;
        }
        let shared = self.features.intersection(&other.features).count();
        let all = self.features.len() + other.features.len() - shared;
        share(shared, all) >= NEAR && !self.features.symmetric_difference(&other.features).any(|one| decides(one))
    }

    fn has_word_beyond(&self, other: &Self) -> bool {
        self.features.difference(&other.features).any(|one| !one.contains(' '))
    }
}

/// Pairs each text with the last one before it that says the same. Compares only texts that share one of their rarest
/// features, since others cannot be near.
pub fn pairs(all: &[Alike]) -> Vec<(usize, usize)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for feature in all.iter().flat_map(Alike::features) {
        *counts.entry(feature).or_default() += 1;
    }
    let (mut seen, mut pairs): (HashMap<&str, Vec<usize>>, Vec<_>) = (HashMap::new(), Vec::new());
    for (at, alike) in all.iter().enumerate() {
        let mut rarest: Vec<&str> = alike.features().collect();
        rarest.sort_unstable_by_key(|feature| (counts.get(feature).copied(), *feature));
        rarest.truncate(alike.telling());
        let mut last: Option<usize> = None;
        for feature in rarest {
            let before = seen.entry(feature).or_default();
            let others = before
                .iter()
                .rev()
                .take(COMPARED)
                .filter(|other| all.get(**other).is_some_and(|one| alike.is_near(one)));
            last = last.max(others.max().copied());
            before.push(at);
        }
        pairs.extend(last.map(|older| (older, at)));
    }
    pairs
}

/// Reports whether a feature that only one text has changes its statement.
fn decides(feature: &str) -> bool {
    feature.split(' ').any(|word| NEGATIONS.contains(&word) || word.chars().any(char::is_numeric))
}

#[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^53 words")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{MemoryId, Seq};
    use crate::memory::MemoryDraft;
    use crate::time::Timestamp;

    fn said(content: &str) -> Alike {
        let draft = MemoryDraft { content: content.to_owned(), ..MemoryDraft::default() };
        Alike::of(&Memory::new(MemoryId(uuid::Uuid::nil()), Seq(1), draft, Timestamp(7))).expect("words")
    }

    const LONG: &str = "The old blue bicycle of aunt Rosa stands behind the wooden shed near the river, where Marco left it \
        after his long summer trip through northern Portugal, with a broken chain, two flat tyres, a missing bell and a \
        rusty front light";

    #[test]
    fn the_same_words_in_the_same_order_say_the_same() {
        assert!(said("Ana drinks her tea without sugar").is_near(&said("ana drinks her tea, without sugar!")));
        assert!(said(LONG).is_near(&said(&LONG.replace("rusty ", ""))));
    }

    #[test]
    fn each_text_is_paired_with_the_last_one_before_it() {
        let texts = ["Ana drinks tea", "Bob drinks tea", "ana drinks the tea", "Ana drinks coffee", "Ana drinks tea!"];
        assert_eq!(pairs(&texts.map(said)), [(0, 2), (2, 4)]);
        let many: Vec<Alike> = (0..2_000).map(|_| said("the same note again")).collect();
        assert_eq!(pairs(&many).len(), 1_999);
    }

    #[test]
    fn another_order_number_name_or_a_negation_says_something_else() {
        for (one, other) in [
            ("Ana likes Bob", "Bob likes Ana"),
            ("Ana has 2 cats", "Ana has 3 cats"),
            ("Ana likes tea", "Ana doesn't like tea"),
            ("Ana lives in Porto", "Ana lives in Lisbon"),
            (LONG, &LONG.replace("stands", "never stands")),
            (LONG, &LONG.replace("Marco", "Maria")),
            (LONG, &LONG.replace("flat", "7 flat")),
        ] {
            assert!(!said(one).is_near(&said(other)), "{one:?} and {other:?}");
        }
    }
}
