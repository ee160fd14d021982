//! Assembles the context for the next prompt.

use kimberly_core::Result;
use kimberly_core::usecases::ContextInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert};

pub(super) async fn handle(api: &Api, entered: Entered<v1::GetContextRequest>) -> Result<v1::GetContextResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = ContextInput {
        parts: convert::conversation::parts(&request.parts)?,
        filter: convert::filter::filter(request.filter)?,
        session_id: request.session_id,
        query: request.query,
        budget_tokens: request.budget_tokens,
        context_window_tokens: request.context_window_tokens,
        tokens_per_byte: request.tokens_per_byte,
        min_relevance: request.min_relevance,
        peek: request.peek,
    };
    let output = app.get_context(&user, input).await?;
    if !request.peek {
        api.touches.record(&user, &output.touches);
    }
    if let Some(error) = &output.unnoted {
        tracing::warn!("the sentences handed out were not recorded: {error}");
    }
    Ok(convert::conversation::context(output))
}
