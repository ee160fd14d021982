//! A proxy between command and server that counts the bytes of both directions and stops after a limit.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// The bytes transferred, and the limit.
#[derive(Debug)]
struct Gate {
    passed: AtomicU64,
    most: u64,
    full: Notify,
}

impl Gate {
    /// How many of these bytes may pass.
    fn pass(&self, bytes: usize) -> usize {
        let bytes = bytes as u64;
        let before = self.passed.fetch_add(bytes, Ordering::SeqCst);
        if before + bytes >= self.most {
            self.full.notify_one();
        }
        usize::try_from(self.most.saturating_sub(before).min(bytes)).unwrap_or_default()
    }
}

/// A proxy that runs until it is dropped.
pub(crate) struct Proxy {
    address: SocketAddr,
    gate: Arc<Gate>,
    task: tokio::task::JoinHandle<()>,
}

impl Proxy {
    /// A proxy to an address; after `most` bytes it forwards nothing.
    pub(crate) async fn before(to: SocketAddr, most: u64) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let gate = Arc::new(Gate { passed: AtomicU64::new(0), most, full: Notify::new() });
        let shared = Arc::clone(&gate);
        let task = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((caller, _)) = listener.accept().await {
                connections.spawn(connect(caller, to, Arc::clone(&shared)));
            }
        });
        Self { address, gate, task }
    }

    /// The address in the command's form.
    pub(crate) fn server(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Bytes received.
    pub(crate) fn passed(&self) -> u64 {
        self.gate.passed.load(Ordering::SeqCst)
    }

    /// Waits until the limit is reached.
    pub(crate) async fn full(&self) {
        self.gate.full.notified().await;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn connect(caller: TcpStream, to: SocketAddr, gate: Arc<Gate>) {
    let Ok(server) = TcpStream::connect(to).await else { return };
    let (mut from_caller, mut to_caller) = caller.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = forward(&mut from_caller, &mut to_server, &gate);
    let back = forward(&mut from_server, &mut to_caller, &gate);
    tokio::join!(there, back);
}

async fn forward(from: &mut tokio::net::tcp::OwnedReadHalf, to: &mut tokio::net::tcp::OwnedWriteHalf, gate: &Gate) {
    let mut chunk = vec![0; 4 << 10];
    while let Ok(read) = from.read(&mut chunk).await {
        let passing = gate.pass(read);
        if read == 0 || to.write_all(&chunk[..passing]).await.is_err() {
            break;
        }
        if passing < read {
            // Both ends see a slow connection, not a closed one.
            std::future::pending::<()>().await;
        }
    }
    let _ = to.shutdown().await;
}
