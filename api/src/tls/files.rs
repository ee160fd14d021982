//! Reads and checks the TLS files before they are used. Errors name files, but quote nothing of their content.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use kimberly_core::ports::Clock as _;
use kimberly_runtime::SystemClock;
use kimberly_runtime::config::ClientAuth;
use tokio_rustls::rustls::Error as TlsError;
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{InconsistentKeys, RootCertStore, ServerConfig};
use x509_cert::der::Decode as _;

use super::peer::{Certificate, end};
use super::{Clients, Files};

/// The protocols inside TLS, in order of preference.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];
/// Maximum number of certificates in a file.
const MOST: usize = 64;

/// Reads, parses and checks the files.
pub(super) fn load(files: &Files) -> Result<ServerConfig, String> {
    let chain = certificates(&files.certificate)?;
    let key = key(&files.key)?;
    if let Some(leaf) = chain.first() {
        refuse_expired(leaf, &files.certificate)?;
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = match &files.clients {
        Some(clients) => Some(verifier(clients, &provider)?),
        None => None,
    };
    let builder = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13, &TLS12])
        .map_err(|error| error.to_string())?;
    let builder = match verifier {
        Some(verifier) => builder.with_client_cert_verifier(verifier),
        None => builder.with_no_client_auth(),
    };
    let config = builder.with_single_cert(chain, key);
    let mut config = config.map_err(|error| refused(files, &error))?;
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    Ok(config)
}

/// Creates the verifier of client certificates: their authority, their validity period, their use by clients and, with
/// a list, whether they were revoked. A list must then cover the client's own certificate.
fn verifier(clients: &Clients, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ClientCertVerifier>, String> {
    let shown = clients.ca.display();
    let mut roots = RootCertStore::empty();
    for authority in certificates(&clients.ca)? {
        roots.add(authority).map_err(|error| format!("{shown} holds no certificate of an authority: {error}"))?;
    }
    let mut builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider));
    if let Some(file) = &clients.crl {
        builder = builder.with_crls(revoked(file)?).only_check_end_entity_revocation().enforce_revocation_expiration();
    }
    if clients.auth == ClientAuth::Optional {
        builder = builder.allow_unauthenticated();
    }
    let crl = clients.crl.as_ref().map(|file| format!(" with {}", file.display())).unwrap_or_default();
    builder.build().map_err(|error| format!("{shown}{crl} cannot be used for clients: {error}"))
}

/// Reads the certificate revocation lists of a file, at least one.
fn revoked(file: &Path) -> Result<Vec<CertificateRevocationListDer<'static>>, String> {
    let shown = file.display();
    let found = CertificateRevocationListDer::pem_file_iter(file)
        .map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let found: Result<Vec<_>, _> = found.take(MOST).collect();
    let found = found.map_err(|error| format!("{shown} is not PEM: {error}"))?;
    if found.is_empty() { Err(format!("{shown} contains no certificate revocation list in PEM")) } else { Ok(found) }
}

fn refused(files: &Files, error: &TlsError) -> String {
    let (certificate, key) = (files.certificate.display(), files.key.display());
    match error {
        TlsError::InconsistentKeys(InconsistentKeys::KeyMismatch) => {
            format!("{key} is not the key of the certificate in {certificate}")
        }
        other => format!("{certificate} and {key} cannot be used: {other}"),
    }
}

/// Reads the certificates of a file, at least one.
pub(super) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let shown = file.display();
    let found = CertificateDer::pem_file_iter(file).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    let found: Result<Vec<_>, _> = found.take(MOST).collect();
    let found = found.map_err(|error| format!("{shown} is not PEM: {error}"))?;
    if found.is_empty() {
        return Err(format!("{shown} holds no certificate in PEM"));
    }
    Ok(found)
}

fn key(file: &Path) -> Result<PrivateKeyDer<'static>, String> {
    let shown = file.display();
    let metadata = std::fs::metadata(file).map_err(|error| format!("{shown} cannot be read: {error}"))?;
    // A group may read it, as with Debian's `ssl-cert`, but have no other access.
    if metadata.permissions().mode() & 0o037 != 0 {
        return Err(format!("{shown} can be read by every account, or changed by a group; chmod 600 {shown}"));
    }
    PrivateKeyDer::from_pem_file(file).map_err(|error| format!("{shown} holds no private key in PEM: {error}"))
}

fn refuse_expired(leaf: &CertificateDer<'_>, file: &Path) -> Result<(), String> {
    let parsed = Certificate::from_der(leaf).map_err(|_| format!("{} is no certificate", file.display()))?;
    if end(&parsed) <= SystemClock.now() {
        let end = parsed.tbs_certificate().validity().not_after;
        return Err(format!("the certificate in {} ended on {end}", file.display()));
    }
    Ok(())
}
