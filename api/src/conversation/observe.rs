//! Takes messages of a conversation in.

use kimberly_core::bounds::MAX_BATCH;
use kimberly_core::usecases::ObserveInput;
use kimberly_core::{Error, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::ObserveRequest>) -> Result<v1::ObserveResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    if request.messages.len() > MAX_BATCH {
        let problem = format!("has {} entries; 1-{MAX_BATCH} are allowed", request.messages.len());
        return Err(Error::invalid("messages", problem));
    }
    let input = ObserveInput {
        session_id: request.session_id,
        messages: convert::conversation::messages(request.messages)?,
        namespace: caller.namespace(request.namespace),
        sensitive: request.sensitive,
        keep_system: request.keep_system,
        request_id: request.request_id,
        traceparent,
    };
    Ok(convert::conversation::observed(app.observe(&user, input).await?))
}
