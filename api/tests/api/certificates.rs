//! Client certificates: the names in them, what their holders may do, and when they become invalid.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail their test")]

use std::fs;
use std::time::{Duration, SystemTime};

use kimberly_core::Timestamp;
use kimberly_core::access::{CertificateName, CredentialName, Operation, UserPatterns};
use kimberly_core::ports::By;
use kimberly_core::settings::ServerDefaults;
use kimberly_core::usecases::keys::CreateKeyInput;
use kimberly_proto::v1;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_runtime::config::{AuthConfig, AuthMode, ClientAuth, Config, Period, TlsConfig};
use rcgen::{
    CertificateParams, CertificateRevocationListParams, ExtendedKeyUsagePurpose, KeyIdMethod, RevokedCertParams,
    SanType, SerialNumber, date_time_ymd,
};
use tokio_rustls::rustls::SupportedProtocolVersion;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::access::show;
use crate::common::{Served, USER, create, draft, everything, reason};
use crate::tls::{Authority, PATIENCE, Pair, count, handshake, put, until};

const AGENT: &str = "spiffe://example.org/agent";

/// A server that accepts the certificates of an authority, and the folder of its files.
struct World {
    folder: tempfile::TempDir,
    authority: Authority,
    served: Served,
}

impl World {
    async fn new(mode: AuthMode, client_auth: ClientAuth) -> Self {
        let (folder, authority) = (tempfile::tempdir().unwrap(), Authority::new());
        let tls = TlsConfig { client_auth, ..files(&folder, &authority) };
        Self::with(folder, authority, mode, tls).await
    }

    async fn with(folder: tempfile::TempDir, authority: Authority, mode: AuthMode, tls: TlsConfig) -> Self {
        let auth = AuthConfig { mode, recheck: Period::millis(20), ..AuthConfig::default() };
        let config = Config { tls, auth, ..Config::default() };
        Self { folder, authority, served: Served::configured(ServerDefaults::default(), config).await }
    }

    /// Registers a certificate for the user.
    async fn register(&self, n: u8, certificate: &str, can: &[Operation], expires_at: Option<Timestamp>) {
        let input = CreateKeyInput {
            users: UserPatterns::parse("grant.users", &[USER]).unwrap(),
            operations: can.iter().copied().collect(),
            certificate: Some(CertificateName::parse(certificate).unwrap()),
            expires_at,
            ..everything(&format!("agent-{n}"), n)
        };
        let made = self.served.app.create_key(&*self.served.store.credentials(), input).await.unwrap();
        assert!(made.key.is_none());
    }

    /// Creates a client with a certificate of these names.
    async fn client(&self, names: &[&str]) -> MemoryServiceClient<Channel> {
        self.client_of(&self.authority.pair(of(names))).await
    }

    async fn client_of(&self, pair: &Pair) -> MemoryServiceClient<Channel> {
        MemoryServiceClient::new(self.authority.channel_of(Some(pair), &self.served).await.unwrap())
    }

    /// Reports whether a connection with a certificate succeeds, in both versions of TLS. Sends a request, since the
    /// server refuses only after the client's part of the handshake. If the versions disagree, files were reloaded in
    /// between, and it tries again.
    async fn connects(&self, pair: Option<&Pair>) -> bool {
        for _ in 0..10 {
            let (old, new) = (self.connects_by(pair, &TLS12).await, self.connects_by(pair, &TLS13).await);
            if old == new {
                return old;
            }
        }
        panic!("the versions do not agree");
    }

    async fn connects_by(&self, pair: Option<&Pair>, version: &'static SupportedProtocolVersion) -> bool {
        let client = self.authority.client_of(pair, &[b"http/1.1"], version);
        match handshake(&self.served, client).await {
            Ok(stream) => crate::tls::try_ask(stream).await.is_ok_and(|said| said.starts_with("HTTP/1.1 200")),
            Err(_) => false,
        }
    }
}

fn files(folder: &tempfile::TempDir, authority: &Authority) -> TlsConfig {
    let file = folder.path().join("clients.pem");
    fs::write(&file, authority.pem()).unwrap();
    TlsConfig { client_ca: Some(file), ..put(folder.path(), &authority.pair(|_| {})) }
}

/// Sets the names in a certificate: those with a colon as URIs, the others as DNS names.
fn of(names: &[&str]) -> impl FnOnce(&mut CertificateParams) {
    let name = |name: &&str| {
        let text = (*name).try_into().unwrap();
        if name.contains(':') { SanType::URI(text) } else { SanType::DnsName(text) }
    };
    let names = names.iter().map(name).collect();
    move |params| params.subject_alt_names = names
}

async fn remember(client: &mut MemoryServiceClient<Channel>) -> Result<String, Status> {
    Ok(client.create_memory(create(draft("tea"))).await?.into_inner().receipt.unwrap().id)
}

#[track_caller]
fn assert_unknown(outcome: &Result<String, Status>) {
    let Err(status) = outcome else { panic!("it was carried out") };
    assert_eq!((status.code(), reason(status).1.as_str()), (Code::Unauthenticated, "UNAUTHENTICATED"));
}

#[tokio::test]
async fn a_certificate_does_what_was_registered_for_its_name_and_appears_in_the_audit() {
    for mode in [AuthMode::Required, AuthMode::Open] {
        let world = World::new(mode, ClientAuth::Optional).await;
        world.register(1, AGENT, &[Operation::Write], None).await;
        world.register(2, "Agent.Example.org", &[Operation::Read, Operation::Export], None).await;
        let mut agent = world.client(&[AGENT, "other.example.org"]).await;
        let id = remember(&mut agent).await.unwrap();
        let get = v1::GetMemoryRequest { user_id: USER.to_owned(), id, explain: false, ..Default::default() };
        assert_eq!(agent.get_memory(get.clone()).await.unwrap_err().code(), Code::PermissionDenied);
        let other = v1::CreateMemoryRequest { user_id: "bob".to_owned(), ..create(draft("tea")) };
        assert_eq!(agent.create_memory(other).await.unwrap_err().code(), Code::PermissionDenied);
        let mut by_dns = world.client(&["agent.example.org"]).await;
        by_dns.get_memory(get).await.unwrap();

        let pair = world.authority.pair(of(&["agent.example.org"]));
        let channel = world.authority.channel_of(Some(&pair), &world.served).await.unwrap();
        let mut audit = v1::audit_service_client::AuditServiceClient::new(channel);
        let list = v1::ListAuditEntriesRequest { user_id: USER.to_owned(), ..v1::ListAuditEntriesRequest::default() };
        let told = audit.list_audit_entries(list).await.unwrap().into_inner().entries;
        assert!(told.iter().any(|entry| entry.actor == "cert:agent-1" && entry.action == "memory.create"), "{told:?}");
    }
}

#[tokio::test]
async fn unregistered_certificates_have_no_rights_and_get_the_same_answer() {
    for mode in [AuthMode::Required, AuthMode::Open] {
        let world = World::new(mode, ClientAuth::Optional).await;
        world.register(1, AGENT, Operation::ALL, None).await;
        world.register(2, "spiffe://example.org/ended", Operation::ALL, Some(in_a_second(&world))).await;
        let mut ended = world.client(&["spiffe://example.org/ended"]).await;
        remember(&mut ended).await.unwrap();
        let nobody: [&[&str]; 6] = [
            &["spiffe://example.org/unknown"],
            &["spiffe://example.org/AGENT"],
            &[AGENT, "spiffe://example.org/second"],
            &["example.org"],
            &["agent-1"],
            &[],
        ];
        for names in nobody {
            assert_unknown(&remember(&mut world.client(names).await).await);
        }
        let mut agent = world.client(&[AGENT]).await;
        remember(&mut agent).await.unwrap();
        let by = By::new("system", world.served.app.clock.now());
        let name = CredentialName::parse("agent-1").unwrap();
        world.served.store.credentials().revoke(&name, &by).await.unwrap();
        until(async || remember(&mut agent).await.is_err()).await;
        assert_unknown(&remember(&mut agent).await);
        until(async || remember(&mut ended).await.is_err()).await;
        assert_unknown(&remember(&mut ended).await);
        // After it is registered again under another name, it is valid again.
        world.register(3, AGENT, &[Operation::Write], None).await;
        until(async || remember(&mut agent).await.is_ok()).await;
    }
}

fn in_a_second(world: &World) -> Timestamp {
    Timestamp(world.served.app.clock.now().0 + 1_500_000)
}

#[tokio::test]
async fn a_key_takes_precedence_over_the_certificate() {
    let world = World::new(AuthMode::Required, ClientAuth::Required).await;
    world.register(1, AGENT, &[Operation::Read], None).await;
    let key = world.served.key("desk", 9).await;
    let keyed = |key: &str| {
        let mut request = Request::new(create(draft("tea")));
        show(&mut request, Some(key));
        request
    };
    for names in [&[AGENT][..], &["spiffe://example.org/unknown"]] {
        let mut client = world.client(names).await;
        client.create_memory(keyed(&key)).await.unwrap();
        let wrong = key.replace("kmb_", "kmc_");
        assert_unknown(&client.create_memory(keyed(&wrong)).await.map(|_| String::new()));
    }
    assert_eq!(remember(&mut world.client(&[AGENT]).await).await.unwrap_err().code(), Code::PermissionDenied);
    assert!(!world.connects(None).await, "without any certificate there is no connection");
}

#[tokio::test]
async fn certificates_that_no_authority_vouches_for_make_no_connection() {
    for client_auth in [ClientAuth::Optional, ClientAuth::Required] {
        let world = World::new(AuthMode::Open, client_auth).await;
        world.register(1, AGENT, Operation::ALL, None).await;
        assert!(world.connects(Some(&world.authority.pair(of(&[AGENT])))).await);
        assert_eq!(world.connects(None).await, client_auth == ClientAuth::Optional);
        let stranger = Authority::new().pair(of(&[AGENT]));
        let changed = |change: fn(&mut CertificateParams)| {
            world.authority.pair(|params| {
                of(&[AGENT])(params);
                change(params);
            })
        };
        let wrong = [
            ("of another authority", stranger),
            ("that has ended", changed(|params| params.not_after = date_time_ymd(2020, 1, 1))),
            ("that has not begun", changed(|params| params.not_before = date_time_ymd(2090, 1, 1))),
            ("of a server", changed(|params| params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth])),
        ];
        for (which, pair) in wrong {
            assert!(!world.connects(Some(&pair)).await, "a certificate {which}");
        }
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "a certificate ends at a time of day")]
async fn a_certificate_that_ends_while_it_is_connected_ends_its_calls() {
    let world = World::new(AuthMode::Required, ClientAuth::Optional).await;
    world.register(1, AGENT, Operation::ALL, None).await;
    // To the second, which is the precision of certificates.
    let end = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs() + 4;
    let pair = world.authority.pair(|params| {
        of(&[AGENT])(params);
        params.not_after = date_time_ymd(1970, 1, 1) + Duration::from_secs(end);
    });
    let mut client = world.client_of(&pair).await;
    remember(&mut client).await.unwrap();
    let watch = v1::WatchMemoriesRequest { user_id: USER.to_owned(), ..v1::WatchMemoriesRequest::default() };
    let mut watched = client.watch_memories(watch).await.unwrap().into_inner();
    let ended = tokio::time::timeout(PATIENCE, async {
        loop {
            if let Err(status) = watched.message().await {
                return status;
            }
        }
    });
    assert_eq!(reason(&ended.await.unwrap()).1, "UNAUTHENTICATED");
    assert_unknown(&remember(&mut client).await);
    let key = world.served.key("desk", 9).await;
    let mut keyed = Request::new(create(draft("tea")));
    show(&mut keyed, Some(&key));
    assert_unknown(&client.create_memory(keyed).await.map(|_| String::new()));
}

#[tokio::test]
async fn authorities_and_lists_of_revoked_certificates_are_taken_while_it_serves() {
    let (folder, authority) = (tempfile::tempdir().unwrap(), Authority::new());
    let list = folder.path().join("clients.crl");
    fs::write(&list, revoking(&authority, &[])).unwrap();
    let tls = TlsConfig { client_crl: Some(list.clone()), ..files(&folder, &authority) };
    let world = World::with(folder, authority, AuthMode::Open, tls).await;
    let numbered = |n: u64| {
        world.authority.pair(|params| {
            of(&[AGENT])(params);
            params.serial_number = Some(SerialNumber::from(n));
        })
    };
    let (first, second) = (numbered(1), numbered(2));
    assert!(world.connects(Some(&first)).await && world.connects(Some(&second)).await);
    fs::write(&list, revoking(&world.authority, &[2])).unwrap();
    until(async || !world.connects(Some(&second)).await).await;
    assert!(world.connects(Some(&first)).await);
    // A file without a revocation list is ignored.
    let failed = count(&world.served, "tls.reload_failed");
    fs::write(&list, "no list").unwrap();
    until(async || count(&world.served, "tls.reload_failed") > failed).await;
    assert!(world.connects(Some(&first)).await && !world.connects(Some(&second)).await);

    let another = Authority::new();
    fs::write(&list, revoking(&another, &[])).unwrap();
    fs::write(world.folder.path().join("clients.pem"), another.pem()).unwrap();
    until(async || world.connects(Some(&another.pair(of(&[AGENT])))).await).await;
    assert!(!world.connects(Some(&first)).await, "the authority is believed no more");
}

/// Creates a PEM list of the certificates that an authority revoked.
fn revoking(authority: &Authority, numbers: &[u64]) -> String {
    let revoked = |n: &u64| RevokedCertParams {
        serial_number: SerialNumber::from(*n),
        revocation_time: date_time_ymd(2025, 1, 1),
        reason_code: None,
        invalidity_date: None,
    };
    let params = CertificateRevocationListParams {
        this_update: date_time_ymd(2025, 1, 1),
        next_update: date_time_ymd(2090, 1, 1),
        crl_number: SerialNumber::from(1_u64),
        issuing_distribution_point: None,
        revoked_certs: numbers.iter().map(revoked).collect(),
        key_identifier_method: KeyIdMethod::Sha256,
    };
    params.signed_by(&authority.issuer).unwrap().pem().unwrap()
}

#[tokio::test]
async fn files_for_clients_that_cannot_be_used_are_refused_by_name() {
    let authority = Authority::new();
    for (ca, crl, part) in [
        ("", None, "clients.pem holds no certificate"),
        ("no certificate", None, "clients.pem holds no certificate"),
        (authority.pem().as_str(), Some(""), "clients.crl contains no certificate revocation list"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join("clients.crl");
        let tls = TlsConfig { client_crl: crl.map(|_| list.clone()), ..files(&folder, &authority) };
        fs::write(tls.client_ca.as_ref().unwrap(), ca).unwrap();
        fs::write(&list, crl.unwrap_or_default()).unwrap();
        let world = World::with(folder, Authority::new(), AuthMode::Open, tls).await;
        let failure = world.served.serving.await.unwrap().unwrap_err().message();
        assert!(failure.contains(part), "{part}: {failure}");
    }
}
