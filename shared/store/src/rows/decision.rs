//! The rows of a decision: one per subject. When rows are merged, the first one supplies all other fields.

use kimberly_core::error::Result;
use kimberly_core::ids::{MeditationId, Seq};
use kimberly_core::meditation::kinds::{Body, numbers_of};
use kimberly_core::meditation::steps::step_named;
use kimberly_core::meditation::{Change, Kind, Reason, RecordedDecision, Subject};

use super::{ReadRow, WriteRow};
use crate::codes::{from_name, unsigned};
use crate::corrupt;

/// The columns that [`decision_from`] reads, from `decisions d JOIN meditations r ON r.no = d.meditation`.
/// [`push_decision`] writes the table's non-key columns among them.
pub(crate) const DECISION_COLUMNS: &str =
    "r.id, d.position, d.subject, d.seq, d.step, d.kind, d.reason, d.body, d.decided_at";

/// The columns of the table that [`push_decision`] writes.
pub(crate) const DECISION_TABLE: &str =
    "meditation, position, part, subject, seq, step, kind, reason, body, decided_at";

/// Reads a decision with one of its subjects from [`DECISION_COLUMNS`].
pub(crate) fn decision_from<'r>(c: &mut impl ReadRow<'r>) -> Result<RecordedDecision> {
    let (meditation_id, position) = (MeditationId(c.uuid()?), c.count()?);
    let subject = Subject { id: c.uuid()?, seq: Seq(c.int()?) };
    let step = step_named(c.str()?).map_or("", |step| step.name());
    let kind = from_name("kind of change", c.str()?, Kind::from_name)?;
    let reason = from_name("reason", c.str()?, Reason::from_name)?;
    let body =
        Body::from_json(c.str()?, numbers_of(kind)).ok_or_else(|| corrupt("numbers of a decision are not readable"))?;
    let decision = Change { step, kind, subjects: vec![subject], reason, body };
    Ok(RecordedDecision { decision, meditation_id, position, decided_at: c.time()? })
}

/// Merges the subjects of each decision; `rows` are ordered by decision and subject.
pub(crate) fn joined(rows: Vec<RecordedDecision>) -> Vec<RecordedDecision> {
    let mut joined: Vec<RecordedDecision> = Vec::with_capacity(rows.len());
    for row in rows {
        match joined.last_mut() {
            Some(last) if (last.meditation_id, last.position) == (row.meditation_id, row.position) => {
                last.decision.subjects.extend(row.decision.subjects);
            }
            _ => joined.push(row),
        }
    }
    joined
}

/// A row to write: run number, position, index of the subject, and decision.
pub(crate) type DecisionRow<'a> = (i64, i64, usize, &'a Change);

/// Returns the rows for decisions of a run, numbered after the position `last`.
pub(crate) fn decision_rows(run: i64, last: i64, decisions: &[Change]) -> Vec<DecisionRow<'_>> {
    let numbered = decisions.iter().zip(last + 1..);
    numbered.flat_map(|(change, at)| (0..change.subjects.len()).map(move |part| (run, at, part, change))).collect()
}

/// Adds the values of [`DECISION_TABLE`].
pub(crate) fn push_decision(args: &mut impl WriteRow, (run, position, part, change): DecisionRow<'_>, at: i64) {
    let subject = change.subjects.get(part).copied().unwrap_or_else(|| change.subject());
    args.put_int(run);
    args.put_int(position);
    args.put_int(unsigned(part as u64));
    args.put_uuid(subject.id);
    args.put_int(subject.seq.0);
    args.put_text(change.step.to_owned());
    args.put_text(change.kind.name().to_owned());
    args.put_text(change.reason.name().to_owned());
    args.put_text(change.body.to_json());
    args.put_int(at);
}
