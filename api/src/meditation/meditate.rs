//! Plans a meditation, or requests one from the worker.

use kimberly_core::usecases::{MeditateInput, Meditated};
use kimberly_core::{Result, UserId};
use kimberly_proto::v1;
use prost::Message as _;

use crate::access::Entered;
use crate::convert;

/// A response ends before it exceeds this many bytes of decisions, so that clients with a limit of 4 MB can read it.
/// Its counts cover all decisions.
const MAX_PLAN_BYTES: usize = 3 * 1024 * 1024;

pub(super) async fn handle(entered: Entered<v1::MeditateRequest>) -> Result<v1::MeditateResponse> {
    let Entered { message: request, user, app, traceparent, .. } = entered;
    let input = MeditateInput {
        dry_run: request.dry_run,
        full: request.full,
        steps: request.steps,
        ids: request.ids,
        plan_token: request.plan_token,
        request_id: request.request_id,
        traceparent,
    };
    let done = app.meditate(&user, input).await?;
    Ok(answer(&user, done))
}

fn answer(user: &UserId, done: Meditated) -> v1::MeditateResponse {
    let planned_at = done.meditation.created_at;
    let mut run = convert::meditation::meditation(user, done.meditation);
    if done.dry_run {
        run.dry_run = true;
        run.id = String::new();
    }
    let mut bytes = 0;
    let decisions = done
        .decisions
        .into_iter()
        .zip(1..)
        .map(|(decision, position)| convert::meditation::decision(&decision, String::new(), position, planned_at));
    let fitting = decisions.take_while(|decision| {
        bytes += decision.encoded_len();
        bytes <= MAX_PLAN_BYTES
    });
    v1::MeditateResponse {
        decisions: fitting.collect(),
        meditation: Some(run),
        plan_token: done.plan_token.unwrap_or_default(),
    }
}
