//! `entities`: whom and what records name is noted, each record once as it is (Y-2). Which names are one is put together when
//! entities are asked for.

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
    /// The version of the rules: raise it when what they find changes, so that records are read again.
    pub const RULES: i64 = 1;
}
