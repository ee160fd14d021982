//! Purges of users: requested, carried out step by step, and recorded in receipts.

mod ask;
mod list;
mod run;

pub use list::{ListPurgesInput, PurgesPage};
pub use run::{Elsewhere, run_purge};
