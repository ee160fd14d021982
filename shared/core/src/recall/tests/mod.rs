//! Tests of recall, by part.

mod analysis;
mod calendar;
mod corrections;
mod fusion;
mod highlights;
mod parts;
mod properties;
mod ranking;
mod relevance;
mod session;
mod stages;
mod vectors;

use super::analysis::Analysis;
use super::candidates::{Candidate, Found};
use super::stages::{cut, neighbours, weigh};
use super::{FoundBy, Fusion, Plan, Ranked};
use crate::ids::Seq;
use crate::memory::Tier;
use crate::ports::{LexicalHit, Neighbour, SessionSpot};
use crate::text::TextTraits;
use crate::time::Timestamp;

/// A hit of ten plain words at a spot in a session.
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
        stale: false,
    }
}

fn found(hit: LexicalHit) -> Found {
    let strength = hit.bm25;
    Found::new(hit, strength, FoundBy::TERM)
}

fn analyze(text: &str, speakers: &[(i64, String)], reference: Timestamp) -> Analysis {
    crate::recall::analysis::analyze(text, speakers, reference, &Plan::default())
}

/// Parses a query by a plan, on 20 November 2026.
fn analyze_by(text: &str, speakers: &[(i64, String)], plan: &Plan) -> Analysis {
    crate::recall::analysis::analyze(text, speakers, at(2026, 11, 20), plan)
}

fn gather(found: Vec<Found>, neighbours: Vec<Neighbour>) -> Vec<Candidate> {
    neighbours::gather(found, neighbours, &Plan::default())
}

fn score(candidates: &[Candidate], query: &Analysis, now: Timestamp, fusion: Fusion) -> Vec<Ranked> {
    weigh::score(candidates, query, now, (fusion, &Plan::default()))
}

/// Midnight UTC of a date.
fn at(year: i16, month: i8, day: i8) -> Timestamp {
    let date = jiff::civil::date(year, month, day);
    Timestamp(date.to_zoned(jiff::tz::TimeZone::UTC).expect("a date").timestamp().as_microsecond())
}

/// Ranks all candidates, the best first.
fn rank(candidates: &[Candidate], query: &Analysis, now: Timestamp) -> Vec<Ranked> {
    let mut ranked = score(candidates, query, now, Fusion::Sum);
    let count = ranked.len();
    cut::order(&mut ranked, count);
    ranked
}
