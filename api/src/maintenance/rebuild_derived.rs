//! Drops and rebuilds all data derived from a user's memories.

use kimberly_core::Result;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn handle(entered: Entered<v1::RebuildDerivedRequest>) -> Result<v1::RebuildDerivedResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let rebuilt = app.rebuild_derived(&user, request.vectors).await?;
    Ok(v1::RebuildDerivedResponse {
        memories: convert::int64(rebuilt.memories),
        counters_corrected: rebuilt.counters_corrected,
    })
}
