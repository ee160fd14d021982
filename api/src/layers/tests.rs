//! Tests of the layers that every call passes: deadlines, rates, panics.

use std::time::Duration;

use http::Request as HttpRequest;
use kimberly_runtime::config::{Config, Period};
use tonic::Code;
use tower::{ServiceExt as _, service_fn};

use super::*;
use crate::front::GateLayer;

async fn call<F, Fut>((gate, guard): &Layers, path: &str, timeout: Option<&str>, work: F) -> Code
where
    F: Fn() -> Fut + Clone + Send + 'static,
    Fut: Future<Output = ()> + Send + 'static,
{
    let inner = service_fn(move |_: Request| {
        let running = work();
        async move {
            running.await;
            Ok::<_, Infallible>(http::Response::new(Body::empty()))
        }
    });
    let mut request = HttpRequest::builder().uri(format!("http://localhost{path}"));
    request = request.header("content-type", "application/grpc");
    if let Some(timeout) = timeout {
        request = request.header("grpc-timeout", timeout);
    }
    let mut request = request.body(Body::empty()).unwrap();
    request.extensions_mut().insert(Arc::new(Caller::open()));
    let response = gate.layer(guard.layer(inner)).oneshot(request).await.unwrap();
    Status::from_header_map(response.headers()).map_or(Code::Ok, |status| status.code())
}

type Layers = (GateLayer, GuardLayer);

fn layers(config: &Config) -> Layers {
    (GateLayer::new(config, Metrics::detached()), GuardLayer::new(Metrics::detached()))
}

fn layer(timeout: Duration) -> Layers {
    let mut config = Config::default();
    config.api.request_timeout = Period(timeout);
    layers(&config)
}

const PATH: &str = "/kimberly.v1.MemoryService/GetMemory";

#[tokio::test]
async fn call_that_outlives_the_callers_or_the_servers_deadline_is_answered_with_deadline_exceeded() {
    let layer = layer(Duration::from_secs(1));
    let slow = || tokio::time::sleep(Duration::from_millis(100));
    assert_eq!(call(&layer, PATH, None, slow).await, Code::Ok);
    assert_eq!(call(&layer, PATH, Some("30m"), slow).await, Code::DeadlineExceeded);
    assert_eq!(call(&layer, PATH, Some("nonsense"), slow).await, Code::Ok);
    let never = std::future::pending;
    assert_eq!(call(&layer, PATH, None, never).await, Code::DeadlineExceeded);
    assert_eq!(call(&layer, PATH, Some("60S"), never).await, Code::DeadlineExceeded, "the server's bound holds too");
}

#[tokio::test]
async fn caller_beyond_their_rate_is_refused_at_once_but_health_is_answered() {
    let mut config = Config::default();
    (config.limits.credential_calls_per_second, config.limits.credential_burst) = (0.01, 1);
    let layer = layers(&config);
    let quick = || std::future::ready(());
    assert_eq!(call(&layer, PATH, None, quick).await, Code::Ok);
    assert_eq!(call(&layer, PATH, None, quick).await, Code::ResourceExhausted);
    for told in ["/grpc.health.v1.Health/Check", "/kimberly.v1.ServerService/GetServerInfo"] {
        assert_eq!(call(&layer, told, None, quick).await, Code::Ok, "{told}");
    }
}

#[tokio::test]
async fn what_has_no_rule_or_no_caller_is_refused_before_it_is_read() {
    let guard = GuardLayer::new(Metrics::detached());
    for (path, caller, code) in [
        (PATH, None, Code::Unauthenticated),
        ("/kimberly.v1.MemoryService/NoSuch", Some(Caller::open()), Code::Unimplemented),
        ("/kimberly.v1.ServerService/GetServerInfo", None, Code::Ok),
    ] {
        let inner = service_fn(move |_: Request| async move {
            assert_eq!(code, Code::Ok, "{path} was let through");
            Ok::<_, Infallible>(http::Response::new(Body::empty()))
        });
        let mut request = HttpRequest::builder().uri(format!("http://localhost{path}")).body(Body::empty()).unwrap();
        if let Some(caller) = caller {
            request.extensions_mut().insert(Arc::new(caller));
        }
        let response = guard.layer(inner).oneshot(request).await.unwrap();
        assert_eq!(
            Status::from_header_map(response.headers()).map_or(Code::Ok, |status| status.code()),
            code,
            "{path}"
        );
    }
}

#[tokio::test]
async fn panic_fails_its_call_only_and_shows_nothing() {
    let layer = layer(Duration::from_secs(30));
    let panics = || async { panic!("secret") };
    assert_eq!(call(&layer, PATH, None, panics).await, Code::Internal);
    assert_eq!(call(&layer, PATH, None, || std::future::ready(())).await, Code::Ok);
}
