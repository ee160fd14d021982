//! The inputs that [`crate::run`] passes to a process.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use kimberly_core::ports::{Clock, Ids, LanguageModel, Observer};
use kimberly_core::settings::ServerDefaults;
use kimberly_crypto::Keys;
use tokio::net::TcpListener;

use crate::language_model::Model;
use crate::{Config, Failure, Metrics, Shutdown};

/// The environment of a process. Cheap to clone.
#[derive(Clone)]
pub struct Boot {
    /// The process, such as `kimberly-api`.
    pub process: &'static str,
    /// The validated configuration; `vaults.max_open` fits the limit on open files.
    pub config: Arc<Config>,
    /// The encryption keys of the data folder.
    pub keys: Keys,
    /// Defaults for users without settings of their own.
    pub defaults: Arc<ServerDefaults>,
    /// Ignored parts of the configuration, with the reasons. Logged already; also for metrics and users' settings.
    pub warnings: Arc<[String]>,
    /// The system's clock.
    pub clock: Arc<dyn Clock>,
    /// The id generator.
    pub ids: Arc<dyn Ids>,
    /// Counts domain events.
    pub observer: Arc<dyn Observer>,
    /// The metrics of the process.
    pub metrics: Metrics,
    /// The stop signal.
    pub shutdown: Shutdown,
}

impl Boot {
    /// The configured language model, if any.
    pub fn language_model(&self) -> Result<Option<Arc<dyn LanguageModel>>, Failure> {
        Model::open(&self.config.language_model, Arc::clone(&self.clock), self.metrics.clone())
    }

    /// Listens on a configured address; `key` is its configuration key, for the error message.
    pub async fn listen(&self, key: &str, address: SocketAddr) -> Result<TcpListener, Failure> {
        TcpListener::bind(address).await.map_err(|error| cannot_listen(key, address, &error))
    }

    /// Prints one line on stdout that the process is ready. `note` follows after a semicolon.
    pub fn announce(&self, address: SocketAddr, note: Option<&str>) {
        let note = note.map_or_else(String::new, |note| format!("; {note}"));
        let mut out = std::io::stdout();
        let _ = writeln!(out, "{} ready on {address}{note}", self.process).and_then(|()| out.flush());
        tracing::debug!("ready on {address}{note}");
    }
}

fn cannot_listen(key: &str, address: SocketAddr, error: &std::io::Error) -> Failure {
    let variable = format!("KIMBERLY_{}", key.to_uppercase().replace('.', "__"));
    Failure::new(
        format!("cannot listen on {address}: {error}"),
        format!(
            "stop the process that listens there, such as another Kimberly, or choose another port with {variable}"
        ),
    )
}
