//! Operations of one call, within bounds.

use super::WorkingOp;
use crate::bounds::MAX_WORKING_BATCH;
use crate::error::{Error, FieldViolation, Result};

/// Operations of one call, each within its bounds. They are carried out together, or none of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkingOps {
    ops: Vec<WorkingOp>,
    is_batch: bool,
}

impl WorkingOps {
    /// A call of one operation, whose fields are those of the request.
    pub fn one(op: WorkingOp) -> Result<Self> {
        Self { ops: vec![op], is_batch: false }.checked(Vec::new())
    }

    /// A call of several, in the field `operations` of the request.
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

    /// What stands before the fields of an operation in the request.
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
