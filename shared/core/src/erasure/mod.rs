//! Purging: everything of a user is erased, and a receipt stays that does not say whose it was.

mod purge;
mod step;

pub use purge::{Erased, Purge};
pub use step::PurgeStep;
