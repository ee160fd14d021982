//! The dialects of requests. Writes refusals in the dialect of the request if it is refused before it is translated.

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use tonic::Status;
use tonic::body::Body;

use crate::status;

/// The prefix of the content types of gRPC and gRPC-Web.
const GRPC: &[u8] = b"application/grpc";

/// Returns the content type of a gRPC or gRPC-Web request. `None` for JSON.
fn of_grpc<B>(request: &Request<B>) -> Option<&HeaderValue> {
    request.headers().get(CONTENT_TYPE).filter(|dialect| dialect.as_bytes().starts_with(GRPC))
}

/// Reports whether a request is JSON over HTTP.
pub(crate) fn is_json<B>(request: &Request<B>) -> bool {
    of_grpc(request).is_none()
}

/// Writes a refusal in the dialect of the request. `http` is the HTTP status if that is JSON.
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
