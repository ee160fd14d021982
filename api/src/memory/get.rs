//! Returns one memory, with the explanation of its score and its decisions if requested.

use kimberly_core::ports::Touch;
use kimberly_core::{MemoryId, Result};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::{Api, convert, references};

pub(super) async fn handle(api: &Api, entered: Entered<v1::GetMemoryRequest>) -> Result<v1::GetMemoryResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let id = MemoryId::parse("id", &request.id)?;
    let found = app.get_memory(&user, id, request.explain).await?;
    let touch = Touch { seq: found.memory.seq, times: 1, at: app.clock.now() };
    if !request.peek {
        api.touches.record(&user, &[touch]);
    }
    let mut memory = convert::memory::memory(&user, found.memory)?;
    references::fill(&app, &user, &[touch.seq], std::iter::once(&mut memory));
    Ok(v1::GetMemoryResponse {
        memory: Some(memory),
        score_explanation: found.score.map(convert::memory::score_explanation),
        salience: found.salience.map(convert::memory::salience),
        warmth: found.warmth.map(convert::memory::warmth),
        decisions: found.decisions.into_iter().map(|found| convert::meditation::recorded(&found)).collect(),
    })
}
