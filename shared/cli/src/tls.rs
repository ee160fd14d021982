//! TLS to servers: which certificates this client trusts, and the certificate that it presents.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};
use tonic::codegen::http::Uri;

use crate::error::{CliError, CliResult};

/// A TLS connection.
pub(crate) type Stream = TokioIo<TlsStream<TcpStream>>;

/// The files of the client certificate and its key.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The certificate chain, in PEM.
    pub(crate) certificate: PathBuf,
    /// The private key, in PEM.
    pub(crate) key: PathBuf,
}

/// Opens TLS connections.
#[derive(Clone)]
pub(crate) struct Secure {
    config: Arc<ClientConfig>,
    /// The address to connect to, whatever the server's name; `None` uses the name.
    address: Option<SocketAddr>,
}

impl Secure {
    /// Trusts servers whose certificates are issued by the authorities in a file, or by those that browsers trust.
    pub(crate) fn trusting(ca: Option<&Path>, identity: Option<&Identity>) -> CliResult<Self> {
        let mut roots = RootCertStore::empty();
        match ca {
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            Some(file) => {
                for root in certificates(file).map_err(CliError::usage)? {
                    roots.add(root).map_err(|error| {
                        CliError::usage(format!("{} contains no certificate of an authority: {error}", file.display()))
                    })?;
                }
            }
        }
        let config = with_provider(|builder| show(builder.with_root_certificates(roots), identity));
        Ok(Self { config: Arc::new(config.map_err(CliError::usage)?), address: None })
    }

    /// Trusts only the server at this address, on this machine, that has the key of this certificate, whatever names
    /// the certificate contains.
    pub(crate) fn only(certificate: &Path, address: SocketAddr, identity: Option<&Identity>) -> Result<Self, String> {
        let leaf = certificates(certificate)?.swap_remove(0);
        let verifier = Arc::new(Only { leaf, provider: ring::default_provider() });
        let config =
            with_provider(|builder| show(builder.dangerous().with_custom_certificate_verifier(verifier), identity))?;
        Ok(Self { config: Arc::new(config), address: Some(here(address)) })
    }

    /// Connects to the server of a URI.
    pub(crate) async fn connect(self, uri: Uri) -> io::Result<Stream> {
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        let stream = match self.address {
            Some(address) => TcpStream::connect(address).await?,
            None => TcpStream::connect((host.as_str(), uri.port_u16().unwrap_or(443))).await?,
        };
        stream.set_nodelay(true)?;
        let name = ServerName::try_from(host).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
        TlsConnector::from(self.config).connect(name, stream).await.map(TokioIo::new)
    }
}

/// The address to reach a server on this machine that listens on `address`: loopback if it listens on all interfaces.
pub(crate) fn here(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, address.port())
}

type Builder = tokio_rustls::rustls::ConfigBuilder<ClientConfig, tokio_rustls::rustls::WantsVerifier>;

type WantsIdentity = tokio_rustls::rustls::ConfigBuilder<ClientConfig, tokio_rustls::rustls::client::WantsClientCert>;

/// Finishes a configuration with the client certificate, if there is one.
fn show(builder: WantsIdentity, identity: Option<&Identity>) -> Result<ClientConfig, String> {
    let Some(Identity { certificate, key }) = identity else { return Ok(builder.with_no_client_auth()) };
    let chain = certificates(certificate)?;
    let private = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| format!("{} contains no private key in PEM: {error}", key.display()))?;
    builder
        .with_client_auth_cert(chain, private)
        .map_err(|error| format!("{} and {} cannot be shown: {error}", certificate.display(), key.display()))
}

/// Builds a configuration for HTTP/2.
fn with_provider(make: impl FnOnce(Builder) -> Result<ClientConfig, String>) -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let mut config = make(builder)?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    Ok(config)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let shown = file.display();
    let found = CertificateDer::pem_file_iter(file).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let found: Vec<_> = found.collect::<Result<_, _>>().map_err(|error| format!("{shown} is not PEM: {error}"))?;
    if found.is_empty() { Err(format!("{shown} contains no certificate in PEM")) } else { Ok(found) }
}

/// Trusts a single certificate.
#[derive(Debug)]
struct Only {
    leaf: CertificateDer<'static>,
    provider: CryptoProvider,
}

impl ServerCertVerifier for Only {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        if *shown == self.leaf {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(TlsError::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls12_signature(message, shown, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        shown: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        verify_tls13_signature(message, shown, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
