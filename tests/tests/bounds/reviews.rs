//! Bounds of requests about review items.

use kimberly_proto::v1 as pb;

use super::{Judge, user};

#[tokio::test]
async fn reviews() {
    let judge = Judge::new().await;
    let list = || pb::ListReviewsRequest { user_id: user(), ..Default::default() };
    let kinds = |n: usize| pb::ListReviewsRequest { kinds: vec![1; n], ..list() };
    judge.holds("kinds", "kinds", kinds(8), kinds(9)).await;
    judge.refuses("no kind", "kinds[0]", pb::ListReviewsRequest { kinds: vec![0], ..list() }).await;
    let page = |page_size| pb::ListReviewsRequest { page_size, ..list() };
    judge.holds("page", "page_size", page(1_000), page(1_001)).await;
    let apply = |id: &str, choice| pb::ApplyReviewRequest {
        user_id: user(),
        id: id.to_owned(),
        choice,
        request_id: String::new(),
    };
    judge.refuses("no item", "id", apply("stale", 0)).await;
    judge.refuses("no choice", "choice", apply("stale_01980000-0000-7000-8000-000000000000", 9)).await;
    judge.refuses("no item", "id", pb::DismissReviewRequest { user_id: user(), id: String::new() }).await;
    judge.refuses("no item", "id", pb::UndoReviewRequest { user_id: user(), id: "x".to_owned() }).await;
}
