//! Claims about recall, by part.

mod analysis;
mod calendar;
mod corrections;
mod fusion;
mod parts;
mod properties;
mod ranking;
mod session;
mod vectors;

use super::analysis::Analysis;
use super::candidates::{Candidate, Found};
use super::{FoundBy, Fusion, Ranked, cut, score};
use crate::ids::Seq;
use crate::memory::Tier;
use crate::ports::{LexicalHit, SessionSpot};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// A hit of ten plain words at a place in a session.
fn hit(seq: i64, bm25: f64, spot: Option<(i64, i64)>) -> LexicalHit {
    LexicalHit {
        seq: Seq(seq),
        bm25,
        spot: spot.map(|(session, position)| SessionSpot { session, position }),
        speaker: None,
        occurred_at: Timestamp(0),
        created_at: Timestamp(0),
        traits: TextTraits { words: 10, ..TextTraits::default() },
        score: 0.5,
        tier: Tier::LongTerm,
    }
}

fn found(hit: LexicalHit) -> Found {
    let strength = hit.bm25;
    Found::new(hit, strength, FoundBy::TERM)
}

/// Midnight UTC of a date.
fn at(year: i16, month: i8, day: i8) -> Timestamp {
    let date = jiff::civil::date(year, month, day);
    Timestamp(date.to_zoned(jiff::tz::TimeZone::UTC).expect("a date").timestamp().as_microsecond())
}

/// All candidates, best first.
fn rank(candidates: &[Candidate], query: &Analysis, now: Timestamp) -> Vec<Ranked> {
    let mut ranked = score(candidates, query, now, Fusion::Sum);
    let count = ranked.len();
    cut::order(&mut ranked, count);
    ranked
}
