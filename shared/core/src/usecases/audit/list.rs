//! Lists audit entries, newest first.

use std::sync::Arc;

use super::AuditOf;
use crate::audit::AuditRecord;
use crate::bounds::MAX_AUDIT_NAME_BYTES;
use crate::boxed;
use crate::error::{Error, FieldViolation, Result};
use crate::ports::AuditQuery;
use crate::usecases::App;
use crate::usecases::page::{PageRequest, Scope};

/// The entries to list, and the page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListAuditInput {
    /// Only entries of this actor, if given; at most 256 bytes.
    pub actor: Option<String>,
    /// Only entries with this action, if given; at most 256 bytes.
    pub action: Option<String>,
    /// Only entries about this subject, if given; at most 256 bytes.
    pub subject: Option<String>,
    /// The page.
    pub page: PageRequest,
}

/// A page of entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditPage {
    /// The entries, newest first.
    pub entries: Vec<AuditRecord>,
    /// Token of the next page; empty on the last one.
    pub next: String,
}

impl App {
    /// Returns a page of the audit; 50 entries if no size is given.
    #[boxed]
    pub async fn list_audit(&self, of: &AuditOf, input: ListAuditInput) -> Result<AuditPage> {
        let ListAuditInput { actor, action, subject, page } = input;
        check([("actor", &actor), ("action", &action), ("subject", &subject)])?;
        let limit = page.limit()?;
        let scope = Scope::of("audit.list", of.user(), &(&actor, &action, &subject))?;
        let before: Option<u64> = scope.key(&page.token)?;
        let query = AuditQuery { after: 0, before, newest_first: true, actor, action, subject, limit: limit + 1 };
        let query = Arc::new(query);
        let read = of.read(self, move |reader| {
            let query = Arc::clone(&query);
            Box::pin(async move { reader.audit_entries(&query).await })
        });
        let mut entries = read.await?;
        let more = entries.len() > limit;
        entries.truncate(limit);
        let next = match entries.last().filter(|_| more) {
            Some(last) => scope.token(&last.no)?,
            None => String::new(),
        };
        Ok(AuditPage { entries, next })
    }
}

fn check<const N: usize>(names: [(&str, &Option<String>); N]) -> Result<()> {
    let long = |name: &Option<String>| name.as_ref().map_or(0, String::len);
    let problems: Vec<FieldViolation> = names
        .into_iter()
        .filter(|(_, name)| long(name) > MAX_AUDIT_NAME_BYTES)
        .map(|(field, name)| {
            let problem = format!("has {} bytes; at most {MAX_AUDIT_NAME_BYTES} are allowed", long(name));
            FieldViolation::new(field, problem)
        })
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(Error::Invalid(problems)) }
}
