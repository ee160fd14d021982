//! A conclusion drawn from other records.

use serde::{Deserialize, Serialize};

use super::{Check, Form};
use crate::bounds::MAX_DETAIL_ENTRIES;
use crate::ids::MemoryId;
use crate::memory::names;

/// How a conclusion was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InsightType {
    /// It follows from its premises.
    Deduction,
    /// Its premises make it likely.
    Induction,
}
names!(InsightType { Deduction => "deduction", Induction => "induction" });

/// A conclusion drawn from other records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InsightDetail {
    /// How the conclusion was drawn.
    #[serde(rename = "type")]
    pub insight_type: InsightType,
    /// The memories it was drawn from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub premises: Vec<MemoryId>,
}

impl Form for InsightDetail {
    fn check(&mut self, check: &mut Check<'_>) {
        if self.premises.len() > MAX_DETAIL_ENTRIES {
            let has = self.premises.len();
            check.bad("premises", format!("has {has} entries; at most {MAX_DETAIL_ENTRIES} are allowed"));
        }
    }

    fn texts(&self) -> Vec<&str> {
        Vec::new()
    }
}
