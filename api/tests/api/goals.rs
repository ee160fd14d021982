//! Stories of `GoalService`.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use crate::common::{Served, USER, fields, mask, reason};
use kimberly_proto::v1;
use tonic::Code;

fn goal(title: &str) -> v1::Goal {
    v1::Goal { title: title.to_owned(), ..Default::default() }
}

fn create(goal: v1::Goal, request_id: &str) -> v1::CreateGoalRequest {
    v1::CreateGoalRequest { user_id: USER.to_owned(), goal: Some(goal), request_id: request_id.to_owned() }
}

fn update(goal: v1::Goal, paths: &[&str]) -> v1::UpdateGoalRequest {
    v1::UpdateGoalRequest {
        user_id: USER.to_owned(),
        goal: Some(goal),
        update_mask: Some(mask(paths)),
        request_id: String::new(),
    }
}

async fn created(served: &Served, title: &str) -> v1::Goal {
    served.goals().create_goal(create(goal(title), "")).await.unwrap().into_inner().goal.unwrap()
}

#[tokio::test]
async fn goal_lives_from_creation_to_removal() {
    let served = Served::start().await;
    let first = created(&served, " Learn Spanish ").await;
    assert_eq!((first.title.as_str(), first.kind, first.status, first.importance), ("Learn Spanish", 1, 1, 1.0));
    let mut change = v1::Goal { status: 2, title: "ignored".to_owned(), ..first.clone() };
    let changed =
        served.goals().update_goal(update(change.clone(), &["status"])).await.unwrap().into_inner().goal.unwrap();
    assert_eq!((changed.status, changed.title.as_str(), changed.etag.as_str()), (2, "Learn Spanish", "2"));
    change.etag = "1".to_owned();
    let (code, name, metadata) = reason(&served.goals().update_goal(update(change, &["title"])).await.unwrap_err());
    assert_eq!((code, name.as_str(), metadata["etag"].as_str()), (Code::Aborted, "ETAG_MISMATCH", "2"));
    let get = v1::GetGoalRequest { user_id: USER.to_owned(), id: first.id.clone() };
    assert_eq!(served.goals().get_goal(get.clone()).await.unwrap().into_inner().goal.unwrap(), changed);
    let delete = v1::DeleteGoalRequest { user_id: USER.to_owned(), id: first.id, request_id: "r".to_owned() };
    served.goals().delete_goal(delete.clone()).await.unwrap();
    served.goals().delete_goal(delete.clone()).await.unwrap();
    for gone in [
        served.goals().get_goal(get).await.map(drop).unwrap_err(),
        served
            .goals()
            .delete_goal(v1::DeleteGoalRequest { request_id: String::new(), ..delete })
            .await
            .map(drop)
            .unwrap_err(),
    ] {
        assert_eq!((reason(&gone).0, reason(&gone).1.as_str()), (Code::NotFound, "GOAL_NOT_FOUND"));
    }
}

#[tokio::test]
async fn replayed_creation_makes_no_second_goal() {
    let served = Served::start().await;
    let first = served.goals().create_goal(create(goal("Run a marathon"), "r")).await.unwrap().into_inner();
    let again = served.goals().create_goal(create(goal("Run a marathon"), "r")).await.unwrap().into_inner();
    assert_eq!(first, again);
    let other = served.goals().create_goal(create(goal("Run two"), "r")).await.unwrap_err();
    assert_eq!(reason(&other).1, "REQUEST_ID_REUSED");
    let list = v1::ListGoalsRequest { user_id: USER.to_owned(), ..Default::default() };
    assert_eq!(served.goals().list_goals(list).await.unwrap().into_inner().goals.len(), 1);
}

#[tokio::test]
async fn goals_are_listed_newest_first_by_status_and_page() {
    let served = Served::start().await;
    for n in 0..7 {
        let goal = created(&served, &format!("goal {n}")).await;
        if n % 2 == 1 {
            served.goals().update_goal(update(v1::Goal { status: 2, ..goal }, &["status"])).await.unwrap();
        }
    }
    let (mut titles, mut token) = (Vec::new(), String::new());
    loop {
        let list = v1::ListGoalsRequest { user_id: USER.to_owned(), page_size: 2, page_token: token, status: 1 };
        let page = served.goals().list_goals(list).await.unwrap().into_inner();
        titles.extend(page.goals.into_iter().map(|goal| goal.title));
        token = page.next_page_token;
        if token.is_empty() {
            break;
        }
    }
    assert_eq!(titles, ["goal 6", "goal 4", "goal 2", "goal 0"]);
}

#[tokio::test]
async fn there_are_at_most_a_hundred_active_goals() {
    let served = Served::start().await;
    let first = created(&served, "first").await;
    for n in 1..100 {
        created(&served, &format!("goal {n}")).await;
    }
    let (code, name, metadata) = reason(&served.goals().create_goal(create(goal("one more"), "")).await.unwrap_err());
    assert_eq!((code, name.as_str(), metadata["limit"].as_str()), (Code::FailedPrecondition, "LIMIT_REACHED", "100"));
    let done = served.goals().create_goal(create(v1::Goal { status: 2, ..goal("done") }, "")).await.unwrap();
    let done = done.into_inner().goal.unwrap();
    let activate = || update(v1::Goal { status: 1, etag: String::new(), ..done.clone() }, &["status"]);
    assert_eq!(reason(&served.goals().update_goal(activate()).await.unwrap_err()).1, "LIMIT_REACHED");
    served.goals().update_goal(update(v1::Goal { status: 2, ..first }, &["status"])).await.unwrap();
    served.goals().update_goal(activate()).await.unwrap();
}

#[tokio::test]
async fn goal_that_is_missing_or_malformed_is_refused_by_its_path() {
    let served = Served::start().await;
    let missing = v1::CreateGoalRequest { user_id: USER.to_owned(), ..Default::default() };
    assert_eq!(fields(&served.goals().create_goal(missing).await.unwrap_err()), ["goal"]);
    let bad = v1::Goal { id: "x".to_owned(), ..goal("x") };
    assert_eq!(fields(&served.goals().update_goal(update(bad, &["title"])).await.unwrap_err()), ["goal.id"]);
    let known = created(&served, "x").await;
    for paths in [&[] as &[&str], &["id"]] {
        assert_eq!(
            fields(&served.goals().update_goal(update(known.clone(), paths)).await.unwrap_err()),
            ["update_mask"]
        );
    }
}

#[tokio::test]
async fn exported_goals_come_back_as_they_were_and_only_once() {
    let served = Served::start().await;
    let first = created(&served, "Learn Spanish").await;
    let done = v1::Goal { status: 2, ..first };
    let goal = served.goals().update_goal(update(done, &["status"])).await.unwrap().into_inner().goal.unwrap();
    let import = |user: &str, goals: Vec<v1::Goal>| {
        let request = v1::ImportGoalsRequest { user_id: user.to_owned(), goals };
        async { served.goals().import_goals(request).await.map(tonic::Response::into_inner) }
    };
    let get = |user: &str| {
        let request = v1::GetGoalRequest { user_id: user.to_owned(), id: goal.id.clone() };
        async { served.goals().get_goal(request).await.unwrap().into_inner().goal.unwrap() }
    };
    let once = import("bob", vec![goal.clone()]).await.unwrap();
    assert_eq!((once.imported, once.known), (1, 0));
    assert_eq!(get("bob").await, goal, "id, times, status and etag are those of the export");
    let other = v1::Goal { title: "Learn French".to_owned(), ..goal.clone() };
    let again = import("bob", vec![other.clone()]).await.unwrap();
    assert_eq!((again.imported, again.known), (0, 1));
    assert_eq!(get("bob").await, goal, "what the vault says stays");
    let wrong = v1::Goal { created_at: None, etag: "x".to_owned(), ..goal.clone() };
    let refused = import("bob", vec![goal.clone(), wrong]).await.unwrap_err();
    assert_eq!(fields(&refused), ["goals[1].created_at", "goals[1].etag"]);
    assert_eq!(fields(&import("bob", vec![goal.clone(), other]).await.unwrap_err()), ["goals[1].id"]);
    for count in [0, 101] {
        assert_eq!(fields(&import("bob", vec![goal.clone(); count]).await.unwrap_err()), ["goals"]);
    }
}

#[tokio::test]
async fn an_import_makes_no_goal_too_many() {
    let served = Served::start().await;
    let goal = created(&served, "one").await;
    let goals = |from: u32, count: u32, status: i32| {
        let id = |n: u32| format!("goal_01920000-0000-7000-8000-{n:012x}");
        let goals = (from..from + count).map(|n| v1::Goal { id: id(n), status, ..goal.clone() }).collect();
        v1::ImportGoalsRequest { user_id: USER.to_owned(), goals }
    };
    let refused = served.goals().import_goals(goals(1, 100, 1)).await.unwrap_err();
    let (code, name, metadata) = reason(&refused);
    assert_eq!((code, name.as_str(), metadata["limit"].as_str()), (Code::FailedPrecondition, "LIMIT_REACHED", "100"));
    assert_eq!(served.goals().import_goals(goals(1, 99, 1)).await.unwrap().into_inner().imported, 99);
    assert_eq!(served.goals().import_goals(goals(200, 100, 2)).await.unwrap().into_inner().imported, 100);
    assert_eq!(served.goals().import_goals(goals(1, 99, 1)).await.unwrap().into_inner().known, 99);
}
