//! Erases memories at once, and waits shortly for the last traces to be removed.

use std::time::Duration;

use kimberly_core::ids::Seq;
use kimberly_core::usecases::{App, ForgetInput};
use kimberly_core::{MemoryId, Result, UserId};
use kimberly_proto::v1;
use tokio::time::sleep;

use super::delete::texts;
use crate::access::Entered;
use crate::convert;
use crate::convert::problems::Problems;

/// How often to check whether the vectors are gone, and the pause between two checks.
const LOOKS: u32 = 20;
const BETWEEN: Duration = Duration::from_millis(100);

pub(super) async fn handle(entered: Entered<v1::ForgetMemoriesRequest>) -> Result<v1::ForgetMemoriesResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let mut problems = Problems::default();
    let ids = request.ids.iter().enumerate();
    let ids = ids.map(|(index, raw)| MemoryId::parse(&format!("ids[{index}]"), raw));
    let ids: Vec<_> = ids.filter_map(|id| problems.absorb(id)).collect();
    let input = ForgetInput { ids: problems.finish(ids)?, request_id: request.request_id, traceparent };
    let forgotten = app.forget_memories(&user, input).await?;
    // Both wait for other work, which happens in any case. So neither can fail the call.
    let attachments_removed = app.remove_condemned(&user).await;
    let (files_clean, vectors_removed) =
        tokio::join!(app.vaults.empty_log(&user), vectors_removed(&app, &user, &forgotten.seqs));
    Ok(v1::ForgetMemoriesResponse {
        ids: texts(&forgotten.ids),
        size_bytes: convert::int64(forgotten.size_bytes),
        erased_at: Some(convert::time::wire_timestamp(forgotten.erased_at)),
        files_clean: attachments_removed
            && files_clean.unwrap_or_else(|error| {
                tracing::warn!(%error, "the write-ahead log of a vault could not be truncated after an erasure; it is \
                tried again later");
                false
            }),
        vectors_removed,
        derived_erased: convert::int64(forgotten.derived_erased),
        marked_stale: convert::int64(forgotten.marked_stale),
        also_forgotten: texts(&forgotten.along.also_forgotten),
        struck: texts(&forgotten.along.struck),
        still_mentions: texts(&forgotten.along.still_mentions),
    })
}

/// Waits for the embedder to remove vectors. Returns whether they are gone.
async fn vectors_removed(app: &App, user: &UserId, seqs: &[Seq]) -> bool {
    for _ in 0..LOOKS {
        match app.hold_vectors(user, seqs) {
            Ok(false) => return true,
            Ok(true) => sleep(BETWEEN).await,
            Err(error) => {
                tracing::warn!(%error, "cannot check whether vectors of erased memories are left");
                return false;
            }
        }
    }
    false
}
