//! Lists are paged in a fixed order, by tokens that cannot be mistaken.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail their test")]

use crate::common::{Served, USER, draft, fields, reason};
use kimberly_proto::v1;
use tonic::Code;

fn list(size: i32, token: &str, order: v1::ListOrder) -> v1::ListMemoriesRequest {
    v1::ListMemoriesRequest {
        user_id: USER.to_owned(),
        page_size: size,
        page_token: token.to_owned(),
        order: order as i32,
        ..Default::default()
    }
}

async fn all(served: &Served, size: i32, order: v1::ListOrder) -> Vec<String> {
    let (mut contents, mut token) = (Vec::new(), String::new());
    loop {
        let page = served.memories().list_memories(list(size, &token, order)).await.unwrap().into_inner();
        assert!(page.memories.len() <= usize::try_from(size).unwrap());
        contents.extend(page.memories.into_iter().map(|memory| memory.content));
        token = page.next_page_token;
        if token.is_empty() {
            return contents;
        }
    }
}

async fn fill(served: &Served, count: usize) {
    let memories = (0..count).map(|n| draft(&format!("{n:04}"))).collect();
    let request = v1::BatchCreateMemoriesRequest {
        user_id: USER.to_owned(),
        memories,
        request_id: String::new(),
        always_new: true,
    };
    served.memories().batch_create_memories(request).await.unwrap();
}

#[tokio::test]
async fn thousand_memories_are_paged_once_each_in_order_both_ways() {
    let served = Served::start().await;
    fill(&served, 1_000).await;
    let oldest: Vec<String> = (0..1_000).map(|n| format!("{n:04}")).collect();
    let newest: Vec<String> = oldest.iter().rev().cloned().collect();
    assert_eq!(all(&served, 7, v1::ListOrder::OldestFirst).await, oldest);
    assert_eq!(all(&served, 333, v1::ListOrder::NewestFirst).await, newest);
    assert_eq!(all(&served, 1_000, v1::ListOrder::NewestFirst).await, newest);
    assert_eq!(all(&served, 500, v1::ListOrder::OldestFirst).await, oldest, "an exact last page ends the list");
}

#[tokio::test]
async fn memories_written_while_paging_disturb_no_page() {
    let served = Served::start().await;
    fill(&served, 10).await;
    let first = served.memories().list_memories(list(5, "", v1::ListOrder::NewestFirst)).await.unwrap().into_inner();
    served.remember("newer").await;
    let token = first.next_page_token;
    let second =
        served.memories().list_memories(list(100, &token, v1::ListOrder::NewestFirst)).await.unwrap().into_inner();
    let contents: Vec<_> = second.memories.into_iter().map(|memory| memory.content).collect();
    assert_eq!(contents, ["0004", "0003", "0002", "0001", "0000"]);
}

#[tokio::test]
async fn page_ends_before_it_grows_too_large_for_a_client() {
    let served = Served::start().await;
    for n in 0..24 {
        let large = v1::MemoryDraft { tier: 3, ..draft(&format!("{n} {}", "x".repeat(64_000))) };
        served.create(crate::common::create(large)).await.unwrap();
    }
    let page = served.memories().list_memories(list(1_000, "", v1::ListOrder::OldestFirst)).await.unwrap().into_inner();
    assert!(page.memories.len() < 20 && !page.next_page_token.is_empty(), "{}", page.memories.len());
    assert_eq!(all(&served, 1_000, v1::ListOrder::OldestFirst).await.len(), 24);
}

#[tokio::test]
async fn recall_that_finds_more_than_an_answer_holds_says_so_and_cuts_contents_on_request() {
    let served = Served::start().await;
    for n in 0..60 {
        let large = v1::MemoryDraft { tier: 3, ..draft(&format!("note {n} {}é", "x".repeat(64_000))) };
        served.create(crate::common::create(large)).await.unwrap();
    }
    let query = |max_content_bytes| v1::QueryMemoriesRequest {
        user_id: USER.to_owned(),
        query: "note".to_owned(),
        top_k: 60,
        max_content_bytes,
        ..Default::default()
    };
    let whole = served.memories().query_memories(query(0)).await.unwrap().into_inner();
    assert!((40..60).contains(&whole.results.len()), "{}", whole.results.len());
    assert_eq!(usize::try_from(whole.left_out).unwrap() + whole.results.len(), 60);
    for result in &whole.results {
        assert!(matches!(result.highlights[..], [v1::Highlight { start: 0, end: 6..=240 }]), "{:?}", result.highlights);
    }
    let within = served.memories().query_memories(query(500)).await.unwrap().into_inner().results;
    assert!(within.iter().all(|one| !one.highlights.is_empty() && one.highlights.iter().all(|span| span.end <= 500)));
    let cut = served.memories().query_memories(query(100)).await.unwrap().into_inner();
    assert_eq!((cut.results.len(), cut.left_out), (60, 0));
    for result in cut.results {
        assert!(result.content_cut && result.memory.unwrap().content.len() == 100);
    }
    for wrong in [-1, 1_000_001] {
        let refused = served.memories().query_memories(query(wrong)).await.unwrap_err();
        assert_eq!(fields(&refused), ["max_content_bytes"]);
    }
}

#[tokio::test]
async fn token_of_another_user_filter_or_order_is_refused() {
    let served = Served::start().await;
    fill(&served, 3).await;
    let order = v1::ListOrder::NewestFirst;
    let token = served.memories().list_memories(list(1, "", order)).await.unwrap().into_inner().next_page_token;
    let filter = Some(v1::MemoryFilter { tiers: vec![2], ..Default::default() });
    let wrong = [
        v1::ListMemoriesRequest { user_id: "eve".to_owned(), ..list(1, &token, order) },
        v1::ListMemoriesRequest { filter, ..list(1, &token, order) },
        list(1, &token, v1::ListOrder::OldestFirst),
        list(1, &token[1..], order),
        list(1, "garbage", order),
    ];
    for request in wrong {
        let refused = served.memories().list_memories(request).await.unwrap_err();
        let (code, name, _) = reason(&refused);
        assert_eq!((code, name.as_str()), (Code::InvalidArgument, "INVALID_PAGE_TOKEN"));
        assert_eq!(fields(&refused), ["page_token"]);
    }
    assert_eq!(served.memories().list_memories(list(1, &token, order)).await.unwrap().into_inner().memories.len(), 1);
}
