//! Stands between the processes and a server: passes on what they say, until it is told to cut, to stall, or to lead elsewhere.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

/// How long bytes may take to flow. No test measures time; this only bounds a hang.
const BOUND: Duration = Duration::from_mins(4);

/// A proxy on a loopback port. It ends, and with it all its connections, when it is dropped.
pub struct Proxy {
    port: u16,
    between: Arc<Between>,
    accepting: JoinHandle<()>,
}

/// What all connections share.
struct Between {
    server: Mutex<u16>,
    /// Counts the cuts: a connection ends when it changes.
    cuts: watch::Sender<u64>,
    /// Nothing is passed on while it is set.
    stalled: watch::Sender<bool>,
    planned: Mutex<Option<Planned>>,
}

/// A cut that is to come.
struct Planned {
    /// What may pass before.
    bytes: usize,
    /// Whether all connections are cut, or the one that says the last byte.
    all: bool,
    told: oneshot::Sender<()>,
}

/// What becomes of bytes that are to be passed on.
enum Fate {
    Pass,
    /// No more than so many.
    CutBehind(usize),
}

impl Proxy {
    /// Opens one in front of a loopback port.
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

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Leads to another server from now on, and cuts the connections to the one before.
    pub fn lead_to(&self, server: u16) {
        *lock(&self.between.server) = server;
        self.cut();
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        self.between.cut();
    }

    /// Cuts when so many bytes have passed, be it in the midst of a message; waits until it did.
    pub async fn cut_behind(&self, bytes: usize, all: bool) {
        let (told, cut) = oneshot::channel();
        *lock(&self.between.planned) = Some(Planned { bytes, all, told });
        let waited = tokio::time::timeout(BOUND, cut).await;
        assert!(waited.is_ok(), "gave up waiting: {bytes} bytes to flow");
    }

    /// Passes nothing on any more; connections stay, and new ones are taken.
    pub fn stall(&self) {
        self.between.stalled.send_replace(true);
    }

    /// Passes on what was said meanwhile.
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

    /// What becomes of so many bytes.
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
        let _ = plan.told.send(());
        Fate::CutBehind(plan.bytes)
    }
}

/// Serves one connection until either side ends it or it is cut.
async fn connection(client: TcpStream, between: Arc<Between>) {
    let mut cuts = between.cuts.subscribe();
    let server = SocketAddr::from((Ipv4Addr::LOCALHOST, *lock(&between.server)));
    let passing = async {
        // One that is down takes none.
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

/// Passes on what one side says.
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
