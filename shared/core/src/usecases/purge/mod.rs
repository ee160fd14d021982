//! Purging users: asked for, carried out step by step, and told by receipts.

mod ask;
mod list;
mod run;

pub use list::{ListPurgesInput, PurgesPage};
pub use run::{Elsewhere, run_purge};
