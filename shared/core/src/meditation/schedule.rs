//! When runs happen, and how one comes to a worker.

use sha2::{Digest, Sha256};

use super::{Meditation, Trigger};
use crate::audit::Actor;
use crate::error::Result;
use crate::ids::{MeditationId, UserId};
use crate::ports::{AuditEntry, Ids, Job, VaultTransaction};
use crate::settings::EffectiveSettings;
use crate::time::{Span, Timestamp};

/// The hour of the day, UTC, after which short-term memories are rotated.
const ROTATION_HOUR: i64 = 3;
/// Users' runs are spread over this long, so that they do not all come at once.
const SPREAD_SECONDS: u64 = 3_600;

/// Schedules a run in the caller's transaction: its record, the job in the outbox, and an audit row, so that the run
/// comes to a worker exactly if the transaction is committed. `expected_plan` is a plan's token that the run must keep
/// to; the caller has checked that it is one.
pub async fn schedule_run(
    tx: &mut dyn VaultTransaction,
    ids: &dyn Ids,
    now: Timestamp,
    trigger: Trigger,
    full: bool,
    expected_plan: Option<String>,
    traceparent: Option<&str>,
) -> Result<Meditation> {
    let mut run = Meditation::scheduled(MeditationId(ids.new_id(now)), trigger, full, now);
    if let Some(token) = expected_plan.as_deref() {
        run.as_of = super::PlanToken::parse(token, now)?.as_of;
    }
    run.expected_plan = expected_plan;
    tx.put_meditation(&run).await?;
    tx.enqueue(ids.new_id(now), &Job::Meditate { meditation_id: run.id }, now, traceparent).await?;
    tx.audit(&entry(&run, "meditation.schedule", now, 1)).await?;
    Ok(run)
}

/// An audit row about a run. A requested one is the caller's doing when it is scheduled; the rest is the system's.
pub(crate) fn entry(run: &Meditation, action: &'static str, at: Timestamp, count: u64) -> AuditEntry {
    let asked_for = run.trigger == Trigger::SessionEnd
        || (run.trigger == Trigger::Request && run.status == super::MeditationStatus::Scheduled);
    let actor = if asked_for { Actor::Caller } else { Actor::System };
    AuditEntry { at, actor, action, refused: None, subject: Some(run.id.to_string()), count }
}

/// When a user's next run of this trigger is due, always after `now`: a meditation after the user's interval, a rotation
/// after the next 03:00 UTC. A part of an hour that hangs on the user's id alone is added, so that users are spread.
pub fn next_due(trigger: Trigger, user: &UserId, settings: &EffectiveSettings, now: Timestamp) -> Timestamp {
    let base = if trigger == Trigger::Rotation {
        let today = Span::days(now.day());
        Timestamp(today.0).plus(Span::hours(ROTATION_HOUR))
    } else {
        now.start_of_hour().plus(settings.meditation_interval.value.max(Span::hours(1)))
    };
    let due = base.plus(spread(user));
    if due > now { due } else { due.plus(Span::days(1)) }
}

/// A user's place in the hour.
fn spread(user: &UserId) -> Span {
    let digest: [u8; 32] = Sha256::digest(user.as_str().as_bytes()).into();
    let [a, b, c, d, ..] = digest;
    let seconds = u64::from(u32::from_be_bytes([a, b, c, d])) % SPREAD_SECONDS;
    Span::seconds(i64::try_from(seconds).unwrap_or(0))
}
