//! `entities`: notes which entities records name, once for each version of a record (Y-2). Which names denote the same
//! entity is computed when entities are requested.

use async_trait::async_trait;

use super::reading::unread;
use super::{Change, Context, Kind, Step};
use crate::entities::mentions_of;
use crate::error::Result;
use crate::meditation::kinds::NAMES;
use crate::memory::Memory;

/// Reads records for names.
#[derive(Clone, Copy, Debug)]
pub struct Entities;

#[async_trait]
impl Step for Entities {
    fn name(&self) -> &'static str {
        "entities"
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let count = |memory: &Memory| mentions_of(memory).len() as u64;
        unread(context, (self.name(), Self::RULES), (Kind::Recognize, NAMES), count).await
    }
}

impl Entities {
    /// The version of the rules. Raise it when their results change, so that records are read again.
    pub const RULES: i64 = 1;
}
