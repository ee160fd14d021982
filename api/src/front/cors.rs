//! CORS headers for the origins that the operator allowed. Without allowed origins there are none.

use std::time::Duration;

use http::Method;
use http::header::{HeaderName, HeaderValue};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// How long browsers may cache the result of a preflight request.
const MAX_AGE: Duration = Duration::from_mins(10);
/// Response headers that pages may read: the status of gRPC-Web calls, and the retry delay.
const EXPOSED: [&str; 5] = ["grpc-status", "grpc-message", "grpc-status-details-bin", "grpc-encoding", "retry-after"];

/// Creates the layer if any origin is allowed.
pub(crate) fn layer(origins: &[String]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    if origins.is_empty() {
        return None;
    }
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PATCH, Method::DELETE])
        // Metadata is chosen by the caller, and an allowed page is as trusted as any other client.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(EXPOSED.map(HeaderName::from_static))
        .max_age(MAX_AGE);
    Some(layer)
}
