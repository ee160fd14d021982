//! Compacts a session at once.

use kimberly_core::Result;
use kimberly_core::usecases::CompactInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;
use crate::convert::enums::WireEnum as _;

pub(super) async fn handle(entered: Entered<v1::CompactSessionRequest>) -> Result<v1::CompactSessionResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = CompactInput {
        session_id: request.session_id,
        namespace: request.namespace,
        keep: request.keep,
        wait: request.wait,
    };
    let done = app.compact_session(&user, input).await?;
    Ok(v1::CompactSessionResponse {
        summary_ids: done.summaries.iter().map(ToString::to_string).collect(),
        turns: convert::int64(done.turns),
        summarized_by: done.by.number(),
    })
}
