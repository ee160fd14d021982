//! A TCP proxy between the processes and a server that can cut connections, stall, or switch to another server.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

/// Timeout for bytes to flow. Tests do not measure time; this only bounds a hang.
const BOUND: Duration = Duration::from_mins(4);

/// A proxy on a loopback port. Dropping it closes all its connections.
pub struct Proxy {
    port: u16,
    between: Arc<Between>,
    accepting: JoinHandle<()>,
}

/// The state shared by all connections.
struct Between {
    server: Mutex<u16>,
    /// The number of cuts: connections end when it changes.
    cuts: watch::Sender<u64>,
    /// Forwards nothing while set.
    stalled: watch::Sender<bool>,
    planned: Mutex<Option<Planned>>,
}

/// A planned cut.
struct Planned {
    /// Bytes to forward before the cut.
    bytes: usize,
    /// Whether to cut all connections, or only the one that sends the last byte.
    all: bool,
    done: oneshot::Sender<()>,
}

/// What to do with received bytes.
enum Fate {
    Pass,
    /// Forward at most this many, then cut.
    CutBehind(usize),
}

impl Proxy {
    /// Opens a proxy for a loopback port.
    pub async fn open(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free loopback port");
        let port = listener.local_addr().expect("a listener has an address").port();
        let between = Arc::new(Between {
            server: Mutex::new(server),
            cuts: watch::Sender::new(0),
            stalled: watch::Sender::new(false),
            planned: Mutex::new(None),
        });
        let of_all = Arc::clone(&between);
        let accepting = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(connection(client, Arc::clone(&of_all)));
            }
        });
        Self { port, between, accepting }
    }

    /// The port of the proxy.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Switches to another server, and cuts the connections to the previous one.
    pub fn lead_to(&self, server: u16) {
        *lock(&self.between.server) = server;
        self.cut();
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        self.between.cut();
    }

    /// Cuts after this many bytes, possibly within a message; waits until it did.
    pub async fn cut_behind(&self, bytes: usize, all: bool) {
        let (done, cut) = oneshot::channel();
        *lock(&self.between.planned) = Some(Planned { bytes, all, done });
        let waited = tokio::time::timeout(BOUND, cut).await;
        assert!(waited.is_ok(), "gave up waiting: {bytes} bytes to flow");
    }

    /// Stops forwarding; connections stay open, and new ones are accepted.
    pub fn stall(&self) {
        self.between.stalled.send_replace(true);
    }

    /// Forwards what was buffered, and resumes.
    pub fn go_on(&self) {
        self.between.stalled.send_replace(false);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
        self.cut();
    }
}

impl Between {
    fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// Decides about received bytes.
    fn fate(&self, bytes: usize) -> Fate {
        let mut planned = lock(&self.planned);
        let Some(mut plan) = planned.take() else { return Fate::Pass };
        if bytes < plan.bytes {
            plan.bytes -= bytes;
            *planned = Some(plan);
            return Fate::Pass;
        }
        if plan.all {
            self.cut();
        }
        let _ = plan.done.send(());
        Fate::CutBehind(plan.bytes)
    }
}

/// Serves a connection until either side closes it or it is cut.
async fn connection(client: TcpStream, between: Arc<Between>) {
    let mut cuts = between.cuts.subscribe();
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, *lock(&between.server)));
    let passing = async {
        // A server that is down refuses connections.
        let Ok(server) = TcpStream::connect(server).await else { return };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
        tokio::select! {
            () = pass(from_client, to_server, &between) => {}
            () = pass(from_server, to_client, &between) => {}
        }
    };
    tokio::select! {
        biased;
        _ = cuts.changed() => {}
        () = passing => {}
    }
}

/// Forwards one direction.
async fn pass(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, between: &Between) {
    let (mut bytes, mut stalled) = (vec![0; 1 << 16], between.stalled.subscribe());
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        if stalled.wait_for(|stalled| !stalled).await.is_err() {
            return;
        }
        match between.fate(read) {
            Fate::Pass if to.write_all(&bytes[..read]).await.is_ok() => {}
            Fate::Pass => return,
            Fate::CutBehind(last) => {
                let _ = to.write_all(&bytes[..last]).await;
                return;
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
