//! The steps of the pipeline, one file each.
//!
//! To add a step, add a file here with a type that implements [`Step`], its entry in [`pipeline`], and its reasons in
//! [`Reason`]. If no kind of change does what it needs, add a file in [`super::kinds`]. A step changes nothing: it
//! reads, and proposes changes with reasons; the runner shows or applies them. If a vault already has the first of its
//! proposals carried out, a step must propose the rest of them: that is how an interrupted run continues.

mod believe;
mod consolidate;
mod context;
mod entities;
mod expire;
mod fit;
mod link;
mod order;
mod profiles;
mod reading;
mod reason;
mod recalibrate;
mod retain;
mod rotate;
mod score;
mod tag;
mod temper;

use async_trait::async_trait;

pub use believe::Believe;
pub use consolidate::Consolidate;
pub use context::{Context, Source};
pub use entities::Entities;
pub use expire::Expire;
pub(crate) use fit::until_fits;
pub use link::Link;
pub use profiles::Profiles;
pub use reading::READING;
#[cfg(test)]
pub(super) use reading::left;
pub use reason::{Reasoning, Shared};
pub use recalibrate::Recalibrate;
pub use retain::Retain;
pub use rotate::Rotate;
pub use score::Score;
pub use tag::Tag;
pub use temper::Temper;

use super::kinds::Body;
use super::{Change, Kind, Reason, RetentionItem, Scored, ScoringItem, Snapshot, Trigger};
use crate::error::Result;
use crate::scoring::Scorer;

/// One step of the pipeline.
#[async_trait]
pub trait Step: Send + Sync {
    /// Returns the step's name.
    fn name(&self) -> &'static str;

    /// Reports whether it takes part in runs of this trigger that name no steps. By default in scheduled and in
    /// requested runs.
    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Request)
    }

    /// Reports whether it reads the contents of memories page by page. Such a step proposes nothing.
    fn reads(&self) -> bool {
        false
    }

    /// Derives data about the memories of a page from their content. Pages come in order of sequence number. Scores are
    /// not changes, as there are thousands: they are stored page by page, and are neither shown nor undone.
    fn read(&self, scorer: &mut Scorer, page: &[ScoringItem]) -> Vec<Scored> {
        let _ = (scorer, page);
        Vec::new()
    }

    /// Returns the version of its rules, if its proposals depend only on a [`Fingerprint`](super::Fingerprint). While
    /// that equals the one of a run that left no work over, the step is skipped.
    fn rules(&self) -> Option<i64> {
        None
    }

    /// Returns its proposals, in the order to carry them out. It may wait for the vault or a model; no transaction is
    /// open.
    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let _ = context;
        Ok(Vec::new())
    }
}

/// Returns all steps in order.
pub fn pipeline() -> [&'static dyn Step; 13] {
    [
        &Rotate,
        &Score,
        &Recalibrate,
        &Retain,
        &Expire,
        &Tag,
        &Entities,
        &Link,
        &Believe,
        &Consolidate,
        &Reasoning,
        &Profiles,
        &Temper,
    ]
}

/// Reports whether a user's `reading_enabled` switches the step off: steps that read records, and steps that use their
/// results.
pub fn is_switched_by_users(step: &str) -> bool {
    READING.contains(&step) || [Reasoning.name(), Profiles.name(), Temper.name()].contains(&step)
}

/// Reports whether a person applies the step's proposals, unless the operator, a user or the request says otherwise.
pub fn is_proposed(step: &str) -> bool {
    step == Consolidate.name()
}

/// Returns the step of this name, if there is one.
pub fn step_named(name: &str) -> Option<&'static dyn Step> {
    pipeline().into_iter().find(|step| step.name() == name)
}

/// Returns the steps of these names, in pipeline order.
pub(super) fn steps_of<T: AsRef<str>>(names: &[T]) -> impl Iterator<Item = &'static dyn Step> {
    pipeline().into_iter().filter(|step| names.iter().any(|name| name.as_ref() == step.name()))
}

/// Derives data about the memories of a page, by all steps of a run.
pub(super) fn read_page<T: AsRef<str>>(steps: &[T], scorer: &mut Scorer, page: &[ScoringItem]) -> Vec<Scored> {
    steps_of(steps).flat_map(|step| step.read(scorer, page)).collect()
}

/// Reports whether these steps only read contents, so that there is nothing to plan.
pub(super) fn only_read_pages<T: AsRef<str>>(steps: &[T]) -> bool {
    steps_of(steps).all(Step::reads)
}

/// Reports whether any of these steps reads contents.
pub(super) fn reads_pages<T: AsRef<str>>(steps: &[T]) -> bool {
    steps_of(steps).any(Step::reads)
}
