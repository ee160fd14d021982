//! Detects loopback hosts.

use std::net::IpAddr;

/// Whether a host, a name or an address without brackets and port, is this machine.
pub(super) fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}
