//! Ports for processes that restart.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// Below the system's ephemeral ports, so that a port stays free while its process is down.
const PORTS: std::ops::Range<u32> = 10_240..32_768;

/// A free loopback port, returned only once.
///
/// # Panics
///
/// If none is free.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Spread by process id, since test programs run in parallel.
    let start = std::process::id().wrapping_mul(997);
    for _ in PORTS {
        let number = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = PORTS.start + number % (PORTS.end - PORTS.start);
        let port = u16::try_from(port).expect("a port");
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
    panic!("no loopback port is free");
}
