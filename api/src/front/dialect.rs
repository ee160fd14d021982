//! The dialects that requests come in, and refusals in the dialect of the request, for what is refused before anybody
//! knows what it wants.

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use tonic::Status;
use tonic::body::Body;

use crate::status;

/// What the content types of gRPC and gRPC-Web begin with.
const GRPC: &[u8] = b"application/grpc";

/// The content type of a request of gRPC or gRPC-Web; none for one of JSON.
fn of_grpc<B>(request: &Request<B>) -> Option<&HeaderValue> {
    request.headers().get(CONTENT_TYPE).filter(|dialect| dialect.as_bytes().starts_with(GRPC))
}

/// Whether a request is JSON over HTTP.
pub(crate) fn is_json<B>(request: &Request<B>) -> bool {
    of_grpc(request).is_none()
}

/// A refusal as the answer to a request; `http` is its status in JSON.
pub(crate) fn refused<B>(request: &Request<B>, refused: Status, http: StatusCode) -> Response<Body> {
    match of_grpc(request) {
        Some(dialect) => {
            let mut response = refused.into_http();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::clone(dialect));
            response
        }
        None => status::as_json(&refused, http),
    }
}
