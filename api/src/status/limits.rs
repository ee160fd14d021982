//! Statuses for calls that are refused because there are too many.

use std::time::Duration;

use kimberly_proto::v1::ErrorReason;
use tonic::{Code, Status};

use super::details::info;
use super::{RETRY_AFTER, build};

/// The bound that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The bound on calls of all users.
    Server,
    /// The bound on calls of one user.
    User,
    /// The bound on streams.
    Streams,
    /// The bound on bytes of requests held in memory.
    Bytes,
}

impl Limit {
    const fn told(self) -> (&'static str, &'static str) {
        match self {
            Self::Server => ("server", "the server is at its limit of concurrent calls; retry later"),
            Self::User => ("user", "this user is at the limit of concurrent calls; retry when some have ended"),
            Self::Streams => ("streams", "too many open streams, for this user or in total; close some or retry later"),
            Self::Bytes => ("bytes", "the server is at its limit of request bytes; retry later"),
        }
    }
}

/// Creates the status for too many concurrent requests.
pub fn overloaded(limit: Limit) -> Status {
    let (name, message) = limit.told();
    let mut details = info(ErrorReason::Overloaded, [("limit", name.to_owned())]);
    details.set_retry_info(Some(RETRY_AFTER));
    build(Code::ResourceExhausted, message, details)
}

/// Creates the status for a call beyond the rate of a `limit`, "user" or "credential". `after` is the retry delay.
pub fn rate_limited(limit: &str, after: Duration) -> Status {
    let mut details = info(ErrorReason::RateLimited, [("limit", limit.to_owned())]);
    details.set_retry_info(Some(after));
    let message = format!("too many calls by this {limit}; retry after {after:?}");
    build(Code::ResourceExhausted, &message, details)
}
