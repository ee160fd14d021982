//! What failures of Postgres mean.

/// Classes and codes of SQLSTATE that may pass: connection lost, serialization failure and deadlock, resources, the server
/// starting or stopping, a standby that cannot write.
const MAY_PASS: [&str; 7] = ["08", "40001", "40P01", "53", "57P", "58", "25006"];

/// Whether what failed may succeed over another connection in a moment. What was asked for may have been done or not.
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
