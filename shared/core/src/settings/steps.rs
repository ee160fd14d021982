//! The operator's settings of the steps of meditation.

use std::collections::BTreeMap;

use crate::time::Span;

/// The operator's settings of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSetting {
    /// Whether it takes part in any run.
    pub enabled: bool,
    /// How often it takes part in runs started by the clock; `None` for every such run.
    pub every: Option<Span>,
    /// Most changes that it makes in one run, not counting spares; `None` for no limit.
    pub cap: Option<u64>,
}

impl Default for StepSetting {
    fn default() -> Self {
        Self { enabled: true, every: None, cap: None }
    }
}

/// The operator's settings by step name. Steps without an entry use the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepSettings(pub BTreeMap<&'static str, StepSetting>);

impl StepSettings {
    /// Returns the settings of a step.
    pub fn of(&self, step: &str) -> StepSetting {
        self.0.get(step).copied().unwrap_or_default()
    }
}
