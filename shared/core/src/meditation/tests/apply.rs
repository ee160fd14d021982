//! Changes made to a vault between plan and application take precedence.

use std::pin::pin;
use std::task::Poll;

use super::fake::{Row, Vault, World, cut_after, finish, step};
use super::resume::busy_vault;
use super::*;
use crate::memory::{Memory, RecordKind, SourceType};

const RUN: MeditationId = MeditationId(Uuid::from_u128(77));

/// Runs a run and changes the vault once, at the `at`th point where no transaction is open. `None` if the run ended
/// before.
fn interrupted(world: &World, at: usize, change: impl FnOnce(&mut Vault)) -> Option<Vault> {
    let mut run = pin!(world.app.run_meditation(&world.user, RUN));
    let (mut free, mut change) = (0, Some(change));
    let mut seen = None;
    loop {
        if world.vaults.is_free() {
            if free == at
                && let Some(change) = change.take()
            {
                world.vaults.change(change);
                seen = Some(world.vaults.committed());
            }
            free += 1;
        }
        if let Poll::Ready(result) = step(run.as_mut()) {
            result.unwrap();
            return seen;
        }
    }
}

#[test]
fn memory_that_its_owner_protects_while_a_run_is_at_it_is_left_alone() {
    let mut ran = 0;
    for at in (0..).step_by(3) {
        let world = World::new(busy_vault(Trigger::Request, false));
        let protect = |vault: &mut Vault| vault.rows.values_mut().for_each(|row| row.memory.draft.protected = true);
        let Some(then) = interrupted(&world, at, protect) else { break };
        let end = world.vaults.committed();
        for row in then.rows.values().filter(|row| row.memory.state != MemoryState::Deleted) {
            let now = end.rows.get(&row.memory.seq).expect("what is protected is not erased");
            assert_eq!(now.memory.state, row.memory.state, "at {at}");
        }
        ran += 1;
    }
    assert!(ran > 10, "{ran}");
}

/// Tests the check of `carry_out` by itself, without the plan, which would leave such memories out.
#[test]
fn nothing_that_lasts_is_taken_by_a_batch_whichever_kinds_it_holds() {
    let lasting: [fn(&mut Memory); 4] = [
        |memory| memory.draft.protected = true,
        |memory| memory.draft.kind = RecordKind::Value,
        |memory| memory.draft.kind = RecordKind::Drive,
        |memory| memory.draft.source_type = Some(SourceType::Correction),
    ];
    for (make, state) in lasting.into_iter().flat_map(|make| MemoryState::ALL.iter().map(move |state| (make, *state))) {
        for &kind in Kind::ALL.iter().filter(|kind| kind.rules().effect() != kinds::Effect::None) {
            let mut row = Row::archived(1, "stays");
            make(&mut row.memory);
            row.memory.state = state;
            let change = Change::of(&RetentionItem::of(&row.memory), kind, Reason::OverQuota, kinds::Body::default());
            let world = World::new(Vault::of([row]));
            let taken = finish(world.app.vaults.transact(&world.user, "test", move |tx| {
                let change = change.clone();
                Box::pin(async move {
                    let standing = kinds::standing(tx, std::slice::from_ref(&change)).await?;
                    let when = kinds::Applying { at: NOON, delete_after: NOON, making: None };
                    kinds::carry_out(tx, RUN, vec![change], &standing, when).await
                })
            }));
            assert_eq!(!taken.unwrap().is_empty(), state == MemoryState::Deleted, "{kind} {state}");
        }
    }
}

#[test]
fn memory_that_is_rescued_while_a_run_is_at_it_stays() {
    for at in (0..).step_by(3) {
        let world = World::new(busy_vault(Trigger::Rotation, false));
        let rescue = |vault: &mut Vault| {
            for row in vault.rows.values_mut().filter(|row| row.memory.state != MemoryState::Active) {
                row.memory.state = MemoryState::Active;
                row.memory.delete_after = None;
            }
        };
        let Some(then) = interrupted(&world, at, rescue) else { break };
        assert_eq!(then.rows.len(), world.vaults.committed().rows.len(), "at {at}");
    }
}

#[test]
fn memory_that_is_touched_while_it_is_scored_stays_due_for_scoring() {
    for at in (0..).step_by(3) {
        let world = World::new(busy_vault(Trigger::Schedule, true));
        let touch = |vault: &mut Vault| {
            for row in vault.rows.values_mut() {
                row.memory.access_count = 9;
                row.marked = true;
            }
        };
        if interrupted(&world, at, touch).is_none() {
            break;
        }
        for row in world.vaults.committed().rows.values().filter(|row| row.memory.state != MemoryState::Deleted) {
            let counted = row.record.as_ref().map(|record| record.inputs["access_count"].to_bits());
            assert!(row.marked || counted == Some(9_f64.to_bits()), "at {at}: {row:?}");
        }
    }
}

#[test]
fn what_another_run_erases_meanwhile_counts_for_the_daily_cap() {
    for at in 0.. {
        let world = World::new(busy_vault(Trigger::Rotation, false));
        let erase = |vault: &mut Vault| {
            let today = vault.erased.entry(NOON.day()).or_default();
            *today = 700.max(*today);
        };
        if interrupted(&world, at, erase).is_none() {
            break;
        }
        let erased = world.vaults.committed().erased[&NOON.day()];
        assert!((700..=750).contains(&erased), "at {at}: {erased}");
    }
}

#[test]
fn two_runs_at_once_share_one_daily_cap() {
    const OTHER: MeditationId = MeditationId(Uuid::from_u128(78));
    for lead in [0, 3, 10, 15, 25] {
        let mut vault = busy_vault(Trigger::Rotation, false);
        vault.runs.insert(OTHER, Meditation::scheduled(OTHER, Trigger::Rotation, false, NOON));
        let world = World::new(vault);
        let mut first = pin!(world.app.run_meditation(&world.user, RUN));
        for _ in 0..lead {
            assert!(step(first.as_mut()).is_pending());
        }
        let mut second = pin!(world.app.run_meditation(&world.user, OTHER));
        let mut ended = [false; 2];
        while ended != [true; 2] {
            ended[0] = ended[0] || step(first.as_mut()).is_ready();
            ended[1] = ended[1] || step(second.as_mut()).is_ready();
        }
        let end = world.vaults.committed();
        assert!(end.erased.values().all(|bytes| *bytes <= 750), "{:?}", end.erased);
        let runs = [RUN, OTHER].map(|id| end.runs[&id].clone());
        let carried_out = |id| {
            let of_run = end.decisions.iter().filter(|recorded| recorded.meditation_id == id);
            of_run.filter(|recorded| recorded.decision.kind != Kind::Spare).count() as u64
        };
        assert!(runs.iter().all(|run| run.archived + run.pruned == carried_out(run.id)), "{runs:?}");
    }
}

#[test]
fn spares_are_recorded_only_by_runs_that_look_at_everything_and_only_so_many() {
    let protected = |seq| {
        let mut row = Row::archived(seq, "x");
        row.memory.draft.protected = true;
        row
    };
    for (trigger, expected) in
        [(Trigger::Request, 128), (Trigger::Schedule, 128), (Trigger::Rotation, 0), (Trigger::Quota, 0)]
    {
        let mut vault = Vault::of((1..=200).map(protected));
        vault.runs.insert(RUN, Meditation::scheduled(RUN, trigger, false, NOON));
        let world = World::new(vault);
        finish(world.app.run_meditation(&world.user, RUN)).unwrap();
        assert_eq!(world.vaults.committed().decisions.len(), expected, "{trigger}");
    }
}

#[test]
fn cut_run_records_no_more_spares_than_an_undisturbed_one() {
    let row = |seq| {
        let mut row = if seq > 300 { Row::new(seq, "x") } else { Row::archived(seq, "x") };
        row.memory.draft.protected = seq % 2 == 0;
        row
    };
    for cuts in (10..250).step_by(10) {
        let mut vault = Vault::of((1..=500).map(row));
        vault.settings.settings = UserSettings { daily_prune_cap_bytes: Some(5_000), ..tight() };
        vault.runs.insert(RUN, Meditation::scheduled(RUN, Trigger::Request, false, NOON));
        let world = World::new(vault);
        cut_after(cuts, world.app.run_meditation(&world.user, RUN));
        finish(world.app.run_meditation(&world.user, RUN)).unwrap();
        let end = world.vaults.committed();
        let spares = end.decisions.iter().filter(|recorded| recorded.decision.kind == Kind::Spare).count();
        assert_eq!(spares, 128, "cut after {cuts}");
    }
}

#[test]
fn run_tidies_up_old_runs_and_answers() {
    let mut vault = busy_vault(Trigger::Request, false);
    for number in 0..150 {
        let id = MeditationId(Uuid::from_u128(1_000 + number));
        let mut run = Meditation::scheduled(id, Trigger::Rotation, false, NOON);
        run.complete(NOON.minus(Span::days(91)));
        vault.runs.insert(id, run);
    }
    let answer = |hours, n: i32| crate::ports::RequestRecord {
        request_id: format!("{hours} {n}"),
        fingerprint: [0; 32],
        answer: String::new(),
        at: NOON.minus(Span::hours(hours)),
    };
    vault.requests = (0..1_200).map(|n| answer(25, n)).chain([answer(23, 0)]).collect();
    let world = World::new(vault);
    finish(world.app.run_meditation(&world.user, RUN)).unwrap();
    let end = world.vaults.committed();
    assert_eq!(end.requests.len(), 1);
    assert_eq!(end.runs.len(), 101, "the latest hundred and the one that ran");
}

#[test]
fn run_that_is_given_up_says_why_and_stops_its_worker() {
    let world = World::new(busy_vault(Trigger::Request, false));
    let mut run = pin!(world.app.run_meditation(&world.user, RUN));
    for _ in 0..60 {
        assert!(step(run.as_mut()).is_pending());
    }
    let mut give_up = pin!(world.app.fail_meditation(&world.user, RUN, "five attempts failed"));
    while step(give_up.as_mut()).is_pending() {
        let _ = step(run.as_mut());
    }
    let then = world.vaults.committed();
    finish(run).unwrap();
    let end = world.vaults.committed();
    assert_eq!(end.runs[&RUN].status, MeditationStatus::Failed);
    assert_eq!(end.runs[&RUN].error.as_deref(), Some("five attempts failed"));
    assert_eq!(end.rows, then.rows);
    finish(world.app.fail_meditation(&world.user, RUN, "again")).unwrap();
    assert_eq!(world.vaults.committed().runs, end.runs);
}

/// Nothing takes effect here, because there is nothing to make a record with.
#[test]
fn what_comes_to_nothing_is_not_recorded_as_done() {
    for kind in [Kind::Merge, Kind::Conclude, Kind::Describe] {
        let rows = [Row::new(1, "same"), Row::new(2, "same")];
        let subject = |row: &Row| Subject { id: row.memory.id.0, seq: row.memory.seq };
        let subjects = rows.iter().map(subject).collect();
        let makes = Change { step: "", kind, subjects, reason: Reason::SaysTheSame, body: kinds::Body::default() };
        let spared = RetentionItem::of(&rows[0].memory);
        let spared = Change::of(&spared, Kind::Spare, Reason::Protected, kinds::Body::default());
        let world = World::new(Vault::of(rows));
        let done = finish(world.app.vaults.transact(&world.user, "test", move |tx| {
            let changes = vec![makes.clone(), spared.clone()];
            Box::pin(async move {
                let standing = kinds::standing(tx, &changes).await?;
                let when = kinds::Applying { at: NOON, delete_after: NOON, making: None };
                kinds::carry_out(tx, RUN, changes, &standing, when).await
            })
        }));
        let kinds = |changes: &[Change]| changes.iter().map(|change| change.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&done.unwrap()), [Kind::Spare], "{kind}");
        let recorded: Vec<Change> = world.vaults.committed().decisions.into_iter().map(|one| one.decision).collect();
        assert_eq!(kinds(&recorded), [Kind::Spare], "{kind}");
    }
}
