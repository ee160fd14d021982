//! Core memory: add, change, remove and list blocks, and render them as one text.

mod add;
mod guard;
mod remove;
mod render;
mod update;

pub use add::AddBlockInput;
pub(super) use guard::{hold_total, may_change};
pub use remove::RemoveBlockInput;
pub use render::{CoreMemory, blocks};
pub use update::UpdateBlockInput;

use super::App;
use crate::core_memory::{label_problem, name_of};
use crate::error::{Error, Result};

impl App {
    /// Returns the namespace and the name of a block.
    fn block(&self, namespace: &str, label: &str) -> Result<(String, String)> {
        match label_problem(label) {
            Some(problem) => Err(Error::invalid("label", problem)),
            None => self.addressed(namespace, "label", &name_of(label)),
        }
    }
}
