//! Tests of meditation: the steps, the plan, and the runner on a vault in memory.

mod apply;
mod choice;
mod concluding;
mod fake;
mod nearness;
mod plan;
mod profiles;
mod properties;
mod resume;
mod schedule;
mod usecases;

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::*;
use crate::ids::{MeditationId, MemoryId, Seq};
use crate::memory::{Memory, MemoryState, RecordKind, SourceType, Tier};
use crate::settings::{EffectiveSettings, ServerDefaults, UserSettings};
use crate::time::{Span, Timestamp};

/// 2025-11-20T12:00:00Z
const NOON: Timestamp = Timestamp(1_763_640_000_000_000);

fn memory_id(seq: i64) -> MemoryId {
    MemoryId(Uuid::from_u128(seq.unsigned_abs().into()))
}

/// An active long-term memory of 100 bytes; its sequence number is its age in hours.
fn active(seq: i64, score: f64) -> RetentionItem {
    RetentionItem {
        seq: Seq(seq),
        id: memory_id(seq),
        tier: Tier::LongTerm,
        state: MemoryState::Active,
        protected: false,
        size_bytes: 100,
        score,
        created_at: NOON.minus(Span::hours(seq)),
        delete_after: None,
        session: None,
        importance: 0,
        by_hand: true,
        access_count: 0,
        updated_at: NOON,
        last_seen_at: NOON,
        source_type: SourceType::ToldByUser,
        tagged: false,
        kind: RecordKind::Unset,
        valid_from: None,
        valid_to: None,
    }
}

/// The same in the archive, with its grace ended one hour ago.
pub(super) fn archived(seq: i64, score: f64) -> RetentionItem {
    let delete_after = Some(NOON.minus(Span::hours(1)));
    RetentionItem { state: MemoryState::Archived, delete_after, ..active(seq, score) }
}

fn settings(user: &UserSettings) -> EffectiveSettings {
    EffectiveSettings::resolve(user, &ServerDefaults::default())
}

/// Quotas of 1,024 bytes each, and an archive of 1,024 bytes.
fn tight() -> UserSettings {
    UserSettings {
        short_term_quota_bytes: Some(1_024),
        long_term_quota_bytes: Some(1_024),
        permanent_quota_bytes: Some(1_024),
        archive_allowance_bytes: Some(1_024),
        ..UserSettings::default()
    }
}

pub(super) fn snapshot(trigger: Trigger, items: Vec<RetentionItem>) -> Snapshot {
    Snapshot {
        trigger,
        as_of: NOON,
        settings: settings(&tight()),
        items,
        steps: steps::pipeline().iter().filter(|s| s.runs_on(trigger)).map(|s| s.name().to_owned()).collect(),
        only: Vec::new(),
        version_bytes: 0,
        session: None,
        erased_today: 0,
        archived_here: HashSet::new(),
        done_here: HashMap::new(),
        fingerprints: Vec::new(),
        decided: Vec::new(),
    }
}

/// Decisions as (number, action, reason).
fn brief(decisions: &[Change]) -> Vec<(i64, Kind, Reason)> {
    decisions.iter().map(|decision| (decision.seq().0, decision.kind, decision.reason)).collect()
}

/// Makes the plan from a snapshot, by the steps that read nothing else.
fn plan_of(mut snapshot: Snapshot, scored: u64) -> Plan {
    snapshot.steps.retain(|step| !steps::is_switched_by_users(step) && !steps::is_proposed(step));
    let world = fake::World::new(fake::Vault::default());
    let source = steps::Source { vaults: &world.app.vaults, user: &world.user, vectors: None };
    fake::finish(Plan::make(source, snapshot, scored)).unwrap()
}
