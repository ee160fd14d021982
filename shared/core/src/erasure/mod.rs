//! Purging: erases everything of a user and keeps a receipt that does not identify the user.

mod purge;
mod step;

pub use purge::{Erased, Purge};
pub use step::PurgeStep;
