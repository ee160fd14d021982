//! The checked operations of one call.

use super::WorkingOp;
use crate::bounds::MAX_WORKING_BATCH;
use crate::error::{Error, FieldViolation, Result};

/// The operations of one call, each within its bounds. They run together, or none of them does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingOps {
    ops: Vec<WorkingOp>,
    is_batch: bool,
}

impl WorkingOps {
    /// A call with one operation, whose fields are the request's.
    pub fn one(op: WorkingOp) -> Result<Self> {
        Self { ops: vec![op], is_batch: false }.checked(Vec::new())
    }

    /// A call with several operations, in the request's field `operations`.
    pub fn batch(ops: Vec<WorkingOp>) -> Result<Self> {
        let mut violations = Vec::new();
        if !(1..=MAX_WORKING_BATCH).contains(&ops.len()) {
            let problem = format!("has {} entries; 1 to {MAX_WORKING_BATCH} are allowed", ops.len());
            violations.push(FieldViolation::new("operations", problem));
        }
        Self { ops, is_batch: true }.checked(violations)
    }

    /// The operations, in order.
    pub fn as_slice(&self) -> &[WorkingOp] {
        &self.ops
    }

    /// The prefix of an operation's fields in the request.
    pub fn path(&self, index: usize) -> String {
        if self.is_batch { format!("operations[{index}].") } else { String::new() }
    }

    fn checked(self, mut violations: Vec<FieldViolation>) -> Result<Self> {
        if violations.is_empty() {
            for (index, op) in self.ops.iter().enumerate() {
                op.check(&self.path(index), &mut violations);
            }
        }
        if violations.is_empty() { Ok(self) } else { Err(Error::Invalid(violations)) }
    }
}
