//! `link`: what records say of what entities are to each other is noted, each record once as it is (Y-2).

use async_trait::async_trait;

use super::reading::unread;
use super::{Change, Context, Kind, Step};
use crate::entities::Tie;
use crate::error::Result;
use crate::meditation::kinds::TIES;
use crate::memory::Memory;

/// Reads records for what entities are to each other.
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
    /// The version of the rules: raise it when what they find changes, so that records are read again.
    pub const RULES: i64 = 2;
}
