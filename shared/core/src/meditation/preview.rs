//! Reads what a plan needs without changing anything: for dry runs, and to check whether a plan still holds.

use super::steps::{Score, Step as _, read_page, reads_pages};
use super::{Asked, ScoringItem, Snapshot, Trigger, last_runs, taking_part};
use crate::error::Result;
use crate::ids::Seq;
use crate::ports::VaultReader;
use crate::scoring::{GoalNearness, Scorer};
use crate::settings::{EffectiveSettings, ServerDefaults};
use crate::time::Timestamp;

/// Memories read at a time, which bounds a run's memory use and how long it holds the write lock.
pub(super) const PAGE: usize = 128;

/// The run to plan.
#[derive(Clone, Debug)]
pub struct Preview {
    /// Its trigger.
    pub trigger: Trigger,
    /// Whether it scores all memories.
    pub full: bool,
    /// The caller's restrictions.
    pub asked: Asked,
    /// The time to count ages from, on the full hour.
    pub as_of: Timestamp,
    /// The current time, for the daily cap.
    pub now: Timestamp,
}

/// Returns the snapshot that a run would plan from now, and the number of memories it would score. Computes and uses
/// new scores, but writes nothing.
pub async fn preview(
    reader: &mut dyn VaultReader,
    run: Preview,
    defaults: &ServerDefaults,
    nearness: &GoalNearness,
) -> Result<(Snapshot, u64)> {
    let Conditions { settings, scorer } = Conditions::load(reader, defaults, nearness, run.as_of).await?;
    let steps = steps_taking_part(reader, (run.trigger, &run.asked), &settings, run.now).await?;
    let pages = Pages::new(reader, run.full, &run.asked, &settings).await?;
    let scored = if reads_pages(&steps) { score_all(reader, &steps, pages, scorer).await? } else { Vec::new() };
    let restricted_to = (run.trigger, run.asked, steps.iter().map(|step| (*step).to_owned()).collect());
    let mut snapshot = Snapshot::load(reader, settings, restricted_to, (run.as_of, run.now)).await?;
    let count = scored.len() as u64;
    snapshot.rescore(scored);
    Ok((snapshot, count))
}

/// Returns the steps that take part in a run that begins now.
pub(super) async fn steps_taking_part(
    reader: &mut dyn VaultReader,
    asked: (Trigger, &Asked),
    settings: &EffectiveSettings,
    now: Timestamp,
) -> Result<Vec<&'static str>> {
    let last = last_runs(reader, asked.0, &settings.steps, now).await?;
    let mut steps = taking_part(asked, (&settings.steps, settings.meditation_interval.value), &last, now);
    let named = |step: &str| asked.1.steps.iter().any(|named| named == step);
    steps.retain(|step| if named(step) { settings.may_run(step) } else { settings.has_step(step) });
    Ok(steps)
}

async fn score_all(
    reader: &mut dyn VaultReader,
    steps: &[&str],
    mut pages: Pages,
    mut scorer: Scorer,
) -> Result<Vec<(Seq, f64)>> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = pages.read(reader, after).await?;
        let Some(last) = page.last() else { return Ok(found) };
        after = Some(last.seq);
        pages.took(page.len());
        found.extend(read_page(steps, &mut scorer, &page).iter().map(<(Seq, f64)>::from));
    }
}

/// The memories whose contents a run reads, page by page.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    full: bool,
    /// The only memories to read; empty for all.
    only: Vec<Seq>,
    /// How many more may be read.
    left: usize,
}

impl Pages {
    /// Selects the memories of a run. The cap on scores does not apply to a run that scores all memories.
    pub(super) async fn new(
        reader: &mut dyn VaultReader,
        full: bool,
        asked: &Asked,
        settings: &EffectiveSettings,
    ) -> Result<Self> {
        let mut only: Vec<Seq> = Vec::new();
        if !asked.ids.is_empty() {
            only.extend(reader.seqs(&asked.ids).await?.into_iter().map(|(_, seq)| seq));
            only.sort_unstable();
        }
        let cap = settings.steps.of(Score.name()).cap.filter(|_| !full);
        let none = !asked.ids.is_empty() && only.is_empty();
        let left = cap.map_or(usize::MAX, |cap| usize::try_from(cap).unwrap_or(usize::MAX));
        Ok(Self { full, only, left: if none { 0 } else { left } })
    }

    /// Notes that this many memories were read.
    pub(super) const fn took(&mut self, memories: usize) {
        self.left = self.left.saturating_sub(memories);
    }

    /// Reads the page after a memory; empty after the last one.
    pub(super) async fn read(&self, reader: &mut dyn VaultReader, after: Option<Seq>) -> Result<Vec<ScoringItem>> {
        let limit = PAGE.min(self.left);
        if self.only.is_empty() {
            return if limit == 0 { Ok(Vec::new()) } else { reader.scoring_items(self.full, after, limit).await };
        }
        let mut page = Vec::new();
        for seq in self.only.iter().filter(|seq| Some(**seq) > after) {
            if page.len() >= limit {
                break;
            }
            let found = reader.scoring_items(true, Some(Seq(seq.0 - 1)), 1).await?;
            page.extend(found.into_iter().filter(|item| item.seq == *seq));
        }
        Ok(page)
    }
}

/// The user's settings and scorer when a run begins.
pub(super) struct Conditions {
    /// The effective settings.
    pub(super) settings: EffectiveSettings,
    /// A scorer for the user's goals, weights and outcomes.
    pub(super) scorer: Scorer,
}

impl Conditions {
    /// Reads the settings, goals and outcomes.
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
