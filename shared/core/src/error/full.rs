//! Tests what a full tier refuses, and what would make room.

use crate::ids::MeditationId;
use crate::memory::Tier;

/// The means that would make room in a full tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relief {
    /// A meditation, with the id of the run that waits for the worker. The same write fits once it has ended.
    Meditation(Option<MeditationId>),
    /// A larger quota, since no meditation helps. Holds the smallest quota in bytes under which the write fits; `None` for
    /// callers who cannot reach all memories of the tier.
    Quota(Option<u64>),
}

/// Describes a full tier and what helps.
pub(super) fn quota_sentence(tier: Tier, (used, limit, requested): (Option<u64>, u64, u64), relief: Relief) -> String {
    let holds = used.map_or_else(|| "at most ".to_owned(), |used| format!("{used} of "));
    let refused = format!("{tier} holds {holds}{limit} bytes and cannot take {requested} more");
    let fit = used.map_or_else(String::new, |used| format!(": {} fit", limit.saturating_sub(used)));
    match relief {
        Relief::Meditation(Some(id)) => format!("{refused} until {id} has made room; retry when it has ended"),
        Relief::Meditation(None) => format!("{refused} until a meditation has made room; retry later"),
        Relief::Quota(to) => {
            let to = to.map_or_else(String::new, |bytes| format!(" to {bytes}"));
            format!(
                "{refused}{fit}, and no meditation makes room for it; send less, forget memories, or raise \
                 {tier}_quota_bytes{to}"
            )
        }
    }
}
