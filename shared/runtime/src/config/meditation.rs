//! `[meditation.steps.NAME]`: the steps of meditation, one by one.

use std::collections::BTreeMap;

use kimberly_core::bounds::STEP_EVERY;
use kimberly_core::meditation::steps::{Step, pipeline, step_named};
use kimberly_core::meditation::{StepSetting, StepSettings};
use serde::{Deserialize, Serialize};

use super::{Period, Problems};

/// Meditation of all users.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MeditationConfig {
    /// What holds for single steps, by name; of those that are left out the defaults hold.
    pub steps: BTreeMap<String, StepConfig>,
}

impl Default for MeditationConfig {
    fn default() -> Self {
        let step = |step: &dyn Step| (step.name().to_owned(), StepConfig::default());
        Self { steps: pipeline().into_iter().map(step).collect() }
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StepConfig {
    /// Whether it takes part in any run.
    pub enabled: bool,
    /// How often it takes part in runs that the clock starts; 1 h to 90 d. Unset it takes part in each of them.
    pub every: Option<Period>,
    /// Most changes that it makes in one run. Unset there is no limit.
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

    /// What differs from the defaults, as the domain knows it.
    pub(super) fn steps(&self) -> StepSettings {
        let said = self.steps.iter().filter(|(_, of)| **of != StepConfig::default());
        let known = said.filter_map(|(name, of)| Some((step_named(name)?.name(), of)));
        let setting =
            |of: &StepConfig| StepSetting { enabled: of.enabled, every: of.every.map(Period::span), cap: of.cap };
        StepSettings(known.map(|(name, of)| (name, setting(of))).collect())
    }
}
