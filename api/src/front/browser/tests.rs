//! Tests which requests of browsers are served.

use http::Request;
use kimberly_runtime::config::{ApiConfig, TlsConfig};

use super::*;

/// Reports whether a server on 127.0.0.1:7420 refuses a request with these headers.
fn refused(version: Version, uri: &str, headers: &[(&str, &str)]) -> bool {
    refused_by(&TlsConfig::default(), version, uri, headers)
}

fn refused_by(tls: &TlsConfig, version: Version, uri: &str, headers: &[(&str, &str)]) -> bool {
    let api = ApiConfig {
        cors_allowed_origins: vec!["https://app.example.com".to_owned()],
        allowed_hosts: vec!["memory.example.com".to_owned()],
        ..ApiConfig::default()
    };
    let config = Config { api, tls: tls.clone(), ..Config::default() };
    let layer = BrowserLayer::new(&config, config.api.listen, Metrics::detached());
    let mut request = Request::builder().version(version).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    layer.0.refuses(&request.body(()).unwrap()).is_some()
}

fn http1(headers: &[(&str, &str)]) -> bool {
    refused(Version::HTTP_11, "/memory", headers)
}

#[test]
fn programs_are_served_by_every_name_of_this_server() {
    for host in
        ["127.0.0.1:7420", "localhost:7420", "LOCALHOST", "[::1]:7420", "[::1]", "127.0.0.2", "memory.example.com"]
    {
        assert!(!http1(&[("host", host)]), "{host}");
    }
}

#[test]
fn names_that_point_here_without_our_knowing_are_refused() {
    for host in ["evil.example.com:7420", "localhost.evil.example.com", "0.0.0.0:7420", "10.0.0.1", "", "localhost:x"] {
        assert!(http1(&[("host", host)]), "{host}");
    }
    assert!(http1(&[]), "a request that names no host");
}

#[test]
fn programs_over_http2_may_call_the_server_as_they_like() {
    assert!(!refused(Version::HTTP_2, "http://kimberly.internal:7420/memory", &[]));
    let page = [("origin", "https://app.example.com")];
    assert!(refused(Version::HTTP_2, "http://kimberly.internal:7420/memory", &page), "unless a browser sent it");
    assert!(!refused(Version::HTTP_2, "http://memory.example.com/memory", &page));
}

#[test]
fn request_that_names_its_host_twice_is_refused() {
    for other in ["localhost:7420", "evil.example"] {
        for version in [Version::HTTP_11, Version::HTTP_2] {
            assert!(refused(version, "/memory", &[("host", "localhost:7420"), ("host", other)]), "{other}");
        }
    }
}

#[test]
fn pages_are_served_if_their_origin_is_our_own_or_allowed() {
    let host = ("host", "localhost:7420");
    for (origin, refused) in [
        ("https://app.example.com", false),
        ("http://localhost:7420", false),
        ("https://localhost:7420", false),
        ("http://localhost:3000", true),
        ("http://127.0.0.1:7420", true),
        ("https://app.example.com.evil.com", true),
        ("https://APP.example.com", true),
        ("http://app.example.com", true),
        ("null", true),
        ("", true),
    ] {
        assert_eq!(http1(&[host, ("origin", origin)]), refused, "{origin}");
    }
}

#[test]
fn requests_that_carry_no_origin_are_judged_by_what_the_browser_says_of_them() {
    let host = ("host", "localhost:7420");
    for (site, refused) in [("none", false), ("same-origin", false), ("same-site", true), ("cross-site", true)] {
        assert_eq!(http1(&[host, ("sec-fetch-site", site)]), refused, "{site}");
    }
    let allowed = [host, ("sec-fetch-site", "cross-site"), ("origin", "https://app.example.com")];
    assert!(!http1(&allowed), "an allowed origin is cross-site too");
}

#[test]
fn over_tls_names_are_the_certificates_matter_and_pages_are_still_held_to_their_origin() {
    let tls = TlsConfig { certificate: Some("c.pem".into()), ..TlsConfig::default() };
    let host = ("host", "kimberly.example.net");
    for version in [Version::HTTP_11, Version::HTTP_2] {
        let refused = |headers: &[(&str, &str)]| refused_by(&tls, version, "/memory", headers);
        assert!(!refused(&[host]));
        assert!(!refused(&[host, ("origin", "https://app.example.com")]));
        assert!(!refused(&[host, ("origin", "https://kimberly.example.net")]));
        assert!(refused(&[host, ("origin", "https://evil.example.com")]));
        assert!(refused(&[host, ("sec-fetch-site", "cross-site")]));
        assert!(!refused(&[host, ("sec-fetch-site", "same-origin")]));
    }
}
