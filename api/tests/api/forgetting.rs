//! Stories of `ForgetMemories`: erased for good, all or none.

use crate::common::{Served, USER, create, draft, fields, reason};
use kimberly_proto::v1;
use tonic::Code;

fn forget(ids: &[&str]) -> v1::ForgetMemoriesRequest {
    let ids = ids.iter().map(|&id| id.to_owned()).collect();
    v1::ForgetMemoriesRequest { user_id: USER.to_owned(), ids, request_id: String::new() }
}

const UNKNOWN: &str = "mem_0190b5a0-0000-7000-8000-00000000ffff";

#[tokio::test]
async fn what_is_forgotten_is_gone_whatever_its_state_and_nothing_restores_it() {
    let served = Served::start().await;
    let mut memories = served.memories();
    let protected = v1::MemoryDraft { protected: true, ..draft("the walrus of my aunt") };
    let one = served.create(create(protected)).await.unwrap();
    let two = served.create(create(draft("the walrus of my uncle"))).await.unwrap();
    let kept = served.create(create(draft("the walrus of the zoo"))).await.unwrap();
    let delete = v1::DeleteMemoryRequest { user_id: USER.to_owned(), id: two.id.clone(), ..Default::default() };
    memories.delete_memory(delete).await.unwrap();

    let done = memories.forget_memories(forget(&[&two.id, &one.id])).await.unwrap().into_inner();
    assert_eq!(done.ids, [two.id.clone(), one.id.clone()]);
    assert_eq!(done.size_bytes, one.size_bytes + two.size_bytes);
    assert!(done.erased_at.is_some() && done.files_clean && done.vectors_removed);
    for id in [&one.id, &two.id] {
        assert_eq!(served.get(id).await.unwrap_err().code(), Code::NotFound);
        let restore = v1::RestoreMemoryRequest { user_id: USER.to_owned(), id: id.clone(), ..Default::default() };
        assert_eq!(memories.restore_memory(restore).await.unwrap_err().code(), Code::NotFound);
    }
    let query = v1::QueryMemoriesRequest { user_id: USER.to_owned(), query: "walrus".to_owned(), ..Default::default() };
    let found = memories.query_memories(query).await.unwrap().into_inner().results;
    assert_eq!(found.iter().map(|result| &result.memory.as_ref().unwrap().id).collect::<Vec<_>>(), [&kept.id]);
}

#[tokio::test]
async fn one_unknown_memory_refuses_the_whole_call_and_a_repeated_call_gets_the_first_answer() {
    let served = Served::start().await;
    let mut memories = served.memories();
    let one = served.create(create(draft("the walrus of my aunt"))).await.unwrap();
    let refused = memories.forget_memories(forget(&[&one.id, UNKNOWN])).await.unwrap_err();
    let (code, reason, _) = reason(&refused);
    assert_eq!((code, reason.as_str()), (Code::NotFound, "MEMORY_NOT_FOUND"));
    assert!(served.get(&one.id).await.is_ok());
    let again = v1::ForgetMemoriesRequest { request_id: "r1".to_owned(), ..forget(&[&one.id]) };
    let first = memories.forget_memories(again.clone()).await.unwrap().into_inner();
    assert_eq!(memories.forget_memories(again).await.unwrap().into_inner(), first);
    let refused = memories.forget_memories(forget(&[&one.id])).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound, "without a request id it is a call of its own");
}

#[tokio::test]
async fn bad_lists_of_ids_are_refused_with_the_wrong_position() {
    let served = Served::start().await;
    let mut memories = served.memories();
    let many = vec![UNKNOWN; 101];
    for (ids, field) in [
        (&[][..], "ids"),
        (&many[..], "ids"),
        (&["mem_x"][..], "ids[0]"),
        (&[UNKNOWN, "goal_0190b5a0-0000-7000-8000-00000000ffff"][..], "ids[1]"),
        (&[UNKNOWN, UNKNOWN][..], "ids[1]"),
    ] {
        let refused = memories.forget_memories(forget(ids)).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert_eq!(fields(&refused), [field], "{refused:?}");
    }
}
