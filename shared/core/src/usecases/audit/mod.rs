//! Reading the audit of a user's vault or of the system: page by page, checked from end to end, handed out whole, or
//! signed where it stands.

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
