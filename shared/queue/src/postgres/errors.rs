//! Classifies Postgres errors.

/// Transient SQLSTATE classes and codes: connection lost, serialization failure and deadlock, resources, server
/// starting or stopping, a read-only standby.
const MAY_PASS: [&str; 7] = ["08", "40001", "40P01", "53", "57P", "58", "25006"];

/// Whether a retry over another connection may succeed. The failed operation may have taken effect or not.
pub(super) fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(db) => db.code().is_some_and(|code| MAY_PASS.iter().any(|may| code.starts_with(may))),
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::WorkerCrashed
        | sqlx::Error::BeginFailed => true,
        _ => false,
    }
}
