//! Returns one consent record.

use kimberly_core::{ConsentId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::GetConsentRequest>) -> Result<v1::GetConsentResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let record = app.get_consent(&user, ConsentId::parse("id", &request.id)?).await?;
    Ok(v1::GetConsentResponse { consent: Some(convert::consent::consent(record, app.clock.now())) })
}
