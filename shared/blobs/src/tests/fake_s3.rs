//! A server with the subset of S3 that these tests use.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// The state of the server.
#[derive(Debug, Default)]
pub(super) struct FakeS3 {
    /// Objects by bucket and key.
    pub(super) objects: Mutex<BTreeMap<String, Vec<u8>>>,
    /// Parts of unfinished uploads, by number.
    pub(super) parts: Mutex<BTreeMap<u32, Vec<u8>>>,
    /// Number of requests without a valid signature.
    pub(super) unsigned: Mutex<usize>,
    /// Makes every request fail.
    pub(super) fails: AtomicBool,
}

impl FakeS3 {
    /// Serves on a free port until the test ends.
    pub(super) async fn serve() -> (Arc<Self>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let fake = Arc::new(Self::default());
        let serving = Arc::clone(&fake);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = Arc::clone(&serving);
                let service = service_fn(move |request| {
                    let fake = Arc::clone(&fake);
                    async move { Ok::<_, Infallible>(fake.answer(request).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        (fake, address)
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let signed = parts.headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !signed.starts_with("AWS4-HMAC-SHA256 Credential=key/") {
            *self.unsigned.lock().unwrap() += 1;
        }
        if self.fails.load(Ordering::Acquire) {
            return with_text(StatusCode::FORBIDDEN, "<Error><Code>AccessDenied</Code></Error>");
        }
        let key = parts.uri.path().trim_start_matches('/').to_owned();
        let query: BTreeMap<&str, &str> = parts
            .uri
            .query()
            .unwrap_or_default()
            .split('&')
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .collect();
        match (parts.method, query.get("partNumber"), query.contains_key("uploadId"), query.contains_key("uploads")) {
            (Method::GET, ..) if query.contains_key("list-type") => self.list(&key, query.get("prefix")),
            (Method::GET, ..) => self.object(&key),
            (Method::PUT, Some(number), ..) => {
                self.parts.lock().unwrap().insert(number.parse().unwrap(), body.to_vec());
                with_text(StatusCode::OK, "")
            }
            (Method::PUT, None, ..) => {
                self.objects.lock().unwrap().insert(key, body.to_vec());
                with_text(StatusCode::OK, "")
            }
            (Method::POST, _, _, true) => with_text(
                StatusCode::OK,
                "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>",
            ),
            (Method::POST, _, true, _) => {
                let parts = std::mem::take(&mut *self.parts.lock().unwrap());
                let whole = parts.into_values().flatten().collect();
                self.objects.lock().unwrap().insert(key, whole);
                with_text(
                    StatusCode::OK,
                    "<CompleteMultipartUploadResult><ETag>e</ETag></CompleteMultipartUploadResult>",
                )
            }
            (Method::DELETE, _, true, _) => {
                self.parts.lock().unwrap().clear();
                with_text(StatusCode::NO_CONTENT, "")
            }
            (Method::DELETE, ..) => {
                self.objects.lock().unwrap().remove(&key);
                with_text(StatusCode::NO_CONTENT, "")
            }
            _ => with_text(StatusCode::NOT_IMPLEMENTED, ""),
        }
    }

    fn object(&self, key: &str) -> Response<Full<Bytes>> {
        match self.objects.lock().unwrap().get(key) {
            Some(bytes) => answer(StatusCode::OK, bytes.clone()),
            None => with_text(StatusCode::NOT_FOUND, "<Error><Code>NoSuchKey</Code></Error>"),
        }
    }

    fn list(&self, bucket: &str, prefix: Option<&&str>) -> Response<Full<Bytes>> {
        let prefix = prefix.map(|prefix| prefix.replace("%2F", "/")).unwrap_or_default();
        let objects = self.objects.lock().unwrap();
        let keys = objects.iter().filter_map(|(path, bytes)| {
            let key = path.strip_prefix(bucket)?.trim_start_matches('/');
            key.starts_with(&prefix).then_some((key, bytes.len()))
        });
        let contents = keys.fold(String::new(), |text, (key, size)| {
            format!(
                "{text}<Contents><Key>{key}</Key><LastModified>2026-11-21T00:00:00.000Z</LastModified>\
                 <ETag>e</ETag><Size>{size}</Size></Contents>"
            )
        });
        with_text(
            StatusCode::OK,
            &format!("<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"),
        )
    }
}

fn with_text(status: StatusCode, body: &str) -> Response<Full<Bytes>> {
    answer(status, body.as_bytes().to_vec())
}

fn answer(status: StatusCode, body: Vec<u8>) -> Response<Full<Bytes>> {
    let answer = Response::builder().status(status).header("etag", "\"e\"");
    let answer = answer.header("last-modified", "Sat, 21 Nov 2026 00:00:00 GMT");
    answer.body(Full::new(body.into())).unwrap()
}
