//! TLS as callers see it: handshakes, both dialects inside, and certificates that change while the server runs.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kimberly_core::settings::ServerDefaults;
use kimberly_proto::v1;
use kimberly_proto::v1::memory_service_client::MemoryServiceClient;
use kimberly_runtime::config::{Config, Period, TlsConfig};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose, date_time_ymd};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use tonic::transport::{Channel, Endpoint, Error};
use tower::service_fn;

use crate::common::{Served, USER, create, draft};

/// Far longer than any wait in these tests.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A certificate authority for one test.
pub(crate) struct Authority {
    root: CertificateDer<'static>,
    pub(crate) issuer: Issuer<'static, KeyPair>,
}

/// A certificate and its key, in PEM.
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let root = params.self_signed(&key).unwrap().der().clone();
        Self { root, issuer: Issuer::new(params, key) }
    }

    /// Returns the authority's own certificate, in PEM.
    pub(crate) fn pem(&self) -> String {
        let body = STANDARD.encode(&self.root);
        format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n")
    }

    /// Creates a certificate for this machine.
    pub(crate) fn pair(&self, change: impl FnOnce(&mut CertificateParams)) -> Pair {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        change(&mut params);
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Pair { certificate, key: key.serialize_pem() }
    }

    /// Creates a client that trusts this authority and speaks these protocols inside.
    fn client(&self, protocols: &[&[u8]], version: &'static SupportedProtocolVersion) -> TlsConnector {
        self.client_of(None, protocols, version)
    }

    /// Like [`Self::client`], with a client certificate.
    pub(crate) fn client_of(
        &self,
        own: Option<&Pair>,
        protocols: &[&[u8]],
        version: &'static SupportedProtocolVersion,
    ) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.clone()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_protocol_versions(&[version]).unwrap().with_root_certificates(roots);
        let mut config = match own {
            None => builder.with_no_client_auth(),
            Some(Pair { certificate, key }) => {
                let chain = CertificateDer::pem_slice_iter(certificate.as_bytes()).collect::<Result<_, _>>().unwrap();
                let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
                builder.with_client_auth_cert(chain, key).unwrap()
            }
        };
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        TlsConnector::from(Arc::new(config))
    }

    async fn connect(&self, served: &Served, protocols: &[&[u8]]) -> std::io::Result<TlsStream<TcpStream>> {
        handshake(served, self.client(protocols, &TLS13)).await
    }

    /// Creates a gRPC channel over TLS.
    async fn channel(&self, served: &Served) -> Channel {
        self.channel_of(None, served).await.unwrap()
    }

    /// Like [`Self::channel`], with a client certificate.
    pub(crate) async fn channel_of(&self, own: Option<&Pair>, served: &Served) -> Result<Channel, Error> {
        let (address, client) = (served.address, self.client_of(own, &[b"h2"], &TLS13));
        let endpoint = Endpoint::from_shared(format!("https://{address}")).unwrap();
        let connect = move |_| {
            let client = client.clone();
            async move {
                let stream = TcpStream::connect(address).await?;
                client.connect(name(), stream).await.map(hyper_util::rt::TokioIo::new)
            }
        };
        endpoint.connect_with_connector(service_fn(connect)).await
    }
}

fn name() -> ServerName<'static> {
    ServerName::try_from("localhost").unwrap()
}

pub(crate) async fn handshake(served: &Served, client: TlsConnector) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(served.address).await.unwrap();
    tokio::time::timeout(PATIENCE, client.connect(name(), stream)).await.unwrap()
}

/// Writes a pair to files, as an operator would.
pub(crate) fn put(folder: &Path, pair: &Pair) -> TlsConfig {
    let (certificate, key) = (folder.join("server.pem"), folder.join("server.key"));
    fs::write(&key, &pair.key).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&certificate, &pair.certificate).unwrap();
    let reload_interval = Period::millis(20);
    TlsConfig { certificate: Some(certificate), key: Some(key), reload_interval, ..TlsConfig::default() }
}

async fn serving(tls: TlsConfig) -> Served {
    Served::configured(ServerDefaults::default(), Config { tls, ..Config::default() }).await
}

pub(crate) fn count(served: &Served, name: &str) -> f64 {
    served.api.metrics.snapshot().into_iter().find(|(found, _)| found == name).map_or(0.0, |(_, count)| count)
}

/// Sends a request over HTTP/1.1 inside a connection, and reads until the server closes.
async fn ask(stream: TlsStream<TcpStream>) -> String {
    try_ask(stream).await.unwrap()
}

pub(crate) async fn try_ask(mut stream: TlsStream<TcpStream>) -> std::io::Result<String> {
    stream.write_all(b"GET /v1/server HTTP/1.1\r\nhost: any.name\r\nconnection: close\r\n\r\n").await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test]
async fn both_dialects_are_served_inside_of_both_versions_and_nothing_outside() {
    let (folder, authority) = (tempfile::tempdir().unwrap(), Authority::new());
    let served = serving(put(folder.path(), &authority.pair(|_| {}))).await;
    for version in [&TLS12, &TLS13] {
        for protocols in [&[&b"h2"[..], b"http/1.1"][..], &[b"http/1.1"], &[]] {
            let stream = handshake(&served, authority.client(protocols, version)).await.unwrap();
            assert_eq!(stream.get_ref().1.alpn_protocol(), protocols.first().copied());
        }
        let stream = handshake(&served, authority.client(&[b"http/1.1"], version)).await.unwrap();
        assert!(ask(stream).await.starts_with("HTTP/1.1 200"));
    }
    let mut memories = MemoryServiceClient::new(authority.channel(&served).await);
    memories.create_memory(create(draft("tea"))).await.unwrap();

    assert!(authority.connect(&served, &[b"spdy/3"]).await.is_err(), "a protocol that is not spoken");
    assert!(Authority::new().connect(&served, &[b"h2"]).await.is_err(), "a client that does not believe it");
    let mut plain = TcpStream::connect(served.address).await.unwrap();
    plain.write_all(b"GET /v1/server HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, plain.read_to_end(&mut answer)).await.unwrap();
    assert!(!answer.starts_with(b"HTTP"), "{answer:?}");
    until(async || count(&served, "grpc.connections.handshake_failed") >= 3.0).await;
}

#[tokio::test]
async fn changed_certificates_are_taken_while_connections_go_on_and_bad_ones_are_passed_over() {
    let (folder, first, second) = (tempfile::tempdir().unwrap(), Authority::new(), Authority::new());
    let tls = put(folder.path(), &first.pair(|_| {}));
    let served = serving(tls.clone()).await;
    let mut memories = MemoryServiceClient::new(first.channel(&served).await);
    let watch = v1::WatchMemoriesRequest { user_id: USER.to_owned(), ..v1::WatchMemoriesRequest::default() };
    let mut watched = memories.watch_memories(watch).await.unwrap().into_inner();

    // A certificate without its key, an expired one, and no certificate: the old one stays in use.
    let bad = [
        second.pair(|_| {}).certificate,
        second.pair(|params| params.not_after = date_time_ymd(2020, 1, 1)).certificate,
        "no certificate".to_owned(),
    ];
    for (n, certificate) in (1_u8..).zip(bad) {
        fs::write(tls.certificate.as_ref().unwrap(), certificate).unwrap();
        until(async || count(&served, "tls.reload_failed") >= f64::from(n)).await;
        first.connect(&served, &[b"h2"]).await.unwrap();
    }
    put(folder.path(), &second.pair(|_| {}));
    until(async || second.connect(&served, &[b"h2"]).await.is_ok()).await;
    assert!(first.connect(&served, &[b"h2"]).await.is_err());
    assert!(count(&served, "tls.reloaded") >= 1.0);

    let receipt = memories.create_memory(create(draft("tea"))).await.unwrap().into_inner().receipt.unwrap();
    let told = tokio::time::timeout(PATIENCE, async {
        while watched.message().await.unwrap().unwrap().change.is_none_or(|change| change.memory_id != receipt.id) {}
    });
    told.await.expect("a stream from before goes on");
}

/// Waits until the condition is true.
pub(crate) async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it comes true");
}

#[tokio::test]
async fn files_that_cannot_be_used_are_refused_by_name_and_nothing_of_them_is_shown() {
    let authority = Authority::new();
    let good = || authority.pair(|_| {});
    let ended = authority.pair(|params| params.not_after = date_time_ymd(2020, 1, 1));
    let cases = [
        (Pair { certificate: String::new(), ..good() }, 0o600, "server.pem holds no certificate"),
        (Pair { certificate: good().key, ..good() }, 0o600, "server.pem holds no certificate"),
        (Pair { key: good().certificate, ..good() }, 0o600, "server.key holds no private key"),
        (Pair { key: good().key, ..good() }, 0o600, "server.key is not the key of the certificate"),
        (ended, 0o600, "ended on"),
        (good(), 0o604, "chmod 600"),
        (good(), 0o660, "chmod 600"),
    ];
    for (pair, mode, part) in cases {
        let folder = tempfile::tempdir().unwrap();
        let tls = put(folder.path(), &pair);
        fs::set_permissions(tls.key.as_ref().unwrap(), fs::Permissions::from_mode(mode)).unwrap();
        let failure = serving(tls).await.serving.await.unwrap().unwrap_err().message();
        assert!(failure.contains(part), "{part}: {failure}");
        for secret in pair.key.lines().filter(|line| line.len() > 20 && !line.contains("PRIVATE")) {
            assert!(!failure.contains(secret), "{failure}");
        }
    }
    let absent = |name: &str| Some(name.into());
    let tls = TlsConfig { certificate: absent("absent.pem"), key: absent("absent.key"), ..TlsConfig::default() };
    let failure = serving(tls).await.serving.await.unwrap().unwrap_err().message();
    assert!(failure.contains("absent.pem cannot be read"), "{failure}");
}
