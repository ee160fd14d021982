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
    /// A string field of requests that the connection can fill if it is missing.
    pub known: Option<Known>,
    /// Converts refusals to gRPC statuses.
    pub refuse: Refuse,
}

/// A string field of requests that extensions of the HTTP request can fill.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The field's name.
    pub field: &'static str,
    /// Returns its value, if the extensions contain it.
    pub value: fn(&http::Extensions) -> Option<String>,
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
            known: None,
            refuse,
        }
    }
}
