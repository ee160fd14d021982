//! A complete api process within the test: a store in a temporary folder, a server on loopback, and real clients.

#![expect(unreachable_pub, reason = "the tests beside it use it")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a fixture that cannot be made fails its test")]

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use kimberly_api::{Api, Auth, server};
use kimberly_core::access::{CredentialName, Operations, Rows, UserPatterns};
use kimberly_core::settings::ServerDefaults;
use kimberly_core::usecases::App;
use kimberly_core::usecases::keys::CreateKeyInput;
use kimberly_proto::v1;
use kimberly_proto::v1::consent_service_client::ConsentServiceClient;
use kimberly_proto::v1::goal_service_client::GoalServiceClient;
use kimberly_proto::v1::meditation_service_client::MeditationServiceClient;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_proto::v1::metrics_service_client::MetricsServiceClient;
use kimberly_proto::v1::settings_service_client::SettingsServiceClient;
use kimberly_queue::Queue;
use kimberly_runtime::config::{ApiConfig, Config};
use kimberly_runtime::{MainResult, Metrics, SystemClock, SystemIds};
use kimberly_store::{SqliteOptions, SqliteStore};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;

pub const USER: &str = "ada";

pub struct Served {
    pub api: Api,
    pub app: App,
    pub address: SocketAddr,
    pub channel: Channel,
    pub serving: JoinHandle<MainResult>,
    pub store: SqliteStore,
    _folder: tempfile::TempDir,
}

impl Served {
    pub async fn start() -> Self {
        Self::with(ServerDefaults::default(), ApiConfig::default()).await
    }

    pub async fn with(defaults: ServerDefaults, api: ApiConfig) -> Self {
        Self::configured(defaults, Config { api, ..Config::default() }).await
    }

    pub async fn configured(defaults: ServerDefaults, config: Config) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(SystemClock);
        let store = SqliteStore::open(SqliteOptions::new(folder.path()), clock.clone()).await.unwrap();
        let queue = Queue::open(folder.path().join("queue.db")).await.unwrap();
        let metrics = Metrics::detached();
        let observer = metrics.observer(clock.clone());
        let ids = Arc::new(SystemIds::default());
        let app = App::new(store.vaults(), clock, ids, Arc::new(defaults), observer);
        let warnings: Arc<[String]> = vec!["a warning of the configuration".to_owned()].into();
        let stop = CancellationToken::new();
        let auth = Auth::new(store.credentials(), Arc::new(SystemClock), None, &config.auth).unwrap();
        tokio::spawn(Arc::clone(&auth).run(stop.clone()));
        let telemetry = (metrics, warnings);
        let system = (
            store.registry(),
            store.audit(),
            store.purges(),
            store.quarantine(),
            store.working(config.working.limits()),
        );
        let api = Api::new(app.clone(), system, queue, auth, telemetry, &config.limits, stop);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let secured = config.tls.is_on();
        let serving = tokio::spawn({
            let api = api.clone();
            async move { server::serve(api, &config, listener).await }
        });
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        // Over TLS, tests create their own channels.
        let channel = if secured { endpoint.connect_lazy() } else { endpoint.connect().await.unwrap() };
        Self { api, app, address, channel, serving, store, _folder: folder }
    }

    pub fn memories(&self) -> MemoryServiceClient<Channel> {
        MemoryServiceClient::new(self.channel.clone())
    }

    pub fn consents(&self) -> ConsentServiceClient<Channel> {
        ConsentServiceClient::new(self.channel.clone())
    }

    /// Records a consent to everything.
    pub async fn consent(&self) -> v1::Consent {
        let consent = v1::Consent { purpose: "tests".to_owned(), ..Default::default() };
        let request =
            v1::GrantConsentRequest { user_id: USER.to_owned(), consent: Some(consent), ..Default::default() };
        self.consents().grant_consent(request).await.unwrap().into_inner().consent.unwrap()
    }

    pub fn goals(&self) -> GoalServiceClient<Channel> {
        GoalServiceClient::new(self.channel.clone())
    }

    pub fn settings(&self) -> SettingsServiceClient<Channel> {
        SettingsServiceClient::new(self.channel.clone())
    }

    pub fn meditations(&self) -> MeditationServiceClient<Channel> {
        MeditationServiceClient::new(self.channel.clone())
    }

    pub fn metrics(&self) -> MetricsServiceClient<Channel> {
        MetricsServiceClient::new(self.channel.clone())
    }

    /// Creates a key with all permissions. Its number determines its id and secret.
    pub async fn key(&self, name: &str, n: u8) -> String {
        self.make_key(everything(name, n)).await
    }

    /// Creates the given key.
    pub async fn make_key(&self, input: CreateKeyInput) -> String {
        self.app.create_key(&*self.store.credentials(), input).await.unwrap().key.unwrap().reveal()
    }

    /// Stores a memory and returns its receipt.
    pub async fn remember(&self, content: &str) -> v1::MemoryReceipt {
        self.create(create(draft(content))).await.unwrap()
    }

    pub async fn create(&self, request: v1::CreateMemoryRequest) -> Result<v1::MemoryReceipt, Status> {
        let answer = self.memories().create_memory(request).await?;
        Ok(answer.into_inner().receipt.unwrap())
    }

    pub async fn get(&self, id: &str) -> Result<v1::Memory, Status> {
        let request =
            v1::GetMemoryRequest { user_id: USER.to_owned(), id: id.to_owned(), explain: false, ..Default::default() };
        Ok(self.memories().get_memory(request).await?.into_inner().memory.unwrap())
    }
}

/// The input for a key with all permissions. Its number determines its id and secret.
pub fn everything(name: &str, n: u8) -> CreateKeyInput {
    CreateKeyInput {
        name: CredentialName::parse(name).unwrap(),
        users: UserPatterns::all(),
        operations: Operations::all(),
        rows: Rows::default(),
        agent: false,
        expires_at: None,
        certificate: None,
        random_id: [n; 8],
        random_secret: [n; 32].into(),
    }
}

pub fn draft(content: &str) -> v1::MemoryDraft {
    v1::MemoryDraft { content: content.to_owned(), ..Default::default() }
}

pub fn create(memory: v1::MemoryDraft) -> v1::CreateMemoryRequest {
    v1::CreateMemoryRequest {
        user_id: USER.to_owned(),
        memory: Some(memory),
        request_id: String::new(),
        always_new: true,
    }
}

pub fn mask(paths: &[&str]) -> prost_types::FieldMask {
    prost_types::FieldMask { paths: paths.iter().map(|&path| path.to_owned()).collect() }
}

/// Returns code, reason and metadata of a failure.
pub fn reason(status: &Status) -> (Code, String, HashMap<String, String>) {
    let details = status.get_error_details();
    let info = details.error_info().unwrap_or_else(|| panic!("no ErrorInfo in {status:?}"));
    assert_eq!(info.domain, "kimberly.v1");
    (status.code(), info.reason.clone(), info.metadata.clone())
}

/// Returns the field whose value contradicts stored data.
pub fn conflict(status: &Status) -> String {
    let (code, name, mut metadata) = reason(status);
    assert_eq!((code, name.as_str()), (Code::FailedPrecondition, "WRONG_STATE"), "{status:?}");
    metadata.remove("field").unwrap()
}

/// Returns the fields that a failure names.
pub fn fields(status: &Status) -> Vec<String> {
    assert_eq!(status.code(), Code::InvalidArgument, "{status:?}");
    let details = status.get_error_details();
    let violations = &details.bad_request().unwrap_or_else(|| panic!("no BadRequest in {status:?}")).field_violations;
    assert!(violations.iter().all(|violation| !violation.description.is_empty()));
    violations.iter().map(|violation| violation.field.clone()).collect()
}
