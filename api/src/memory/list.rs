//! Lists memories in a fixed order, page by page.

use kimberly_core::Result;
use kimberly_core::ids::Seq;
use kimberly_core::usecases::ListInput;
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::view::View;
use crate::{convert, references};

pub(super) async fn handle(entered: Entered<v1::ListMemoriesRequest>) -> Result<v1::ListMemoriesResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let input = ListInput {
        filter: convert::filter::filter(request.filter)?,
        order: convert::filter::order(request.order)?,
        page: convert::page(request.page_size, request.page_token),
        with_warmth: request.warmth,
    };
    let view = View::parse(request.view)?;
    let mut page = app.list_memories(&user, input).await?;
    for memory in &mut page.memories {
        view.shorten(memory);
    }
    let seqs: Vec<Seq> = page.memories.iter().map(|memory| memory.seq).collect();
    let memories = page.memories.into_iter().map(|memory| convert::memory::memory(&user, memory));
    let mut memories: Vec<v1::Memory> = memories.collect::<Result<_>>()?;
    for memory in &mut memories {
        view.fill_summary(memory);
    }
    references::fill(&app, &user, &seqs, memories.iter_mut());
    let warmth = page.warmth.into_iter().map(convert::memory::warmth).collect();
    Ok(v1::ListMemoriesResponse { memories, next_page_token: page.next, warmth })
}
