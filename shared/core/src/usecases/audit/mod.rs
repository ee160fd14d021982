//! Reading the audit of a user's vault: page by page, checked from end to end, or handed out whole.

mod export;
mod list;
mod verify;

pub use export::{AuditExport, AuditPiece, AuditSection};
pub use list::{AuditPage, ListAuditInput};
pub use verify::AuditVerdict;
