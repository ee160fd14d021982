//! Which decisions are still true.

use std::collections::HashMap;

use kimberly_core::ids::{MemoryId, Seq};
use kimberly_core::meditation::{Action, Decision};
use kimberly_core::memory::MemoryState;

/// Those whose memory is still there and in the state that was decided about, by what there is.
pub(crate) fn still_true(decisions: &[Decision], mut states: HashMap<Seq, (MemoryId, MemoryState)>) -> Vec<Decision> {
    let mut still_true = Vec::with_capacity(decisions.len());
    for decision in decisions {
        if states.get(&decision.seq) != Some(&(decision.memory_id, decision.state)) {
            continue;
        }
        // A later decision about the same memory meets it as this one leaves it.
        match decision.action {
            Action::Archive => {
                states.insert(decision.seq, (decision.memory_id, MemoryState::Archived));
            }
            Action::Delete => {
                states.remove(&decision.seq);
            }
            Action::Spare => {}
        }
        still_true.push(decision.clone());
    }
    still_true
}
