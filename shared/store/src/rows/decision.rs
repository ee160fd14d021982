//! The row of a decision.

use kimberly_core::error::Result;
use kimberly_core::ids::{MeditationId, MemoryId, Seq};
use kimberly_core::meditation::{Action, Decision, Reason, RecordedDecision};

use super::ReadRow;
use crate::codes::{from_code, from_name};

/// What [`decision_from`] reads, from `decisions d JOIN meditations r ON r.no = d.meditation`.
pub(crate) const DECISION_COLUMNS: &str = "r.id, d.position, d.decided_at, d.memory_id, d.seq, d.action, d.reason, \
     d.explanation, d.tier, d.state, d.size_bytes, d.score";

/// A decision from [`DECISION_COLUMNS`].
pub(crate) fn decision_from<'r>(c: &mut impl ReadRow<'r>) -> Result<RecordedDecision> {
    Ok(RecordedDecision {
        meditation_id: MeditationId(c.uuid()?),
        position: c.count()?,
        decided_at: c.time()?,
        decision: Decision {
            memory_id: MemoryId(c.uuid()?),
            seq: Seq(c.int()?),
            action: from_name("action", c.str()?, Action::from_name)?,
            reason: from_name("reason", c.str()?, Reason::from_name)?,
            explanation: c.text()?,
            tier: from_code(c.int()?)?,
            state: from_code(c.int()?)?,
            size_bytes: c.count()?,
            score: c.real()?,
        },
    })
}
