//! No data leaves the machine: under load, all sockets of all processes are inspected repeatedly. Each must be the
//! process's own Unix socket, listen on a configured address, or be a loopback connection with a configured address
//! at one end.
#![expect(clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

use std::collections::{BTreeSet, HashMap};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use kimberly_tests::process::Process;
use kimberly_tests::{System, User};

/// A socket as the kernel reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Socket {
    /// Waits for connections.
    Listening(SocketAddr),
    /// A connection, possibly opening or closing.
    Connection { local: SocketAddr, remote: SocketAddr },
    /// UDP; our processes use none.
    Datagram(SocketAddr),
    /// A Unix socket.
    Unix,
}

const LISTEN: &str = "0A";

#[tokio::test]
async fn no_process_opens_a_connection_that_was_not_configured() {
    let system = System::start_with(&[kimberly_tests::system::LOOKED_AT]).await;
    let load: Vec<_> = (0..4).map(|n| tokio::spawn(work(system.user(&format!("user {n}"))))).collect();
    let configured = system.addresses();
    let mut seen = BTreeSet::new();
    for _ in 0..150 {
        for process in [&system.api, &system.worker, &system.embedder] {
            for socket in sockets(process) {
                assert!(allowed(socket, &configured), "{} holds {socket:?}", process.name());
                seen.insert(socket);
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    for task in load {
        assert!(!task.is_finished(), "the load ended early: {:?}", task.await);
        task.abort();
    }
    for address in configured {
        assert!(seen.contains(&Socket::Listening(address)), "no listener on {address}; the test missed it");
    }
    let api = configured[0];
    let served = |socket: &Socket| matches!(socket, Socket::Connection { local, .. } if *local == api);
    assert!(seen.iter().any(served), "no connection to the api was seen; the test missed it");
}

/// Writes, recalls, plans and meditates in a loop.
async fn work(mut user: User) {
    for n in 0.. {
        user.remember(&format!("note {n} about the network")).await;
        user.recall("which note about the network?").await;
        if n % 20 == 0 {
            user.plan().await;
            user.meditate().await;
            user.metrics().await;
        }
    }
}

fn allowed(socket: Socket, configured: &[SocketAddr]) -> bool {
    match socket {
        Socket::Unix => true,
        Socket::Datagram(_) => false,
        Socket::Listening(address) => configured.contains(&address),
        Socket::Connection { local, remote } => {
            let loopback = local.ip().is_loopback() && remote.ip().is_loopback();
            loopback && (configured.contains(&local) || configured.contains(&remote))
        }
    }
}

/// The sockets of a process, by its descriptors.
fn sockets(process: &Process) -> Vec<Socket> {
    let held = inodes(process);
    let table = table(process.pid());
    // A descriptor may be closed between the two reads; one that stays must be in the table.
    let still = inodes(process);
    let unknown = |inode: &&u64| !table.contains_key(inode) && still.contains(inode);
    let strange: Vec<_> = held.iter().filter(unknown).collect();
    assert!(strange.is_empty(), "{} holds sockets of an unknown kind: {strange:?}", process.name());
    held.iter().filter_map(|inode| table.get(inode).copied()).collect()
}

fn inodes(process: &Process) -> BTreeSet<u64> {
    let descriptors = std::fs::read_dir(format!("/proc/{}/fd", process.pid())).expect("the process runs");
    let links = descriptors.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    links.filter_map(|link| link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()).collect()
}

/// All sockets of a process's network namespace, by inode.
fn table(pid: u32) -> HashMap<u64, Socket> {
    let mut table = HashMap::new();
    for kind in ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"] {
        let text = std::fs::read_to_string(format!("/proc/{pid}/net/{kind}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (local, remote) = (address(fields[1]), address(fields[2]));
            let socket = match (kind.starts_with("tcp"), fields[3]) {
                (true, LISTEN) => Socket::Listening(local),
                (true, _) => Socket::Connection { local, remote },
                (false, _) => Socket::Datagram(local),
            };
            table.insert(fields[9].parse().expect("an inode"), socket);
        }
    }
    let text = std::fs::read_to_string(format!("/proc/{pid}/net/unix")).unwrap_or_default();
    let inodes = text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(6)?.parse().ok());
    table.extend(inodes.map(|inode| (inode, Socket::Unix)));
    table
}

/// Parses a kernel address: words in machine byte order, then the port.
fn address(text: &str) -> SocketAddr {
    let (ip, port) = text.split_once(':').expect("an address and a port");
    let word = |at: usize| u32::from_str_radix(&ip[at..at + 8], 16).expect("a hexadecimal word").to_ne_bytes();
    let ip = if ip.len() == 8 {
        IpAddr::from(Ipv4Addr::from(word(0)))
    } else {
        let mut bytes = [0_u8; 16];
        (0..4).for_each(|n| bytes[n * 4..n * 4 + 4].copy_from_slice(&word(n * 8)));
        Ipv6Addr::from(bytes).to_canonical()
    };
    SocketAddr::new(ip, u16::from_str_radix(port, 16).expect("a hexadecimal port"))
}

#[test]
fn addresses_read_as_the_kernel_writes_them() {
    assert_eq!(address("0100007F:1CFC").to_string(), "127.0.0.1:7420");
    assert_eq!(address("0000000000000000FFFF00000100007F:0050").to_string(), "127.0.0.1:80");
    let configured = ["127.0.0.1:7420".parse().expect("an address")];
    let connection = |local: &str, remote: &str| Socket::Connection {
        local: local.parse().expect("an address"),
        remote: remote.parse().expect("an address"),
    };
    assert!(allowed(connection("127.0.0.1:7420", "127.0.0.1:50000"), &configured));
    assert!(!allowed(connection("10.0.0.2:50000", "203.0.113.7:443"), &configured));
    assert!(!allowed(connection("127.0.0.1:50000", "127.0.0.1:5432"), &configured));
}
