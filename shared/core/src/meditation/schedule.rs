//! Computes when runs are due, and hands them to workers.

use sha2::{Digest, Sha256};

use super::{Asked, Meditation, RetentionItem, Trigger};
use crate::audit::{Actor, AuditEntry};
use crate::error::Result;
use crate::ids::{MeditationId, UserId};
use crate::memory::{MemoryState, Tier};
use crate::ports::{Ids, Job, VaultTransaction};
use crate::retention::{grace_passed, leaves_at};
use crate::settings::EffectiveSettings;
use crate::time::{Span, Timestamp};

/// The runs of all users are spread over this time, so that they do not all start at once.
const SPREAD_SECONDS: u64 = 3_600;
/// Rotations are spread over this fraction of it, since they enforce lifetimes to the hour.
const ROTATIONS_SPREAD_LESS: i64 = 4;

/// Schedules a run in the caller's transaction: its record, the job in the outbox, and an audit row. So a worker gets
/// the run exactly if the transaction commits. `expected_plan` is the token of the plan that the run must carry out;
/// the caller has checked that it is a token.
pub async fn schedule_run(
    tx: &mut dyn VaultTransaction,
    ids: &dyn Ids,
    now: Timestamp,
    (trigger, asked): (Trigger, Asked),
    full: bool,
    expected_plan: Option<String>,
    traceparent: Option<&str>,
) -> Result<Meditation> {
    let mut run = Meditation::scheduled(MeditationId(ids.new_id(now)), trigger, full, now);
    run.asked = asked;
    if let Some(token) = expected_plan.as_deref() {
        run.as_of = super::PlanToken::parse(token, now)?.as_of;
    }
    run.expected_plan = expected_plan;
    tx.put_meditation(&run).await?;
    tx.enqueue(ids.new_id(now), &Job::Meditate { meditation_id: run.id }, now, traceparent).await?;
    tx.audit(&entry(&run, "meditation.schedule", now, 1)).await?;
    Ok(run)
}

/// Creates an audit row about a run. Scheduling a requested run is the caller's action; everything else is the
/// system's.
pub(crate) fn entry(run: &Meditation, action: &'static str, at: Timestamp, count: u64) -> AuditEntry {
    let asked_for = run.trigger == Trigger::SessionEnd
        || (run.trigger == Trigger::Request && run.status == super::MeditationStatus::Scheduled);
    let actor = if asked_for { Actor::Caller } else { Actor::System };
    AuditEntry { at, actor, action, refused: None, subject: Some(run.id.to_string()), count }
}

/// Returns when a user's next meditation is due, always after `now`: after the user's interval, or the interval of a
/// more frequent step, plus a part of an hour that depends only on the user's id, so that users are spread.
pub fn next_due(user: &UserId, settings: &EffectiveSettings, now: Timestamp) -> Timestamp {
    let interval = settings
        .steps
        .shortest()
        .map_or(settings.meditation_interval.value, |shortest| shortest.min(settings.meditation_interval.value));
    let interval = interval.max(Span::hours(1));
    let due = now.start_of_hour().plus(interval).plus(spread(user));
    if due > now { due } else { due.plus(Span::days(1)) }
}

/// Reports whether a rotation has work: a short-term memory past its lifetime, or an archived or deleted memory past
/// its grace.
pub(crate) fn rotation_is_due(items: &[RetentionItem], settings: &EffectiveSettings, now: Timestamp) -> bool {
    let (lifetime, as_of) = (settings.short_term_lifetime.value, now.start_of_hour());
    items.iter().any(|item| {
        let put_aside = item.state != MemoryState::Active;
        put_aside && grace_passed(item.delete_after, as_of)
            || rotates(item) && leaves_at(item.created_at, lifetime) <= as_of
    })
}

/// Returns when a user's next rotation is due, always after `now`: when the oldest short-term memory still in its
/// lifetime leaves, but no later than a memory stored right after `now` would leave, and within a day. So none is
/// missed, although no write moves the due time.
pub(crate) fn next_rotation(
    user: &UserId,
    items: &[RetentionItem],
    settings: &EffectiveSettings,
    now: Timestamp,
) -> Timestamp {
    let lifetime = settings.short_term_lifetime.value;
    let leaves = items.iter().filter(|item| rotates(item)).map(|item| leaves_at(item.created_at, lifetime));
    let latest = leaves_at(now, lifetime.min(Span::days(1)));
    let next = leaves.filter(|at| *at > now.start_of_hour()).fold(latest, Timestamp::min);
    next.plus(Span(spread(user).0 / ROTATIONS_SPREAD_LESS))
}

/// Reports whether a rotation takes this memory once it outlives its lifetime.
fn rotates(item: &RetentionItem) -> bool {
    item.tier == Tier::ShortTerm && item.state == MemoryState::Active && !item.protected
}

/// Returns a user's offset within the hour.
fn spread(user: &UserId) -> Span {
    let digest: [u8; 32] = Sha256::digest(user.as_str().as_bytes()).into();
    let [a, b, c, d, ..] = digest;
    let seconds = u64::from(u32::from_be_bytes([a, b, c, d])) % SPREAD_SECONDS;
    Span::seconds(i64::try_from(seconds).unwrap_or(0))
}
