//! A plan is made outside of the transaction that carries it out. What its owner did in between comes first.

use super::{Action, Decision};
use crate::memory::{Memory, MemoryState, Tier};
use crate::retention::grace_passed;
use crate::time::Timestamp;

/// Whether a decision may still be carried out on the memory as it is now: nothing that was protected, rescued, made
/// permanent or moved to another tier since it was planned is archived or erased. `now` is the time up to which grace is
/// counted; it must not be later than the present.
pub(crate) fn still_holds(decision: &Decision, memory: &Memory, now: Timestamp) -> bool {
    if memory.seq != decision.seq || memory.id != decision.memory_id || memory.state != decision.state {
        return false;
    }
    let owners_wish = memory.state == MemoryState::Deleted;
    match decision.action {
        Action::Spare => true,
        Action::Archive => {
            memory.state == MemoryState::Active && !memory.draft.protected && memory.draft.tier == decision.tier
        }
        Action::Delete => {
            grace_passed(memory.delete_after, now)
                && (owners_wish || (!memory.draft.protected && memory.draft.tier != Tier::Permanent))
        }
    }
}
