//! Lists reviews that wait for a person.

use kimberly_core::reviews::Review;
use kimberly_core::usecases::reviews::ListReviewsInput;
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::enums::{self, WireEnum as _};
use crate::references;

pub(super) async fn handle(entered: Entered<v1::ListReviewsRequest>) -> Result<v1::ListReviewsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let kinds = enums::all("kinds", &request.kinds)?;
    let input = ListReviewsInput { kinds, page: convert::page(request.page_size, request.page_token) };
    let page = app.list_reviews(&user, input).await?;
    let mut reviews = Vec::with_capacity(page.reviews.len());
    for review in page.reviews {
        let seqs: Vec<_> = review.memories.iter().map(|memory| memory.seq).collect();
        let makes = review.makes(app.defaults.draft_limits).map(|draft| draft.content);
        let mut review = v1::Review { makes: makes.unwrap_or_default(), ..to_wire(&user, review)? };
        references::fill(&app, &user, &seqs, review.memories.iter_mut());
        reviews.push(review);
    }
    Ok(v1::ListReviewsResponse { reviews, next_page_token: page.next })
}

fn to_wire(user: &UserId, review: Review) -> Result<v1::Review> {
    let Review { id, memories, reason, proposes, at, ground: _ } = review;
    let memories = memories.into_iter().map(|memory| convert::memory::memory(user, memory)).collect::<Result<_>>()?;
    Ok(v1::Review {
        id: id.to_string(),
        kind: id.kind.number(),
        memories,
        reason,
        proposes: proposes.number(),
        changes: id.kind.changes().iter().map(|change| change.number()).collect(),
        arose_at: Some(convert::time::wire_timestamp(at)),
        makes: String::new(),
    })
}
