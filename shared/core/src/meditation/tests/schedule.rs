//! Tests when runs are due, and that they are scheduled once.

use std::sync::Mutex;

use async_trait::async_trait;

use super::fake::{Row, Vault, World, cut_after, finish, pause};
use super::*;
use crate::ids::UserId;
use crate::meditation::schedule::{next_due, next_rotation, rotation_is_due};
use crate::ports::{DueUser, PendingOutbox, Registry};

/// A registry of one user that records how due times moved.
#[derive(Debug, Default)]
struct OneUser {
    moved: Mutex<Vec<(Trigger, Option<Timestamp>, Timestamp)>>,
}

#[async_trait]
impl Registry for OneUser {
    async fn reschedule(
        &self,
        _: &UserId,
        trigger: Trigger,
        was: Option<Timestamp>,
        next: Timestamp,
    ) -> crate::Result<bool> {
        pause().await;
        self.moved.lock().unwrap().push((trigger, was, next));
        pause().await;
        Ok(true)
    }
    async fn due(&self, _: Timestamp, _: usize) -> crate::Result<Vec<DueUser>> {
        panic!("not asked for")
    }
    async fn next_due(&self, _: &UserId, _: Trigger) -> crate::Result<Option<Timestamp>> {
        panic!("not asked for")
    }
    async fn users(&self, _: Option<&UserId>, _: usize) -> crate::Result<Vec<UserId>> {
        panic!("not asked for")
    }
    async fn count_users(&self) -> crate::Result<u64> {
        panic!("not asked for")
    }
    async fn pending_outboxes(&self, _: usize) -> crate::Result<Vec<PendingOutbox>> {
        panic!("not asked for")
    }
    async fn clear_pending_outbox(&self, _: &UserId) -> crate::Result<()> {
        panic!("not asked for")
    }
    async fn take_embedding_budget(&self, _: i64, _: u64, _: u64) -> crate::Result<u64> {
        panic!("not asked for")
    }
    async fn embedded_on(&self, _: i64) -> crate::Result<u64> {
        panic!("not asked for")
    }
    async fn disk_bytes(&self) -> crate::Result<u64> {
        panic!("not asked for")
    }
}

fn due(world: &World, trigger: Trigger) -> DueUser {
    DueUser { user: world.user.clone(), trigger, due_at: NOON }
}

fn short_term(seq: i64) -> Row {
    let mut row = Row::new(seq, "x");
    row.memory.draft.tier = Tier::ShortTerm;
    row
}

#[test]
fn due_times_lie_after_now_and_spread_users_over_an_hour() {
    let settings = settings(&UserSettings::default());
    let mut minutes = HashSet::new();
    for n in 0..200 {
        let user = UserId::parse(&format!("user {n}")).unwrap();
        for offset in [0, 1, 3_599_999_999, 50_400_000_000] {
            let now = Timestamp(NOON.0 + offset);
            let rotation = next_rotation(&user, &[], &settings, now);
            assert!(rotation > now.plus(Span::hours(23)) && rotation < now.plus(Span::hours(25)));
            let daily = next_rotation(&user, &[], &settings, rotation);
            assert_eq!(daily.since(rotation), Span::days(1), "no drift");
            let weekly = next_due(&user, &settings, now);
            assert!(weekly > now.plus(Span::days(6)) && weekly < now.plus(Span::days(8)));
            assert_eq!(next_due(&user, &settings, weekly).since(weekly), Span::days(7), "no drift");
        }
        minutes.insert(next_due(&user, &settings, NOON).0 / Span::seconds(60).0);
    }
    assert!(minutes.len() > 40, "{}", minutes.len());
}

#[test]
fn shortest_interval_still_moves_the_due_time_on() {
    let settings = settings(&UserSettings { meditation_interval: Some(Span::hours(1)), ..UserSettings::default() });
    let user = UserId::parse("ada").unwrap();
    let late = Timestamp(NOON.0 + Span::hours(1).0 - 1);
    assert!(next_due(&user, &settings, late) > late);
}

#[test]
fn run_that_is_due_is_scheduled_once_however_often_it_is_cut_and_repeated() {
    for trigger in [Trigger::Schedule, Trigger::Rotation] {
        let mut cuts = 0;
        loop {
            let world = World::new(Vault::of([short_term(30)]));
            let registry = OneUser::default();
            let due = due(&world, trigger);
            let ended = cut_after(cuts, world.app.start_due(&registry, &due)).is_some();
            finish(world.app.start_due(&registry, &due)).unwrap();
            finish(world.app.start_due(&registry, &due)).unwrap();
            let vault = world.vaults.committed();
            let runs: Vec<_> = vault.runs.values().collect();
            assert_eq!((runs.len(), vault.outbox.len()), (1, 1), "{trigger} cut after {cuts}");
            assert_eq!((runs[0].trigger, runs[0].full), (trigger, trigger == Trigger::Schedule));
            assert_eq!(vault.outbox, [crate::ports::Job::Meditate { meditation_id: runs[0].id }]);
            let moved = registry.moved.lock().unwrap();
            assert!(moved.iter().all(|&(t, was, next)| t == trigger && was == Some(NOON) && next > NOON));
            assert!(!moved.is_empty());
            drop(moved);
            if ended {
                break;
            }
            cuts += 1;
        }
    }
}

/// Notes written at any minute, with rotation checks run exactly when due: measures how long each note lives.
#[test]
fn short_term_memories_live_24_hours_give_or_take_one_whenever_they_were_stored() {
    let settings = settings(&UserSettings::default());
    let user = UserId::parse("ada").unwrap();
    let mut items: Vec<RetentionItem> = Vec::new();
    let (mut due, mut checks) = (NOON.plus(Span::hours(1)), 0);
    for minute in 0..5 * 1_440 {
        let now = NOON.plus(Span::seconds(60 * minute));
        // Notes at 10:00 and 10:12, at 22:40 and 22:57, and at 23:40 and 0:59.
        let of_day = (minute + 720) % 1_440;
        if minute < 3 * 1_440 && [600, 612, 1_360, 1_377, 1_420, 59].contains(&of_day) {
            items.push(RetentionItem { tier: Tier::ShortTerm, created_at: now, ..active(minute, 0.9) });
        }
        if now < due {
            continue;
        }
        checks += 1;
        let over = rotation_is_due(&items, &settings, now);
        due = next_rotation(&user, &items, &settings, now);
        let snapshot = Snapshot {
            settings: settings.clone(),
            as_of: now.start_of_hour(),
            ..snapshot(Trigger::Rotation, items.clone())
        };
        let gone: HashSet<i64> = plan_of(snapshot, 0).decisions.iter().map(|d| d.seq().0).collect();
        assert_eq!(over, !gone.is_empty());
        for item in items.iter().filter(|item| gone.contains(&item.seq.0)) {
            let lived = now.since(item.created_at);
            assert!(lived >= Span::hours(23) && lived <= Span::hours(25), "{lived:?}");
        }
        items.retain(|item| !gone.contains(&item.seq.0));
    }
    assert!(items.is_empty(), "{items:?}");
    assert!(checks < 5 * 6, "{checks} checks in five days");
}

#[test]
fn protected_short_term_memories_trigger_no_rotations() {
    let settings = settings(&UserSettings::default());
    let user = UserId::parse("ada").unwrap();
    let kept = RetentionItem { tier: Tier::ShortTerm, protected: true, ..active(1, 0.9) };
    assert_eq!(
        next_rotation(&user, std::slice::from_ref(&kept), &settings, NOON),
        next_rotation(&user, &[], &settings, NOON)
    );
    assert!(!rotation_is_due(&[RetentionItem { created_at: NOON.minus(Span::days(9)), ..kept }], &settings, NOON));
}

#[test]
fn rotation_of_a_vault_without_short_term_or_archive_only_moves_the_due_time() {
    let world = World::new(Vault::of([Row::new(1, "x")]));
    let registry = OneUser::default();
    finish(world.app.start_due(&registry, &due(&world, Trigger::Rotation))).unwrap();
    assert!(world.vaults.committed().runs.is_empty());
    assert_eq!(registry.moved.lock().unwrap().len(), 1);
}

#[test]
fn waiting_quota_run_is_made_to_score_all_instead_of_a_second_run() {
    let mut vault = Vault::of([Row::new(1, "x")]);
    let waiting = Meditation::scheduled(MeditationId(Uuid::nil()), Trigger::Quota, false, NOON.minus(Span::hours(1)));
    vault.runs.insert(waiting.id, waiting.clone());
    let world = World::new(vault);
    finish(world.app.start_due(&OneUser::default(), &due(&world, Trigger::Schedule))).unwrap();
    let runs: Vec<_> = world.vaults.committed().runs.into_values().collect();
    assert_eq!(runs, [Meditation { full: true, ..waiting }]);
}
