//! `kimberly core show` and `list`

use kimberly_proto::v1;

use crate::context::Context;
use crate::error::CliResult;
use crate::{json, text, view};

pub(super) async fn show(context: &Context, namespace: String) -> CliResult {
    let request = v1::RenderCoreMemoryRequest { user_id: context.user.clone(), namespace };
    let answer = context.connect().await?.core().render_core_memory(request).await?.into_inner();
    context.out.answer(|| json::of(&answer), || text::printable(&answer.text))
}

pub(super) async fn list(context: &Context, namespace: String) -> CliResult {
    let request = v1::ListBlocksRequest { user_id: context.user.clone(), namespace };
    let answer = context.connect().await?.core().list_blocks(request).await?.into_inner();
    context.out.answer(
        || json::of(&answer),
        || {
            let (held, most) = (text::bytes(answer.bytes), text::bytes(answer.limit_bytes));
            if answer.blocks.is_empty() {
                format!("no blocks yet; {most} available; `kimberly core add persona TEXT` adds one")
            } else {
                format!("{}\n\n{held} of {most}", view::blocks(&answer.blocks))
            }
        },
    )
}
