//! Lists names in the order of their bytes.

use super::super::App;
use super::super::support::namespace_for;
use crate::bounds::{DEFAULT_NAMES, MAX_NAME_BYTES, MAX_PAGE_SIZE};
use crate::boxed;
use crate::error::{Error, FieldViolation, Result};
use crate::ids::UserId;
use crate::memory::{MemoryFilter, label_problem};
use crate::ports::{Named, NamesQuery};

/// The names to list.
#[derive(Clone, Debug, Default)]
pub struct NamesInput {
    /// The namespace; empty for the default one.
    pub namespace: String,
    /// Only names that begin with this; empty for all.
    pub prefix: String,
    /// Only names after this one; empty for the first page.
    pub after: String,
    /// Most names to return; 0 for the default.
    pub limit: i32,
}

/// A page of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamesPage {
    /// Names in the order of their bytes.
    pub names: Vec<Named>,
    /// Whether there are more names.
    pub more: bool,
}

impl App {
    /// Returns the active named records of a namespace, without their contents.
    #[boxed]
    pub async fn list_names(&self, user: &UserId, input: NamesInput) -> Result<NamesPage> {
        let input = NamesInput { namespace: namespace_for(self.caller.as_deref(), &input.namespace)?, ..input };
        let query = input.checked()?;
        let limit = query.limit - 1;
        let read = self.vaults.read(user, move |reader| {
            let query = query.clone();
            Box::pin(async move { reader.names(&query).await })
        });
        let mut names = read.await?;
        let more = names.len() > limit;
        names.truncate(limit);
        Ok(NamesPage { names, more })
    }
}

impl NamesInput {
    /// Makes the query: it asks for one more than is returned, to see whether there are more.
    fn checked(self) -> Result<NamesQuery> {
        let limit = if self.limit == 0 { Some(DEFAULT_NAMES) } else { usize::try_from(self.limit).ok() };
        let limit = limit.filter(|limit| *limit <= MAX_PAGE_SIZE);
        let mut violations: Vec<_> = [("prefix", &self.prefix, MAX_NAME_BYTES), ("after", &self.after, MAX_NAME_BYTES)]
            .into_iter()
            .filter(|(_, text, _)| !text.is_empty())
            .filter_map(|(field, text, most)| Some(FieldViolation::new(field, label_problem(text, most)?)))
            .collect();
        if limit.is_none() {
            let problem = format!("is {}; 1 to {MAX_PAGE_SIZE} are allowed, and 0 for {DEFAULT_NAMES}", self.limit);
            violations.push(FieldViolation::new("limit", problem));
        }
        let Some(limit) = limit.filter(|_| violations.is_empty()) else { return Err(Error::Invalid(violations)) };
        let filter = MemoryFilter { namespaces: vec![self.namespace], ..MemoryFilter::default() };
        Ok(NamesQuery { filter, prefix: self.prefix, after: self.after, limit: limit + 1 })
    }
}
