//! Takes messages of a conversation in, and reads them if the caller waits for that.

use kimberly_core::bounds::MAX_BATCH;
use kimberly_core::conversation::{Observed, ObservedMessage};
use kimberly_core::extraction::Mode;
use kimberly_core::usecases::ObserveInput;
use kimberly_core::{Error, MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert};

pub(super) async fn handle(api: &Api, entered: Entered<v1::ObserveRequest>) -> Result<v1::ObserveResponse> {
    let Entered { message: request, user, app, caller, traceparent, .. } = entered;
    if request.messages.len() > MAX_BATCH {
        let problem = format!("has {} entries; 1-{MAX_BATCH} are allowed", request.messages.len());
        return Err(Error::invalid("messages", problem));
    }
    let extraction =
        convert::enums::optional(request.extraction).map_err(|problem| Error::invalid("extraction", problem))?;
    let extraction = extraction.unwrap_or_default();
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
    let observed = app.observe(&user, input).await?;
    let new = stored(&observed);
    let mut answer = convert::conversation::observed(observed);
    if extraction == Mode::Wait && !new.is_empty() {
        let read = api.extract_turns(&user, &caller, &new).await?;
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
