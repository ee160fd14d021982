//! `[api]`: the process that callers speak to.

use std::net::{Ipv4Addr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Settings of the api process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ApiConfig {
    /// Address and port that gRPC is served on; a loopback address.
    pub listen: SocketAddr,
    /// How long a call may take when the caller sets no deadline; 100 ms to 1 h. Streams that watch are exempt.
    pub request_timeout: Period,
    /// Calls served at once over all connections; 1 to 100,000. More are refused with `RESOURCE_EXHAUSTED`.
    pub max_concurrent_requests: usize,
    /// Calls served at once on one connection; 1 to 10,000.
    pub max_streams_per_connection: u32,
    /// Largest request message; 64 KiB to 64 MiB. A full batch is 4 MiB of content and its metadata.
    pub max_request_bytes: Bytes,
    /// How long `last_seen_at` and `access_count` are gathered before they are written; 100 ms to 10 m.
    pub touch_interval: Period,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7420)),
            request_timeout: Period::seconds(30),
            max_concurrent_requests: 1_024,
            max_streams_per_connection: 256,
            max_request_bytes: Bytes(16 << 20),
            touch_interval: Period::seconds(2),
        }
    }
}

impl ApiConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.loopback("api.listen", self.listen);
        problems.range("api.request_timeout", self.request_timeout, Period::millis(100)..=Period::seconds(3_600));
        problems.range("api.max_concurrent_requests", self.max_concurrent_requests, 1..=100_000);
        problems.range("api.max_streams_per_connection", self.max_streams_per_connection, 1..=10_000);
        problems.range("api.max_request_bytes", self.max_request_bytes, Bytes(64 << 10)..=Bytes(64 << 20));
        problems.range("api.touch_interval", self.touch_interval, Period::millis(100)..=Period::seconds(600));
    }
}
