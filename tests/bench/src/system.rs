//! The real processes over a temporary data folder, with default settings.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::net::TcpStream;
use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::Result;

const START_BOUND: Duration = Duration::from_secs(30);
const STOP_BOUND: Duration = Duration::from_mins(1);

/// One of the three processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Serves callers.
    Api,
    /// Runs meditations.
    Worker,
    /// Computes embeddings.
    Embedder,
}

impl Role {
    /// All three.
    pub(crate) const ALL: [Self; 3] = [Self::Api, Self::Worker, Self::Embedder];

    /// Its name in metrics, in variables (in capitals), and as an argument of the program.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Worker => "worker",
            Self::Embedder => "embedder",
        }
    }
}

/// Running processes. Dropping it kills them and removes the data.
pub(crate) struct System {
    addresses: [SocketAddr; 3],
    settings: Vec<(String, String)>,
    processes: [Option<Child>; 3],
    folder: TempDir,
}

impl System {
    /// Prepares a data folder and free ports; starts nothing yet. `settings` are variables such as
    /// `KIMBERLY_VAULTS__MAX_OPEN`.
    pub(crate) fn prepare(settings: &[(&str, &str)]) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("kimberly-bench-").tempdir()?;
        let addresses = free_addresses()?;
        let path = |name| folder.path().join(name).display().to_string();
        let mut all =
            vec![("KIMBERLY_DATA_DIR".to_owned(), path("data")), ("KIMBERLY_KEYS__FOLDER".to_owned(), path("keys"))];
        for (role, address) in Role::ALL.iter().zip(&addresses) {
            all.push((format!("KIMBERLY_{}__LISTEN", role.name().to_uppercase()), address.to_string()));
        }
        all.extend(settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        Ok(Self { addresses, settings: all, processes: [None, None, None], folder })
    }

    /// Starts a process; returns the time until it serves.
    pub(crate) async fn start(&mut self, role: Role) -> Result<Duration> {
        self.start_on(role, None).await
    }

    /// Starts a process on certain processors, such as "0"; `None` for all.
    pub(crate) async fn start_on(&mut self, role: Role, processors: Option<&str>) -> Result<Duration> {
        let log = self.log_of(role);
        let out = File::options().create(true).append(true).open(&log)?;
        let started = Instant::now();
        let mut command = match processors {
            // `taskset` replaces itself with the process, so the pid stays.
            Some(processors) => {
                let mut taskset = Command::new("taskset");
                taskset.args(["-c", processors]).arg(program()?);
                taskset
            }
            None => Command::new(program()?),
        };
        let child = command
            .arg(role.name())
            .env_clear()
            .envs(self.settings.iter().map(|(key, value)| (key, value)))
            .current_dir(self.folder.path())
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(out)
            .spawn()?;
        self.processes[role as usize] = Some(child);
        while !serves(self.addresses[role as usize]).await {
            let ended =
                self.processes[role as usize].as_mut().is_none_or(|child| !matches!(child.try_wait(), Ok(None)));
            if ended || started.elapsed() > START_BOUND {
                let said = std::fs::read_to_string(&log).unwrap_or_default();
                return Err(format!("{} does not serve; it said:\n{}", role.name(), last_lines(&said)).into());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(started.elapsed())
    }

    /// Stops a process gracefully and waits.
    pub(crate) async fn stop(&mut self, role: Role) -> Result<()> {
        let Some(mut child) = self.processes[role as usize].take() else { return Ok(()) };
        Command::new("kill").arg("-TERM").arg(child.id().to_string()).status()?;
        let asked = Instant::now();
        while child.try_wait()?.is_none() {
            if asked.elapsed() > STOP_BOUND {
                child.kill()?;
                child.wait()?;
                return Err(format!("{} does not stop within {STOP_BOUND:?}", role.name()).into());
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Ok(())
    }

    /// Changes a setting for processes started later; `None` removes it.
    pub(crate) fn set(&mut self, key: &str, value: Option<&str>) {
        self.settings.retain(|(known, _)| known != key);
        self.settings.extend(value.map(|value| (key.to_owned(), value.to_owned())));
    }

    /// The id of a running process.
    pub(crate) fn pid(&self, role: Role) -> Result<u32> {
        let child = self.processes[role as usize].as_ref();
        child.map(Child::id).ok_or_else(|| format!("{} is not running", role.name()).into())
    }

    /// The URL of the api.
    pub(crate) fn api_url(&self) -> String {
        self.url(Role::Api)
    }

    /// The URL of a process.
    pub(crate) fn url(&self, role: Role) -> String {
        format!("http://{}", self.addresses[role as usize])
    }

    /// The address of the api, for clients that connect themselves.
    pub(crate) fn api_address(&self) -> SocketAddr {
        self.addresses[Role::Api as usize]
    }

    /// The data folder.
    pub(crate) fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder of its encryption keys.
    pub(crate) fn rings(&self) -> PathBuf {
        self.folder.path().join("keys")
    }

    /// A folder on the same disk.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn log_of(&self, role: Role) -> PathBuf {
        self.folder.path().join(format!("{}.log", role.name()))
    }
}

impl Drop for System {
    fn drop(&mut self) {
        for child in self.processes.iter_mut().flatten() {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The program: in `KIMBERLY_BIN_DIR`, or beside this one.
fn program() -> Result<PathBuf> {
    let folder = match std::env::var_os("KIMBERLY_BIN_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::current_exe()?.parent().map(Path::to_owned).unwrap_or_default(),
    };
    let path = folder.join("kimberly");
    if path.is_file() {
        return Ok(path);
    }
    Err(format!("{} is not built; `tests/bench/run` builds everything that is needed", path.display()).into())
}

/// Whether a process reports that it serves.
async fn serves(address: SocketAddr) -> bool {
    // Probe the port first: a refused connection fails at once, without a client's backoff.
    if TcpStream::connect(address).await.is_err() {
        return false;
    }
    let Ok(endpoint) = Endpoint::from_shared(format!("http://{address}")) else { return false };
    let Ok(channel) = endpoint.connect().await else { return false };
    let answer = HealthClient::new(channel).check(HealthCheckRequest { service: String::new() }).await;
    answer.is_ok_and(|response| response.into_inner().status() == ServingStatus::Serving)
}

/// Free loopback ports.
fn free_addresses() -> Result<[SocketAddr; 3]> {
    let bind = || TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listeners = [bind()?, bind()?, bind()?];
    let [api, worker, embedder] = &listeners;
    Ok([api.local_addr()?, worker.local_addr()?, embedder.local_addr()?])
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
