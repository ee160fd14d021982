//! TLS of connections: certificates from files, taken anew when the files change, and handshakes.

mod files;
mod reload;

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use kimberly_runtime::config::TlsConfig;
use kimberly_runtime::{Failure, Metrics};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::server::TlsStream;

use crate::stamp::Stamp;

/// What the server shows, and whom it trusts. Connections that are open keep what they began with.
pub(crate) struct Tls {
    files: Files,
    every: Duration,
    current: RwLock<Arc<ServerConfig>>,
    /// What the files were like when they were read first.
    loaded: Vec<Stamp>,
    metrics: Metrics,
}

/// The files that it comes from.
#[derive(Clone, Debug)]
struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Tls {
    /// Reads the files that are configured; `None` if none are.
    pub(crate) fn load(config: &TlsConfig, metrics: &Metrics) -> Result<Option<Arc<Self>>, Failure> {
        let (Some(certificate), Some(key)) = (config.certificate.clone(), config.key.clone()) else { return Ok(None) };
        let files = Files { certificate, key };
        let loaded = Stamp::now(&files.paths());
        let current = files::load(&files).map_err(|problem| {
            Failure::new(format!("TLS cannot be served: {problem}"), "put tls.certificate and tls.key right")
        })?;
        let (every, metrics) = (config.reload_interval.0, metrics.clone());
        Ok(Some(Arc::new(Self { files, every, current: RwLock::new(Arc::new(current)), loaded, metrics })))
    }

    /// Makes a connection secure. Whoever takes forever is cut by whoever waits for this.
    pub(crate) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        TlsAcceptor::from(current).accept(stream).await
    }
}

/// Whether a server could show these files.
#[cfg(feature = "fuzzing")]
pub(crate) fn are_good(certificate: &std::path::Path, key: &std::path::Path) -> bool {
    files::load(&Files { certificate: certificate.to_owned(), key: key.to_owned() }).is_ok()
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("files", &self.files).finish_non_exhaustive()
    }
}
