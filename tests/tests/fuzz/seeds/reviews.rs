//! Requests about review items.

use kimberly_proto::v1 as pb;

use super::{Seed, USER, seed};

/// Seeds of all rpcs of `ReviewService`.
pub(super) fn seeds(memory: &str) -> Vec<Seed> {
    let (user_id, id) = (USER.to_owned(), memory.replace("mem_", "uncertain_"));
    let kinds = vec![pb::ReviewKind::Stale.into(), pb::ReviewKind::Duplicate.into(), pb::ReviewKind::Merge.into()];
    let list = pb::ListReviewsRequest { user_id: user_id.clone(), kinds, page_size: 3, page_token: String::new() };
    let choice = pb::ReviewChange::Forget.into();
    let request_id = "a review".to_owned();
    let apply = pb::ApplyReviewRequest { user_id: user_id.clone(), id: id.clone(), choice, request_id };
    let dismiss = pb::DismissReviewRequest { user_id: user_id.clone(), id: id.clone() };
    vec![
        seed("/kimberly.v1.ReviewService/ListReviews", &list),
        seed("/kimberly.v1.ReviewService/ApplyReview", &apply),
        seed("/kimberly.v1.ReviewService/DismissReview", &dismiss),
        seed("/kimberly.v1.ReviewService/UndoReview", &pb::UndoReviewRequest { user_id, id }),
    ]
}
