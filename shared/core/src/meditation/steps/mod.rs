//! The steps of the pipeline, one file each.
//!
//! To add one: a file here with a type that implements [`Step`], its place in [`pipeline`], and its reasons in
//! [`Reason`]. A step is pure: it reads what it is given and returns what should change, with the reason
//! of each change; the runner shows or applies it. Given a picture in which a beginning of its decisions is already
//! carried out, a step must decide the rest of them: that is how a run that was cut goes on.

mod expire;
mod order;
mod retain;
mod rotate;
mod score;

pub use expire::Expire;
pub use retain::Retain;
pub use rotate::Rotate;
pub use score::Score;

use super::{Action, Decision, Reason, RetentionItem, Scored, ScoringItem, Snapshot, Trigger};
use crate::scoring::Scorer;

/// One step.
pub trait Step: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;

    /// Whether it is part of runs that this trigger started.
    fn runs_on(&self, trigger: Trigger) -> bool;

    /// What it changes about the memories of a page, from their content. Pages come in order of number.
    fn read(&self, scorer: &mut Scorer, page: &[ScoringItem]) -> Vec<Scored> {
        let _ = (scorer, page);
        Vec::new()
    }

    /// What it decides about the vault as a whole.
    fn decide(&self, snapshot: &Snapshot) -> Vec<Decision> {
        let _ = snapshot;
        Vec::new()
    }
}

/// The steps in their order.
pub fn pipeline() -> [&'static dyn Step; 4] {
    [&Rotate, &Score, &Retain, &Expire]
}

/// What the steps of a run change about the memories of a page.
pub fn read_page(trigger: Trigger, scorer: &mut Scorer, page: &[ScoringItem]) -> Vec<Scored> {
    let steps = pipeline().into_iter().filter(|step| step.runs_on(trigger));
    steps.flat_map(|step| step.read(scorer, page)).collect()
}

/// Whether a run of this trigger reads contents at all.
pub fn reads_pages(trigger: Trigger) -> bool {
    Score.runs_on(trigger)
}

/// A decision about an item.
fn decision(item: &RetentionItem, action: Action, reason: Reason, explanation: String) -> Decision {
    Decision {
        memory_id: item.id,
        seq: item.seq,
        action,
        reason,
        explanation,
        tier: item.tier,
        state: item.state,
        size_bytes: item.size_bytes,
        score: item.score,
    }
}
