//! Executes operations on working memory.

use kimberly_core::working::{WorkingOp, WorkingOps, WorkingOutcome};
use kimberly_core::{Error, FieldViolation, Result};
use kimberly_proto::v1;
use kimberly_proto::v1::working_operation::Operation;

use super::span;
use crate::access::Entered;
use crate::convert::{self, time};

pub(super) async fn handle(
    entered: Entered<v1::RunWorkingOperationsRequest>,
) -> Result<v1::RunWorkingOperationsResponse> {
    let Entered { message: request, user, app, system, .. } = entered;
    let mut violations = Vec::new();
    let ops = request.operations.into_iter().enumerate();
    let ops = ops.filter_map(|(index, raw)| op(index, raw).map_err(|violation| violations.push(violation)).ok());
    let ops = ops.collect();
    if !violations.is_empty() {
        return Err(Error::Invalid(violations));
    }
    let keyspace = (request.namespace.as_str(), request.session_id.as_str());
    let outcomes = app.run_working(&*system.working, &user, keyspace, &WorkingOps::batch(ops)?).await?;
    Ok(v1::RunWorkingOperationsResponse { results: outcomes.into_iter().map(result).collect() })
}

fn op(index: usize, raw: v1::WorkingOperation) -> Result<WorkingOp, FieldViolation> {
    let key = raw.key;
    let at = |name: &str| format!("operations[{index}].{name}");
    let missing = || FieldViolation::new(at("operation"), "is missing; name one, such as set or get");
    Ok(match raw.operation.ok_or_else(missing)? {
        Operation::Set(set) => {
            WorkingOp::Set { key, value: set.value, lifetime: span(at("set.lifetime"), set.lifetime)? }
        }
        Operation::Get(_) => WorkingOp::Get { key },
        Operation::Delete(_) => WorkingOp::Delete { key },
        Operation::Increment(add) => {
            WorkingOp::Increment { key, by: add.by, lifetime: span(at("increment.lifetime"), add.lifetime)? }
        }
        Operation::Append(add) => {
            WorkingOp::Append { key, value: add.value, lifetime: span(at("append.lifetime"), add.lifetime)? }
        }
        Operation::Expire(expire) => {
            let field = at("expire.lifetime");
            let lifetime = span(field.clone(), expire.lifetime)?;
            let missing = || FieldViolation::new(field, "is missing; 1 s to 7 d are allowed");
            WorkingOp::Expire { key, lifetime: lifetime.ok_or_else(missing)? }
        }
    })
}

fn result(outcome: WorkingOutcome) -> v1::WorkingResult {
    v1::WorkingResult {
        found: outcome.found,
        value: outcome.value,
        expires_at: outcome.expires_at.map(time::wire_timestamp),
        evicted: convert::int32(outcome.evicted),
    }
}
