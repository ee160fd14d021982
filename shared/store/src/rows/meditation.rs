//! The row of a meditation run.

use kimberly_core::error::Result;
use kimberly_core::ids::MeditationId;
use kimberly_core::meditation::{Asked, Meditation, MeditationStatus, Trigger};

use super::{ReadRow, WriteRow};
use crate::codes::{from_name, unsigned};
use crate::corrupt;

/// The columns of a run that [`meditation_from`] reads and [`push_meditation`] writes.
pub(crate) const MEDITATION_COLUMNS: &str = "id, status, started_by, scores_all, asked, steps, processed, archived, pruned, \
     archived_bytes, pruned_bytes, created_at, started_at, finished_at, as_of, generation, expected_plan, error, \
     tiers, scoring_version";

/// Reads a run from [`MEDITATION_COLUMNS`].
pub(crate) fn meditation_from<'r>(c: &mut impl ReadRow<'r>) -> Result<Meditation> {
    let unreadable = |_: serde_json::Error| corrupt("a part of a run is not readable");
    Ok(Meditation {
        id: MeditationId(c.uuid()?),
        status: from_name("meditation status", c.str()?, MeditationStatus::from_name)?,
        trigger: from_name("trigger", c.str()?, Trigger::from_name)?,
        full: c.flag()?,
        asked: c.opt_str()?.map_or_else(|| Ok(Asked::default()), serde_json::from_str).map_err(unreadable)?,
        steps: serde_json::from_str(c.str()?).map_err(unreadable)?,
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
        tiers: serde_json::from_str(c.str()?).map_err(unreadable)?,
        scoring_version: c.text()?,
    })
}

/// Adds the values of [`MEDITATION_COLUMNS`].
pub(crate) fn push_meditation(args: &mut impl WriteRow, run: &Meditation) {
    args.put_uuid(run.id.0);
    args.put_text(run.status.name().to_owned());
    args.put_text(run.trigger.name().to_owned());
    args.put_flag(run.full);
    args.put_opt_text((!run.asked.is_everything()).then(|| serde_json::to_string(&run.asked).unwrap_or_default()));
    args.put_text(serde_json::to_string(&run.steps).unwrap_or_default());
    for count in [run.processed, run.archived, run.pruned, run.archived_bytes, run.pruned_bytes] {
        args.put_int(unsigned(count));
    }
    args.put_int(run.created_at.0);
    args.put_opt_int(run.started_at.map(|at| at.0));
    args.put_opt_int(run.finished_at.map(|at| at.0));
    args.put_int(run.as_of.0);
    args.put_int(unsigned(run.generation));
    args.put_opt_text(run.expected_plan.clone());
    args.put_opt_text(run.error.clone());
    args.put_text(serde_json::to_string(&run.tiers).unwrap_or_default());
    args.put_text(run.scoring_version.clone());
}
