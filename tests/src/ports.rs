//! Ports for processes that come and go.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// Below those that systems give to connections: a port stays free for its process while that is down.
const PORTS: std::ops::Range<u32> = 10_240..32_768;

/// A loopback port that is free just now, and given once.
///
/// # Panics
///
/// When there is none.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Tests of several programs that run side by side begin far from each other.
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
