//! `[meditation.steps.NAME]`: the steps of meditation.

use std::collections::BTreeMap;

use kimberly_core::bounds::STEP_EVERY;
use kimberly_core::meditation::steps::{Step, pipeline, step_named};
use kimberly_core::settings::{StepSetting, StepSettings};

use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Meditation of all users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeditationConfig {
    /// Whether meditation merges memories with the same meaning instead of proposing it; users may override it.
    pub merging: bool,
    /// Settings of single steps by name; omitted steps use the defaults.
    pub steps: BTreeMap<String, StepConfig>,
}

impl Default for MeditationConfig {
    fn default() -> Self {
        let step = |step: &dyn Step| (step.name().to_owned(), StepConfig::default());
        Self { merging: false, steps: pipeline().into_iter().map(step).collect() }
    }
}

/// Settings of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StepConfig {
    /// Whether the step runs at all.
    pub enabled: bool,
    /// Minimum interval between its scheduled runs; 1 h to 90 d. Unset: it is part of each run.
    pub every: Option<Period>,
    /// Maximum changes per run. Unset: no limit.
    pub cap: Option<u64>,
}

impl Default for StepConfig {
    fn default() -> Self {
        let StepSetting { enabled, every, cap } = StepSetting::default();
        Self { enabled, every: every.map(Period::from), cap }
    }
}

impl MeditationConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        for (name, step) in &self.steps {
            if step_named(name).is_none() {
                let names = pipeline().map(Step::name).join(", ");
                problems.add(format!("there is no step {name:?} in [meditation.steps]; the steps are {names}"));
            }
            if let Some(every) = step.every {
                let allowed = Period::from(*STEP_EVERY.start())..=Period::from(*STEP_EVERY.end());
                problems.range(&format!("meditation.steps.{name}.every"), every, allowed);
            }
        }
    }

    /// The settings that differ from the defaults, in the domain's type.
    pub(super) fn steps(&self) -> StepSettings {
        let said = self.steps.iter().filter(|(_, of)| **of != StepConfig::default());
        let known = said.filter_map(|(name, of)| Some((step_named(name)?.name(), of)));
        let setting =
            |of: &StepConfig| StepSetting { enabled: of.enabled, every: of.every.map(Period::span), cap: of.cap };
        StepSettings(known.map(|(name, of)| (name, setting(of))).collect())
    }
}
