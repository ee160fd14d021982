//! Connects to an S3 store over hyper and rustls, like the rest of the service. `object_store` implements the protocol,
//! and this module implements its HTTP client.

use std::fmt;
use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use http::Uri;
use http_body_util::BodyExt as _;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kimberly_core::attachments::S3Location;
use kimberly_core::error::{Error, Result, StorageFailure};
use kimberly_crypto::read_private;
use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
    HttpService,
};
use object_store::{ClientOptions, RetryConfig};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::timely::{Timely, answer_within};

/// Maximum number of retries of a request, and their maximum total time.
const RETRIES: usize = 3;
const RETRY_WITHIN: Duration = Duration::from_secs(20);

/// Opens the store without sending a request.
pub(crate) fn open(location: &S3Location) -> Result<Arc<dyn ObjectStore>> {
    let unusable = |problem: String| Error::storage(StorageFailure::Unavailable, format!("attachments.s3: {problem}"));
    let shown = location.secret_file.display();
    let unreadable = |why: &dyn fmt::Display| unusable(format!("the secret in {shown} cannot be read: {why}"));
    let secret = read_private(&location.secret_file).map_err(|error| unreadable(&error))?;
    let secret = secret.ok_or_else(|| unreadable(&"there is no such file"))?;
    let secret = std::str::from_utf8(&secret).map_err(|error| unreadable(&error))?;
    let connector = Connector { tls: tls(location.ca_file.as_deref()).map_err(unusable)? };
    let retry = RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_WITHIN, ..RetryConfig::default() };
    let built = AmazonS3Builder::new()
        .with_endpoint(location.endpoint.trim_end_matches('/'))
        .with_allow_http(location.endpoint.starts_with("http://"))
        .with_bucket_name(&location.bucket)
        .with_region(&location.region)
        .with_disable_bulk_delete(true)
        .with_access_key_id(&location.access_key_id)
        .with_secret_access_key(secret.trim())
        .with_retry(retry)
        .with_http_connector(connector)
        .build();
    // Configuration errors of `object_store` name fields and contain no secret.
    Ok(Arc::new(built.map_err(|error| unusable(error.to_string()))?))
}

fn tls(ca: Option<&Path>) -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    match ca {
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(file) => {
            let shown = file.display();
            let found =
                CertificateDer::pem_file_iter(file).map_err(|error| format!("{shown} cannot be read: {error}"))?;
            for root in found {
                let root = root.map_err(|error| format!("{shown} is not PEM: {error}"))?;
                roots.add(root).map_err(|error| format!("{shown} holds no certificate of an authority: {error}"))?;
            }
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    Ok(TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth())))
}

/// Creates HTTP clients for `object_store`.
#[derive(Clone)]
struct Connector {
    tls: TlsConnector,
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connector")
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = Client::builder(TokioExecutor::new()).build(Dial { tls: self.tls.clone() });
        Ok(HttpClient::new(Http(client)))
    }
}

/// Sends requests.
struct Http(Client<Dial, HttpRequestBody>);

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Http")
    }
}

#[async_trait]
impl HttpService for Http {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let within = answer_within(request.body().content_length());
        let answered = tokio::time::timeout(within, self.0.request(request)).await;
        let answered = answered.map_err(|late| HttpError::new(HttpErrorKind::Timeout, late))?;
        let answer = answered.map_err(|error| {
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Request };
            HttpError::new(kind, error)
        })?;
        let broken_off = |error| HttpError::new(HttpErrorKind::Interrupted, error);
        Ok(answer.map(|body| HttpResponseBody::new(Timely::new(body.map_err(broken_off)))))
    }
}

/// Connects to the host of a URL.
#[derive(Clone)]
struct Dial {
    tls: TlsConnector,
}

impl tower_service::Service<Uri> for Dial {
    type Response = TokioIo<Wire>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<TokioIo<Wire>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let tls = self.tls.clone();
        Box::pin(async move {
            let secure = uri.scheme_str() == Some("https");
            let host = uri.host().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let port = uri.port_u16().unwrap_or(if secure { 443 } else { 80 });
            let stream = TcpStream::connect((host.as_str(), port)).await?;
            stream.set_nodelay(true)?;
            if !secure {
                return Ok(TokioIo::new(Wire::Plain(stream)));
            }
            let name =
                ServerName::try_from(host).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
            Ok(TokioIo::new(Wire::Secure(Box::new(tls.connect(name, stream).await?))))
        })
    }
}

/// A connection, plain or TLS.
enum Wire {
    Plain(TcpStream),
    Secure(Box<TlsStream<TcpStream>>),
}

impl Connection for Wire {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Secure(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Self::Secure(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Secure(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Secure(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
