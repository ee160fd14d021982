//! Ends a session: extracts memories from its turns, compacts them, and archives its short-term memories.

use kimberly_core::Result;
use kimberly_core::usecases::EndSessionInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert};

pub(super) async fn handle(api: &Api, entered: Entered<v1::EndSessionRequest>) -> Result<v1::EndSessionResponse> {
    let Entered { message: request, user, app, caller, .. } = entered;
    let input = EndSessionInput { session_id: request.session_id, request_id: request.request_id };
    // A language model is slow, so with one a job reads the remaining turns.
    if app.language_model.is_none() {
        api.extract_turns(&user, &caller, &[]).await?;
    } else {
        app.extract_soon(&user).await?;
    }
    // Done before the last turns of tools are archived.
    app.compact_ended(&user, &input.session_id).await?;
    let ended = app.end_session(&user, input).await?;
    Ok(v1::EndSessionResponse {
        archived: i32::try_from(ended.archived).unwrap_or(i32::MAX),
        archived_bytes: convert::int64(ended.archived_bytes),
        ended_at: Some(convert::time::wire_timestamp(ended.ended_at)),
    })
}
