//! Two users with memories, a server with authentication, and one over the same data without.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kimberly_proto::v1 as pb;
use kimberly_tests::process::Process;
use kimberly_tests::{System, system};
use tonic::transport::Channel;

use crate::access::certificates::Authority;
use crate::access::credentials::{self, Kind, OTHER, OWN};
use crate::access::tokens;

/// A word that occurs only in hidden memories.
pub(crate) const SECRET: &str = "quokka";
/// Timeout for the start of a process; bounds a hang.
const START_BOUND: Duration = Duration::from_mins(1);

/// The memories of one user.
#[derive(Clone, Debug)]
pub(crate) struct Memories {
    /// Visible to every credential with access to the user.
    pub(crate) reached: String,
    /// In another namespace and tier, and sensitive.
    pub(crate) hidden: String,
}

/// The subjects of all calls.
/// Memories made for calls that erase them.
static ANOTHER: AtomicU64 = AtomicU64::new(0);

pub(crate) struct World {
    pub(crate) system: System,
    /// The server with authentication.
    pub(crate) required: Channel,
    /// The server without authentication.
    pub(crate) open: Channel,
    pub(crate) own: Memories,
    pub(crate) other: Memories,
    pub(crate) kinds: Vec<Kind>,
    _apis: [Process; 2],
}

impl World {
    pub(crate) async fn new() -> Self {
        let system = System::start().await;
        let open = system.channel();
        let (own, other) = (memories(&system, OWN).await, memories(&system, OTHER).await);
        let (api, address) = asking(&system, "asking", Vec::new(), system::channel).await;
        let authority = Authority::new();
        let secured = |address| authority.channel(address, None);
        let (secure, of_certificates) = asking(&system, "secure", authority.server(system.folder()), secured).await;
        let kinds = credentials::all(&open, |names| authority.channel(of_certificates, Some(names))).await;
        Self { required: system::channel(address), open, own, other, kinds, system, _apis: [api, secure] }
    }

    /// Another memory of a user, hidden or not.
    pub(crate) async fn another(&self, user: &str, hidden: bool) -> String {
        // Copies of one text are forgotten together, and calls are made at once.
        let number = ANOTHER.fetch_add(1, Ordering::Relaxed);
        let draft = if hidden { hidden_draft() } else { reached_draft() };
        let draft = pb::MemoryDraft { content: format!("{} Number {number}.", draft.content), ..draft };
        self.system.user(user).remember_draft(draft).await.id
    }

    /// The kind of this name.
    pub(crate) fn kind(&self, name: &str) -> &Kind {
        self.kinds.iter().find(|kind| kind.name == name).unwrap_or_else(|| panic!("no kind {name}"))
    }
}

async fn memories(system: &System, user: &str) -> Memories {
    let mut user = system.user(user);
    user.consent().await;
    let (reached, hidden) = (user.remember_draft(reached_draft()).await, user.remember_draft(hidden_draft()).await);
    Memories { reached: reached.id, hidden: hidden.id }
}

fn reached_draft() -> pb::MemoryDraft {
    pb::MemoryDraft {
        tier: pb::Tier::LongTerm.into(),
        content: "The ferry to the harbour leaves at nine.".to_owned(),
        namespace: "work".to_owned(),
        session_id: "monday".to_owned(),
        ..pb::MemoryDraft::default()
    }
}

fn hidden_draft() -> pb::MemoryDraft {
    pb::MemoryDraft {
        tier: pb::Tier::ShortTerm.into(),
        content: format!("A {SECRET} was seen in the harbour."),
        namespace: "home".to_owned(),
        metadata: Some(pb::Metadata { sensitive: true, ..pb::Metadata::default() }),
        session_id: "monday".to_owned(),
        speaker: "Zoe".to_owned(),
        ..pb::MemoryDraft::default()
    }
}

/// Another api over the same data, with authentication and its own settings; returns its channel.
async fn asking(
    system: &System,
    name: &str,
    settings: Vec<(String, String)>,
    channel: impl Fn(SocketAddr) -> Channel,
) -> (Process, SocketAddr) {
    let keys = system.folder().join("jwks.json");
    std::fs::write(&keys, tokens::keys().to_string()).expect("the folder takes a file");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let address = listener.local_addr().expect("a listener has an address");
    drop(listener);
    let set = |key: &str, value: String| (key.to_owned(), value);
    let mut environment = vec![
        set("KIMBERLY_DATA_DIR", system.data_dir().display().to_string()),
        set("KIMBERLY_KEYS__FOLDER", system.keys_dir().display().to_string()),
        set("KIMBERLY_API__LISTEN", address.to_string()),
        set("KIMBERLY_AUTH__MODE", "required".to_owned()),
        set("KIMBERLY_AUTH__JWT__ISSUER", tokens::ISSUER.to_owned()),
        set("KIMBERLY_AUTH__JWT__AUDIENCE", tokens::AUDIENCE.to_owned()),
        set("KIMBERLY_AUTH__JWT__JWKS_FILE", keys.display().to_string()),
    ];
    environment.extend(settings);
    let log = system.folder().join(format!("{name}.log"));
    let mut api = Process::start("kimberly-api", environment, log);
    let started = Instant::now();
    while !system::serves_over(channel(address)).await {
        api.assert_running();
        assert!(started.elapsed() < START_BOUND, "the api does not serve:\n{}", api.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    (api, address)
}
