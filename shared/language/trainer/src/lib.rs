//! Trains the judge of sentences in `kimberly-language` from the corpus beside this crate, and measures it.
//!
//! Everything is single-threaded, seeded and free of platform mathematics, so a run gives the same bytes everywhere. No
//! program depends on this crate.

pub mod calibrate;
pub mod corpus;
pub mod drills;
pub mod examples;
pub mod label;
pub mod measure;
pub mod origin;
pub mod pack;
pub mod random;
pub mod report;
pub mod rounds;
pub mod second;
pub mod split;
pub mod train;
