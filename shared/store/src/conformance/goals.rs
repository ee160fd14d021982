//! Goals.

use kimberly_core::goals::{Goal, GoalDraft, GoalKind, GoalStatus};
use kimberly_core::ids::Seq;
use kimberly_core::meditation::Scored;

use super::Bed;
use super::fixtures::{at, draft, goal_id, score};

pub(crate) fn goal(n: u32, status: GoalStatus) -> Goal {
    Goal {
        id: goal_id(n.into()),
        draft: GoalDraft {
            kind: GoalKind::Project,
            title: format!("Goal {n} \"quoted\"\n"),
            description: "über, lines\nand more".to_owned(),
            tags: vec!["work".to_owned()],
            importance: 0.1 + 0.2,
            status,
        },
        created_at: at((n / 2).into()),
        updated_at: at((n + 100).into()),
        revision: n.into(),
    }
}

async fn put(bed: &Bed, goal: Goal) {
    bed.write("u", move |tx| {
        let goal = goal.clone();
        Box::pin(async move { tx.put_goal(&goal).await })
    })
    .await;
}

/// Newest first, equal times by id; pages; by status; replaced, counted, removed.
pub async fn goals_round_trip_in_order(bed: &Bed) {
    let goals: Vec<_> = (1..=5).map(|n| goal(n, if n == 3 { GoalStatus::Done } else { GoalStatus::Active })).collect();
    for goal in &goals {
        put(bed, goal.clone()).await;
    }
    let newest_first: Vec<_> = goals.iter().rev().cloned().collect();
    let (all, active, page, counts, context) = bed
        .read("u", |r| {
            Box::pin(async move {
                let all = r.goals(None, None, 10).await?;
                let active = r.goals(Some(GoalStatus::Active), None, 10).await?;
                let page = r.goals(None, Some((all[1].created_at, all[1].id)), 2).await?;
                Ok((all, active, page, r.count_goals().await?, r.write_context(None).await?))
            })
        })
        .await;
    assert_eq!(all, newest_first);
    assert_eq!(active.iter().map(|g| g.revision).collect::<Vec<_>>(), [5, 4, 2, 1]);
    assert_eq!(page, newest_first[2..4]);
    assert_eq!(counts, (5, 4));
    assert_eq!(context.goals.len(), 4);
    assert!(context.goals.iter().all(|goal| goals.contains(goal)));
    put(bed, goal(2, GoalStatus::Done)).await;
    let removed = bed
        .write("u", |tx| {
            Box::pin(async move { Ok((tx.delete_goal(goal_id(1)).await?, tx.delete_goal(goal_id(1)).await?)) })
        })
        .await;
    assert_eq!(removed, (true, false));
    let (gone, done, counts) = bed
        .read("u", |r| {
            Box::pin(async move { Ok((r.goal(goal_id(1)).await?, r.goal(goal_id(2)).await?, r.count_goals().await?)) })
        })
        .await;
    assert_eq!((gone, done, counts), (None, Some(goal(2, GoalStatus::Done)), (4, 2)));
}

/// A new, changed or removed goal makes every score stale, because relevance depends on goals.
pub async fn a_goal_counts_as_a_change_of_every_memory(bed: &Bed) {
    bed.remember("u", (0..3).map(|n| draft(&format!("memory {n}")))).await;
    let score_all = || async {
        bed.write("u", |tx| {
            Box::pin(async move {
                let scores: Vec<_> = (1..=3).map(|n| Scored { seq: Seq(n), record: score(0.5, n) }).collect();
                tx.apply_scores(&scores).await
            })
        })
        .await;
        assert_eq!(to_score(bed).await, 0);
    };
    score_all().await;
    put(bed, goal(1, GoalStatus::Active)).await;
    assert_eq!(to_score(bed).await, 3);
    score_all().await;
    put(bed, goal(1, GoalStatus::Done)).await;
    assert_eq!(to_score(bed).await, 3);
    score_all().await;
    bed.write("u", |tx| Box::pin(async move { tx.delete_goal(goal_id(1)).await })).await;
    assert_eq!(to_score(bed).await, 3);
    score_all().await;
    bed.write("u", |tx| Box::pin(async move { tx.delete_goal(goal_id(1)).await })).await;
    assert_eq!(to_score(bed).await, 0);
}

async fn to_score(bed: &Bed) -> usize {
    bed.read("u", |r| Box::pin(async move { r.scoring_items(false, None, 10).await })).await.len()
}
