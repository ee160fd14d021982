//! The record that is superseded.

use super::{NOON, at, said};
use crate::beliefs::Conflict;
use crate::memory::{MemoryDraft, SourceType};
use crate::time::Span;

const CHANGES: Conflict = Conflict { may_change: true, asks: false };
const STAYS: Conflict = Conflict { may_change: false, asks: false };

/// The record superseded after some days.
fn lost(conflict: Conflict, one: MemoryDraft, two: MemoryDraft, days: i64) -> Option<i64> {
    conflict.loser(&at(1, one), &at(2, two), NOON.plus(Span::days(days))).map(|memory| memory.seq.0)
}

fn sure(confidence: f64) -> MemoryDraft {
    MemoryDraft { confidence: Some(confidence), source_type: Some(SourceType::DirectExperience), ..said("a") }
}

#[test]
fn the_less_believed_gives_way_from_a_gap_of_three_tenths() {
    // Both are weighted by 0.95.
    assert_eq!(lost(STAYS, sure(1.0), sure(0.68), 2), Some(2));
    assert_eq!(lost(STAYS, sure(1.0), sure(0.69), 2), None);
    assert_eq!(lost(STAYS, sure(0.68), sure(1.0), 2), Some(1));
    assert_eq!(lost(STAYS, sure(1.0), sure(1.0), 2), None);
    assert_eq!(lost(Conflict { asks: true, ..STAYS }, sure(1.0), sure(0.1), 2), None, "a person decides");
}

#[test]
fn age_counts_only_where_it_may_have_changed_and_never_against_what_is_surer() {
    assert_eq!(
        lost(CHANGES, sure(1.0), MemoryDraft { source_type: Some(SourceType::Correction), ..sure(1.0) }, 200),
        Some(1)
    );
    assert_eq!(
        lost(STAYS, sure(1.0), MemoryDraft { source_type: Some(SourceType::Correction), ..sure(1.0) }, 200),
        None
    );
    let import = MemoryDraft { source_type: Some(SourceType::Correction), confidence: Some(0.9), ..said("b") };
    assert_eq!(lost(CHANGES, sure(1.0), import, 300), None, "the old one was stated more surely");
    assert_eq!(lost(CHANGES, sure(1.0), sure(0.5), 2), None, "the later one may be what changed");
    assert_eq!(lost(CHANGES, sure(0.5), sure(1.0), 2), Some(1));
}

#[test]
fn neither_a_correction_nor_what_lasts_gives_way() {
    let weak = || sure(0.2);
    assert_eq!(lost(STAYS, weak(), sure(1.0), 2), Some(1));
    let corrected = MemoryDraft { source_type: Some(SourceType::Correction), ..weak() };
    assert_eq!(lost(STAYS, corrected, sure(1.0), 2), None);
    assert_eq!(lost(STAYS, MemoryDraft { protected: true, ..weak() }, sure(1.0), 2), None);
}
