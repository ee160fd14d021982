//! Working memory: temporary texts shared by a session, on one or several machines.

use kimberly_proto::v1 as pb;
use kimberly_tests::{System, User, reason};
use pb::working_operation::Operation;
use tonic::{Code, Status};

fn op(key: &str, operation: Operation) -> pb::WorkingOperation {
    pb::WorkingOperation { key: key.to_owned(), operation: Some(operation) }
}

fn set(key: &str, value: &str) -> pb::WorkingOperation {
    op(key, Operation::Set(pb::WorkingSet { value: value.to_owned(), lifetime: None }))
}

fn increment(key: &str, by: i64) -> pb::WorkingOperation {
    op(key, Operation::Increment(pb::WorkingIncrement { by, lifetime: None }))
}

async fn run(
    user: &mut User,
    session: &str,
    operations: Vec<pb::WorkingOperation>,
) -> Result<Vec<pb::WorkingResult>, Status> {
    let request = pb::RunWorkingOperationsRequest {
        user_id: user.id(),
        namespace: String::new(),
        session_id: session.to_owned(),
        operations,
    };
    user.clients.working.run_working_operations(request).await.map(|answer| answer.into_inner().results)
}

async fn value(user: &mut User, session: &str, key: &str) -> Option<String> {
    let request = pb::GetWorkingEntryRequest {
        user_id: user.id(),
        namespace: String::new(),
        session_id: session.to_owned(),
        key: key.to_owned(),
    };
    let answer = user.clients.working.get_working_entry(request).await.expect("a read").into_inner();
    answer.found.then_some(answer.value)
}

#[tokio::test]
async fn working_memory_of_a_session_is_visible_to_that_session_only() {
    let system = System::start().await;
    let (mut ana, mut ben) = (system.user("ana"), system.user("ben"));
    let written =
        run(&mut ana, "trip", vec![set("scratch:plan", "pack"), increment("count", 3), increment("count", -1)]);
    let results = written.await.expect("a batch");
    assert_eq!(results.iter().map(|one| one.value.as_deref()).collect::<Vec<_>>(), [None, Some("3"), Some("2")]);
    assert!(results.iter().all(|one| one.expires_at.is_some()), "{results:?}");
    assert_eq!(value(&mut ana, "trip", "scratch:plan").await.as_deref(), Some("pack"));
    assert_eq!(value(&mut ana, "other", "scratch:plan").await, None);
    assert_eq!(value(&mut ben, "trip", "scratch:plan").await, None);
    let request = pb::ListWorkingKeysRequest { user_id: ana.id(), session_id: "trip".to_owned(), ..Default::default() };
    let keys = ana.clients.working.list_working_keys(request).await.expect("a list").into_inner().keys;
    assert_eq!(keys, ["count", "scratch:plan"]);
    assert!(ana.list(pb::MemoryFilter::default()).await.is_empty(), "it is not stored as a memory");
}

#[tokio::test]
async fn a_batch_that_fails_changes_nothing_and_says_why() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    run(&mut ana, "", vec![set("name", "tea")]).await.expect("a write");
    let refused = run(&mut ana, "", vec![set("name", "coffee"), increment("name", 1)]).await.expect_err("no number");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "WRONG_STATE"));
    assert!(refused.message().contains("operations[1].key"), "{refused:?}");
    assert_eq!(value(&mut ana, "", "name").await.as_deref(), Some("tea"));
    let refused = run(&mut ana, "", vec![set("", "x")]).await.expect_err("no key");
    assert_eq!(refused.code(), Code::InvalidArgument);
}

/// More concurrent calls than processes.
#[tokio::test]
async fn increments_at_once_are_all_counted() {
    let system = System::start().await;
    let counting = (0..16).map(|_| {
        let mut ana = system.user("ana");
        async move {
            for _ in 0..5 {
                run(&mut ana, "s", vec![increment("count", 1)]).await.expect("counted");
            }
        }
    });
    futures::future::join_all(counting).await;
    assert_eq!(value(&mut system.user("ana"), "s", "count").await.as_deref(), Some("80"));
}
