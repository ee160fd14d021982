//! Tests of vectors in meditation.

use std::sync::{Arc, Mutex};

use super::fake::{Row, Vault, World, finish};
use super::*;
use crate::embedding::{ModelKey, VectorHit, VectorSubject};
use crate::error::{Error, Result, StorageFailure};
use crate::goals::{Goal, GoalDraft, GoalStatus};
use crate::ids::{GoalId, UserId};
use crate::meditation::nearness;
use crate::ports::{IndexState, VectorReader};
use crate::usecases::MeditateInput;

const RUN: MeditationId = MeditationId(Uuid::from_u128(77));

fn goal_id(n: u128) -> GoalId {
    GoalId(Uuid::from_u128(n))
}

fn goal(n: u128, title: &str, status: GoalStatus) -> Goal {
    let draft = GoalDraft { title: title.to_owned(), importance: 1.0, status, ..GoalDraft::default() };
    Goal { id: goal_id(n), draft, created_at: NOON, updated_at: NOON, revision: 1 }
}

/// An index whose cosines the test defines. All memories but every tenth have vectors.
struct FakeIndex {
    cosine: fn(i64, GoalId) -> f32,
    active: bool,
    damaged: bool,
    asked: Mutex<usize>,
}

impl FakeIndex {
    fn of(cosine: fn(i64, GoalId) -> f32) -> Self {
        Self { cosine, active: true, damaged: false, asked: Mutex::default() }
    }
}

impl VectorReader for FakeIndex {
    fn active(&self, _: &UserId) -> Result<Option<IndexState>> {
        let model = ModelKey::new("m", "0123456789abcdef", 3)?;
        Ok(self.active.then_some(IndexState { model, items: 9, vectors: 9, in_sync_at: None, disk_bytes: 0 }))
    }

    fn building(&self, _: &UserId) -> Result<Option<IndexState>> {
        panic!("meditation goes by the index that is active")
    }

    fn nearest(&self, _: &UserId, _: &ModelKey, _: &[f32], _: usize) -> Result<Vec<VectorHit>> {
        panic!("meditation has no query")
    }

    fn centre(&self, _: &UserId, _: &ModelKey) -> Result<Option<Vec<f32>>> {
        panic!("meditation has no query")
    }

    fn contains(&self, _: &UserId, _: &ModelKey, subjects: &[VectorSubject]) -> Result<Vec<bool>> {
        Ok(vec![true; subjects.len()])
    }

    fn cosines(
        &self,
        _: &UserId,
        memories: &[VectorSubject],
        others: &[VectorSubject],
    ) -> Result<Vec<Vec<Option<f32>>>> {
        *self.asked.lock().unwrap() += 1;
        if self.damaged {
            return Err(Error::storage(StorageFailure::Corrupt, "the index is damaged"));
        }
        let cosine = |memory: &VectorSubject, other: &VectorSubject| match (memory, other) {
            (VectorSubject::Memory(seq), VectorSubject::Goal(goal)) => {
                (seq.0 % 10 != 0).then(|| (self.cosine)(seq.0, *goal))
            }
            _ => None,
        };
        Ok(memories.iter().map(|memory| others.iter().map(|other| cosine(memory, other)).collect()).collect())
    }
}

/// Memory 7 is near goal 1; no memory is near goal 2.
fn one_is_near(seq: i64, goal: GoalId) -> f32 {
    let noise = f32::from(i16::try_from(seq * 37 % 19).unwrap()) / 300.0;
    if seq == 7 && goal == goal_id(1) { 0.62 } else { 0.08 + noise }
}

fn vault() -> Vault {
    let mut vault = Vault::of((1..=600).map(|seq| Row::new(seq, "the train was late")));
    let goals = [(1, GoalStatus::Active), (2, GoalStatus::Active), (3, GoalStatus::Done)];
    vault.goals = goals.map(|(n, status)| goal(n, "Learn Spanish", status)).to_vec();
    vault
}

fn load(index: &FakeIndex, vault: &Vault) -> crate::scoring::GoalNearness {
    let user = UserId::parse("ada").unwrap();
    finish(nearness::load(&mut vault.clone(), Some(index), &user, NOON)).unwrap()
}

#[test]
fn only_what_stands_out_is_near_and_only_to_that_goal() {
    let nearness = load(&FakeIndex::of(one_is_near), &vault());
    let near = nearness.of(Seq(7));
    assert!(matches!(near, [(goal, evidence)] if *goal == goal_id(1) && (0.5..1.0).contains(evidence)), "{near:?}");
    assert!((1..=600).filter(|seq| *seq != 7).all(|seq| nearness.of(Seq(seq)).is_empty()));
}

#[test]
fn missing_and_damaged_vectors_say_nothing() {
    let inactive = FakeIndex { active: false, ..FakeIndex::of(one_is_near) };
    let damaged = FakeIndex { damaged: true, ..FakeIndex::of(one_is_near) };
    assert!(load(&inactive, &vault()).is_empty() && load(&damaged, &vault()).is_empty());
    assert_eq!(*inactive.asked.lock().unwrap(), 0);
    let mut without_goals = vault();
    without_goals.goals.retain(|goal| goal.draft.status == GoalStatus::Done);
    let index = FakeIndex::of(one_is_near);
    assert!(load(&index, &without_goals).is_empty());
    assert_eq!(*index.asked.lock().unwrap(), 0, "nothing is computed without goals");
}

/// Returns the scores after a full run, by sequence number.
fn scores(vectors: Option<FakeIndex>) -> Vec<(i64, u64, Option<GoalId>)> {
    let mut vault = vault();
    vault.runs.insert(RUN, Meditation::scheduled(RUN, Trigger::Schedule, true, NOON));
    let mut world = World::new(vault);
    world.app.vectors = vectors.map(|index| Arc::new(index) as Arc<dyn VectorReader>);
    finish(world.app.run_meditation(&world.user, RUN)).unwrap();
    let rows = world.vaults.committed().rows.into_values();
    rows.map(|row| (row.memory.seq.0, row.memory.score.to_bits(), row.record.and_then(|record| record.best_goal)))
        .collect()
}

#[test]
fn near_memory_scores_higher_and_all_others_as_without_vectors_to_the_bit() {
    let (with, without) = (scores(Some(FakeIndex::of(one_is_near))), scores(None));
    for (near, plain) in with.iter().zip(&without) {
        if near.0 == 7 {
            assert!(f64::from_bits(near.1) > f64::from_bits(plain.1) + 0.1);
            assert_eq!((near.2, plain.2), (Some(goal_id(1)), None));
        } else {
            assert_eq!(near, plain);
        }
    }
    let damaged = FakeIndex { damaged: true, ..FakeIndex::of(one_is_near) };
    assert_eq!(scores(Some(damaged)), without);
}

#[test]
fn a_run_follows_the_plan_that_a_dry_run_made_with_vectors() {
    let mut world = World::new(vault());
    world.app.vectors = Some(Arc::new(FakeIndex::of(one_is_near)));
    let dry =
        finish(world.app.meditate(&world.user, MeditateInput { dry_run: true, full: true, ..Default::default() }));
    let plan_token = dry.unwrap().plan_token.unwrap();
    let input = MeditateInput { full: true, plan_token, ..MeditateInput::default() };
    let run = finish(world.app.meditate(&world.user, input)).unwrap().meditation.id;
    finish(world.app.run_meditation(&world.user, run)).unwrap();
    assert_eq!(world.vaults.committed().runs[&run].status, MeditationStatus::Complete);
}
