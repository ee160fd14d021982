//! Forgetting by salience (N-3): lists what may be forgotten, and archives it. Nothing is erased: memories go to the
//! archive as in a meditation, and can be restored within the grace window.

mod candidates;
mod run;

pub use candidates::{ForgettingCandidate, ForgettingInput};
pub use run::{ForgettingRun, ForgottenMemory, RunForgettingInput};
