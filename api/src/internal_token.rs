//! The token that this process presents to the embedder, so that no other account of the machine can pose as it.

use std::fmt;

use kimberly_crypto::Keys;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

/// The token of a data folder, added to every call. `None` without encryption, since there is no secret then.
#[derive(Clone)]
pub struct InternalToken(Option<MetadataValue<Ascii>>);

impl InternalToken {
    /// Derives the token from these keys.
    pub fn of(keys: &Keys) -> Self {
        let header = keys.internal_token().and_then(|token| format!("Bearer {}", token.as_str()).parse().ok());
        Self(header.map(|mut header: MetadataValue<Ascii>| {
            header.set_sensitive(true);
            header
        }))
    }
}

impl Interceptor for InternalToken {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(header) = &self.0 {
            request.metadata_mut().insert("authorization", header.clone());
        }
        Ok(request)
    }
}

impl fmt::Debug for InternalToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InternalToken(..)")
    }
}
