//! Lists of ten thousand memories.

use std::collections::HashSet;

use kimberly_proto::v1::{self as pb, ListOrder};
use kimberly_tests::drafts::{draft, tagged};
use kimberly_tests::{System, reason};
use tonic::Code;

#[tokio::test]
async fn ten_thousand_memories_are_listed_once_each_and_in_order() {
    let system = System::start_with(&[("KIMBERLY_QUOTAS__LONG_TERM", "64MiB")]).await;
    let mut ana = system.user("ana");
    for batch in 0..10 {
        let contents = (0..1_000)
            .map(|n| tagged(&format!("note {}", batch * 1_000 + n), &[if n % 2 == 0 { "even" } else { "odd" }]));
        ana.remember_all(contents.collect()).await;
    }
    for order in [ListOrder::OldestFirst, ListOrder::NewestFirst] {
        let mut request =
            pb::ListMemoriesRequest { user_id: ana.id(), page_size: 777, order: order.into(), ..Default::default() };
        let mut seen = Vec::new();
        loop {
            let page = ana.clients.memories.list_memories(request.clone()).await.expect("a page").into_inner();
            assert!(page.memories.len() <= 777);
            seen.extend(page.memories.into_iter().map(|memory| memory.content));
            request.page_token = page.next_page_token;
            if request.page_token.is_empty() {
                break;
            }
        }
        let mut expected: Vec<String> = (0..10_000).map(|n| format!("note {n}")).collect();
        if order == ListOrder::NewestFirst {
            expected.reverse();
        }
        assert!(seen == expected, "{order:?}: {} memories listed, or out of order", seen.len());
    }
    let odd = ana.list(pb::MemoryFilter { tags_any: vec!["odd".to_owned()], ..Default::default() }).await;
    assert_eq!(odd.iter().map(|m| &m.id).collect::<HashSet<_>>().len(), 5_000);
}

#[tokio::test]
async fn pages_stay_below_what_clients_take() {
    let system = System::start_with(&[("KIMBERLY_QUOTAS__LONG_TERM", "64MiB")]).await;
    let mut ana = system.user("ana");
    for n in 0..100 {
        ana.remember(&format!("{n} {}", "x".repeat(60_000))).await;
    }
    let request = pb::ListMemoriesRequest { user_id: ana.id(), page_size: 1_000, ..Default::default() };
    let page = ana.clients.memories.list_memories(request).await.expect("a page below 4 MB").into_inner();
    let bytes: i64 = page.memories.iter().map(|memory| memory.size_bytes).sum();
    assert!(bytes <= 1_200_000, "a page holds {bytes} bytes");
    assert!(!page.memories.is_empty() && !page.next_page_token.is_empty());
    assert_eq!(ana.list(pb::MemoryFilter::default()).await.len(), 100);
}

#[tokio::test]
async fn a_token_serves_only_the_list_it_came_from() {
    let system = System::start().await;
    let mut ana = system.user("ana");
    ana.remember_all((0..10).map(|n| draft(&format!("note {n}"))).collect()).await;
    system.user("bela").remember("another user").await;
    let request = pb::ListMemoriesRequest { user_id: ana.id(), page_size: 3, ..Default::default() };
    let token = ana.clients.memories.list_memories(request.clone()).await.expect("a page").into_inner().next_page_token;
    let filter = pb::MemoryFilter { tags_any: vec!["other".to_owned()], ..Default::default() };
    let wrong = [
        pb::ListMemoriesRequest { user_id: "bela".to_owned(), page_token: token.clone(), ..request.clone() },
        pb::ListMemoriesRequest { filter: Some(filter), page_token: token.clone(), ..request.clone() },
        pb::ListMemoriesRequest { order: ListOrder::OldestFirst.into(), page_token: token.clone(), ..request.clone() },
        pb::ListMemoriesRequest { page_token: format!("{token}x"), ..request.clone() },
        pb::ListMemoriesRequest { page_token: "1".to_owned(), ..request },
    ];
    for request in wrong {
        let refused = ana.clients.memories.list_memories(request.clone()).await.expect_err("a foreign token was taken");
        assert_eq!(
            (refused.code(), reason(&refused).as_str()),
            (Code::InvalidArgument, "INVALID_PAGE_TOKEN"),
            "{request:?}"
        );
    }
}
