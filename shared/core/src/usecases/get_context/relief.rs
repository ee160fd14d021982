//! Compacts a conversation that fills its model's window before its context is assembled, however few turns it has.

use super::gather::Gathered;
use super::input::CheckedContext;
use crate::access::Operation;
use crate::compacting::Batches;
use crate::context::Part;
use crate::ids::UserId;
use crate::memory::Memory;
use crate::usecases::App;

/// Percent of the window that the last turns may take, and to which they are compacted.
const FULL: usize = 75;
const LEFT: usize = 35;

impl App {
    /// Compacts the session if its last turns are most of the window; reports whether it did. A failure does not stop
    /// the context, and a caller who may only read changes nothing.
    pub(super) async fn relieve(&self, user: &UserId, asked: &CheckedContext, gathered: &Gathered) -> bool {
        let may_write = self.caller.as_ref().is_none_or(|caller| caller.grant.allows(Operation::Write));
        let may = may_write && self.defaults.compacting.on && asked.parts.contains(&Part::Snapshots);
        let (Some(window), Some(session), true) = (asked.window, &asked.session, may) else { return false };
        let (Some(keep), Some(newest)) = (turns_to_retain(asked, gathered, window), gathered.turns.first()) else {
            return false;
        };
        let by = Batches::all(self.defaults.compacting.batch, keep, keep + 1);
        let conversation = (session.as_str(), newest.draft.namespace.as_str());
        self.compact(user, conversation, by, 0).await.is_ok_and(|compacted| !compacted.is_empty())
    }
}

/// Returns how many of the last turns to keep, if they are too many for the window.
fn turns_to_retain(asked: &CheckedContext, gathered: &Gathered, window: usize) -> Option<usize> {
    let tokens = |turn: &Memory| asked.estimator.tokens(&turn.draft.content);
    let held: Vec<usize> = gathered.last_turns().map(tokens).collect();
    if held.iter().sum::<usize>() <= window * FULL / 100 {
        return None;
    }
    let mut left = window * LEFT / 100;
    let fits = |tokens: &&usize| {
        let fits = **tokens <= left;
        left = left.saturating_sub(**tokens);
        fits
    };
    // Keep the last turn at least: it is what is answered.
    Some(held.iter().take_while(fits).count().max(1)).filter(|keep| *keep < held.len())
}
