//! Purging: erases all data of a user and stores a receipt that does not identify the user.

mod purge;
mod step;

pub use purge::{Erased, Purge};
pub use step::PurgeStep;
