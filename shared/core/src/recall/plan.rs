//! How a query is answered.

use super::Weights;
use super::stages::{Stage, Stages};

/// The stages that take part, and their constants.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plan {
    /// The stages that take part.
    pub stages: Stages,
    /// The constants of the stages.
    pub weights: Weights,
}

impl Plan {
    /// Reports whether a stage takes part.
    pub const fn on(&self, stage: Stage) -> bool {
        self.stages.on(stage)
    }
}
