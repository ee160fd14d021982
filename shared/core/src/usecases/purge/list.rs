//! Lists purges, newest first.

use crate::boxed;
use crate::erasure::Purge;
use crate::error::{Error, Result};
use crate::ids::{PurgeId, UserId};
use crate::ports::Purges;
use crate::usecases::App;
use crate::usecases::page::PageRequest;

/// The purges to list, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListPurgesInput {
    /// Only purges of this user; `None` for all.
    pub of: Option<UserId>,
    /// The page. Its token is the id to continue after.
    pub page: PageRequest,
}

/// A page of purges.
#[derive(Clone, Debug)]
pub struct PurgesPage {
    /// Purges, newest first, including those under way.
    pub purges: Vec<Purge>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Lists purges.
    #[boxed]
    pub async fn list_purges(&self, purges: &dyn Purges, input: ListPurgesInput) -> Result<PurgesPage> {
        let limit = input.page.limit()?;
        let before = match input.page.token.as_str() {
            "" => None,
            token => Some(PurgeId::parse("page_token", token).map_err(|_| Error::InvalidPageToken)?),
        };
        let mut found = purges.list(input.of.as_ref(), before, limit + 1).await?;
        let more = found.len() > limit;
        found.truncate(limit);
        let next = found.last().filter(|_| more).map_or_else(String::new, |last| last.id.to_string());
        Ok(PurgesPage { purges: found, next })
    }
}
