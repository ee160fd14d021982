//! Passages: a document ranks by the best passage of its text, and its best passages are returned.

use super::explain::FoundBy;
use crate::documents::{Best, Sought};
use crate::ports::LexicalHit;
use crate::recall::Correction;
use crate::recall::Weights;
use crate::recall::analysis::Analysis;
use crate::recall::candidates::Found;
use crate::recall::held::{comparable, forms};
use crate::recall::stages::phrases::Phrase;
use crate::text::words::{fold, words};

/// Most documents that take part.
pub const MOST: usize = 50;

/// Returns what is searched in passages: any word of the query, and all quoted words.
pub fn sought(query: &Analysis, corrections: &[Correction]) -> Sought {
    let any = query.terms.iter().map(|term| forms(term, corrections).map(str::to_owned).collect());
    let quoted = query.word_phrases().flatten().map(|word| fold(word));
    Sought { any: any.collect(), all: quoted.collect() }
}

/// Returns a document that was found by a passage: BM25, reduced for long texts.
pub fn found(hit: LexicalHit, best: &Best, weights: &Weights) -> Found {
    Found::new(hit, best.bm25 * weights.share_of_length(best.words), FoundBy::PASSAGE)
}

/// Merges documents found by passages into the other results. A document counts by the stronger of the two, because its
/// own words are a part of its text.
pub fn join(found: &mut Vec<Found>, by_passages: Vec<Found>) {
    for one in by_passages {
        match found.iter_mut().find(|other| other.hit.seq == one.hit.seq) {
            Some(other) => {
                other.strength = other.strength.max(one.strength);
                other.by = other.by.and(one.by);
            }
            None => found.push(one),
        }
    }
}

/// Reports whether a passage holds all quoted phrases of a query.
pub fn holds_phrases(text: &str, query: &Analysis) -> bool {
    query.phrases.iter().all(|phrase| match phrase {
        Phrase::Text(sought) => comparable(text).contains(&comparable(sought)),
        Phrase::Words(sought) => {
            let held: Vec<String> = words(text).map(fold).collect();
            let sought: Vec<String> = sought.iter().map(|word| fold(word)).collect();
            held.windows(sought.len().max(1)).any(|window| window == sought)
        }
    })
}
