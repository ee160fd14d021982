//! How a query is answered.

use super::Weights;
use super::stages::{Stage, Stages};

/// Which stages take part, and their constants.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plan {
    /// The stages that take part.
    pub stages: Stages,
    /// Their constants.
    pub weights: Weights,
}

impl Plan {
    /// Whether a stage takes part.
    pub const fn on(&self, stage: Stage) -> bool {
        self.stages.on(stage)
    }
}
