//! Lists contradictions, and resolves one.

use kimberly_core::usecases::links::{Contradiction, ResolveInput};
use kimberly_core::{MemoryId, Result, UserId};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert::problems::Problems;
use crate::convert::{self, enums};
use crate::references;

pub(super) async fn list(entered: Entered<v1::ListContradictionsRequest>) -> Result<v1::ListContradictionsResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let page = app.list_contradictions(&user, convert::page(request.page_size, request.page_token)).await?;
    let mut contradictions = Vec::with_capacity(page.contradictions.len());
    for one in page.contradictions {
        let seqs = [one.from.seq, one.to.seq];
        let mut one = to_wire(&user, one)?;
        references::fill(&app, &user, &seqs, [&mut one.from_memory, &mut one.to_memory].into_iter().flatten());
        contradictions.push(one);
    }
    Ok(v1::ListContradictionsResponse { contradictions, next_page_token: page.next })
}

pub(super) async fn resolve(
    entered: Entered<v1::ResolveContradictionRequest>,
) -> Result<v1::ResolveContradictionResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let mut problems = Problems::default();
    let from = problems.absorb(MemoryId::parse("from_id", &request.from_id));
    let to = problems.absorb(MemoryId::parse("to_id", &request.to_id));
    let resolution = enums::set(request.resolution).map_err(|problem| problems.add("resolution", problem)).ok();
    let named = problems.finish(from.zip(to).zip(resolution))?;
    let incomplete = || kimberly_core::Error::invalid("resolution", "is unset; say which of the two is true");
    let ((from, to), resolution) = named.ok_or_else(incomplete)?;
    let (reason, request_id) = (request.reason, request.request_id);
    let input = ResolveInput { from, to, resolution, reason, request_id };
    let resolved = app.resolve_contradiction(&user, input).await?;
    Ok(v1::ResolveContradictionResponse {
        ended_id: resolved.ended.map(|(id, _)| id.to_string()).unwrap_or_default(),
        valid_to: resolved.ended.map(|(_, until)| convert::time::wire_timestamp(until)),
    })
}

fn to_wire(user: &UserId, one: Contradiction) -> Result<v1::Contradiction> {
    Ok(v1::Contradiction {
        link: Some(convert::link::link(one.link)),
        from_memory: Some(convert::memory::memory(user, one.from)?),
        to_memory: Some(convert::memory::memory(user, one.to)?),
    })
}
