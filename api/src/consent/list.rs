//! Lists consent records, newest first.

use kimberly_core::Result;
use kimberly_core::usecases::consents::ListConsentsInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ListConsentsRequest>) -> Result<v1::ListConsentsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let page = convert::page(request.page_size, request.page_token);
    let input = ListConsentsInput { include_retracted: request.include_retracted, page };
    let (page, now) = (app.list_consents(&user, input).await?, app.clock.now());
    let consents = page.consents.into_iter().map(|record| convert::consent::consent(record, now)).collect();
    Ok(v1::ListConsentsResponse { consents, next_page_token: page.next })
}
