//! The three processes over one data folder; or, with `KIMBERLY_TEST_BACKEND=postgres`, three api, two worker and two
//! embedder processes over one database, with calls distributed over the apis.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use http_body_util::BodyExt as _;
use kimberly_store::conformance::database::{APP, Database};
use tempfile::TempDir;
use tonic::body::Body;
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tower::ServiceExt as _;

use crate::ports::free_port;
use crate::process::Process;
use crate::{Clients, User};

/// Default settings of tests: short intervals for background work.
const BRISK: [(&str, &str); 3] = [
    ("KIMBERLY_API__TOUCH_INTERVAL", "200ms"),
    ("KIMBERLY_WORKER__SCHEDULE_INTERVAL", "200ms"),
    ("KIMBERLY_WORKER__SWEEP_INTERVAL", "500ms"),
];

/// For tests that inspect a process's open files, which a process with keys hides from all but root.
pub const LOOKED_AT: (&str, &str) = ("KIMBERLY_TEST_LOOKED_AT", "1");

/// Timeout for the start of a process. Tests do not measure time; this only bounds a hang.
const START_BOUND: Duration = Duration::from_mins(1);

/// Api, worker and embedder. Dropping it kills them and removes the folder.
pub struct System {
    /// Serves callers.
    pub api: Process,
    /// Runs meditations.
    pub worker: Process,
    /// Computes embeddings.
    pub embedder: Process,
    addresses: [SocketAddr; 3],
    /// On Postgres: the processes besides the first of each kind.
    others: Vec<(Process, SocketAddr)>,
    folder: TempDir,
}

/// The processes of other machines, on Postgres.
const OTHERS: [(&str, &str); 4] = [
    ("kimberly-api", "KIMBERLY_API__LISTEN"),
    ("kimberly-api", "KIMBERLY_API__LISTEN"),
    ("kimberly-worker", "KIMBERLY_WORKER__LISTEN"),
    ("kimberly-embedder", "KIMBERLY_EMBEDDER__LISTEN"),
];

/// Whether the processes run on Postgres.
pub fn on_postgres() -> bool {
    match std::env::var("KIMBERLY_TEST_BACKEND").as_deref() {
        Ok("postgres") => true,
        Ok("sqlite") | Err(_) => false,
        Ok(other) => panic!("KIMBERLY_TEST_BACKEND is {other}; sqlite and postgres are there"),
    }
}

impl System {
    /// Starts all three with default settings of tests and waits until they serve.
    pub async fn start() -> Self {
        Self::start_with(&[]).await
    }

    /// Starts all three; `settings` are variables such as `KIMBERLY_QUOTAS__LONG_TERM` and override the defaults of
    /// tests.
    pub async fn start_with(settings: &[(&str, &str)]) -> Self {
        if !on_postgres() {
            return Self::start_on(None, settings).await;
        }
        let database = Database::with_tables().await;
        Self::start_over(&database.url_as(APP), &database.url(), settings).await
    }

    /// Starts the processes of several machines over a database, whatever the environment says: they use `url`, and
    /// create tables with `owner_url`.
    pub async fn start_over(url: &str, owner_url: &str, settings: &[(&str, &str)]) -> Self {
        Self::start_on(Some((url, owner_url)), settings).await
    }

    /// Starts all three over a data folder, whatever the environment says.
    pub async fn start_in_files(settings: &[(&str, &str)]) -> Self {
        Self::start_on(None, settings).await
    }

    async fn start_on(database: Option<(&str, &str)>, settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::Builder::new().prefix("kimberly-test-").tempdir().expect("a temporary folder");
        let addresses = [free_address(), free_address(), free_address()];
        let mut environment: Vec<(String, String)> = vec![
            ("KIMBERLY_DATA_DIR".to_owned(), folder.path().join("data").display().to_string()),
            ("KIMBERLY_KEYS__FOLDER".to_owned(), folder.path().join("keys").display().to_string()),
            ("KIMBERLY_API__LISTEN".to_owned(), addresses[0].to_string()),
            ("KIMBERLY_WORKER__LISTEN".to_owned(), addresses[1].to_string()),
            ("KIMBERLY_EMBEDDER__LISTEN".to_owned(), addresses[2].to_string()),
        ];
        if let Some((url, owner_url)) = database {
            environment.push(("KIMBERLY_POSTGRES__URL".to_owned(), url.to_owned()));
            environment.push(("KIMBERLY_POSTGRES__OWNER_URL".to_owned(), owner_url.to_owned()));
            // Many tests with seven processes each share one server.
            environment.push(("KIMBERLY_POSTGRES__MAX_CONNECTIONS".to_owned(), "4".to_owned()));
        }
        let variables = BRISK.iter().chain(settings);
        environment.extend(variables.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        let start =
            |name: &'static str| Process::start(name, environment.clone(), folder.path().join(format!("{name}.log")));
        let (api, worker, embedder) = (start("kimberly-api"), start("kimberly-worker"), start("kimberly-embedder"));
        let mut system = Self { api, worker, embedder, addresses, others: Vec::new(), folder };
        system.wait_until_serving().await;
        if database.is_some() {
            system.start_others(&environment).await;
        }
        system
    }

    /// Starts the processes of other machines at once, when the tables and keys exist.
    async fn start_others(&mut self, environment: &[(String, String)]) {
        for (number, (name, listen)) in OTHERS.into_iter().enumerate() {
            let (mut environment, address) = (environment.to_vec(), free_address());
            environment.retain(|(key, _)| key != listen);
            environment.push((listen.to_owned(), address.to_string()));
            let log = self.folder.path().join(format!("{name}-{number}.log"));
            self.others.push((Process::start(name, environment, log), address));
        }
        for (process, address) in &mut self.others {
            wait_until_serving(process, *address).await;
        }
    }

    /// All processes; the first three, then those of other machines.
    pub fn processes(&mut self) -> Vec<&mut Process> {
        let others = self.others.iter_mut().map(|(process, _)| process);
        [&mut self.api, &mut self.worker, &mut self.embedder].into_iter().chain(others).collect()
    }

    /// The worker processes of all machines.
    pub fn workers(&mut self) -> Vec<&mut Process> {
        let mut workers = self.processes();
        workers.retain(|process| process.name() == "kimberly-worker");
        workers
    }

    /// Waits until all serve.
    pub async fn wait_until_serving(&mut self) {
        let [api, worker, embedder] = self.addresses;
        wait_until_serving(&mut self.api, api).await;
        wait_until_serving(&mut self.worker, worker).await;
        wait_until_serving(&mut self.embedder, embedder).await;
        for (process, address) in &mut self.others {
            wait_until_serving(process, *address).await;
        }
    }

    /// Waits until the api serves.
    pub async fn wait_until_api_serves(&mut self) {
        wait_until_serving(&mut self.api, self.addresses[0]).await;
    }

    /// Kills the api, starts it again and waits until it serves.
    pub async fn restart_api(&mut self) {
        self.api.kill9();
        self.api.start_again();
        self.wait_until_api_serves().await;
    }

    /// Waits until the worker serves.
    pub async fn wait_until_worker_serves(&mut self) {
        wait_until_serving(&mut self.worker, self.addresses[1]).await;
    }

    /// Waits until the embedder serves.
    pub async fn wait_until_embedder_serves(&mut self) {
        wait_until_serving(&mut self.embedder, self.addresses[2]).await;
    }

    /// The address that the api listens on.
    pub fn api_address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// The addresses that api, worker and embedder listen on.
    pub fn addresses(&self) -> [SocketAddr; 3] {
        self.addresses
    }

    /// The data folder.
    pub fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The folder of encryption keys, created by the first start that needs it.
    pub fn keys_dir(&self) -> PathBuf {
        self.folder.path().join("keys")
    }

    /// The test's own folder, which contains the data folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A new connection to the api, or balanced over all of them; it reconnects automatically.
    pub fn channel(&self) -> Channel {
        let others = self.others.iter().filter(|(process, _)| process.name() == "kimberly-api");
        let mut addresses: Vec<SocketAddr> = others.map(|(_, address)| *address).collect();
        if addresses.is_empty() {
            return channel(self.api_address());
        }
        addresses.push(self.api_address());
        Channel::balance_list(addresses.into_iter().map(endpoint))
    }

    /// Clients of all services over a new connection.
    pub fn clients(&self) -> Clients {
        Clients::new(self.channel())
    }

    /// The text at a path. Panics unless the status is a success.
    pub async fn get_text(&self, path: &str) -> String {
        let request = http::Request::builder().uri(format!("http://localhost{path}")).body(Body::empty());
        let answer = self.channel().oneshot(request.expect("a request")).await.expect("an answer");
        let status = answer.status();
        let body = answer.into_body().collect().await.expect("an answer is whole").to_bytes();
        let text = String::from_utf8(body.to_vec()).expect("an answer is text");
        assert!(status.is_success(), "{path}: {status} {text}");
        text
    }

    /// The JSON at a path.
    pub async fn get(&self, path: &str) -> serde_json::Value {
        serde_json::from_str(&self.get_text(path).await).expect("an answer is JSON")
    }

    /// A user with a new connection.
    pub fn user(&self, id: &str) -> User {
        User::new(self.clients(), id)
    }
}

/// A lazy connection with a deadline per call.
pub fn channel(address: SocketAddr) -> Channel {
    endpoint(address).connect_lazy()
}

fn endpoint(address: SocketAddr) -> Endpoint {
    Endpoint::from_shared(format!("http://{address}"))
        .expect("an address makes a URL")
        .connect_timeout(Duration::from_secs(5))
        .timeout(Duration::from_mins(1))
}

/// Whether a process reports that it serves.
pub async fn serves(address: SocketAddr) -> bool {
    serves_over(channel(address)).await
}

/// Whether the process behind a channel reports that it serves.
pub async fn serves_over(channel: Channel) -> bool {
    let mut health = HealthClient::new(channel);
    let answer = health.check(HealthCheckRequest { service: String::new() }).await;
    answer.is_ok_and(|response| response.into_inner().status() == ServingStatus::Serving)
}

async fn wait_until_serving(process: &mut Process, address: SocketAddr) {
    let started = Instant::now();
    while !serves(address).await {
        process.assert_running();
        assert!(started.elapsed() < START_BOUND, "{} does not serve on {address}:\n{}", process.name(), process.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A free loopback address.
fn free_address() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()))
}
