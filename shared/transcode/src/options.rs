//! Options of the transcoder.

use std::time::Duration;

use crate::{Dialect, Refuse, Words};

/// Bounds and texts.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum size of a body in bytes, both as sent and decompressed.
    pub max_body_bytes: usize,
    /// Maximum number of values in a JSON body. Counts every element, member and empty container, since a few bytes of
    /// JSON can become a hundred bytes of message.
    pub max_values: usize,
    /// Maximum time for a body to arrive.
    pub body_timeout: Duration,
    /// Headers passed to the rpc besides `content-type` and `te`, in lower case.
    pub pass_on: &'static [&'static str],
    /// Additional names that some paths accept and return.
    pub dialects: &'static [Dialect],
    /// Messages with a text form in JSON.
    pub words: &'static [Words],
    /// Converts refusals to gRPC statuses.
    pub refuse: Refuse,
}

impl Options {
    /// Returns the defaults: 16 MiB, 250,000 values, 30 s, and headers for traces and deadlines. Layers in front handle
    /// credentials.
    pub fn new(refuse: Refuse) -> Self {
        Self {
            max_body_bytes: 16 << 20,
            max_values: 250_000,
            body_timeout: Duration::from_secs(30),
            pass_on: &["traceparent", "tracestate", "grpc-timeout", "user-agent", "x-request-id"],
            dialects: &[],
            words: &[],
            refuse,
        }
    }
}
