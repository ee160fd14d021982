//! Retracts a consent.

use kimberly_core::usecases::consents::RetractConsentInput;
use kimberly_core::{ConsentId, Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::enums;

pub(super) async fn handle(entered: Entered<v1::RetractConsentRequest>) -> Result<v1::RetractConsentResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let input = RetractConsentInput {
        id: ConsentId::parse("id", &request.id)?,
        retraction: enums::optional(request.retraction).map_err(|problem| Error::invalid("retraction", problem))?,
        request_id: request.request_id,
        traceparent,
    };
    let done = app.retract_consent(&user, input).await?;
    Ok(v1::RetractConsentResponse {
        consent: Some(convert::consent::consent(done.consent, app.clock.now())),
        withheld: convert::int64(done.withheld),
        erased: convert::int64(done.erased),
        left: convert::int64(done.left),
    })
}
