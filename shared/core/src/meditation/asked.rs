//! What the caller of a run asked for.

use serde::{Deserialize, Serialize};

use crate::ids::MemoryId;

/// A caller's restrictions on a run; the default restricts nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The names of the only steps that take part; empty for all steps of the trigger.
    pub steps: Vec<String>,
    /// The only memories that may change; empty for all.
    pub ids: Vec<MemoryId>,
}

impl Asked {
    /// Reports whether nothing is restricted.
    pub const fn is_everything(&self) -> bool {
        self.steps.is_empty() && self.ids.is_empty()
    }
}
