//! Months of a talkative user on a manual clock: the real store and use cases in one process, with the worker run
//! step by step. Long-term invariants are checked every simulated day.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod checks;
mod cut;
mod digest;
mod life;
mod worker;
mod world;

use kimberly_core::memory::Tier;
use kimberly_tests::campaign;
use world::{Quotas, World};

#[tokio::test]
async fn months_with_default_quotas_lose_nothing_that_must_stay() {
    let mut world = World::new(1, Quotas::default()).await;
    world.live(campaign(120, 548)).await;
    world.assert_lived_well();
    let usage = world.usage().await;
    assert!(usage.archived > 0, "nothing was ever archived; the simulation proves little");
    assert!(world.erased > 0, "nothing was ever erased; the simulation proves little");
}

#[tokio::test]
async fn months_with_small_quotas_fill_every_tier_and_still_lose_nothing_that_must_stay() {
    let mut world = World::new(2, Quotas::SMALL).await;
    world.live(campaign(90, 365)).await;
    world.assert_lived_well();
    for &tier in Tier::ALL {
        assert!(world.archived_by_quota[tier as usize] > 0 || tier == Tier::ShortTerm, "{tier} never filled");
    }
}

#[tokio::test]
async fn runs_that_are_cut_at_random_points_end_as_undisturbed_ones() {
    let days = campaign(30, 90);
    let mut undisturbed = World::new(3, Quotas::SMALL).await;
    undisturbed.live(days).await;
    let mut cut = World::new(3, Quotas::SMALL).await;
    cut.cut_runs = true;
    cut.live(days).await;
    assert!(cut.cuts > campaign(60, 200), "runs were cut only {} times", cut.cuts);
    let (expected, found) = (undisturbed.picture().await, cut.picture().await);
    digest::assert_same(&expected, &found);
}
