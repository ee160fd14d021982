//! Times that a query names: memories of that time rank higher, and are found even without words of the query. Compared in UTC.

use crate::ports::LexicalHit;
use crate::recall::Weights;
use crate::recall::analysis::Analysis;
use crate::recall::weights::TIME_STRENGTH;

/// Most memories of a named time that take part.
pub const MOST: usize = 50;

/// Returns the strength of a memory that fits only by its time; `best` is that of the best hit by words.
pub fn strength(best: f64) -> f64 {
    TIME_STRENGTH * if best > 0.0 { best } else { 1.0 }
}

/// Returns the factor for a time that the query names, and for texts that name a time if the query asks for one.
pub(super) fn factor(hit: &LexicalHit, query: &Analysis, weights: &Weights) -> f64 {
    query.times.factor(hit.occurred_at)
        * if query.asks_when && hit.traits.names_time { weights.tells_when } else { 1.0 }
}
