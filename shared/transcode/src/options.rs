//! What can be set.

use std::time::Duration;

use crate::{Dialect, Refuse, Words};

/// Bounds and words.
#[derive(Clone, Debug)]
pub struct Options {
    /// Largest body, in bytes, as sent and as unpacked.
    pub max_body_bytes: usize,
    /// Most values in a JSON body, counting every element, member and empty container: a few bytes of JSON can be a
    /// hundred bytes of message.
    pub max_values: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
    /// Headers that are passed on to the rpc, in lower case, beside `content-type` and `te`.
    pub pass_on: &'static [&'static str],
    /// Names of other APIs that some paths take and answer, too.
    pub dialects: &'static [Dialect],
    /// Messages that are texts in JSON, too.
    pub words: &'static [Words],
    /// A text field of requests that may be left out where the connection says what it is.
    pub known: Option<Known>,
    /// Makes the statuses of requests that are refused here.
    pub refuse: Refuse,
}

/// A text field of requests that the extensions of an HTTP request can fill.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The field's name.
    pub field: &'static str,
    /// What it is, if the extensions say it.
    pub value: fn(&http::Extensions) -> Option<String>,
}

impl Options {
    /// 16 MiB, 250,000 values and 30 s, and the headers of traces and deadlines; credentials are for those in front.
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
