//! Lists records of consent, newest first.

use crate::bounds::MAX_PAGE_BYTES;
use crate::boxed;
use crate::consent::ConsentRecord;
use crate::error::Result;
use crate::ids::{ConsentId, UserId};
use crate::ports::ConsentQuery;
use crate::time::Timestamp;
use crate::usecases::App;
use crate::usecases::page::{PageRequest, Scope};

/// The records to list, and the page.
#[derive(Clone, Debug, Default)]
pub struct ListConsentsInput {
    /// Whether to include retracted records, for the whole history.
    pub include_retracted: bool,
    /// The page.
    pub page: PageRequest,
}

/// A page of records.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsentPage {
    /// The records.
    pub consents: Vec<ConsentRecord>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of records: at most the requested number and about 1 MiB, but at least one if there is any.
    #[boxed]
    pub async fn list_consents(&self, user: &UserId, input: ListConsentsInput) -> Result<ConsentPage> {
        let limit = input.page.limit()?;
        let retracted = input.include_retracted;
        let scope = Scope::new("consent.list", user, &retracted)?;
        let after: Option<(Timestamp, ConsentId)> = scope.key(&input.page.token)?;
        let read = self.vaults.read(user, move |reader| {
            let query = ConsentQuery::Page { retracted, after, limit: limit + 1 };
            Box::pin(async move { reader.consents(&query).await })
        });
        let mut consents = read.await?;
        let fitting = fitting(&consents).min(limit);
        let more = consents.len() > fitting;
        consents.truncate(fitting);
        let next = match consents.last().filter(|_| more) {
            Some(last) => scope.token(&(last.granted_at, last.id))?,
            None => String::new(),
        };
        Ok(ConsentPage { consents, next })
    }
}

/// Returns how many records fit on a page by their bytes, at least one.
fn fitting(consents: &[ConsentRecord]) -> usize {
    let mut bytes = 0;
    let lengths = |names: &[String]| names.iter().map(String::len).sum::<usize>();
    let over = consents.iter().position(|record| {
        let (draft, scope) = (&record.draft, &record.draft.scope);
        bytes += draft.purpose.len() + draft.note.len();
        bytes += lengths(&scope.namespaces) + lengths(&scope.tags) + lengths(&scope.session_ids);
        bytes > MAX_PAGE_BYTES
    });
    over.map_or(consents.len(), |at| at.max(1))
}
