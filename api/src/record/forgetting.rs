//! Lists memories that are candidates for forgetting by their salience, and forgets them.

use kimberly_core::Result;
use kimberly_core::usecases::{ForgettingInput, ForgottenMemory, RunForgettingInput};
use kimberly_proto::v1;

use crate::access::Entered;
use crate::convert;

pub(super) async fn list(
    entered: Entered<v1::ListForgettingCandidatesRequest>,
) -> Result<v1::ListForgettingCandidatesResponse> {
    let Entered { message: request, user, app, .. } = entered;
    let v1::ListForgettingCandidatesRequest { threshold, half_life_days, filter, limit, .. } = request;
    let filter = convert::filter::filter(filter)?;
    let found =
        app.list_forgetting_candidates(&user, ForgettingInput { threshold, half_life_days, filter, limit }).await?;
    let (memories, saliences): (Vec<_>, Vec<_>) = found.into_iter().map(|one| (one.memory, one.salience)).unzip();
    let memories = super::listed(&app, &user, memories)?.into_iter().zip(saliences);
    let candidates = memories.map(|(memory, salience)| v1::ForgettingCandidate {
        memory: Some(memory),
        salience: Some(convert::memory::salience(salience)),
    });
    Ok(v1::ListForgettingCandidatesResponse { candidates: candidates.collect() })
}

pub(super) async fn run(entered: Entered<v1::RunForgettingRequest>) -> Result<v1::RunForgettingResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let v1::RunForgettingRequest { threshold, half_life_days, filter, limit, dry_run, request_id, .. } = request;
    let which = ForgettingInput { threshold, half_life_days, filter: convert::filter::filter(filter)?, limit };
    let ran = app.run_forgetting(&user, RunForgettingInput { which, dry_run, request_id, traceparent }).await?;
    let forgotten = |one: ForgottenMemory| v1::ForgottenMemory {
        id: one.id.to_string(),
        salience: one.salience,
        size_bytes: convert::int64(one.size_bytes),
    };
    Ok(v1::RunForgettingResponse {
        forgotten: ran.forgotten.into_iter().map(forgotten).collect(),
        dry_run: ran.dry_run,
    })
}
