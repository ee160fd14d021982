//! TLS of connections: certificates from files, which are reloaded on change, handshakes, and the identity of clients.

mod files;
mod peer;
mod reload;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

pub(crate) use peer::Peer;

use kimberly_runtime::config::{ClientAuth, TlsConfig};
use kimberly_runtime::{Failure, Metrics};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;

use crate::stamp::Stamp;

/// The server's certificate, and the clients it trusts. Open connections keep those they started with.
pub(crate) struct Tls {
    files: Files,
    every: Duration,
    current: RwLock<Arc<ServerConfig>>,
    /// The stamps of the files at their first read.
    loaded: Vec<Stamp>,
    metrics: Metrics,
}

/// The configured files.
#[derive(Clone, Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
    clients: Option<Clients>,
}

/// How client certificates are verified.
#[derive(Clone, Debug)]
struct Clients {
    ca: PathBuf,
    crl: Option<PathBuf>,
    auth: ClientAuth,
}

impl Tls {
    /// Reads the configured files. Returns `None` if none are configured.
    pub(crate) fn load(config: &TlsConfig, metrics: &Metrics) -> Result<Option<Arc<Self>>, Failure> {
        let (Some(certificate), Some(key)) = (config.certificate.clone(), config.key.clone()) else { return Ok(None) };
        let clients = config.client_ca.clone();
        let clients = clients.map(|ca| Clients { ca, crl: config.client_crl.clone(), auth: config.client_auth });
        let files = Files { certificate, key, clients };
        let loaded = Stamp::now(&files.paths());
        let current = files::load(&files).map_err(|problem| {
            Failure::new(format!("TLS cannot be served: {problem}"), "correct the files named in [tls]")
        })?;
        let (every, metrics) = (config.reload_interval.0, metrics.clone());
        Ok(Some(Arc::new(Self { files, every, current: RwLock::new(Arc::new(current)), loaded, metrics })))
    }

    /// Performs the handshake, and returns the peer if it presented a certificate. The caller must bound the time.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<(TlsStream<TcpStream>, Option<Arc<Peer>>)> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        let stream = TlsAcceptor::from(current).accept(stream).await?;
        let shown = stream.get_ref().1.peer_certificates().and_then(<[_]>::first);
        let peer = shown.map(|certificate| Arc::new(Peer::of(certificate)));
        Ok((stream, peer))
    }
}

/// Returns the name in a client's certificate, if it has one.
#[cfg(feature = "fuzzing")]
pub(crate) fn named(certificate: &[u8]) -> Option<String> {
    Peer::of(&certificate.into()).name.map(|name| name.to_string())
}

/// Reports whether a server could use these files.
#[cfg(feature = "fuzzing")]
pub(crate) fn are_good(certificate: &std::path::Path, key: &std::path::Path) -> bool {
    files::load(&Files { certificate: certificate.to_owned(), key: key.to_owned(), clients: None }).is_ok()
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}
