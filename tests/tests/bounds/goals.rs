//! Bounds of goals.

use kimberly_proto::v1 as pb;
use kimberly_tests::calls::Call;
use kimberly_tests::reason;
use tonic::Code;

use super::{Judge, labels, long, user};

fn create(goal: pb::Goal) -> pb::CreateGoalRequest {
    pb::CreateGoalRequest { user_id: user(), goal: Some(goal), request_id: String::new() }
}

fn goal() -> pb::Goal {
    pb::Goal { title: "A goal".to_owned(), ..Default::default() }
}

#[tokio::test]
async fn goals() {
    let judge = Judge::new().await;
    let title = |title| create(pb::Goal { title, ..goal() });
    judge.holds("title", "goal.title", title(long(512)), title(long(513))).await;
    judge.refuses("no title", "goal.title", title(String::new())).await;
    let description = |length| create(pb::Goal { description: long(length), ..goal() });
    judge.holds("description", "goal.description", description(8 * 1024), description(8 * 1024 + 1)).await;
    let tags = |tags| create(pb::Goal { tags, ..goal() });
    judge.holds("tags", "goal.tags", tags(labels(64)), tags(labels(65))).await;
    judge.holds("length of a tag", "goal.tags[0]", tags(vec![long(64)]), tags(vec![long(65)])).await;
    let importance = |importance| create(pb::Goal { importance, ..goal() });
    judge.holds("largest importance", "goal.importance", importance(1.0), importance(1.001)).await;
    judge.holds("smallest importance", "goal.importance", importance(0.001), importance(-0.001)).await;
    judge.refuses("not a number", "goal.importance", importance(f64::NAN)).await;
    judge.refuses("an unknown kind", "goal.kind", create(pb::Goal { kind: 4, ..goal() })).await;
    judge.refuses("no goal", "goal", pb::CreateGoalRequest { user_id: user(), ..Default::default() }).await;
}

#[tokio::test]
async fn a_hundred_goals_may_be_active() {
    let judge = Judge::new().await;
    for _ in 0..100 {
        judge.takes("one of a hundred goals", create(goal())).await;
    }
    let refused = create(goal()).send(judge.system.clients()).await.expect_err("the 101st goal was taken");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "LIMIT_REACHED"));
    judge.takes("a goal that is done", create(pb::Goal { status: pb::GoalStatus::Done.into(), ..goal() })).await;
}
