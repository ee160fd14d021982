//! Reads one memory, with the reasons behind its score and its past if asked.

use kimberly_core::ports::Touch;
use kimberly_core::{MemoryId, Result, UserId};
use kimberly_proto::v1;

use crate::{Api, convert, references};

pub(super) async fn handle(api: &Api, request: v1::GetMemoryRequest) -> Result<v1::GetMemoryResponse> {
    let user = UserId::parse(&request.user_id)?;
    let id = MemoryId::parse("id", &request.id)?;
    let found = api.app.get_memory(&user, id, request.explain).await?;
    let touch = Touch { seq: found.memory.seq, times: 1, at: api.app.clock.now() };
    api.touches.record(&user, &[touch]);
    let mut memory = convert::memory::memory(&user, found.memory)?;
    references::fill(api, &user, &[touch.seq], std::iter::once(&mut memory));
    Ok(v1::GetMemoryResponse {
        memory: Some(memory),
        score_explanation: found.score.map(convert::memory::score_explanation),
        decisions: found.decisions.into_iter().map(convert::meditation::recorded).collect(),
    })
}
