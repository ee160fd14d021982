//! The row of a meditation run.

use kimberly_core::error::Result;
use kimberly_core::ids::MeditationId;
use kimberly_core::meditation::{Meditation, MeditationStatus, Trigger};
use sqlx::sqlite::SqliteRow;

use super::{Cells, from_name, unsigned};
use crate::sqlite::conn::Args;
use crate::sqlite::errors;

/// The columns of a run, as [`meditation`] reads and [`meditation_args`] writes them.
pub(crate) const MEDITATION_COLUMNS: &str = "id, status, started_by, scores_all, processed, archived, pruned, \
     archived_bytes, pruned_bytes, created_at, started_at, finished_at, as_of, generation, expected_plan, error, \
     tiers, scoring_version";

/// A run from [`MEDITATION_COLUMNS`].
pub(crate) fn meditation(row: &SqliteRow) -> Result<Meditation> {
    let c = &mut Cells::new(row);
    Ok(Meditation {
        id: MeditationId(c.uuid()?),
        status: from_name("meditation status", c.str()?, MeditationStatus::from_name)?,
        trigger: from_name("trigger", c.str()?, Trigger::from_name)?,
        full: c.flag()?,
        processed: c.count()?,
        archived: c.count()?,
        pruned: c.count()?,
        archived_bytes: c.count()?,
        pruned_bytes: c.count()?,
        created_at: c.time()?,
        started_at: c.opt_time()?,
        finished_at: c.opt_time()?,
        as_of: c.time()?,
        generation: c.count()?,
        expected_plan: c.opt_text()?,
        error: c.opt_text()?,
        tiers: serde_json::from_str(c.str()?).map_err(|_| errors::corrupt("tier summaries are not readable"))?,
        scoring_version: c.text()?,
    })
}

/// The values of [`MEDITATION_COLUMNS`].
pub(crate) fn meditation_args(run: &Meditation) -> Args {
    Args::new()
        .with(run.id.0.as_bytes().to_vec())
        .with(run.status.name())
        .with(run.trigger.name())
        .with(i64::from(run.full))
        .with(unsigned(run.processed))
        .with(unsigned(run.archived))
        .with(unsigned(run.pruned))
        .with(unsigned(run.archived_bytes))
        .with(unsigned(run.pruned_bytes))
        .with(run.created_at.0)
        .with(run.started_at.map(|at| at.0))
        .with(run.finished_at.map(|at| at.0))
        .with(run.as_of.0)
        .with(unsigned(run.generation))
        .with(run.expected_plan.clone())
        .with(run.error.clone())
        .with(serde_json::to_string(&run.tiers).unwrap_or_default())
        .with(run.scoring_version.clone())
}
