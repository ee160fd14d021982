//! `link`: notes which relations between entities records state, once for each version of a record (Y-2).

use async_trait::async_trait;

use super::reading::unread;
use super::{Change, Context, Kind, Step};
use crate::entities::Tie;
use crate::error::Result;
use crate::meditation::kinds::TIES;
use crate::memory::Memory;

/// Reads records for relations between entities.
#[derive(Clone, Copy, Debug)]
pub struct Link;

#[async_trait]
impl Step for Link {
    fn name(&self) -> &'static str {
        "link"
    }

    async fn propose(&self, context: &Context<'_>) -> Result<Vec<Change>> {
        let count = |memory: &Memory| Tie::all_of(memory).len() as u64;
        unread(context, (self.name(), Self::RULES), (Kind::Relate, TIES), count).await
    }
}

impl Link {
    /// The version of the rules. Raise it when their results change, so that records are read again.
    pub const RULES: i64 = 4;
}
