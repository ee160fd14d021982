//! A run that is interrupted anywhere and taken again ends like an undisturbed one (K-4.5).

use std::pin::pin;
use std::task::Poll;

use proptest::prelude::*;

use super::fake::{Row, Vault, World, cut_after, finish, step};
use super::*;
use crate::goals::{Goal, GoalDraft};
use crate::ids::GoalId;

const RUN: MeditationId = MeditationId(Uuid::from_u128(77));

/// A vault in which every step has work, with a waiting run.
pub(super) fn busy_vault(trigger: Trigger, full: bool) -> Vault {
    let texts = ["Spanish lesson with Maria", "the train was late", "running shoes for the marathon"];
    let text = |seq: i64| texts[usize::try_from(seq % 3).unwrap()];
    let mut vault = Vault::of(
        (1..=120).map(|seq| Row::new(seq, text(seq))).chain((150..=200).map(|seq| Row::archived(seq, text(seq)))),
    );
    for row in vault.rows.values_mut() {
        let seq = row.memory.seq.0;
        row.memory.draft.tier = *[Tier::LongTerm, Tier::LongTerm, Tier::ShortTerm, Tier::Permanent]
            .get(usize::try_from(seq % 4).unwrap())
            .unwrap();
        row.memory.draft.protected = seq % 11 == 0;
        row.marked = seq % 5 != 0;
        row.memory.score = f64::from(i32::try_from(seq % 10).unwrap()) / 10.0;
        if seq >= 150 && seq % 7 == 0 {
            row.memory.state = MemoryState::Deleted;
        }
    }
    let user = UserSettings { daily_prune_cap_bytes: Some(750), low_score: Some(0.3), ..tight() };
    vault.settings.settings = user;
    let draft = GoalDraft { title: "Learn Spanish".to_owned(), importance: 1.0, ..GoalDraft::default() };
    vault.goals = vec![Goal { id: GoalId(Uuid::nil()), draft, created_at: NOON, updated_at: NOON, revision: 1 }];
    vault.runs.insert(RUN, Meditation::scheduled(RUN, trigger, full, NOON));
    vault
}

/// Returns everything that must be the same at the end, whatever happened in between.
fn end_state(world: &World) -> (Vec<Row>, Meditation, Vec<RecordedDecision>, Vec<u64>) {
    let vault = world.vaults.committed();
    let run = Meditation { generation: 0, ..vault.runs[&RUN].clone() };
    (vault.rows.into_values().collect(), run, vault.decisions, vault.erased.into_values().collect())
}

const KINDS: [(Trigger, bool); 4] =
    [(Trigger::Schedule, true), (Trigger::Request, false), (Trigger::Quota, false), (Trigger::Rotation, false)];

fn undisturbed(trigger: Trigger, full: bool) -> World {
    let world = World::new(busy_vault(trigger, full));
    finish(world.app.run_meditation(&world.user, RUN)).unwrap();
    world
}

#[test]
fn busy_vault_gives_every_step_something_to_do() {
    let world = undisturbed(Trigger::Schedule, true);
    let (_, run, decisions, erased) = end_state(&world);
    assert_eq!(run.status, MeditationStatus::Complete);
    assert!(run.processed > 100 && run.archived > 64 && run.pruned > 3, "{run:?}");
    for reason in [Reason::OverQuota, Reason::Expired, Reason::GracePassed, Reason::OwnerDeleted, Reason::Protected] {
        assert!(decisions.iter().any(|recorded| recorded.decision.reason == reason), "{reason}");
    }
    assert!(decisions.iter().any(|recorded| recorded.decision.reason == Reason::DailyCap));
    assert!(erased[0] > 0 && erased[0] <= 750);
    assert_eq!(run.archived, run.tiers.iter().map(|tier| tier.archived).sum::<u64>());
    assert_eq!(run.pruned, run.tiers.iter().map(|tier| tier.deleted).sum::<u64>());
    assert!(run.tiers.iter().all(|tier| tier.bytes_after < tier.bytes_before));
    let positions: Vec<u64> = decisions.iter().map(|recorded| recorded.position).collect();
    assert_eq!(positions, (1..=decisions.len() as u64).collect::<Vec<_>>());
}

#[test]
fn run_cut_at_any_point_and_run_again_ends_as_an_undisturbed_one() {
    for (trigger, full) in KINDS {
        let expected = end_state(&undisturbed(trigger, full));
        let mut cuts = 0;
        loop {
            let world = World::new(busy_vault(trigger, full));
            let ended = cut_after(cuts, world.app.run_meditation(&world.user, RUN)).is_some();
            finish(world.app.run_meditation(&world.user, RUN)).unwrap();
            assert_eq!(end_state(&world), expected, "{trigger} cut after {cuts}");
            if ended {
                break;
            }
            cuts += 1;
        }
        assert!(cuts > 30, "{trigger} can be cut in many places: {cuts}");
    }
}

#[test]
fn hour_that_ages_are_counted_from_stays_that_of_the_first_start() {
    let expected = end_state(&undisturbed(Trigger::Schedule, true));
    for cuts in [15, 20, 25, 30] {
        let world = World::new(busy_vault(Trigger::Schedule, true));
        assert!(cut_after(cuts, world.app.run_meditation(&world.user, RUN)).is_none());
        world.stage.set(NOON.plus(Span::hours(5)));
        finish(world.app.run_meditation(&world.user, RUN)).unwrap();
        let (rows, run, decisions, _) = end_state(&world);
        let decided = |all: &[RecordedDecision]| all.iter().map(|one| one.decision.clone()).collect::<Vec<_>>();
        assert_eq!(decided(&decisions), decided(&expected.2), "cut after {cuts}");
        let worth = |rows: &[Row]| rows.iter().map(|row| (row.memory.seq, row.record.clone())).collect::<Vec<_>>();
        assert_eq!(worth(&rows), worth(&expected.0));
        assert_eq!((run.as_of, run.started_at), (expected.1.as_of, expected.1.started_at));
    }
}

#[test]
fn memory_that_a_cut_run_archived_is_not_erased_when_it_goes_on_even_without_any_grace() {
    let start = || {
        let mut vault = busy_vault(Trigger::Quota, false);
        vault.settings.settings.grace = Some(Span(0));
        vault.settings.settings.daily_prune_cap_bytes = Some(1 << 20);
        let world = World::new(vault);
        world.stage.set(NOON);
        world
    };
    let whole = start();
    finish(whole.app.run_meditation(&whole.user, RUN)).unwrap();
    for cuts in (0..400).step_by(7) {
        let world = start();
        cut_after(cuts, world.app.run_meditation(&world.user, RUN));
        finish(world.app.run_meditation(&world.user, RUN)).unwrap();
        assert_eq!(end_state(&world), end_state(&whole), "cut after {cuts}");
    }
}

#[test]
fn two_workers_on_the_same_run_apply_nothing_twice() {
    let expected = end_state(&undisturbed(Trigger::Schedule, true));
    for (lead, ratio) in [(0, 1), (5, 2), (30, 1), (90, 3), (150, 1), (200, 2)] {
        let world = World::new(busy_vault(Trigger::Schedule, true));
        let mut first = pin!(world.app.run_meditation(&world.user, RUN));
        let mut second = pin!(world.app.run_meditation(&world.user, RUN));
        let mut ended = [false; 2];
        for turn in 0.. {
            if !ended[0] && (turn < lead || turn % ratio == 0 || ended[1]) {
                ended[0] = matches!(step(first.as_mut()), Poll::Ready(result) if result.is_ok());
            }
            if !ended[1] && turn >= lead {
                ended[1] = matches!(step(second.as_mut()), Poll::Ready(result) if result.is_ok());
            }
            if ended == [true; 2] {
                break;
            }
        }
        assert_eq!(end_state(&world), expected, "lead {lead}");
    }
}

#[test]
fn run_that_is_over_is_not_run_again() {
    let world = undisturbed(Trigger::Schedule, true);
    let before = world.vaults.committed();
    finish(world.app.run_meditation(&world.user, RUN)).unwrap();
    finish(world.app.run_meditation(&world.user, MeditationId(Uuid::nil()))).unwrap();
    assert_eq!(world.vaults.committed().audit, before.audit);
    assert_eq!(world.vaults.committed().runs, before.runs);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn any_number_of_cuts_makes_no_difference(
        kind in proptest::sample::select(&KINDS[..]),
        cuts in proptest::collection::vec(1_usize..400, 1..6),
    ) {
        let world = World::new(busy_vault(kind.0, kind.1));
        for cut in cuts {
            cut_after(cut, world.app.run_meditation(&world.user, RUN));
        }
        finish(world.app.run_meditation(&world.user, RUN)).unwrap();
        prop_assert_eq!(end_state(&world), end_state(&undisturbed(kind.0, kind.1)));
    }
}
