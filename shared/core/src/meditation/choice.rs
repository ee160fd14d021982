//! Selects the steps of a run: what the caller asked for, what the operator switched off, and what is not due yet.

use std::collections::HashMap;

use super::steps::{Step, is_proposed, is_switched_by_users, pipeline, step_named};
use super::{Asked, MeditationStatus, Trigger};
use crate::bounds::{MAX_MEDITATE_IDS, MAX_MEDITATE_STEPS, STEP_EVERY};
use crate::error::{Error, FieldViolation, Result};
use crate::ids::{MeditationId, MemoryId};
use crate::ports::VaultReader;
use crate::settings::{EffectiveSettings, StepSettings};
use crate::time::{Span, Timestamp};

/// Runs read per page when looking for the last run of a step.
const PAGE: usize = 100;

impl StepSettings {
    /// Returns the shortest interval that any enabled step of scheduled runs has, if any has an interval.
    pub fn shortest(&self) -> Option<Span> {
        let scheduled = pipeline().into_iter().filter(|step| step.runs_on(Trigger::Schedule));
        scheduled.map(|step| self.of(step.name())).filter(|of| of.enabled).filter_map(|of| of.every).min()
    }

    /// Returns how often a step takes part in runs of this trigger; `None` for every run. If some step's interval makes
    /// scheduled runs come more often than the user's interval, the other steps keep to the user's interval.
    fn every(&self, step: &str, trigger: Trigger, interval: Span) -> Option<Span> {
        let often = || (trigger == Trigger::Schedule && self.shortest()? < interval).then_some(interval);
        is_clocks(trigger).then(|| self.of(step).every.or_else(often)).flatten()
    }
}

impl Asked {
    /// Parses a caller's input. The errors name the step, or the id, that is wrong.
    pub fn parse(steps: &[String], ids: &[String]) -> Result<Self> {
        let names = || pipeline().map(Step::name).join(", ");
        let mut violations: Vec<FieldViolation> = steps
            .iter()
            .enumerate()
            .filter(|(_, name)| step_named(name).is_none())
            .map(|(at, name)| {
                FieldViolation::new(
                    format!("steps[{at}]"),
                    format!("is {name:?}, which is not a step; there are {}", names()),
                )
            })
            .collect();
        if steps.len() > MAX_MEDITATE_STEPS {
            violations = vec![FieldViolation::new("steps", too_many(steps.len(), MAX_MEDITATE_STEPS))];
        }
        if ids.len() > MAX_MEDITATE_IDS {
            violations.push(FieldViolation::new("ids", too_many(ids.len(), MAX_MEDITATE_IDS)));
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        let chosen = pipeline().into_iter().map(Step::name).filter(|name| steps.iter().any(|asked| asked == name));
        let ids = ids.iter().enumerate().map(|(at, id)| MemoryId::parse(&format!("ids[{at}]"), id));
        let mut asked = Self { steps: chosen.map(str::to_owned).collect(), ids: ids.collect::<Result<_>>()? };
        asked.ids.sort_unstable();
        asked.ids.dedup();
        Ok(asked)
    }

    /// Fails if a named step is switched off on this server.
    pub fn check(&self, settings: &StepSettings) -> Result<()> {
        let off = self.steps.iter().find(|step| !settings.of(step).enabled);
        let problem = |step| format!("names {step}, which is turned off on this server; omit it");
        off.map_or(Ok(()), |step| Err(Error::invalid("steps", problem(step))))
    }
}

fn too_many(values: usize, most: usize) -> String {
    format!("has {values} values; at most {most} are allowed")
}

impl EffectiveSettings {
    /// Reports whether a step is part of this user's nightly runs.
    pub fn has_step(&self, name: &str) -> bool {
        self.may_run(name) && (self.merging.value || !is_proposed(name))
    }

    /// Reports whether a step may run in a meditation that names it.
    pub fn may_run(&self, name: &str) -> bool {
        self.steps.of(name).enabled && (self.reading.value || !is_switched_by_users(name))
    }
}

/// For each step, the creation time of its last clock-started run over all memories.
pub(crate) type LastRuns = HashMap<String, Timestamp>;

/// Returns the steps that take part in a run, in order.
pub(crate) fn taking_part(
    (trigger, asked): (Trigger, &Asked),
    (settings, interval): (&StepSettings, Span),
    last: &LastRuns,
    now: Timestamp,
) -> Vec<&'static str> {
    let chosen = |step: &&'static dyn Step| match asked.steps.as_slice() {
        [] => step.runs_on(trigger),
        names => names.iter().any(|name| name == step.name()),
    };
    let due = |name: &&'static str| {
        let ran = settings.every(name, trigger, interval).zip(last.get(*name));
        ran.is_none_or(|(every, at)| at.start_of_hour().plus(every) <= now)
    };
    let steps = pipeline().into_iter().filter(chosen).map(Step::name);
    steps.filter(|name| settings.of(name).enabled).filter(due).collect()
}

/// Reads when steps last ran, as far as that counts for a run of this trigger.
pub(crate) async fn last_runs(
    reader: &mut dyn VaultReader,
    trigger: Trigger,
    settings: &StepSettings,
    now: Timestamp,
) -> Result<LastRuns> {
    let (mut last, mut after): (LastRuns, Option<MeditationId>) = (LastRuns::new(), None);
    let cadences = settings.0.values().any(|of| of.enabled && of.every.is_some());
    while cadences && is_clocks(trigger) {
        let page = reader.meditations(after, PAGE).await?;
        let Some(oldest) = page.last() else { break };
        after = Some(oldest.id);
        let too_old = oldest.created_at < now.minus(*STEP_EVERY.end());
        for run in &page {
            if run.status == MeditationStatus::Complete && is_clocks(run.trigger) && run.asked.ids.is_empty() {
                for step in &run.steps {
                    let at = last.entry(step.clone()).or_insert(run.created_at);
                    *at = run.created_at.max(*at);
                }
            }
        }
        if too_old {
            break;
        }
    }
    Ok(last)
}

/// Reports whether the clock starts runs of this trigger. Runs for a full tier or a request are never postponed.
const fn is_clocks(trigger: Trigger) -> bool {
    matches!(trigger, Trigger::Schedule | Trigger::Rotation)
}
