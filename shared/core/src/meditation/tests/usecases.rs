//! Dry runs, plan tokens, repeated requests, and the end of a session.

use std::sync::Arc;

use super::fake::{Row, Vault, World, cut_after, finish};
use super::resume::busy_vault;
use super::*;
use crate::audit::{AuditEntry, PRUNED};
use crate::error::Error;
use crate::usecases::page::PageRequest;
use crate::usecases::{EndSessionInput, MeditateInput, Meditated};

/// The busy vault without a run.
fn world() -> World {
    let mut vault = busy_vault(Trigger::Request, false);
    vault.runs.clear();
    World::new(vault)
}

fn meditate(world: &World, input: MeditateInput) -> crate::Result<Meditated> {
    finish(world.app.meditate(&world.user, input))
}

fn dry_run(world: &World, full: bool) -> Meditated {
    meditate(world, MeditateInput { dry_run: true, full, ..MeditateInput::default() }).unwrap()
}

fn run(world: &World, id: MeditationId) -> Meditation {
    finish(world.app.run_meditation(&world.user, id)).unwrap();
    world.vaults.committed().runs[&id].clone()
}

#[test]
fn dry_run_changes_nothing_and_shows_what_the_run_then_does() {
    for full in [false, true] {
        let world = world();
        let plan = dry_run(&world, full);
        assert!(world.vaults.committed().audit.is_empty() && world.vaults.committed().runs.is_empty());
        let asked = meditate(&world, MeditateInput { full, ..MeditateInput::default() }).unwrap();
        assert_eq!(asked.meditation.status, MeditationStatus::Scheduled);
        let ran = run(&world, asked.meditation.id);
        let did: Vec<_> = world.vaults.committed().decisions.iter().map(|recorded| recorded.decision.clone()).collect();
        assert_eq!(did, plan.decisions);
        let counts = |run: &Meditation| {
            (run.processed, run.archived, run.pruned, run.archived_bytes, run.pruned_bytes, run.tiers.clone())
        };
        assert_eq!(counts(&ran), counts(&plan.meditation));
        assert!(plan.dry_run && !asked.dry_run && plan.meditation.id.0.is_nil());
    }
}

#[test]
fn old_entries_of_the_audit_go_after_a_run_and_the_audit_tells_so() {
    for (kept_for, gone) in [(None, 0), (Some(Span::days(30)), 1_200), (Some(Span::days(500)), 0)] {
        let mut vault = busy_vault(Trigger::Request, false);
        vault.runs.clear();
        let at = |n: i64| NOON.minus(Span::days(400)).plus(Span::seconds(n));
        vault.audit = (0..1_200)
            .map(|n| AuditEntry {
                at: at(n),
                actor: "user".into(),
                action: "memory.create",
                refused: None,
                subject: None,
                count: 1,
            })
            .collect();
        let mut world = World::new(vault);
        world.app.defaults =
            Arc::new(ServerDefaults { audit_kept_for: kept_for, ..ServerDefaults::clone(&world.app.defaults) });
        let asked = meditate(&world, MeditateInput::default()).unwrap();
        run(&world, asked.meditation.id);
        let audit = world.vaults.committed().audit;
        let told: Vec<u64> = audit.iter().filter(|entry| entry.action == PRUNED).map(|entry| entry.count).collect();
        assert!(told.iter().sum::<u64>() == gone && told.iter().all(|count| (1..=500).contains(count)), "{told:?}");
        assert_eq!(audit.iter().filter(|entry| entry.at < at(1_200)).count() as u64, 1_200 - gone);
    }
}

#[test]
fn plan_that_was_shown_is_the_plan_that_is_applied() {
    let world = world();
    let plan = dry_run(&world, true);
    // Two hours later ages would differ, but the plan states the hour that ages count from.
    world.stage.set(NOON.plus(Span::hours(2)));
    let input = MeditateInput { full: true, plan_token: plan.plan_token.unwrap(), ..MeditateInput::default() };
    let ran = run(&world, meditate(&world, input).unwrap().meditation.id);
    assert_eq!((ran.status, ran.as_of, ran.archived), (MeditationStatus::Complete, NOON, plan.meditation.archived));
}

#[test]
fn plan_that_would_not_be_made_any_more_is_refused_at_once() {
    let world = world();
    let plan_token = dry_run(&world, false).plan_token.unwrap();
    world.vaults.change(|vault| vault.rows.values_mut().for_each(|row| row.memory.size_bytes += 60));
    let error = meditate(&world, MeditateInput { plan_token, ..MeditateInput::default() }).unwrap_err();
    assert!(matches!(error, Error::PlanChanged));
    assert!(world.vaults.committed().runs.is_empty());
}

#[test]
fn plan_that_changed_before_the_worker_came_fails_and_nothing_is_applied() {
    let world = world();
    let plan_token = dry_run(&world, true).plan_token.unwrap();
    let input = MeditateInput { full: true, plan_token, ..MeditateInput::default() };
    let id = meditate(&world, input).unwrap().meditation.id;
    world.vaults.change(|vault| vault.rows.values_mut().for_each(|row| row.memory.size_bytes += 60));
    let before = world.vaults.committed();
    // Also when the worker is interrupted on the way.
    for cuts in [0, 9, 14] {
        cut_after(cuts, world.app.run_meditation(&world.user, id));
    }
    let ran = run(&world, id);
    assert_eq!((ran.status, ran.error), (MeditationStatus::Failed, Some(Error::PlanChanged.to_string())));
    assert_eq!(world.vaults.committed().rows, before.rows, "not even scores were stored");
}

#[test]
fn a_planned_run_that_is_interrupted_and_resumed_still_follows_its_plan() {
    let plan = dry_run(&world(), true);
    for cuts in (0..300).step_by(11) {
        let world = world();
        let plan_token = plan.plan_token.clone().unwrap();
        let input = MeditateInput { full: true, plan_token, ..MeditateInput::default() };
        let id = meditate(&world, input).unwrap().meditation.id;
        cut_after(cuts, world.app.run_meditation(&world.user, id));
        assert_eq!(run(&world, id).status, MeditationStatus::Complete, "cut after {cuts}");
        let did: Vec<_> = world.vaults.committed().decisions.iter().map(|recorded| recorded.decision.clone()).collect();
        assert_eq!(did, plan.decisions, "cut after {cuts}");
    }
}

#[test]
fn token_that_no_dry_run_returned_is_refused() {
    let world = world();
    let future = PlanToken::of(NOON.plus(Span::hours(1)), &[]).to_string();
    for plan_token in ["x".to_owned(), future] {
        let error = meditate(&world, MeditateInput { plan_token, ..MeditateInput::default() }).unwrap_err();
        assert!(matches!(&error, Error::Invalid(found) if found[0].field == "plan_token"), "{error}");
    }
    let token = dry_run(&world, false).plan_token.unwrap();
    let both = MeditateInput { dry_run: true, plan_token: token, ..MeditateInput::default() };
    assert!(matches!(meditate(&world, both), Err(Error::Invalid(_))));
}

#[test]
fn run_that_waits_is_returned_instead_of_a_second_one_if_it_does_as_much() {
    let world = world();
    let ask = |full| meditate(&world, MeditateInput { full, ..MeditateInput::default() }).unwrap().meditation.id;
    let first = ask(false);
    assert_eq!(ask(false), first);
    let full = ask(true);
    assert_ne!(full, first, "it would score less than asked for");
    assert_eq!(world.vaults.committed().outbox.len(), 2);
}

#[test]
fn request_that_comes_twice_is_answered_as_before_even_after_its_plan_was_carried_out() {
    let world = world();
    let plan_token = dry_run(&world, true).plan_token.unwrap();
    let input = MeditateInput { full: true, plan_token, request_id: "r".to_owned(), ..MeditateInput::default() };
    let first = meditate(&world, input.clone()).unwrap();
    run(&world, first.meditation.id);
    assert_eq!(meditate(&world, input.clone()).unwrap(), first);
    let other = MeditateInput { full: false, plan_token: String::new(), ..input };
    assert!(matches!(meditate(&world, other), Err(Error::RequestIdReused { .. })));
    assert_eq!(world.vaults.committed().outbox.len(), 1);
}

#[test]
fn ended_session_is_archived_at_once_and_once() {
    let row = |seq, session: &str| {
        let mut row = Row::new(seq, "x");
        row.memory.draft.tier = Tier::ShortTerm;
        row.memory.draft.session_id = Some(session.to_owned());
        row.memory.draft.protected = seq == 4;
        row
    };
    let mut other_tier = row(20, "s");
    other_tier.memory.draft.tier = Tier::LongTerm;
    let world = World::new(Vault::of((1..=9).map(|seq| row(seq, "s")).chain([row(30, "t"), other_tier])));
    let end = |session: &str, request_id: &str| {
        let input = EndSessionInput { session_id: session.to_owned(), request_id: request_id.to_owned() };
        finish(world.app.end_session(&world.user, input))
    };
    let first = end(" s ", "r").unwrap();
    assert_eq!((first.archived, first.archived_bytes), (8, 800));
    assert_eq!(end(" s ", "r").unwrap(), first);
    assert!(matches!(end("t", "r"), Err(Error::RequestIdReused { .. })));
    assert_eq!(end("s", "").unwrap().archived, 0);
    assert_eq!(end("never seen", "").unwrap().archived, 0);
    for wrong in ["", "  ", "a\nb", &"x".repeat(129)] {
        assert!(matches!(end(wrong, ""), Err(Error::Invalid(found)) if found[0].field == "session_id"), "{wrong}");
    }
    let vault = world.vaults.committed();
    let gone: Vec<i64> =
        vault.rows.values().filter(|r| r.memory.archived_at.is_some()).map(|r| r.memory.seq.0).collect();
    assert_eq!(gone, [1, 2, 3, 5, 6, 7, 8, 9]);
    let run = vault.runs.values().next().unwrap();
    assert_eq!((run.trigger, run.status, run.archived), (Trigger::SessionEnd, MeditationStatus::Complete, 8));
    let grace_ends = Some(first.ended_at.plus(Span::days(30)));
    assert!(vault.rows.values().all(|row| row.memory.delete_after.is_none_or(|end| Some(end) == grace_ends)));
}

#[test]
fn decisions_of_a_run_are_read_page_by_page() {
    let world = world();
    let id = meditate(&world, MeditateInput::default()).unwrap().meditation.id;
    run(&world, id);
    let (mut page, mut seen) = (PageRequest { size: 7, token: String::new() }, 0);
    loop {
        let read = finish(world.app.get_meditation(&world.user, id, &page)).unwrap();
        assert!(read.decisions.iter().all(|recorded| {
            seen += 1;
            recorded.position == seen
        }));
        page.token = read.next;
        if page.token.is_empty() {
            break;
        }
    }
    assert_eq!(seen, world.vaults.committed().decisions.len() as u64);
    let missing = finish(world.app.get_meditation(&world.user, MeditationId(Uuid::nil()), &PageRequest::default()));
    assert!(matches!(missing, Err(Error::NotFound { .. })));
}

#[test]
fn runs_are_listed_newest_first_page_by_page() {
    let world = World::new(Vault::default());
    world.vaults.change(|vault| {
        for number in 1..=5 {
            let run = Meditation::scheduled(MeditationId(Uuid::from_u128(number)), Trigger::Rotation, false, NOON);
            vault.runs.insert(run.id, run);
        }
    });
    let (mut page, mut seen) = (PageRequest { size: 2, token: String::new() }, Vec::new());
    for _ in 0..3 {
        let read = finish(world.app.list_meditations(&world.user, &page)).unwrap();
        seen.extend(read.meditations.iter().map(|run| run.id.0.as_u128()));
        page.token = read.next;
    }
    assert_eq!((seen, page.token.as_str()), (vec![5, 4, 3, 2, 1], ""));
}
