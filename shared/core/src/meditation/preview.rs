//! Plans without changing anything: for dry runs, and to see whether a plan still holds.

use super::steps::{read_page, reads_pages};
use super::{Plan, Snapshot, Trigger};
use crate::error::Result;
use crate::ids::Seq;
use crate::ports::VaultReader;
use crate::scoring::{GoalNearness, Scorer};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// Memories read at a time: what bounds the memory that a run takes.
pub(super) const PAGE: usize = 256;

/// Which run to plan.
#[derive(Clone, Copy, Debug)]
pub struct Preview {
    /// What would start it.
    pub trigger: Trigger,
    /// Whether it scores all memories.
    pub full: bool,
    /// The time to count ages from, on the full hour.
    pub as_of: Timestamp,
    /// The present, for the daily cap.
    pub now: Timestamp,
}

/// The plan of a run as it would be made now: new scores are computed and used, and nothing is written.
pub async fn preview(
    reader: &mut dyn VaultReader,
    run: Preview,
    defaults: &ServerDefaults,
    nearness: &GoalNearness,
) -> Result<Plan> {
    let conditions = Conditions::load(reader, defaults, nearness, run.as_of).await?;
    let scored = if reads_pages(run.trigger) { score_all(reader, run, conditions.scorer).await? } else { Vec::new() };
    let mut snapshot = Snapshot::load(reader, conditions.settings, run.trigger, (run.as_of, run.now)).await?;
    let count = scored.len() as u64;
    snapshot.rescore(scored);
    Ok(Plan::make(snapshot, count))
}

async fn score_all(reader: &mut dyn VaultReader, run: Preview, mut scorer: Scorer) -> Result<Vec<(Seq, f64)>> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = reader.scoring_items(run.full, after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.seq);
        found.extend(read_page(run.trigger, &mut scorer, &page).iter().map(<(Seq, f64)>::from));
    }
}

/// What holds for a user when a run begins.
pub(super) struct Conditions {
    /// The settings.
    pub(super) settings: EffectiveSettings,
    /// A scorer for the user's goals, weights and outcomes.
    pub(super) scorer: Scorer,
}

impl Conditions {
    /// Reads them.
    pub(super) async fn load(
        reader: &mut dyn VaultReader,
        defaults: &ServerDefaults,
        nearness: &GoalNearness,
        as_of: Timestamp,
    ) -> Result<Self> {
        let context = reader.write_context(None).await?;
        let settings = EffectiveSettings::resolve(&context.settings.settings, defaults);
        let outcomes = reader.tag_outcomes().await?;
        let scorer = Scorer::new(&context.goals, settings.weights.value, &outcomes, as_of);
        Ok(Self { settings, scorer: scorer.with_nearness(nearness.clone()) })
    }
}
