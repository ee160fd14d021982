//! Who may ask: processes over the same data folder, which know what only its keys tell. Health is for everybody. Without
//! encryption there are no keys, and whoever reaches the port may ask.

use kimberly_crypto::Keys;
use tonic::service::Interceptor;
use tonic::{Request, Status};

use super::status::{self, Refusal};

/// What stands before the token in the header.
const SCHEME: &str = "Bearer ";

/// Lets those in that show the token.
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
