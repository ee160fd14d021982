//! The steps of the pipeline, one file each.
//!
//! To add one: a file here with a type that implements [`Step`], its place in [`pipeline`], and its reasons in
//! [`Reason`]; if no kind of change does what it is for, a file in [`super::kinds`]. A step changes nothing: it reads, and
//! proposes what should change, with the reason of each change; the runner shows or applies it. Given a vault in which a
//! beginning of its proposals is already carried out, a step must propose the rest of them: that is how a run that was cut
//! goes on.

mod believe;
mod consolidate;
mod context;
mod entities;
mod expire;
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
pub use link::Link;
pub use profiles::Profiles;
pub use reading::READING;
#[cfg(test)]
pub(super) use reading::left;
pub use reason::{Reasoning, Shared};
pub use recalibrate::Recalibrate;
pub use retain::Retain;
pub(crate) use retain::until_fits;
pub use rotate::Rotate;
pub use score::Score;
pub use tag::Tag;
pub use temper::Temper;

use super::kinds::{Body, Kind};
use super::{Change, Reason, RetentionItem, Scored, ScoringItem, Snapshot, Trigger};
use crate::error::Result;
use crate::scoring::Scorer;

/// One step.
#[async_trait]
pub trait Step: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Whether it is part of runs that this trigger started, and that ask for no steps by name: of nights and of what somebody asks
    /// for, unless it says otherwise.
    fn runs_on(&self, trigger: Trigger) -> bool {
        matches!(trigger, Trigger::Schedule | Trigger::Request)
    }

    /// Whether it reads the content of memories page by page.
    fn reads(&self) -> bool {
        false
    }

    /// What it derives about the memories of a page, from their content. Pages come in order of number. Scores come by the
    /// thousands, so that they are no changes: they are stored page by page, and are neither shown nor undone.
    fn read(&self, scorer: &mut Scorer, page: &[ScoringItem]) -> Vec<Scored> {
        let _ = (scorer, page);
        Vec::new()
    }

    /// The version of its rules, if what it proposes follows from a [`Fingerprint`](super::Fingerprint) alone: while that stays as it was when a
    /// run left nothing over, the step is not asked.
    fn rules(&self) -> Option<i64> {
        None
    }

    /// What it proposes, in the order to carry it out. It may wait, for the vault or for a model; no transaction is open.
    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let _ = context;
        Ok(Vec::new())
    }
}

/// The steps in their order.
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

/// Whether a user switches a step off by `reading_enabled`: what reads records, and what counts what was found so.
pub fn is_switched_by_users(step: &str) -> bool {
    READING.contains(&step) || [Reasoning.name(), Profiles.name(), Temper.name()].contains(&step)
}

/// Whether a person applies what a step finds, unless the operator, a user or the request says otherwise.
pub fn is_proposed(step: &str) -> bool {
    step == Consolidate.name()
}

/// The step of a name, if there is one.
pub fn step_named(name: &str) -> Option<&'static dyn Step> {
    pipeline().into_iter().find(|step| step.name() == name)
}

/// Those of these names, in their order.
pub(super) fn steps_of<T: AsRef<str>>(names: &[T]) -> impl Iterator<Item = &'static dyn Step> {
    pipeline().into_iter().filter(|step| names.iter().any(|name| name.as_ref() == step.name()))
}

/// What the steps of a run derive about the memories of a page.
pub(super) fn read_page<T: AsRef<str>>(steps: &[T], scorer: &mut Scorer, page: &[ScoringItem]) -> Vec<Scored> {
    steps_of(steps).flat_map(|step| step.read(scorer, page)).collect()
}

/// Whether a run of these steps reads contents at all.
pub(super) fn reads_pages<T: AsRef<str>>(steps: &[T]) -> bool {
    steps_of(steps).any(Step::reads)
}
