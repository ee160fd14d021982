//! Refuses web pages that the operator did not allow.
//!
//! A page runs in its visitor's browser, which may reach this server although the page's own server cannot. Browsers
//! send simple requests anywhere without asking, and a page can make its own name point to the loopback address (DNS
//! rebinding). Therefore:
//!
//! * A call with an `Origin` is served only if that is the server's own origin or an allowed one.
//! * A call that the browser itself marks as cross-site is refused.
//! * Any request that a browser could have sent must name this server as its host.
//!
//! Programs send none of these headers. Over HTTP/2 without TLS, which no browser speaks, they may use any host. Over
//! TLS, browsers check the server's name against its certificate, so any host is accepted and only requests of pages
//! are checked.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::Either;
use http::header::{HOST, HeaderName, ORIGIN};
use http::{HeaderMap, StatusCode, Version};
use kimberly_runtime::Metrics;
use kimberly_runtime::config::Config;
use tonic::body::Body;
use tower::{Layer, Service};

use crate::status;

/// The header in which a browser reports the relation of a request's origin to the server.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Refuses requests of foreign pages.
#[derive(Clone, Debug)]
pub(crate) struct BrowserLayer(Arc<Allowed>);

#[derive(Debug)]
struct Allowed {
    origins: Vec<String>,
    hosts: Vec<String>,
    /// Whether TLS is on, so that browsers check names against a certificate.
    secured: bool,
    metrics: Metrics,
}

impl BrowserLayer {
    /// Admits pages of the allowed origins and of the server's own. Valid hosts are loopback names and addresses, the
    /// address that the server listens on, and the hosts that the operator listed.
    pub(crate) fn new(config: &Config, listen: SocketAddr, metrics: Metrics) -> Self {
        let mut hosts = config.api.allowed_hosts.clone();
        hosts.push(match listen.ip() {
            IpAddr::V4(ip) => ip.to_string(),
            IpAddr::V6(ip) => format!("[{ip}]"),
        });
        let (origins, secured) = (config.api.cors_allowed_origins.clone(), config.tls.is_on());
        Self(Arc::new(Allowed { origins, hosts, secured, metrics }))
    }
}

impl Allowed {
    /// Returns the reason for refusing a request, if any.
    fn refuses<B>(&self, request: &http::Request<B>) -> Option<&'static str> {
        let headers = request.headers();
        if headers.get_all(HOST).iter().nth(1).is_some() {
            // A proxy in front may have checked the other one.
            return Some("the request names its host twice; send one Host header");
        }
        let origin = headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
        let site = headers.get(FETCH_SITE).map(|site| site.to_str().unwrap_or_default());
        let from_program = origin.is_none() && site.is_none();
        if from_program && (self.secured || request.version() == Version::HTTP_2) {
            return None;
        }
        let host = host(request.uri(), headers).unwrap_or_default();
        if !self.secured && !self.is_ours(name(host)) {
            return Some("the Host header names an unknown host; the operator can add it to api.allowed_hosts");
        }
        let allowed = match (origin, site) {
            (Some(origin), _) => self.origins.iter().any(|allowed| allowed == origin) || is_page_of(origin, host),
            (None, Some(site)) => matches!(site, "same-origin" | "none"),
            (None, None) => true,
        };
        let refusal =
            "web pages of this origin may not call this server; the operator can add it to api.cors_allowed_origins";
        (!allowed).then_some(refusal)
    }

    fn is_ours(&self, name: &str) -> bool {
        let loopback = || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        name.eq_ignore_ascii_case("localhost")
            || loopback()
            || self.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
    }
}

/// Returns the host that a request names, with the port.
fn host<'r>(uri: &'r http::Uri, headers: &'r HeaderMap) -> Option<&'r str> {
    match uri.authority() {
        Some(authority) => Some(authority.as_str()),
        None => headers.get(HOST)?.to_str().ok(),
    }
}

/// Returns a host without its port.
fn name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Reports whether an origin is the server's own, judged by the host of the request. Either scheme is accepted, since a
/// proxy may have ended TLS.
fn is_page_of(origin: &str, host: &str) -> bool {
    let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    page.is_some_and(|page| page.eq_ignore_ascii_case(host))
}

impl<S> Layer<S> for BrowserLayer {
    type Service = Browser<S>;

    fn layer(&self, inner: S) -> Browser<S> {
        Browser { inner, allowed: Arc::clone(&self.0) }
    }
}

/// A service wrapped by a [`BrowserLayer`].
#[derive(Clone, Debug)]
pub(crate) struct Browser<S> {
    inner: S,
    allowed: Arc<Allowed>,
}

impl<S, B> Service<http::Request<B>> for Browser<S>
where
    S: Service<http::Request<B>, Response = http::Response<Body>, Error = Infallible>,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<http::Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        match self.allowed.refuses(&request) {
            None => Either::Left(self.inner.call(request)),
            Some(why) => {
                self.allowed.metrics.add("grpc.refused.origin", 1);
                let refused = status::foreign_origin(why);
                Either::Right(ready(Ok(status::as_json(&refused, StatusCode::FORBIDDEN))))
            }
        }
    }
}

#[cfg(test)]
mod tests;
