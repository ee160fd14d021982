//! Serves the console. This layer comes after the one that refuses foreign origins and before authentication, since a
//! page cannot ask for a key before it is loaded.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use futures::future::Either;
use http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use kimberly_transcode::accepts_gzip;
use tonic::body::Body;
use tower::{Layer, Service};

use super::PATH;
use super::files::{self, File};
use crate::rest;

/// Content security policy: no inline scripts, nothing from elsewhere, no embedding in frames, no text as markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (VARY, "accept-encoding"),
];

/// Serves the console in front of everything else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConsoleLayer;

impl<S> Layer<S> for ConsoleLayer {
    type Service = Console<S>;

    fn layer(&self, inner: S) -> Console<S> {
        Console { inner }
    }
}

/// A service wrapped by a [`ConsoleLayer`].
#[derive(Clone, Debug)]
pub(crate) struct Console<S> {
    inner: S,
}

impl<S, B> Service<Request<B>> for Console<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        match answer(&request) {
            Some(answer) => Either::Right(ready(Ok(answer))),
            None => Either::Left(self.inner.call(request)),
        }
    }
}

/// Returns the response if the request is for a file of the console.
fn answer<B>(request: &Request<B>) -> Option<Response<Body>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let path = request.uri().path();
    if path == PATH.trim_end_matches('/') {
        return Some(to_the_page(StatusCode::PERMANENT_REDIRECT));
    }
    if path == rest::ROOT && wants_a_page(request.headers()) {
        return Some(to_the_page(StatusCode::FOUND));
    }
    let file = files::find(path.strip_prefix(PATH)?)?;
    Some(of_file(file, request.headers()))
}

/// Returns whether a browser asks, which shows pages to people. Programs read the description of the server instead.
fn wants_a_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split([',', ';'])).any(|kind| kind.trim().eq_ignore_ascii_case("text/html"))
}

/// Redirects with a relative path, which also works behind a proxy that adds a prefix.
fn to_the_page(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("console/"));
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept"));
    response
}

fn of_file(file: &'static File, asked: &HeaderMap) -> Response<Body> {
    let etag = files::etag();
    let known = asked.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let packed = accepts_gzip(asked);
    let body = match (known, packed) {
        (true, _) => Body::empty(),
        (false, true) => Body::new(Full::from(file.packed)),
        (false, false) => Body::new(Full::from(file.plain)),
    };
    let mut response = Response::new(body);
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    headers.extend(HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value))));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(file.caching()));
    headers.insert(ETAG, HeaderValue::from_static(etag));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.media_type()));
    if packed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(path: &str) -> Request<()> {
        Request::get(path).body(()).expect("a request")
    }

    #[test]
    fn the_page_is_served_under_a_strict_policy() {
        let page = answer(&get("/console/")).expect("a page");
        assert_eq!(page.status(), StatusCode::OK);
        let policy = page.headers()[CONTENT_SECURITY_POLICY].to_str().expect("ASCII");
        assert!(!policy.contains("unsafe") && policy.contains("script-src 'self'"), "{policy}");
        assert_eq!(page.headers()[CACHE_CONTROL], "no-cache");
    }

    #[test]
    fn a_page_that_the_browser_has_is_not_sent_again() {
        let etag = answer(&get("/console/")).expect("a page").headers()[ETAG].clone();
        let mut request = get("/console/");
        request.headers_mut().insert(IF_NONE_MATCH, etag);
        assert_eq!(answer(&request).expect("an answer").status(), StatusCode::NOT_MODIFIED);
    }

    #[test]
    fn files_come_packed_to_those_that_unpack() {
        let mut request = get("/console/");
        assert!(answer(&request).expect("a page").headers().get(CONTENT_ENCODING).is_none());
        request.headers_mut().insert(http::header::ACCEPT_ENCODING, HeaderValue::from_static("gzip, br"));
        assert_eq!(answer(&request).expect("a page").headers()[CONTENT_ENCODING], "gzip");
    }

    #[test]
    fn only_a_browser_is_led_from_the_root_to_the_console() {
        let root = |accept: &'static str| {
            let mut request = get("/");
            request.headers_mut().insert(ACCEPT, HeaderValue::from_static(accept));
            answer(&request)
        };
        let led = root("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8").expect("a redirect");
        assert_eq!(
            (led.status(), &led.headers()[LOCATION]),
            (StatusCode::FOUND, &HeaderValue::from_static("console/"))
        );
        for program in ["*/*", "application/json", "text/plain", "application/json, text/plain, */*"] {
            assert!(root(program).is_none(), "{program}");
        }
    }

    #[test]
    fn all_else_passes_on() {
        for path in ["/", "/memory", "/consoles", "/console/nothing.js", "/console/../memory"] {
            assert!(answer(&get(path)).is_none(), "{path}");
        }
        let post = Request::post("/console/").body(()).expect("a request");
        assert!(answer(&post).is_none());
        assert_eq!(answer(&get("/console")).expect("an answer").headers()[LOCATION], "console/");
    }
}
