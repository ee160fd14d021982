//! Forgetting by salience (N-3): what may be forgotten, and having it forgotten. Nothing is erased: it goes to the archive as any
//! meditation archives, and can be restored for its grace window.

mod candidates;
mod run;

pub use candidates::{ForgettingCandidate, ForgettingInput};
pub use run::{ForgettingRun, ForgottenMemory, RunForgettingInput};
