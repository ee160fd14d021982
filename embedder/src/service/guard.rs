//! Authentication: admits processes of the same data folder, which share a token derived from its keys. Health checks
//! need none. Without encryption no keys exist, and any client that reaches the port is admitted.

use kimberly_crypto::Keys;
use tonic::service::Interceptor;
use tonic::{Request, Status};

use super::status::{self, Refusal};

/// The prefix of the token in the header.
const SCHEME: &str = "Bearer ";

/// Admits callers that present the token.
#[derive(Clone, Debug)]
pub(super) struct Guard(Keys);

impl Guard {
    pub(super) const fn new(keys: Keys) -> Self {
        Self(keys)
    }
}

impl Interceptor for Guard {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let header = request.metadata().get("authorization");
        let shown = header.and_then(|header| header.as_bytes().strip_prefix(SCHEME.as_bytes()));
        if self.0.admits_process(shown) { Ok(request) } else { Err(status::of(Refusal::Stranger)) }
    }
}
