//! Tests which steps take part in a run, and the restrictions of runs.

use std::sync::Arc;

use async_trait::async_trait;

use super::fake::{Row, Vault, World, cut_after, finish};
use super::resume::busy_vault;
use super::steps::{Context, Shared, Source, Step, is_proposed, pipeline};
use super::*;
use crate::Result;
use crate::error::Error;
use crate::meditation::kinds::{Applying, Body, carry_out, standing};
use crate::settings::{ServerDefaults, StepSetting, StepSettings};
use crate::usecases::{MeditateInput, Meditated};

/// The busy vault without a run, on a server with these step settings.
fn world(settings: &[(&'static str, StepSetting)]) -> World {
    let mut vault = busy_vault(Trigger::Request, false);
    vault.runs.clear();
    let mut world = World::new(vault);
    let steps = StepSettings(settings.iter().copied().collect());
    world.app.defaults = Arc::new(ServerDefaults { steps, ..ServerDefaults::clone(&world.app.defaults) });
    world
}

fn only(steps: &[&str], ids: &[MemoryId]) -> MeditateInput {
    MeditateInput {
        steps: steps.iter().map(|step| (*step).to_owned()).collect(),
        ids: ids.iter().map(ToString::to_string).collect(),
        ..MeditateInput::default()
    }
}

fn meditate(world: &World, input: MeditateInput) -> Result<Meditated> {
    finish(world.app.meditate(&world.user, input))
}

/// Carries out a run of this trigger, and returns it.
fn ran(world: &World, trigger: Trigger) -> Meditation {
    let id = MeditationId(Uuid::from_u128(900 + world.vaults.committed().runs.len() as u128));
    let now = crate::ports::Clock::now(&*world.stage);
    world.vaults.change(|vault| _ = vault.runs.insert(id, Meditation::scheduled(id, trigger, false, now)));
    finish(world.app.run_meditation(&world.user, id)).unwrap();
    world.vaults.committed().runs[&id].clone()
}

fn violation(result: Result<Meditated>) -> (String, String) {
    let Err(Error::Invalid(found)) = result else { panic!("{result:?}") };
    (found[0].field.clone(), found[0].problem.clone())
}

#[test]
fn only_the_steps_that_were_asked_for_run_and_the_plan_is_what_the_run_does() {
    for (step, reasons) in [("rotate", &["expired"][..]), ("retain", &["over_quota"]), ("score", &[])] {
        let world = world(&[]);
        let plan = meditate(&world, MeditateInput { dry_run: true, ..only(&[step], &[]) }).unwrap();
        assert_eq!(
            (&plan.meditation.steps[..], &plan.meditation.asked.steps[..]),
            (&[step.to_owned()][..], &[step.to_owned()][..])
        );
        let changes = plan.decisions.iter().filter(|change| change.kind != Kind::Spare);
        let mut found: Vec<&str> = changes.map(|change| change.reason.name()).collect();
        found.dedup();
        assert_eq!(found, reasons, "{step}");
        assert!(plan.decisions.iter().all(|change| change.step == step));
        let asked = MeditateInput { plan_token: plan.plan_token.unwrap(), ..only(&[step], &[]) };
        let id = meditate(&world, asked).unwrap().meditation.id;
        finish(world.app.run_meditation(&world.user, id)).unwrap();
        let end = world.vaults.committed();
        assert_eq!((end.runs[&id].status, end.runs[&id].processed > 0), (MeditationStatus::Complete, step == "score"));
        let did: Vec<Change> = end.decisions.into_iter().map(|recorded| recorded.decision).collect();
        assert_eq!(did, plan.decisions, "{step}");
    }
}

#[test]
fn a_run_restricted_to_memories_scores_and_changes_no_others() {
    let world = world(&[]);
    let before = world.vaults.committed();
    let ids: Vec<MemoryId> = [150, 4, 5, 151, 2].map(memory_id).into();
    let id = meditate(&world, only(&[], &ids)).unwrap().meditation.id;
    finish(world.app.run_meditation(&world.user, id)).unwrap();
    let end = world.vaults.committed();
    let changed: Vec<i64> =
        before.rows.iter().filter(|(seq, row)| end.rows.get(seq) != Some(row)).map(|(seq, _)| seq.0).collect();
    assert!(changed.iter().all(|seq| ids.contains(&memory_id(*seq))), "{changed:?}");
    let run = &end.runs[&id];
    let active = |seq: &&i64| before.rows[&Seq(**seq)].memory.state != MemoryState::Deleted;
    assert_eq!(run.processed, [2, 4, 5, 150, 151].iter().filter(active).count() as u64, "also those without a mark");
    assert!(end.decisions.iter().all(|recorded| ids.contains(&recorded.decision.memory_id())));
}

#[test]
fn what_is_asked_for_and_is_not_there_is_refused_by_name() {
    let world = world(&[("expire", StepSetting { enabled: false, ..StepSetting::default() })]);
    let (field, problem) = violation(meditate(&world, only(&["score", "dream"], &[])));
    assert_eq!(field, "steps[1]");
    let names = pipeline().map(Step::name).join(", ");
    assert_eq!(problem, format!("is \"dream\", which is not a step; there are {names}"));
    assert_eq!(violation(meditate(&world, only(&["expire"], &[]))).0, "steps");
    let wrong = MeditateInput { ids: vec!["med_1".to_owned()], ..MeditateInput::default() };
    assert_eq!(violation(meditate(&world, wrong)).0, "ids[0]");
    let many = |n: i64| only(&[], &(1..=n).map(memory_id).collect::<Vec<_>>());
    assert_eq!(violation(meditate(&world, many(1_001))).0, "ids");
    let missing = meditate(&world, many(1_000));
    assert!(matches!(missing, Err(Error::NotFound { .. })), "{missing:?}");
    assert!(world.vaults.committed().runs.is_empty());
}

#[test]
fn others_do_not_wait_for_a_restricted_run() {
    let world = world(&[]);
    let narrow = meditate(&world, only(&["score"], &[])).unwrap().meditation.id;
    let everything = meditate(&world, MeditateInput::default()).unwrap().meditation.id;
    assert_ne!(narrow, everything);
    assert_eq!(meditate(&world, MeditateInput::default()).unwrap().meditation.id, everything);
    assert_ne!(meditate(&world, only(&["score"], &[])).unwrap().meditation.id, everything);
}

#[test]
fn step_that_is_switched_off_takes_part_in_no_run() {
    for trigger in [Trigger::Schedule, Trigger::Quota, Trigger::Request, Trigger::Rotation] {
        let world = world(&[("expire", StepSetting { enabled: false, ..StepSetting::default() })]);
        let run = ran(&world, trigger);
        assert!(run.pruned == 0 && run.archived > 0 && !run.steps.contains(&"expire".to_owned()), "{run:?}");
    }
}

#[test]
fn step_makes_no_more_changes_than_its_cap_wherever_its_run_is_cut() {
    let cap = StepSetting { cap: Some(40), ..StepSetting::default() };
    for cuts in (0..160).step_by(13) {
        let world = world(&[("retain", cap), ("rotate", StepSetting { cap: Some(0), ..cap }), ("score", cap)]);
        let id = meditate(&world, MeditateInput::default()).unwrap().meditation.id;
        cut_after(cuts, world.app.run_meditation(&world.user, id));
        finish(world.app.run_meditation(&world.user, id)).unwrap();
        let end = world.vaults.committed();
        assert_eq!((end.runs[&id].archived, end.runs[&id].processed), (40, 40), "cut after {cuts}");
    }
}

#[test]
fn step_with_a_cadence_is_left_out_until_it_is_due_and_only_by_the_clock() {
    let weekly = StepSetting { every: Some(Span::days(7)), ..StepSetting::default() };
    let world = world(&[("retain", weekly)]);
    let has = |trigger| ran(&world, trigger).steps.contains(&"retain".to_owned());
    assert!(has(Trigger::Schedule));
    world.stage.set(NOON.plus(Span::days(3)));
    assert!(!has(Trigger::Schedule));
    assert!(has(Trigger::Quota) && has(Trigger::Request));
    world.stage.set(NOON.plus(Span::days(7)));
    assert!(has(Trigger::Schedule), "what others asked for does not put it off");
    assert!(!has(Trigger::Schedule));
}

#[test]
fn scheduled_runs_come_as_often_as_a_step_wants_and_the_others_follow_the_interval() {
    let daily = StepSetting { every: Some(Span::days(1)), ..StepSetting::default() };
    let world = world(&[("score", daily)]);
    let holds = EffectiveSettings::resolve(&UserSettings::default(), &world.app.defaults);
    let due = crate::meditation::schedule::next_due(&world.user, &holds, NOON);
    assert!(due > NOON.plus(Span::days(1)) && due < NOON.plus(Span::hours(25)), "{due:?}");
    let scheduled = pipeline().into_iter().filter(|step| step.runs_on(Trigger::Schedule)).map(Step::name);
    let all: Vec<_> = scheduled.filter(|step| !is_proposed(step)).collect();
    assert_eq!(ran(&world, Trigger::Schedule).steps, all);
    for day in 1..7 {
        world.stage.set(NOON.plus(Span::days(day)));
        assert_eq!(ran(&world, Trigger::Schedule).steps, ["score"], "day {day}");
    }
    world.stage.set(NOON.plus(Span::days(7)));
    assert_eq!(ran(&world, Trigger::Schedule).steps, all);
}

/// A step that reads contents and proposes changes of two memories at once.
struct Alike;

#[async_trait]
impl Step for Alike {
    fn name(&self) -> &'static str {
        "alike"
    }

    fn runs_on(&self, _: Trigger) -> bool {
        true
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let seqs: Vec<Seq> = context.picture.items.iter().map(|item| item.seq).collect();
        let memories = context.read(move |reader| {
            let seqs = seqs.clone();
            Box::pin(async move { reader.memories(&seqs).await })
        });
        let memories = memories.await?;
        let pairs = memories.windows(2).filter(|pair| pair[0].draft.content == pair[1].draft.content);
        let subject = |memory: &Memory| Subject { id: memory.id.0, seq: memory.seq };
        let change = |pair: &[Memory]| Change {
            step: "alike",
            kind: Kind::Spare,
            subjects: pair.iter().map(subject).collect(),
            reason: Reason::ScoresWell,
            body: Body::default().part("score", 0.5),
        };
        Ok(pairs.map(change).collect())
    }
}

#[test]
fn step_may_read_what_it_likes_and_propose_about_several_memories_at_once() {
    let vault = Vault::of([Row::new(1, "same"), Row::new(2, "same"), Row::new(3, "other")]);
    let world = World::new(vault);
    let run = ran(&world, Trigger::Rotation);
    let picture = snapshot(Trigger::Rotation, (1..=3).map(|seq| active(seq, 0.1)).collect());
    let source = Source { vaults: &world.app.vaults, user: &world.user, vectors: None };
    let proposed = finish(Alike.propose(&Context::new(&picture, source, &Shared::default()))).unwrap();
    assert_eq!(proposed.iter().map(|change| change.subjects.len()).collect::<Vec<_>>(), [2]);
    let apply = world.app.vaults.transact(&world.user, "test", move |tx| {
        let proposed = proposed.clone();
        Box::pin(async move {
            let there = standing(tx, &proposed).await?;
            carry_out(tx, run.id, proposed, &there, Applying { at: NOON, delete_after: NOON, making: None }).await
        })
    });
    assert_eq!(finish(apply).unwrap().len(), 1);
    assert_eq!(world.vaults.committed().decisions[0].decision.subjects[1].seq, Seq(2));
    world.vaults.change(|vault| _ = vault.rows.remove(&Seq(2)));
    let again = finish(Alike.propose(&Context::new(&picture, source, &Shared::default()))).unwrap();
    assert!(again.is_empty(), "it looks at what is there");
}
