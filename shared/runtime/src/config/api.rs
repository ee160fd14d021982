//! `[api]`: the process that serves callers.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use serde::{Deserialize, Serialize};

use super::{Bytes, Period, Problems};

/// Bytes of memory per byte of a request: as received, as a message, and as stored data.
pub const MEMORY_PER_REQUEST_BYTE: u64 = 3;
/// Maximum number of allowed origins, and of allowed hosts.
const MAX_NAMES: usize = 64;

/// Settings of the api process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ApiConfig {
    /// Address and port for gRPC. An address that other machines can reach requires `auth.mode` and `[tls]`.
    pub listen: SocketAddr,
    /// Runs in a container, of which other machines reach only published ports. All its addresses may then be served
    /// without `[tls]`, unless `allowed_hosts` names a public host. Keys stay required.
    pub container: bool,
    /// Timeout of a call without a deadline; 100 ms to 1 h. Watch streams are exempt.
    pub request_timeout: Period,
    /// Maximum calls in progress over all connections, from first request byte to response; 1 to 100,000. Further ones
    /// are refused unread. One credential, or one connection without credential, may use half of the free permits: a
    /// third when alone. `[limits]` sets how many calls run at once. Must exceed one user's reads and writes.
    pub max_concurrent_requests: usize,
    /// Calls served at once per connection; 1 to 10,000.
    pub max_streams_per_connection: u32,
    /// Maximum size of a request message; 64 KiB to 64 MiB. A full batch has 4 MiB of content plus metadata.
    pub max_request_bytes: Bytes,
    /// Memory for requests in progress, counted as three times their bytes; 64 KiB to 64 GiB, at least six times
    /// `max_request_bytes`. One credential, or one connection without credential, may use as much as is free: half when
    /// alone.
    pub max_held_bytes: Bytes,
    /// Maximum number of open connections; 1 to 100,000. Further ones are closed immediately.
    pub max_connections: usize,
    /// Age at which a client is asked to reconnect, plus or minus a tenth; 1 s to 30 d.
    pub max_connection_age: Period,
    /// How long calls may then continue on the old connection; 0 to 1 h.
    pub max_connection_age_grace: Period,
    /// Interval of keepalive pings on idle connections; 1 s to 1 h.
    pub keepalive_interval: Period,
    /// Timeout of a keepalive ping; 100 ms to 5 m.
    pub keepalive_timeout: Period,
    /// Origins such as `https://app.example.com` whose web pages may call, exactly as browsers send them; at most 64.
    /// Empty: only pages of the server's own origin.
    pub cors_allowed_origins: Vec<String>,
    /// Names and addresses of this server besides loopback ones, such as its name behind a proxy; at most 64.
    pub allowed_hosts: Vec<String>,
    /// How long `last_seen_at` and `access_count` are buffered before they are written; 100 ms to 10 m.
    pub touch_interval: Period,
}

impl Default for ApiConfig {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7420)),
            container: false,
            request_timeout: Period::seconds(30),
            max_concurrent_requests: 4_096,
            max_streams_per_connection: 256,
            max_request_bytes: Bytes(16 << 20),
            max_held_bytes: Bytes(256 << 20),
            max_connections: 4_096,
            max_connection_age: Period::seconds(30 * 60),
            max_connection_age_grace: Period::seconds(60),
            keepalive_interval: Period::seconds(60),
            keepalive_timeout: Period::seconds(20),
            cors_allowed_origins: Vec::new(),
            allowed_hosts: Vec::new(),
            touch_interval: Period::seconds(10),
        }
    }
}

impl ApiConfig {
    pub(super) fn check(&self, problems: &mut Problems) {
        problems.range("api.request_timeout", self.request_timeout, Period::millis(100)..=Period::seconds(3_600));
        problems.range("api.max_concurrent_requests", self.max_concurrent_requests, 1..=100_000);
        problems.range("api.max_streams_per_connection", self.max_streams_per_connection, 1..=10_000);
        problems.range("api.max_request_bytes", self.max_request_bytes, Bytes(64 << 10)..=Bytes(64 << 20));
        problems.range("api.max_held_bytes", self.max_held_bytes, Bytes(64 << 10)..=Bytes(64 << 30));
        // One caller may use half of it.
        let least = Bytes(self.max_request_bytes.0.saturating_mul(2 * MEMORY_PER_REQUEST_BYTE));
        if self.max_held_bytes < least {
            let (held, one) = (self.max_held_bytes, self.max_request_bytes);
            problems.add(format!(
                "api.max_held_bytes is {held}, less than a request of api.max_request_bytes ({one}) needs: set \
                 {least} or more"
            ));
        }
        problems.range("api.touch_interval", self.touch_interval, Period::millis(100)..=Period::seconds(600));
        self.check_connections(problems);
        self.check_names(problems);
    }

    fn check_connections(&self, problems: &mut Problems) {
        let (second, hour) = (Period::seconds(1), Period::seconds(3_600));
        problems.range("api.max_connections", self.max_connections, 1..=100_000);
        problems.range("api.max_connection_age", self.max_connection_age, second..=Period::days(30));
        problems.range("api.max_connection_age_grace", self.max_connection_age_grace, Period::seconds(0)..=hour);
        problems.range("api.keepalive_interval", self.keepalive_interval, second..=hour);
        problems.range("api.keepalive_timeout", self.keepalive_timeout, Period::millis(100)..=Period::seconds(300));
    }

    fn check_names(&self, problems: &mut Problems) {
        problems.range("the number of api.cors_allowed_origins", self.cors_allowed_origins.len(), 0..=MAX_NAMES);
        problems.range("the number of api.allowed_hosts", self.allowed_hosts.len(), 0..=MAX_NAMES);
        for origin in self.cors_allowed_origins.iter().filter(|origin| !is_origin(origin)) {
            problems.add(format!(
                "api.cors_allowed_origins holds {origin:?}; write scheme://host, with :port if it is not the default port, \
                 such as https://app.example.com or http://localhost:3000"
            ));
        }
        for host in self.allowed_hosts.iter().filter(|host| !is_host(host)) {
            problems.add(format!(
                "api.allowed_hosts holds {host:?}; write a name or an address without a port, such as memory.example.com"
            ));
        }
    }
}

/// Whether this is an origin as browsers send it: no path, no capitals, no wildcard.
fn is_origin(raw: &str) -> bool {
    let host_and_port = raw.strip_prefix("https://").or_else(|| raw.strip_prefix("http://"));
    host_and_port.is_some_and(|rest| match rest.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => is_host(host) && port.parse::<u16>().is_ok(),
        _ => is_host(rest),
    })
}

/// A lowercase name or an address, IPv6 in brackets.
fn is_host(raw: &str) -> bool {
    if let Some(inner) = raw.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return inner.parse::<Ipv6Addr>().is_ok();
    }
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'_');
    !raw.is_empty() && raw.len() <= 253 && raw.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_written_as_browsers_write_them() {
        for good in ["https://app.example.com", "http://localhost:3000", "http://127.0.0.1", "http://[::1]:80"] {
            assert!(is_origin(good), "{good}");
        }
        for bad in
            ["", "*", "null", "app.example.com", "https://", "https://App.example.com", "https://a.com/", "ftp://a"]
        {
            assert!(!is_origin(bad), "{bad}");
        }
        assert!(!is_origin("http://a:port") && !is_origin("http://*.a.com"));
    }

    #[test]
    fn bounds_of_connections_and_names_are_checked() {
        let mut problems = Problems::default();
        let wrong = ApiConfig {
            max_connection_age: Period::millis(999),
            keepalive_timeout: Period::seconds(301),
            max_held_bytes: Bytes(1 << 20),
            cors_allowed_origins: vec!["*".to_owned()],
            allowed_hosts: vec!["a:80".to_owned()],
            ..ApiConfig::default()
        };
        wrong.check(&mut problems);
        for key in
            ["max_connection_age", "keepalive_timeout", "max_held_bytes", "cors_allowed_origins", "allowed_hosts"]
        {
            assert!(problems.0.iter().any(|problem| problem.contains(key)), "{key} is not in {problems}");
        }
        assert_eq!(problems.0.len(), 5, "{problems}");
    }
}
