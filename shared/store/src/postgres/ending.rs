//! Ends a work and its transaction: writes what was postponed, and the counters.

use kimberly_core::error::Result;

use super::conn::Conn;
use super::head::CommitId;
use super::{audit, head};

const ADD_PENDING: &str =
    "INSERT INTO outbox_marks (user_id, marked_at) VALUES ($1, $2) ON CONFLICT (user_id) DO NOTHING";

/// What to do after the transaction is committed.
pub(crate) struct Ending {
    /// Whether jobs were added to the outbox.
    pub(crate) enqueued: bool,
    /// Identifies the commit.
    pub(crate) commit: CommitId,
}

/// Writes what one work has postponed.
pub(crate) async fn put_down(conn: &mut Conn) -> Result<()> {
    let audits = std::mem::take(&mut conn.notes.audits);
    audit::append(conn, &audits).await
}

/// Writes what all works of the transaction have postponed.
pub(crate) async fn write(conn: &mut Conn) -> Result<Ending> {
    if let Some(at) = conn.notes.enqueued {
        let args = conn.args().with(at.0);
        conn.run("marking an outbox", ADD_PENDING, args).await?;
    }
    let commit = head::write(conn).await?;
    Ok(Ending { enqueued: conn.notes.enqueued.is_some(), commit })
}
