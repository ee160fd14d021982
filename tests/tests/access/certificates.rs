//! Client certificates of an authority that the server trusts.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose, SanType, SerialNumber};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;

/// A certificate authority for the server and its clients.
pub(crate) struct Authority {
    root: CertificateDer<'static>,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("no names");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let root = params.self_signed(&key).expect("a certificate");
        Self { root: root.der().clone(), pem: root.pem(), issuer: Issuer::new(params, key) }
    }

    /// Writes a server's TLS files to a folder; returns the settings that name them.
    pub(crate) fn server(&self, folder: &Path) -> Vec<(String, String)> {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
        params.serial_number = Some(long_serial());
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate").pem();
        let files = [
            ("CERTIFICATE", "server.pem", certificate),
            ("KEY", "server.key", key.serialize_pem()),
            ("CLIENT_CA", "clients.pem", self.pem.clone()),
        ];
        let written = files.into_iter().map(|(setting, name, text)| {
            let file = folder.join(name);
            fs::write(&file, text).expect("the folder takes a file");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("a file of ours");
            (format!("KIMBERLY_TLS__{setting}"), file.display().to_string())
        });
        written.collect()
    }

    /// A channel to a server of this authority, with a client certificate for these names, or without one.
    pub(crate) fn channel(&self, address: SocketAddr, names: Option<&[&str]>) -> Channel {
        let connector = TlsConnector::from(Arc::new(self.client(names)));
        let connect = move |_| {
            let connector = connector.clone();
            async move {
                let stream = TcpStream::connect(address).await?;
                let name = ServerName::try_from("localhost").expect("a name");
                connector.connect(name, stream).await.map(TokioIo::new)
            }
        };
        let endpoint = Endpoint::from_shared(format!("https://{address}")).expect("an address makes a URL");
        endpoint.timeout(Duration::from_mins(1)).connect_with_connector_lazy(service_fn(connect))
    }

    fn client(&self, names: Option<&[&str]>) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.root.clone()).expect("an authority");
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().expect("versions").with_root_certificates(roots);
        let mut config = match names {
            None => builder.with_no_client_auth(),
            Some(names) => {
                let key = KeyPair::generate().expect("a key");
                let mut params = CertificateParams::default();
                params.serial_number = Some(long_serial());
                params.subject_alt_names =
                    names.iter().map(|name| SanType::URI((*name).try_into().expect("ASCII"))).collect();
                let chain = vec![params.signed_by(&key, &self.issuer).expect("a certificate").der().clone()];
                let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
                builder.with_client_auth_cert(chain, key).expect("a certificate and its key")
            }
        };
        config.alpn_protocols = vec![b"h2".to_vec()];
        config
    }
}

/// A serial number of more than the 20 bytes that RFC 5280 allows: some authorities use such numbers.
fn long_serial() -> SerialNumber {
    SerialNumber::from_slice(&[0x5a; 24])
}
