//! Meditation runs.

use kimberly_core::meditation::{Asked, Kind, Meditation, MeditationStatus, TierSummary, Trigger};
use kimberly_core::memory::Tier;

use super::Bed;
use super::fixtures::{at, decide, draft, run, run_id};

fn full(n: u32) -> Meditation {
    Meditation {
        id: run_id(n.into()),
        status: MeditationStatus::Complete,
        trigger: Trigger::Rotation,
        full: true,
        asked: Asked { steps: vec!["retain".to_owned()], ids: vec![super::fixtures::memory_id(1)] },
        steps: vec!["score".to_owned(), "retain".to_owned()],
        processed: 1,
        archived: 2,
        pruned: 3,
        archived_bytes: 4,
        pruned_bytes: 5,
        created_at: at(6),
        started_at: Some(at(7)),
        finished_at: Some(at(i64::from(n) * 10)),
        as_of: at(9),
        generation: 10,
        expected_plan: Some("plan".to_owned()),
        error: Some("it \"failed\"".to_owned()),
        tiers: vec![TierSummary {
            tier: Tier::Permanent,
            bytes_before: 1,
            bytes_after: 2,
            quota_bytes: 3,
            archived: 4,
            deleted: 5,
        }],
        scoring_version: "scoring/v9".to_owned(),
    }
}

async fn put(bed: &Bed, run: Meditation) {
    bed.write("u", move |tx| {
        let run = run.clone();
        Box::pin(async move { tx.put_meditation(&run).await })
    })
    .await;
}

async fn listed(bed: &Bed) -> Vec<u128> {
    let runs = bed.read("u", |r| Box::pin(r.meditations(None, 100))).await;
    runs.iter().map(|run| run.id.0.as_u128()).collect()
}

/// Every field reads back, set or not; newest first, in pages; a second write replaces the first.
pub async fn runs_round_trip_newest_first(bed: &Bed) {
    for (n, status) in (1..).zip(MeditationStatus::ALL) {
        put(bed, Meditation { status: *status, ..full(n) }).await;
    }
    for (n, trigger) in (5..).zip(Trigger::ALL) {
        put(bed, Meditation { trigger: *trigger, ..run(n) }).await;
    }
    let (one, other, page) = bed
        .read("u", |r| {
            Box::pin(async move {
                let page = r.meditations(Some(run_id(4)), 2).await?;
                Ok((r.meditation(run_id(3)).await?, r.meditation(run_id(9)).await?, page))
            })
        })
        .await;
    assert_eq!(one, Some(full(3)));
    assert_eq!(other, Some(Meditation { trigger: Trigger::SessionEnd, ..run(9) }));
    assert_eq!(page.iter().map(|run| run.id).collect::<Vec<_>>(), [run_id(3), run_id(2)]);
    assert_eq!(listed(bed).await, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    let changed = Meditation { processed: 77, status: MeditationStatus::Running, ..full(3) };
    put(bed, changed.clone()).await;
    assert_eq!(bed.read("u", |r| Box::pin(r.meditation(run_id(3)))).await, Some(changed));
    assert_eq!(bed.read("u", |r| Box::pin(r.meditation(run_id(99)))).await, None);
}

/// The waiting run is scheduled by a trigger that runs all steps, without restrictions. The last run is the complete
/// one that ended last.
pub async fn the_waiting_run_and_the_last_complete_one_are_found(bed: &Bed) {
    let look = || async {
        bed.read("u", |r| {
            Box::pin(async move {
                let waiting = r.waiting_meditation().await?.map(|run| run.id.0.as_u128());
                let known = r.write_context(None).await?.waiting_meditation.map(|id| id.0.as_u128());
                assert_eq!(known, waiting);
                Ok((waiting, r.last_meditation().await?))
            })
        })
        .await
    };
    assert_eq!(look().await, (None, None));
    put(bed, Meditation { trigger: Trigger::Rotation, ..run(1) }).await;
    put(bed, Meditation { trigger: Trigger::SessionEnd, ..run(2) }).await;
    put(bed, Meditation { status: MeditationStatus::Running, ..run(3) }).await;
    put(bed, Meditation { status: MeditationStatus::Failed, finished_at: Some(at(999)), ..run(4) }).await;
    put(bed, Meditation { status: MeditationStatus::Scheduled, trigger: Trigger::Request, ..full(8) }).await;
    assert_eq!(look().await, (None, None));
    for (n, trigger) in [(5, Trigger::Quota), (6, Trigger::Schedule), (7, Trigger::Request)] {
        put(bed, Meditation { trigger, ..run(n) }).await;
        assert_eq!(look().await, (Some(n), None));
        put(bed, Meditation { trigger, status: MeditationStatus::Running, ..run(n) }).await;
    }
    put(bed, full(9)).await;
    put(bed, full(8)).await;
    assert_eq!(look().await, (None, Some(at(90))));
}

/// Pruned by end, but never the latest; a run's decisions are deleted with it, those of other runs stay.
pub async fn old_runs_go_with_their_decisions_but_for_the_latest(bed: &Bed) {
    bed.remember("u", [draft("one")]).await;
    let memory = bed.memory("u", 1).await.unwrap();
    for n in 1..=5 {
        put(bed, full(n)).await;
        bed.decide("u", n.into(), vec![decide(&memory, Kind::Spare)], at(n.into())).await;
    }
    put(bed, Meditation { finished_at: None, ..full(6) }).await;
    let prune =
        |before, keep| async move { bed.write("u", move |tx| Box::pin(tx.prune_meditations(at(before), keep))).await };
    assert_eq!(prune(30, 0).await, 2);
    assert_eq!(listed(bed).await, [6, 5, 4, 3]);
    let about = bed.read("u", |r| Box::pin(r.decisions_about(super::fixtures::memory_id(1), 10))).await;
    assert_eq!(about.len(), 3);
    assert_eq!(prune(1_000, 3).await, 1);
    assert_eq!(listed(bed).await, [6, 5, 4]);
    assert_eq!(prune(1_000, 0).await, 2);
    assert_eq!(listed(bed).await, [6], "a run without an end stays");
}
