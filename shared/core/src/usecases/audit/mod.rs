//! Reads the audit of a user's vault or of the system: by page, verified from end to end, exported, or signed at its head.

mod anchor;
mod checkpoint;
mod export;
mod list;
mod source;
mod verify;

pub use export::{AuditExport, AuditPiece, AuditSection};
pub use list::{AuditPage, ListAuditInput};
pub use source::AuditOf;
pub use verify::AuditVerdict;
