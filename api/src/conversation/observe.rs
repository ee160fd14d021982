//! Stores messages of a conversation, and extracts memories from them if the caller waits for that.

use kimberly_core::access::Caller;
use kimberly_core::bounds::MAX_BATCH;
use kimberly_core::conversation::{Observed, ObservedMessage};
use kimberly_core::error::StorageFailure;
use kimberly_core::extraction::Mode;
use kimberly_core::usecases::idempotency::Key;
use kimberly_core::usecases::{App, ObserveInput};
use kimberly_core::{Error, MemoryId, Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert};

pub(super) async fn handle(api: &Api, entered: Entered<v1::ObserveRequest>) -> Result<v1::ObserveResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    if request.messages.len() > MAX_BATCH {
        let problem = format!("has {} entries; 1-{MAX_BATCH} are allowed", request.messages.len());
        return Err(Error::invalid("messages", problem));
    }
    let extraction = extraction(request.extraction)?;
    let input = ObserveInput {
        session_id: request.session_id,
        messages: convert::conversation::messages(request.messages)?,
        namespace: caller.namespace(request.namespace),
        sensitive: request.sensitive,
        keep_system: request.keep_system,
        extraction,
        request_id: request.request_id,
        traceparent,
    };
    if request.dry_run {
        return preview(app, input).await;
    }
    let observed = app.observe(&user, input).await?;
    with_extracted(api, &user, &caller, extraction, observed).await
}

/// Returns what would be extracted. Runs on its own thread, since the time grows with the text.
async fn preview(app: App, input: ObserveInput) -> Result<v1::ObserveResponse> {
    // Nothing is written, so nothing is stored under the request id. Its bounds are checked all the same.
    Key::new(&input.request_id, "conversation.observe", &())?;
    let reading = tokio::task::spawn_blocking(move || app.preview_extraction(input));
    let read = reading.await.map_err(|_| Error::storage(StorageFailure::Defect, "reading messages panicked"))??;
    let extracted = read.into_iter().map(convert::conversation::would_extract).collect();
    Ok(v1::ObserveResponse { extracted, ..v1::ObserveResponse::default() })
}

/// Parses when memories are extracted.
pub(super) fn extraction(mode: i32) -> Result<Mode> {
    let mode = convert::enums::optional(mode).map_err(|problem| Error::invalid("extraction", problem))?;
    Ok(mode.unwrap_or_default())
}

/// Converts the outcome of the messages. If the caller waits for extraction, extracts and adds the result.
pub(super) async fn with_extracted(
    api: &Api,
    user: &UserId,
    caller: &Caller,
    mode: Mode,
    observed: Observed,
) -> Result<v1::ObserveResponse> {
    let new = stored(&observed);
    let mut answer = convert::conversation::observed(observed);
    if mode == Mode::Wait && !new.is_empty() {
        let read = api.extract_turns(user, caller, &new).await?;
        answer.extracted = read.into_iter().map(convert::conversation::extracted).collect();
    }
    Ok(answer)
}

fn stored(observed: &Observed) -> Vec<MemoryId> {
    let id = |message: &ObservedMessage| match message {
        ObservedMessage::Stored { id, .. } => Some(*id),
        _ => None,
    };
    observed.messages.iter().filter_map(id).collect()
}
