//! Drops and rebuilds what is derived from a user's memories.

use kimberly_core::{Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert};

pub(super) async fn handle(api: &Api, request: v1::RebuildDerivedRequest) -> Result<v1::RebuildDerivedResponse> {
    let rebuilt = api.app.rebuild_derived(&UserId::parse(&request.user_id)?, request.vectors).await?;
    Ok(v1::RebuildDerivedResponse {
        memories: convert::int64(rebuilt.memories),
        counters_corrected: rebuilt.counters_corrected,
    })
}
