//! Exports the audit, oldest entry first, with everything needed to verify it elsewhere.
//!
//! Each piece is one short read on a separate snapshot. An export ends with the entry that was the last when it began,
//! so that it always ends.

use super::AuditOf;
use crate::audit::{AuditHead, AuditRecord};
use crate::bounds::AUDIT_PIECE_ENTRIES;
use crate::boxed;
use crate::error::{Error, Result, StorageFailure};
use crate::ports::{AuditQuery, AuditReader};
use crate::usecases::App;

/// The section of a chain that an export holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditSection {
    /// Name of the log.
    pub log: String,
    /// The head that the first entry follows.
    pub begins: AuditHead,
    /// Number of the last entry; that of `begins` if there are none.
    pub last: u64,
}

/// An export in progress.
#[derive(Clone)]
pub struct AuditExport {
    app: App,
    of: AuditOf,
    /// The section that it holds; `None` until the first piece.
    section: Option<AuditSection>,
    after: u64,
}

/// A piece of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditPiece {
    /// The section that follows; always first.
    Section(AuditSection),
    /// Entries, at least one.
    Entries(Vec<AuditRecord>),
}

impl App {
    /// Begins an export of the entries after number `after`, or after the last pruned one if that is later.
    pub fn export_audit(&self, of: AuditOf, after: u64) -> AuditExport {
        AuditExport { app: self.clone(), of, section: None, after }
    }
}

impl AuditExport {
    /// Returns the next piece; `None` at the end. Fails if `after` is greater than the number of the last entry.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<AuditPiece>> {
        let Some(AuditSection { last, .. }) = self.section else {
            let section = self.section().await?;
            self.after = section.begins.no;
            self.section = Some(section.clone());
            return Ok(Some(AuditPiece::Section(section)));
        };
        let before = Some(last.saturating_add(1));
        let query = AuditQuery { after: self.after, before, limit: AUDIT_PIECE_ENTRIES, ..AuditQuery::default() };
        let read = self.of.read(&self.app, move |reader| {
            let query = query.clone();
            Box::pin(async move { reader.audit_entries(&query).await })
        });
        let entries = read.await?;
        if let Some(first) = entries.first().filter(|first| first.no > self.after + 1)
            && self.pruned_since().await?
        {
            let detail = format!("entries before {} were pruned while they were exported", first.no);
            return Err(Error::storage(StorageFailure::Unavailable, detail));
        }
        let Some(last) = entries.last() else { return Ok(None) };
        self.after = last.no;
        Ok(Some(AuditPiece::Entries(entries)))
    }

    /// Reports whether the next entries were pruned since the export began.
    async fn pruned_since(&self) -> Result<bool> {
        let range = self.of.read(&self.app, |reader| Box::pin(reader.audit_range())).await?;
        Ok(range.pruned.is_some_and(|pruned| pruned.no > self.after))
    }

    async fn section(&self) -> Result<AuditSection> {
        let (log, after) = (self.of.log().await?, self.after);
        let read = self.of.read(&self.app, move |reader| {
            let log = log.clone();
            Box::pin(async move { section(reader, log, after).await })
        });
        read.await
    }
}

async fn section(reader: &mut dyn AuditReader, log: String, after: u64) -> Result<AuditSection> {
    let range = reader.audit_range().await?;
    let first = range.pruned.unwrap_or_else(|| AuditHead::genesis(&log));
    let last = range.last.max(first.no);
    if after > last {
        let problem = format!("is {after}; the last entry has the number {last}");
        return Err(Error::conflict("after", problem));
    }
    if after <= first.no {
        return Ok(AuditSection { log, begins: first, last });
    }
    let (above, before) = (after - 1, Some(after + 1));
    let query = AuditQuery { after: above, before, limit: 1, ..AuditQuery::default() };
    match reader.audit_entries(&query).await?.first() {
        Some(entry) => Ok(AuditSection { log, begins: entry.head(), last }),
        None => Err(Error::conflict("after", format!("is {after}; that entry is missing: verify the audit"))),
    }
}
