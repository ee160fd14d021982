//! Repeated requests: the same response and one effect, even after restarts.

use kimberly_proto::v1 as pb;
use kimberly_tests::drafts::draft;
use kimberly_tests::{System, reason};
use tonic::Code;

fn create(content: &str, request_id: &str) -> pb::CreateMemoryRequest {
    let request_id = request_id.to_owned();
    pb::CreateMemoryRequest { user_id: "ana".to_owned(), memory: Some(draft(content)), request_id, always_new: false }
}

#[tokio::test]
async fn a_repeated_write_answers_as_the_first_time_across_a_restart() {
    let mut system = System::start().await;
    let mut memories = system.clients().memories;
    let first = memories.create_memory(create("only once", "r1")).await.expect("stored").into_inner();
    let id = first.receipt.clone().expect("a receipt").id;
    let update = pb::UpdateMemoryRequest {
        user_id: "ana".to_owned(),
        id: id.clone(),
        memory: Some(draft("changed once")),
        update_mask: Some(prost_types::FieldMask { paths: vec!["content".to_owned()] }),
        request_id: "r2".to_owned(),
        ..Default::default()
    };
    let changed = memories.update_memory(update.clone()).await.expect("changed").into_inner();
    let delete =
        pb::DeleteMemoryRequest { user_id: "ana".to_owned(), id, request_id: "r3".to_owned(), ..Default::default() };
    let deleted = memories.delete_memory(delete.clone()).await.expect("deleted").into_inner();

    system.restart_api().await;
    let mut memories = system.clients().memories;
    assert_eq!(memories.create_memory(create("only once", "r1")).await.expect("replayed").into_inner(), first);
    assert_eq!(memories.update_memory(update).await.expect("replayed").into_inner(), changed);
    assert_eq!(memories.delete_memory(delete).await.expect("replayed").into_inner(), deleted);
    assert_eq!(system.user("ana").everything().await.len(), 1);
}

#[tokio::test]
async fn the_same_id_with_another_body_is_refused() {
    let system = System::start().await;
    let mut memories = system.clients().memories;
    memories.create_memory(create("one thing", "r1")).await.expect("stored");
    let refused = memories.create_memory(create("another thing", "r1")).await.expect_err("the id was reused");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "REQUEST_ID_REUSED"));
    assert_eq!(system.user("ana").everything().await.len(), 1);
}

#[tokio::test]
async fn many_callers_with_one_request_id_make_one_memory() {
    let system = System::start().await;
    let calls = (0..24).map(|_| {
        let mut memories = system.clients().memories;
        async move { memories.create_memory(create("raced", "race")).await.expect("all are answered").into_inner() }
    });
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(|answer| *answer == answers[0]), "answers differ: {answers:?}");
    assert_eq!(system.user("ana").everything().await.len(), 1);
}

#[tokio::test]
async fn a_batch_is_stored_whole_or_not_at_all() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    let memories = vec![draft("good"), draft(" "), draft("good too")];
    let request =
        pb::BatchCreateMemoriesRequest { user_id: ana.id(), memories, request_id: String::new(), always_new: false };
    let refused = ana.clients.memories.batch_create_memories(request).await.expect_err("a bad draft was taken");
    assert_eq!(kimberly_tests::field_paths(&refused), ["memories[1].content"]);
    assert!(ana.everything().await.is_empty(), "part of a refused batch was stored");
}
